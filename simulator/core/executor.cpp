#include "simulator/core/executor.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isa/support/error.hpp"
#include "simulator/core/at.hpp"
#include "simulator/core/elements.hpp"
#include "simulator/crossbar/analog.hpp"

namespace pimento::sim {

using isa::Form;
using isa::Instruction;
using isa::Opcode;

Executor::Executor(const isa::Program& program, CoreId core, const std::vector<PackedTile>& tiles, Bytes memory_size,
                   Carries carries)
    : core_(core), shadows_(carries.shadows), memory_(memory_size, carries), program_(&program), tiles_(&tiles) {
  const isa::CoreProgram& mine = program.cores[core];
  for (const isa::Group& group : mine.groups) group_tile_.push_back(group.tile);
  for (const isa::Constant& c : mine.constants) {
    if (c.address < 0 || c.address + static_cast<Bytes>(c.bytes.size()) > memory_size)
      throw UserError(fmt::format("core {}: a constant of {} bytes at {} leaves local memory of {} bytes", core,
                                  c.bytes.size(), c.address, memory_size));
    memory_.place(c.address, c.type, c.bytes.data, c.real.data);
  }
}

void Executor::fail(const At& at, const std::string& what) const {
  throw UserError(fmt::format("core {}, instruction {} '{}': {}", core_, at.index, isa::print(at.i), what));
}

std::int64_t Executor::in_bounds(const At& at, std::int64_t address, std::int64_t bytes) const {
  if (address < 0 || address + bytes > memory_.size())
    fail(at,
         fmt::format("bytes {} .. {} leave local memory of {} bytes", address, address + bytes - 1, memory_.size()));
  return address;
}

void Executor::wrote(const At& at, std::int64_t address, std::int64_t bytes) {
  if (!memory_.carries().writers) return;
  WriterId* writers = memory_.writers(address);
  for (std::int64_t k = 0; k < bytes; ++k) writers[k] = writer_id(core_, at.index);
}

void Executor::execute(const Instruction& instruction, std::uint32_t index, const Places& places) {
  const At at(instruction, index, places);
  switch (isa::row(instruction.opcode).form) {
    case Form::unary:
      if ((instruction.opcode == Opcode::vtanh || instruction.opcode == Opcode::vsigm) && !is_float(instruction.type_a))
        return fixed_point(at);
      return instruction.opcode == Opcode::vscan ? scan(at) : elementwise(at);
    case Form::binary:
    case Form::ternary:
      return elementwise(at);
    case Form::convert:
    case Form::requant:
      return convert(at);
    case Form::clip:
      return clip(at);
    case Form::fill:
      return fill(at);
    case Form::lookup:
      return lookup(at);
    case Form::reduce:
      return reduce(at);
    case Form::dot:
      return dot(at);
    case Form::fill_bytes:
      return fill_bytes(at);
    case Form::gather:
      return gather(at);
    case Form::move:
      return move(at);
    case Form::mvm:
      return mvm(at);
    case Form::dvm:
      return dvm(at);
    case Form::program:
      if (instruction.tag >= tiles_->size()) fail(at, fmt::format("the program has {} tiles", tiles_->size()));
      group_tile_.at(instruction.target) = instruction.tag;
      return;
    case Form::write:
      return write_cells(at);
    default:
      return;
  }
}

/// The cells take what the tile says, and what has been brought must be just that.
void Executor::write_cells(const At& at) {
  const isa::Tile& tile = program_->tiles.at(at.i.tag);
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t from = in_bounds(at, at.a(k), at.i.len), row = at.i.imm + k;
    if (std::memcmp(memory_.bytes(from), tile.weights.data.data() + row * at.i.len,
                    static_cast<std::size_t>(at.i.len)) != 0)
      fail(at, fmt::format("the {} bytes at {} are not row {} of tile {}", at.i.len, from, row, at.i.tag));
  }
  group_tile_.at(at.i.target) = at.i.tag;
}

void Executor::move(const At& at) {
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t from = in_bounds(at, at.a(k), at.i.len), to = in_bounds(at, at.d(k), at.i.len);
    const auto n = static_cast<std::size_t>(at.i.len);
    std::memmove(memory_.bytes(to), memory_.bytes(from), n);
    if (shadows_) std::memmove(memory_.shadows(to), memory_.shadows(from), n * sizeof(float));
    if (memory_.carries().writers) std::memmove(memory_.writers(to), memory_.writers(from), n * sizeof(WriterId));
  }
}

void Executor::read(const Instruction& instruction, std::uint32_t index, const Places& places, Payload& out) {
  const At at(instruction, index, places);
  out.bytes.reserve(static_cast<std::size_t>(instruction.count) * static_cast<std::size_t>(instruction.len));
  for (std::int64_t k = 0; k < instruction.count; ++k)
    memory_.read(in_bounds(at, at.a(k), instruction.len), instruction.len, out);
}

