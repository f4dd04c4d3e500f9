#include "isa/peers/back_translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "isa/instruction/form.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace {

std::int32_t bits_of(ElementType type) { return 8 * size_of(type); }

}  // namespace

BackTranslator::BackTranslator(const Program& program, const Chip& chip, CoreId core, const WriteOptions& options,
                               Take take)
    : program_(program), chip_(chip), core_(core), options_(options), take_(std::move(take)) {
  registers_.fill(0);
  for (const Instruction& i : program.cores[core].instructions.data)
    if (row(i.opcode).unit == Unit::scalar && i.opcode != Opcode::addr && i.reg_d < register_count)
      reserved_[i.reg_d] = true;
}

std::string BackTranslator::here() const {
  const CoreProgram& core = program_.cores[core_];
  std::string text = fmt::format("core {}, instruction {} '{}'", core_, at_, print(core.instructions.data[at_]));
  const std::uint32_t node = node_of(core, static_cast<std::uint32_t>(at_));
  if (node < program_.nodes.size()) text += fmt::format(" (node '{}')", program_.nodes[node]);
  return text;
}

void BackTranslator::refuse(const std::string& why) const { throw UserError(fmt::format("{}: {}", here(), why)); }

void BackTranslator::run() {
  const auto& all = program_.cores[core_].instructions.data;
  for (at_ = 0; at_ < all.size(); ++at_) {
    if (all[at_].opcode == Opcode::halt) return;
    add(all[at_]);
  }
}

std::optional<Op> BackTranslator::conversion(const Instruction& i) const {
  if (i.imm != 0 || (i.flags & flag::relu) != 0) return std::nullopt;
  const std::int32_t in = size_of(i.type_a), out = size_of(i.type_d);
  const auto shifted = static_cast<float>(std::int64_t{1} << (8 * std::abs(in - out)));
  if (i.scale == 1.0F) return Op::vrsl;
  if (i.scale == (out < in ? 1.0F / shifted : shifted)) return Op::vrsu;
  return std::nullopt;
}

Op BackTranslator::operation_for(const Instruction& i) const {
  if (i.opcode == Opcode::vcvt) return conversion(i).value_or(Op::vrsu);
  for (const Operation& each : operations())
    if (each.row == i.opcode) return each.op;
  refuse(fmt::format("pimsim-nn has no operation for '{}'", row(i.opcode).name));
}

std::int32_t BackTranslator::at(const Instruction& i, Operand o, std::int64_t k) const {
  const std::uint8_t reg = o == Operand::d ? i.reg_d : o == Operand::a ? i.reg_a : i.reg_b;
  const std::int64_t stride = o == Operand::d ? i.stride_d : o == Operand::a ? i.stride_a : i.stride_b;
  std::int64_t address = (o == Operand::d ? i.dst : o == Operand::a ? i.a : i.b) + k * stride;
  if (reg != no_register) {
    const Instruction* const instruction = rings_[reg];
    if (instruction == nullptr) refuse(fmt::format("address register {} was not set", reg));
    const AddressSetup set = address_setup(*instruction);
    address += set.base;
    if (set.ring_size > 0) address = wrap(address, set.ring_lo, set.ring_size);
  }
  if (address < 0 || address > std::numeric_limits<std::int32_t>::max())
    refuse(fmt::format("address {}, pimsim-nn's are below 2^31", address));
  return static_cast<std::int32_t>(address);
}

bool BackTranslator::dense(const Instruction& i, Operand o, std::int64_t bytes) const {
  for (std::int64_t k = 1; k < i.count; ++k)
    if (at(i, o, k) != at(i, o, 0) + k * bytes) return false;
  return true;
}

