#include "validation/reference/program.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <memory>

#include "isa/program/execute.hpp"
#include "isa/support/error.hpp"
#include "validation/reference/elements.hpp"
#include "validation/reference/instructions.hpp"

namespace pimento::reference {
namespace {

using isa::Instruction;
using isa::Opcode;

struct Message {
  std::uint32_t tag = 0;
  std::vector<std::uint8_t> bytes;
};
/// What cores have in common.
struct Shared {
  const isa::Program& program;
  Memory global;
  std::map<std::pair<CoreId, CoreId>, std::deque<Message>> messages;  // by source and destination
  std::map<std::pair<CoreId, std::uint32_t>, std::int64_t> events;    // by core and register
};

class Core {
 public:
  Core(Shared& shared, CoreId id, Bytes memory)
      : shared_(shared), id_(id), mine_(shared.program.cores[id]), order_(mine_.instructions.data), memory_(memory) {
    for (const isa::Group& group : mine_.groups) tiles_.push_back(group.tile);
    for (const isa::Constant& c : mine_.constants) memory_.put(c.address, c.bytes.data.data(), c.bytes.size());
    at_ = order_.next();
  }

  bool finished() const { return at_ == nullptr; }
  /// Runs until it ends or waits; whether it did anything.
  bool run() {
    bool did = false;
    for (; at_ != nullptr && execute(*at_); at_ = order_.next()) did = true;
    return did;
  }

 private:
  Shared& shared_;
  CoreId id_;
  const isa::CoreProgram& mine_;
  isa::LoopMachine order_;
  Memory memory_;
  std::vector<std::uint32_t> tiles_;
  const Instruction* at_ = nullptr;

  /// Start of segment k of an operand.
  std::int64_t segment(std::uint8_t reg, std::int32_t address, std::int32_t stride, std::int64_t k) const {
    std::int64_t start = address + k * stride;
    if (reg == isa::no_register) return start;
    start += order_.value(reg);
    const isa::AddressSetup& setup = order_.setup(reg);
    return setup.ring_size > 0 ? isa::wrap(start, setup.ring_lo, setup.ring_size) : start;
  }
  std::int64_t d(const Instruction& i, std::int64_t k) const { return segment(i.reg_d, i.dst, i.stride_d, k); }
  std::int64_t a(const Instruction& i, std::int64_t k) const { return segment(i.reg_a, i.a, i.stride_a, k); }
  std::int64_t b(const Instruction& i, std::int64_t k) const { return segment(i.reg_b, i.b, i.stride_b, k); }