void Executor::write(const Instruction& instruction, std::uint32_t index, const Places& places, const Payload& in) {
  const At at(instruction, index, places);
  for (std::int64_t k = 0; k < instruction.count; ++k)
    memory_.write(in_bounds(at, at.d(k), instruction.len), instruction.len, in,
                  static_cast<std::size_t>(k) * static_cast<std::size_t>(instruction.len));
}

std::vector<std::int32_t> Executor::read_indices(const At& at) const {
  const std::int64_t from = in_bounds(at, at.b(0), Bytes{4} * at.i.count);
  std::vector<std::int32_t> all(static_cast<std::size_t>(at.i.count));
  std::memcpy(all.data(), memory_.bytes(from), all.size() * 4);
  for (const std::int32_t each : all)
    if (each < 0 || each >= at.i.imm) fail(at, fmt::format("index {} is outside 0 .. {}", each, at.i.imm - 1));
  return all;
}

std::vector<std::int32_t> Executor::indices(const Instruction& instruction, std::uint32_t index, const Places& places) {
  return read_indices(At(instruction, index, places));
}

void Executor::gather(const At& at) {
  const bool scatter = at.i.opcode == Opcode::vscatter;
  const std::vector<std::int32_t> index = read_indices(at);
  const std::int64_t bytes = static_cast<std::int64_t>(at.i.len) * at.size_d;
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t row = index[static_cast<std::size_t>(k)];
    const std::int64_t from = in_bounds(at, scatter ? at.a(k) : at.a(row), bytes);
    const std::int64_t to = in_bounds(at, scatter ? at.d(row) : at.d(k), bytes);
    std::memmove(memory_.bytes(to), memory_.bytes(from), static_cast<std::size_t>(bytes));
    if (shadows_)
      std::memmove(memory_.shadows(to), memory_.shadows(from), static_cast<std::size_t>(bytes) * sizeof(float));
    wrote(at, to, bytes);
  }
}

void Executor::lookup(const At& at) {
  const std::int64_t table = in_bounds(at, at.b(0), Bytes{256} * at.size_d);
  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t from = in_bounds(at, at.a(k), at.i.len);
    const std::int64_t to = in_bounds(at, at.d(k), static_cast<std::int64_t>(at.i.len) * at.size_d);
    for (std::int64_t n = 0; n < at.i.len; ++n) {
      const std::int64_t entry = table + static_cast<std::int64_t>(*memory_.bytes(from + n)) * at.size_d;
      std::memcpy(memory_.bytes(to + n * at.size_d), memory_.bytes(entry), static_cast<std::size_t>(at.size_d));
      if (shadows_) *memory_.shadows(to + n * at.size_d) = *memory_.shadows(entry);
    }
    wrote(at, to, static_cast<std::int64_t>(at.i.len) * at.size_d);
  }
}