std::int32_t BackTranslator::beside(std::int64_t offset, std::int64_t bytes) const {
  constexpr std::int64_t line = 64;
  const std::int64_t used = (program_.cores[core_].local_memory_used + line - 1) / line * line;
  if (used + offset + bytes > chip_.core.local_memory.capacity)
    refuse(fmt::format("needs {} bytes of local memory beside the {} in use, to bring a strided view together",
                       offset + bytes, used));
  return static_cast<std::int32_t>(used + offset);
}

void BackTranslator::copy(std::int64_t from, std::int64_t to, std::int64_t bytes) {
  chosen_.clear();
  PeerInstruction peer{Op::lmv, 0, {}, 0};
  peer.set(Field::rs1, reg(static_cast<std::int32_t>(from)));
  peer.set(Field::rd, reg(static_cast<std::int32_t>(to)));
  peer.set(Field::len, static_cast<std::int32_t>(bytes));
  emit(peer);
}

void BackTranslator::add(const Instruction& i) {
  chosen_.clear();
  switch (i.opcode) {
    case Opcode::addr:
      rings_[i.reg_d] = &i;
      return;
    case Opcode::vrequant:
      return rescale(i, (i.flags & flag::b_scalar) == 0);
    case Opcode::vcvt:
      if (!conversion(i)) return rescale(i, false);
      break;
    case Opcode::vfill:
      if (byte_fill(i)) return;
      break;
    default:
      break;
  }
  const Op op = operation_for(i);
  switch (row(i.opcode).form) {
    case Form::none:
      return emit({op, 0, {}, 0});
    case Form::scalar_imm:
    case Form::scalar_reg:
    case Form::scalar_reg_imm:
      return scalar(i, op);
    case Form::set_bits: {
      PeerInstruction peer{op, 0, {}, 0};
      peer.set(Field::ibiw, input_bits_ = i.a);
      peer.set(Field::obiw, output_bits_ = i.b);
      return emit(peer);
    }
    case Form::mvm:
      return matrix(i);
    case Form::event:
      return event(i, op);
    default:
      return row(i.opcode).unit == Unit::vector ? vector(i, op) : transfer(i, op);
  }
}

void BackTranslator::emit(PeerInstruction peer) { take_(peer); }

void BackTranslator::scalar(const Instruction& i, Op op) {
  PeerInstruction peer{op, 0, {}, 0};
  for (const std::uint8_t r : {i.reg_d, i.reg_a, i.reg_b})
    if (r != no_register && r >= register_count)
      refuse(fmt::format("register {}, pimsim-nn has {}", r, register_count));
  const auto value = [&](std::uint8_t r) -> std::optional<std::int64_t> { return registers_[r]; };
  std::optional<std::int64_t> x, y = i.imm;
  peer.set(Field::rd, i.reg_d);
  if (i.reg_a != no_register) peer.set(Field::rs1, i.reg_a), x = value(i.reg_a);
  if (i.reg_b != no_register) peer.set(Field::rs2, i.reg_b), y = value(i.reg_b);
  if (i.reg_b == no_register) peer.set(op == Op::sld ? Field::offset_value : Field::imm, i.imm), peer.imm = i.imm;
  auto& target = registers_[i.reg_d];
  target.reset();
  const auto narrow = [](std::int64_t wide) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(wide)); };
  if (op == Op::sldi) target = i.imm;
  if (x && y && (op == Op::sadd || op == Op::saddi)) target = narrow(*x + *y);
  if (x && y && op == Op::ssub) target = narrow(*x - *y);
  if (x && y && (op == Op::smul || op == Op::smuli)) target = narrow(*x * *y);
  emit(peer);
}

std::int32_t BackTranslator::reg(std::int32_t value) {
  for (std::int32_t r = 0; r < register_count; ++r)
    if (registers_[static_cast<std::size_t>(r)] == value) {
      chosen_.push_back(r);
      return r;
    }
  for (int tries = 0; tries < register_count; ++tries) {
    const std::int32_t r = next_free_;
    next_free_ = (next_free_ + 1) % register_count;
    if (reserved_[static_cast<std::size_t>(r)] || std::find(chosen_.begin(), chosen_.end(), r) != chosen_.end())
      continue;
    PeerInstruction peer{Op::sldi, 0, {}, 0};
    peer.set(Field::rd, r);
    peer.set(Field::imm, value);
    peer.imm = value;
    emit(peer);
    registers_[static_cast<std::size_t>(r)] = value;
    chosen_.push_back(r);
    return r;
  }
  refuse("no register is free for its addresses");
}