  std::vector<std::uint8_t> gathered(const Instruction& i) {
    std::vector<std::uint8_t> all;
    for (std::int64_t k = 0; k < i.count; ++k) {
      const auto part = memory_.get(a(i, k), i.len);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
  void scatter(const Instruction& i, const std::vector<std::uint8_t>& all) {
    for (std::int64_t k = 0; k < i.count; ++k)
      memory_.put(d(i, k), all.data() + k * i.len, static_cast<std::size_t>(i.len));
  }
  std::int64_t index(const Instruction& i, std::int64_t k) {
    const std::int64_t row = read_integer(ElementType::i32, memory_.at(b(i, 0) + 4 * k, 4));
    if (row < 0 || row >= i.imm) throw UserError("reference: an index is out of its bound");
    return row;
  }

  /// False when it has to wait.
  bool execute(const Instruction& i) {
    using isa::Form;
    switch (isa::row(i.opcode).form) {
      case Form::send:
        shared_.messages[{id_, i.target}].push_back({i.tag, gathered(i)});
        return true;
      case Form::multicast:
        for (const CoreId to : shared_.program.core_sets.at(i.target))
          shared_.messages[{id_, to}].push_back({i.tag, gathered(i)});
        return true;
      case Form::receive:
        return receive(i);
      case Form::event:
        if (i.opcode == Opcode::wait) return shared_.events[{id_, i.tag}] >= i.imm;
        shared_.events[{i.target, i.tag}] += i.imm;
        return true;
      case Form::load:
        for (std::int64_t k = 0; k < i.count; ++k)
          memory_.put(d(i, k), shared_.global.at(a(i, k), i.len), static_cast<std::size_t>(i.len));
        return true;
      case Form::store:
        for (std::int64_t k = 0; k < i.count; ++k)
          shared_.global.put(d(i, k), memory_.at(a(i, k), i.len), static_cast<std::size_t>(i.len));
        return true;
      case Form::gather_global:
        for (std::int64_t k = 0; k < i.count; ++k)
          memory_.put(d(i, k), shared_.global.at(row_of(a(i, 0), i.stride_a, i.len, index(i, k)), i.len),
                      static_cast<std::size_t>(i.len));
        return true;
      case Form::scatter_global:
        for (std::int64_t k = 0; k < i.count; ++k)
          shared_.global.put(row_of(d(i, 0), i.stride_d, i.len, index(i, k)), memory_.at(a(i, k), i.len),
                             static_cast<std::size_t>(i.len));
        return true;
      case Form::gather:
        gather(i);
        return true;
      case Form::move:
        for (std::int64_t k = 0; k < i.count; ++k) {
          const auto bytes = memory_.get(a(i, k), i.len);
          memory_.put(d(i, k), bytes.data(), bytes.size());
        }
        return true;
      case Form::mvm:
        product(i);
        return true;
      case Form::program:
      case Form::write:
        tiles_.at(i.target) = i.tag;
        return true;
      case Form::dvm:
        digital_product(i);
        return true;
      case Form::none:
      case Form::loop:
      case Form::addr:
        return true;
      default:
        vector(i);
        return true;
    }
  }

  static std::int64_t row_of(std::int64_t first, std::int64_t stride, std::int64_t bytes, std::int64_t row) {
    return first + row * (stride == 0 ? bytes : stride);
  }

  bool receive(const Instruction& i) {
    auto& waiting = shared_.messages[{i.target, id_}];
    if (waiting.empty()) return false;
    if (waiting.front().tag != i.tag || waiting.front().bytes.size() != static_cast<std::size_t>(i.count * i.len))
      throw UserError(fmt::format("reference: core {} receives another message than core {} sent", id_, i.target));
    scatter(i, waiting.front().bytes);
    waiting.pop_front();
    return true;
  }

  void gather(const Instruction& i) {
    const std::int64_t bytes = std::int64_t{i.len} * size_of(i.type_d);
    for (std::int64_t k = 0; k < i.count; ++k) {
      const std::int64_t row = index(i, k);
      const bool scatters = i.opcode == Opcode::vscatter;
      const auto from = memory_.get(scatters ? a(i, k) : row_of(a(i, 0), i.stride_a, bytes, row), bytes);
      memory_.put(scatters ? row_of(d(i, 0), i.stride_d, bytes, row) : d(i, k), from.data(), from.size());
    }
  }

  /// dst[c] = sum over r of tile[r][c] * src[r].
  void product(const Instruction& i) {
    const isa::Tile& tile = shared_.program.tiles.at(tiles_.at(i.target));
    std::vector<std::int64_t> sums(static_cast<std::size_t>(tile.cols), 0);
    std::vector<float> reals(sums.size(), 0.0F);
    const bool floats = is_float(i.type_a);
    const int size = size_of(i.type_a), weight = size_of(tile.type);
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const std::uint8_t* x = memory_.at(a(i, r / i.len) + r % i.len * size, size);
      const std::uint8_t* w = tile.weights.data.data() + r * tile.cols * weight;
      const std::int64_t input = floats ? 0 : read_integer(i.type_a, x);
      const float real = floats ? read_float(i.type_a, x) : 0;
      for (std::size_t c = 0; c < sums.size(); ++c, w += weight)
        if (floats)
          reals[c] = reals[c] + read_float(tile.type, w) * real;
        else
          sums[c] += input * (tile.type == ElementType::i8 ? element<std::int8_t>(w) : read_integer(tile.type, w));
    }
    const bool relu = (i.flags & isa::flag::relu) != 0;
    for (std::size_t c = 0; c < sums.size(); ++c) {
      std::uint8_t* to = memory_.at(d(i, 0) + static_cast<std::int64_t>(c) * size_of(i.type_d), size_of(i.type_d));
      const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]));
      if (floats)
        write_float(i.type_d, to, relu && !(reals[c] > 0) ? 0.0F : reals[c]);
      else
        write_integer(i.type_d, to, relu && sum < 0 ? 0 : sum);
    }
  }