void Executor::mvm(const At& at) {
  const std::uint32_t group = at.i.target;
  if (group >= group_tile_.size() || group_tile_[group] == isa::no_tile)
    fail(at, fmt::format("array group {} holds no tile", group));
  const PackedTile& tile = tiles_->at(group_tile_[group]);
  const std::int64_t inputs = static_cast<std::int64_t>(at.i.count) * at.i.len;
  if (inputs != tile.rows) fail(at, fmt::format("{} inputs for a tile of {} rows", inputs, tile.rows));
  const auto rows = static_cast<std::size_t>(tile.rows), cols = static_cast<std::size_t>(tile.cols);
  const std::int64_t to = in_bounds(at, at.d(0), static_cast<std::int64_t>(cols) * at.size_d);
  const bool floats = is_float(at.i.type_a);
  const bool unsigned16 = at.i.type_a == ElementType::u16;
  if (floats || shadows_) xf_.resize(rows), sums_f_.resize(cols);
  if (!floats) x16_.assign(rows + rows % 2, 0), xu16_.resize(unsigned16 ? rows : 0), sums_.resize(cols);

  for (std::int64_t k = 0; k < at.i.count; ++k) {
    const std::int64_t from = in_bounds(at, at.a(k), static_cast<std::int64_t>(at.i.len) * at.size_a);
    const auto first = static_cast<std::size_t>(k * at.i.len);
    const std::uint8_t* bytes = memory_.bytes(from);
    if (floats) load_floats(at.i.type_a, bytes, at.i.len, xf_.data() + first);
    if (shadows_) load_shadows(memory_.shadows(from), at.i.len, at.size_a, xf_.data() + first);
    switch (at.i.type_a) {
      case ElementType::u8:
        load_as<std::uint8_t>(bytes, at.i.len, x16_.data() + first);
        break;
      case ElementType::i8:
        load_as<std::int8_t>(bytes, at.i.len, x16_.data() + first);
        break;
      case ElementType::i16:
        load_as<std::int16_t>(bytes, at.i.len, x16_.data() + first);
        break;
      case ElementType::u16:
        load_as<std::uint16_t>(bytes, at.i.len, xu16_.data() + first);
        break;
      default:
        break;
    }
  }
  if (tile.input_bits > 0 && !floats) {
    const bool has_sign = is_signed(at.i.type_a);
    const std::int32_t most = (1 << (has_sign ? tile.input_bits - 1 : tile.input_bits)) - 1;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int32_t x = unsigned16 ? std::int32_t{xu16_[r]} : std::int32_t{x16_[r]};
      if (x > most || x < (has_sign ? -most - 1 : 0))
        fail(at,
             fmt::format("input {} is {}, which core.crossbar.input_bits of {} does not hold", r, x, tile.input_bits));
    }
  }
  if (floats || shadows_) multiply(tile, xf_, sums_f_);
  if (tile.analog && !floats) {
    x32_.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) x32_[r] = unsigned16 ? std::int32_t{xu16_[r]} : std::int32_t{x16_[r]};
    tile.analog->multiply(x32_, at.i.type_a, sums_);
  } else if (unsigned16) {
    multiply(tile, std::span<const std::uint16_t>(xu16_), sums_);
  } else if (!floats) {
    multiply(tile, std::span<const std::int16_t>(x16_), sums_);
  }
  if (at.has(isa::flag::relu)) {
    for (float& each : sums_f_) each = each > 0 ? each : 0.0F;
    for (std::int32_t& each : sums_) each = each > 0 ? each : 0;
  }
  switch (at.size_d) {
    case 1:
      store_as<std::int8_t>(sums_.data(), tile.cols, memory_.bytes(to));
      break;
    case 2:
      store_as<std::int16_t>(sums_.data(), tile.cols, memory_.bytes(to));
      break;
    default:
      std::memcpy(memory_.bytes(to), floats ? static_cast<const void*>(sums_f_.data()) : sums_.data(), cols * 4);
  }
  if (shadows_) store_shadows(sums_f_.data(), tile.cols, at.size_d, memory_.shadows(to));
  wrote(at, to, static_cast<std::int64_t>(cols) * at.size_d);
}

void Executor::dvm(const At& at) {
  const int rows = at.i.len, cols = at.i.count;
  const bool floats = is_float(at.i.type_a);
  const std::int64_t from = in_bounds(at, at.a(0), static_cast<std::int64_t>(rows) * at.size_a);
  const std::int64_t to = in_bounds(at, at.d(0), static_cast<std::int64_t>(cols) * at.size_d);
  const auto n = static_cast<std::size_t>(cols);
  std::vector<std::int64_t> b_int(n), sums(n, 0), a_int(static_cast<std::size_t>(rows));
  std::vector<float> b_f(n), sums_f(n, 0), a_f(static_cast<std::size_t>(rows));
  if (floats) load_floats(at.i.type_a, memory_.bytes(from), rows, a_f.data());
  if (!floats) load_integers(at.i.type_a, memory_.bytes(from), rows, a_int.data());
  if (shadows_) load_shadows(memory_.shadows(from), rows, at.size_a, a_f.data());
  for (int r = 0; r < rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    const std::int64_t line = in_bounds(at, at.b(r), static_cast<std::int64_t>(cols) * at.size_b);
    if (floats) load_floats(at.i.type_b, memory_.bytes(line), cols, b_f.data());
    if (shadows_) load_shadows(memory_.shadows(line), cols, at.size_b, b_f.data());
    if (floats || shadows_)
      for (std::size_t c = 0; c < n; ++c) sums_f[c] = sums_f[c] + a_f[row] * b_f[c];
    if (floats) continue;
    load_integers(at.i.type_b, memory_.bytes(line), cols, b_int.data());
    for (std::size_t c = 0; c < n; ++c)
      sums[c] =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[c]) +
                                    static_cast<std::uint64_t>(a_int[row]) * static_cast<std::uint64_t>(b_int[c]));
  }
  if (floats) store_floats(at.i.type_d, sums_f.data(), cols, memory_.bytes(to));
  if (!floats) store_integers(at.i.type_d, sums.data(), cols, memory_.bytes(to));
  if (shadows_) store_shadows(sums_f.data(), cols, at.size_d, memory_.shadows(to));
  wrote(at, to, static_cast<std::int64_t>(cols) * at.size_d);
}

}  // namespace pimento::sim