void BackTranslator::set_widths(ElementType input, std::optional<ElementType> output) {
  for (const ElementType type : {input, output.value_or(input)})
    if (is_float(type)) refuse(fmt::format("pimsim-nn has no elements of type {}", to_string(type)));
  const auto bytes = [](std::int32_t bits) { return (bits + 7) / 8; };
  const bool fits = bytes(input_bits_) == size_of(input) && (!output || bytes(output_bits_) == size_of(*output));
  if (fits) return;
  PeerInstruction peer{Op::setbw, 0, {}, 0};
  peer.set(Field::ibiw, input_bits_ = bits_of(input));
  if (output) output_bits_ = bits_of(*output);
  peer.set(Field::obiw, output_bits_ = output_bits_ != 0 ? output_bits_ : input_bits_);
  emit(peer);
}

void BackTranslator::matrix(const Instruction& i) {
  const std::uint32_t tile = program_.cores[core_].groups.at(i.target).tile;
  if (tile == no_tile) refuse("its array group holds no tile");
  const Tile& t = program_.tiles.at(tile);
  const std::int64_t rows = chip_.core.crossbar.rows, segment = std::int64_t{i.len} * size_of(i.type_a);
  std::int64_t from = at(i, Operand::a, 0);
  if (!dense(i, Operand::a, segment)) {
    from = beside(0, rows * size_of(i.type_a));
    for (std::int64_t k = 0; k < i.count; ++k) copy(at(i, Operand::a, k), from + k * segment, segment);
  }
  // There all rows are applied and all columns written. Rows beyond the tile meet weights of 0; columns beyond it must
  // not meet what stands behind the result.
  const std::int64_t columns = std::int64_t{t.crossbar_cols} * chip_.weights_per_crossbar_row();
  const bool apart = t.cols != columns;
  const std::int64_t result = apart ? beside(rows * 8, columns * size_of(i.type_d)) : at(i, Operand::d, 0);
  set_widths(i.type_a, i.type_d);
  chosen_.clear();
  PeerInstruction peer{Op::mvmul, 0, {}, 0};
  peer.set(Field::rs1, reg(static_cast<std::int32_t>(from)));
  peer.set(Field::rd, reg(static_cast<std::int32_t>(result)));
  peer.set(Field::mbiw, chip_.numerics.weight_bits);
  peer.set(Field::group, static_cast<std::int32_t>(i.target));
  peer.set(Field::relu, (i.flags & flag::relu) != 0 ? 1 : 0);
  emit(peer);
  if (apart) copy(result, at(i, Operand::d, 0), std::int64_t{t.cols} * size_of(i.type_d));
}

void BackTranslator::keep_time_only(const char* why) {
  if (!options_.times_only) refuse(why);
  if (report_.times_only++ == 0) report_.first_times_only = here();
}

Instruction BackTranslator::without_floats(const Instruction& i) {
  Instruction plain = i;
  for (ElementType* const type : {&plain.type_d, &plain.type_a, &plain.type_b})
    if (is_float(*type)) *type = size_of(*type) == 4 ? ElementType::i32 : ElementType::i16;
  return plain;
}