  void digital_product(const Instruction& i) {
    for (std::int64_t c = 0; c < i.count; ++c) {
      std::int64_t sum = 0;
      float real = 0;
      for (std::int64_t r = 0; r < i.len; ++r) {
        const std::uint8_t* x = memory_.at(a(i, 0) + r * size_of(i.type_a), size_of(i.type_a));
        const std::uint8_t* y = memory_.at(b(i, r) + c * size_of(i.type_b), size_of(i.type_b));
        if (is_float(i.type_a))
          real = real + read_float(i.type_a, x) * read_float(i.type_b, y);
        else
          sum += read_integer(i.type_a, x) * read_integer(i.type_b, y);
      }
      std::uint8_t* to = memory_.at(d(i, 0) + c * size_of(i.type_d), size_of(i.type_d));
      is_float(i.type_a) ? write_float(i.type_d, to, real) : write_integer(i.type_d, to, sum);
    }
  }

  void vector(const Instruction& i) {
    const isa::Form form = isa::row(i.opcode).form;
    const bool reduces = form == isa::Form::reduce || form == isa::Form::dot;
    const bool scalar = (i.flags & isa::flag::b_scalar) != 0;
    const bool has_b =
        form == isa::Form::binary || form == isa::Form::ternary || form == isa::Form::requant || form == isa::Form::dot;
    const bool has_a = form != isa::Form::fill && form != isa::Form::fill_bytes;
    if (form == isa::Form::fill_bytes) {
      for (std::int64_t k = 0; k < i.count; ++k)
        std::fill_n(memory_.at(d(i, k), i.len), i.len, static_cast<std::uint8_t>(i.imm));
      return;
    }
    for (std::int64_t k = 0; k < i.count; ++k) {
      Fold fold(i);
      for (std::int64_t n = 0; n < i.len; ++n) {
        Operands x;
        if (has_a) x.a = memory_.at(a(i, k) + n * size_of(i.type_a), size_of(i.type_a));
        if (has_b) x.b = memory_.at(b(i, k) + (scalar ? 0 : n * size_of(i.type_b)), size_of(i.type_b));
        if (form == isa::Form::lookup) {
          x.b = memory_.at(b(i, 0) + std::int64_t{*x.a} * size_of(i.type_d), size_of(i.type_d));
          memory_.put(d(i, k) + n * size_of(i.type_d), x.b, static_cast<std::size_t>(size_of(i.type_d)));
        } else if (reduces) {
          fold.take(x);
        } else {
          std::uint8_t* to = memory_.at(d(i, k) + n * size_of(i.type_d), size_of(i.type_d));
          if (i.opcode == Opcode::vscan)
            fold.take(x), fold.write(to);
          else
            write_result(i, x, to);
        }
      }
      if (reduces) fold.write(memory_.at(d(i, 0) + k * size_of(i.type_d), size_of(i.type_d)));
    }
  }
};

}  // namespace

std::vector<std::vector<std::uint8_t>> run_program(const isa::Program& program, Bytes local_memory,
                                                   const std::vector<std::vector<std::uint8_t>>& inputs) {
  Shared shared{program, Memory(isa::global_memory_extent(program)), {}, {}};
  for (const isa::GlobalConstant& c : program.global_constants)
    shared.global.put(c.address, c.bytes.data.data(), c.bytes.size());
  for (std::size_t n = 0; n < inputs.size(); ++n)
    shared.global.put(program.inputs.at(n).address, inputs[n].data(), inputs[n].size());
  std::vector<std::unique_ptr<Core>> cores;
  for (CoreId id = 0; id < program.cores.size(); ++id)
    cores.push_back(std::make_unique<Core>(shared, id, local_memory));
  bool left = true;
  while (left) {
    left = false;
    bool did = false;
    for (const auto& core : cores) {
      did = core->run() || did;
      left = left || !core->finished();
    }
    if (left && !did) throw UserError("reference: cores wait for each other for ever");
  }
  std::vector<std::vector<std::uint8_t>> outputs;
  for (const isa::Port& port : program.outputs) outputs.push_back(shared.global.get(port.address, port.bytes()));
  return outputs;
}

}  // namespace pimento::reference