/// As many reads, passes and writes: `vrsu` for a scale of all elements, `vvmul` for one of each. (One scale from local
/// memory for all costs an access more here.)
void BackTranslator::rescale(const Instruction& i, bool by_vector) {
  keep_time_only("pimsim-nn has no scales; it converts only by keeping upper or lower bits");
  Instruction plain = without_floats(i);
  plain.flags = 0;
  by_vector = by_vector && plain.type_b == plain.type_a;
  if (by_vector) plain.opcode = Opcode::vmul;
  vector(plain, by_vector ? Op::vvmul : Op::vrsu);
  if ((i.flags & flag::relu) == 0) return;
  plain.opcode = Opcode::vrelu;
  plain.a = i.dst, plain.reg_a = i.reg_d, plain.stride_a = i.stride_d, plain.type_a = plain.type_d;
  vector(plain, Op::vrelu);
}

bool BackTranslator::byte_fill(const Instruction& i) {
  const bool byte = size_of(i.type_d) == 1 && i.scale == std::trunc(i.scale) && i.scale >= -128 && i.scale <= 255;
  if (i.scale != 0.0F && !byte) return false;
  Instruction plain = i;
  plain.opcode = Opcode::fill;
  plain.imm = static_cast<std::int32_t>(i.scale);
  plain.real = i.scale;
  plain.len = i.len * size_of(i.type_d);
  transfer(plain, Op::lldi);
  return true;
}

Instruction BackTranslator::in_one_width(const Instruction& i, bool two, std::int32_t bytes) {
  const std::int32_t width = std::max({size_of(i.type_a), two ? size_of(i.type_b) : 0, bytes});
  const ElementType wide = width == 8   ? ElementType::i64
                           : width == 4 ? ElementType::i32
                           : width == 2 ? ElementType::i16
                                        : ElementType::i8;
  Instruction same = i;
  const std::int64_t room = std::int64_t{i.count} * i.len * width;
  const auto widen = [&](std::int64_t offset, std::int32_t& address, std::int32_t& stride, std::uint8_t& reg,
                         ElementType& type) {
    if (size_of(type) == width) return;
    Instruction conversion;
    conversion.opcode = Opcode::vcvt;
    conversion.a = address, conversion.stride_a = stride, conversion.reg_a = reg, conversion.type_a = type;
    conversion.dst = address = beside(offset, room);
    conversion.count = i.count, conversion.len = i.len;
    conversion.stride_d = stride = i.len * width;
    conversion.type_d = type = wide;
    reg = no_register;
    vector(conversion, Op::vrsl);
  };
  widen(0, same.a, same.stride_a, same.reg_a, same.type_a);
  if (two) widen(room, same.b, same.stride_b, same.reg_b, same.type_b);
  return same;
}

void BackTranslator::vector(const Instruction& given, Op op) {
  if (given.flags != 0) refuse("pimsim-nn has no operand of one element");
  const Form form = row(given.opcode).form;
  const bool two = form == Form::binary || form == Form::dot, one_result = form == Form::reduce || form == Form::dot;
  if (is_float(given.type_d) || is_float(given.type_a) || (two && is_float(given.type_b)))
    keep_time_only("pimsim-nn has no floats");
  Instruction i = without_floats(given);
  const bool keeps = op == Op::vvadd || op == Op::vvsub || op == Op::vvmax || op == Op::vrelu || op == Op::vmv ||
                     op == Op::vvsll || op == Op::vvsra;
  if (op != Op::vrsl && op != Op::vrsu) i = in_one_width(i, two, keeps ? size_of(i.type_d) : 0);
  if (keeps && size_of(i.type_d) != size_of(i.type_a))
    refuse(fmt::format("pimsim-nn's {} gives elements of the input's width, not {} of {}", operation(op).name,
                       to_string(i.type_d), to_string(i.type_a)));
  const std::int64_t in = size_of(i.type_a), out = size_of(i.type_d);
  const bool shifts = op == Op::vvsll || op == Op::vvsra;
  set_widths(i.type_a, keeps && !shifts ? std::optional<ElementType>() : std::optional(i.type_d));
  const auto one = [&](std::int64_t k, std::int32_t len, std::int32_t stride) {
    chosen_.clear();
    PeerInstruction peer{op, 0, {}, 0};
    peer.set(Field::rs1, reg(at(i, Operand::a, k)));
    if (two) peer.set(Field::rs2, reg(at(i, Operand::b, k)));
    if (op == Op::vmv) peer.set(Field::rs2, reg(stride));
    Instruction results = i;
    results.stride_d = static_cast<std::int32_t>(out);
    peer.set(Field::rd, reg(at(one_result ? results : i, Operand::d, k)));
    peer.set(Field::len, len);
    emit(peer);
  };
  const bool apart = i.reg_a == no_register && i.stride_a > 0 && i.stride_a % in == 0;
  if (op == Op::vmv && i.len == 1 && i.count > 1 && dense(i, Operand::d, out) && apart)
    return one(0, i.count, static_cast<std::int32_t>(i.stride_a / in));
  const bool joined = !one_result && dense(i, Operand::a, in * i.len) && dense(i, Operand::d, out * i.len) &&
                      (!two || dense(i, Operand::b, in * i.len));
  if (joined) return one(0, i.count * i.len, 1);
  for (std::int64_t k = 0; k < i.count; ++k) one(k, i.len, 1);
}

void BackTranslator::transfer(const Instruction& i, Op op) {
  const bool message = op == Op::send || op == Op::recv, has_d = op != Op::send;
  const bool has_a = op != Op::recv && op != Op::lldi;
  const bool joined = (!has_a || dense(i, Operand::a, i.len)) && (!has_d || dense(i, Operand::d, i.len));
  const bool by_size = message || op == Op::ld || op == Op::st, apart = message && !joined;
  const std::int64_t all = std::int64_t{i.count} * i.len;
  const std::int32_t place = apart ? beside(0, all) : 0;
  if (apart && op == Op::send)
    for (std::int64_t k = 0; k < i.count; ++k) copy(at(i, Operand::a, k), place + k * i.len, i.len);
  for (std::int64_t k = 0; k < (joined || message ? 1 : i.count); ++k) {
    chosen_.clear();
    PeerInstruction peer{op, 0, {}, 0};
    if (message) peer.set(Field::rd, reg(apart ? place : at(i, op == Op::send ? Operand::a : Operand::d, 0)));
    if (has_a && !message) peer.set(Field::rs1, reg(at(i, Operand::a, k)));
    if (has_d && !message) peer.set(Field::rd, reg(at(i, Operand::d, k)));
    if (op == Op::lldi) {
      peer.set(Field::imm, i.imm);
      peer.imm = static_cast<double>(i.real);
      if (static_cast<std::int32_t>(i.real) != i.imm) peer.imm = i.imm;
    }
    peer.set(by_size ? Field::size : Field::len, static_cast<std::int32_t>(joined || message ? all : i.len));
    if (message) peer.set(Field::core, static_cast<std::int32_t>(i.target));
    emit(peer);
  }
  if (apart && op == Op::recv)
    for (std::int64_t k = 0; k < i.count; ++k) copy(place + k * i.len, at(i, Operand::d, k), i.len);
}

void BackTranslator::event(const Instruction& i, Op op) {
  if (i.tag >= waited_.size()) refuse(fmt::format("event {}, {} are known", i.tag, waited_.size()));
  PeerInstruction peer{op, 0, {}, 0};
  peer.set(Field::event_register, static_cast<std::int32_t>(i.tag));
  if (op == Op::sync) {
    if (i.imm != 1) refuse("pimsim-nn's sync adds 1");
    peer.set(Field::core, static_cast<std::int32_t>(i.target));
  } else {
    std::int64_t& sum = waited_[i.tag];
    if (i.imm < sum) refuse(fmt::format("waits for {} after {}; pimsim-nn's wait takes its value off", i.imm, sum));
    peer.set(Field::wait_value, static_cast<std::int32_t>(i.imm - sum));
    sum = i.imm;
  }
  emit(peer);
}

}  // namespace pimento::isa::peers
