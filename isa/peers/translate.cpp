#include "isa/peers/translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace {
constexpr std::int64_t high32 = std::numeric_limits<std::int32_t>::max();

std::int32_t wrapped(std::int64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); }
std::int64_t bytes_of(std::int32_t len, ElementType type) { return std::int64_t{len} * size_of(type); }
/// A power of two: what keeping the upper bits multiplies by.
float power_of_two(int exponent) { return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23U); }
}  // namespace

CoreTranslator::CoreTranslator(const Chip& chip, CoreId core, Fail fail)
    : chip_(chip), core_(core), fail_(std::move(fail)) {
  registers_.fill(0);  // the peer's registers begin at 0
}

void CoreTranslator::fail(const std::string& message) const {
  fail_(fmt::format("{}: {}", now_ != nullptr ? now_->name : "instruction", message));
  throw InternalError("a refusal was not thrown");
}

void CoreTranslator::check_fields_given(const PeerInstruction& peer) const {
  const std::uint32_t strange = peer.given & ~(now_->fields | now_->also);
  if (strange == 0) return;
  for (int n = 0; n < field_count; ++n)
    if ((strange >> n & 1U) != 0 && peer.values[static_cast<std::size_t>(n)] != 0)
      fail(fmt::format("field '{}' means nothing here, expected 0, got {}", to_string(static_cast<Field>(n)),
                       peer.values[static_cast<std::size_t>(n)]));
}

std::uint8_t CoreTranslator::reg(const PeerInstruction& peer, Field field) const {
  const std::int32_t number = peer[field];
  if (number < 0 || number >= register_count)
    fail(fmt::format("{}: expected a register in 0 .. {}, got {}", to_string(field), register_count - 1, number));
  return static_cast<std::uint8_t>(number);
}

std::int32_t CoreTranslator::value_of(std::uint8_t reg) const {
  const auto& value = registers_[reg];
  if (!value) fail(fmt::format("R{} was loaded from memory (sld), but addresses must be static", reg));
  return *value;
}

std::int32_t CoreTranslator::address(const PeerInstruction& peer, Field field, std::int32_t select, std::int64_t step,
                                     std::int64_t bytes, bool global) const {
  const std::int32_t chosen = peer[Field::offset_select];
  if ((chosen & ~(select_rd | select_rs1 | select_rs2)) != 0)
    fail(fmt::format("offset_select: expected a sum of 1 (rd), 2 (rs1) and 4 (rs2), got {}", chosen));
  const std::int64_t offset = (chosen & select) != 0 ? peer[Field::offset_value] * step : 0;
  const std::int64_t at = value_of(reg(peer, field)) + offset;
  const Bytes capacity = global ? chip_.global_memory.capacity : chip_.core.local_memory.capacity;
  if (at < 0 || at > high32 || at + bytes > capacity)
    fail(fmt::format("{}: bytes {} to {} ({} in R{}, offset {}), {} memory has {}", to_string(field), at, at + bytes,
                     at - offset, peer[field], offset, global ? "global" : "local", capacity));
  return static_cast<std::int32_t>(at);
}

std::int32_t CoreTranslator::length(const PeerInstruction& peer, Field field) const {
  if (peer[field] < 1) fail(fmt::format("{}: expected at least 1, got {}", to_string(field), peer[field]));
  return peer[field];
}

ElementType CoreTranslator::integer_of(std::int32_t bits) const {
  switch ((bits + 7) / 8) {
    case 1:
      return ElementType::i8;
    case 2:
      return ElementType::i16;
    case 4:
      return ElementType::i32;
    case 8:
      return ElementType::i64;
    default:
      fail(fmt::format("elements of {} bits take {} bytes, expected 1, 2, 4 or 8", bits, (bits + 7) / 8));
  }
}

void CoreTranslator::use_widths() {
  if (input_bits_ != 0) return;
  if (!width_unset_) width_unset_ = FirstUse{0, static_cast<std::uint32_t>(instructions_.size()), byte_};
}
ElementType CoreTranslator::input() {
  use_widths();
  return integer_of(input_bits_ != 0 ? input_bits_ : assumed_bits);
}
ElementType CoreTranslator::output() {
  use_widths();
  return integer_of(output_bits_ != 0 ? output_bits_ : assumed_bits);
}

void CoreTranslator::use(std::vector<FirstUse>& uses, std::uint32_t number) const {
  for (const FirstUse& each : uses)
    if (each.number == number) return;
  uses.push_back({number, static_cast<std::uint32_t>(instructions_.size()), byte_});
}

void CoreTranslator::add(const PeerInstruction& peer, std::int64_t byte) {
  const Operation& op = operation(peer.op);
  now_ = &op;
  byte_ = byte;
  check_fields_given(peer);
  Instruction made;
  switch (row(op.row).form) {
    case Form::none:
      break;
    case Form::scalar_imm:
    case Form::scalar_reg:
    case Form::scalar_reg_imm:
      made = scalar(peer, op);
      break;
    case Form::set_bits:
      made = set_widths(peer);
      break;
    case Form::mvm:
      made = matrix(peer);
      break;
    case Form::send:
    case Form::receive:
      made = message(peer, op);
      break;
    case Form::event:
      made = event(peer, op);
      break;
    default:
      made = row(op.row).unit == Unit::vector ? vector(peer, op) : transfer(peer, op);
  }
  made.opcode = op.row;
  instructions_.push_back(made);
}

void CoreTranslator::scalar_value(const PeerInstruction& peer) {
  const auto of = [&](Field field) -> std::optional<std::int64_t> { return registers_[reg(peer, field)]; };
  const std::int64_t imm = peer[Field::imm];
  auto& target = registers_[reg(peer, Field::rd)];
  const auto combine = [&](auto operation, std::optional<std::int64_t> x, std::optional<std::int64_t> y) {
    target = x && y ? std::optional(wrapped(operation(*x, *y))) : std::nullopt;
  };
  switch (peer.op) {
    case Op::sldi:
      target = peer[Field::imm];
      break;
    case Op::sadd:
      return combine(std::plus<>(), of(Field::rs1), of(Field::rs2));
    case Op::ssub:
      return combine(std::minus<>(), of(Field::rs1), of(Field::rs2));
    case Op::smul:
      return combine(std::multiplies<>(), of(Field::rs1), of(Field::rs2));
    case Op::saddi:
      return combine(std::plus<>(), of(Field::rs1), imm);
    case Op::smuli:
      return combine(std::multiplies<>(), of(Field::rs1), imm);
    default:
      target.reset();  // sld
  }
}

Instruction CoreTranslator::scalar(const PeerInstruction& peer, const Operation& op) {
  Instruction i;
  i.reg_d = reg(peer, Field::rd);
  const Form form = row(op.row).form;
  if (form != Form::scalar_imm) i.reg_a = reg(peer, Field::rs1);
  if (form == Form::scalar_reg) i.reg_b = reg(peer, Field::rs2);
  if (peer.imm != peer[Field::imm]) fail(fmt::format("imm: expected a whole number, got {}", peer.imm));
  if (form != Form::scalar_reg) i.imm = peer.op == Op::sld ? peer[Field::offset_value] : peer[Field::imm];
  if (peer.op == Op::sld) {
    const std::int64_t at = std::int64_t{value_of(i.reg_a)} + i.imm;
    if (at < 0 || at + 4 > chip_.core.local_memory.capacity)
      fail(fmt::format("rs1: bytes {} to {}, local memory has {}", at, at + 4, chip_.core.local_memory.capacity));
  }
  scalar_value(peer);
  return i;
}

Instruction CoreTranslator::set_widths(const PeerInstruction& peer) {
  for (const Field field : {Field::ibiw, Field::obiw})
    if (peer[field] < 1 || peer[field] > 64)
      fail(fmt::format("{}: expected 1 to 64 bits, got {}", to_string(field), peer[field]));
  input_bits_ = peer[Field::ibiw];
  output_bits_ = peer[Field::obiw];
  Instruction i;
  i.a = input_bits_;
  i.b = output_bits_;
  return i;
}

Instruction CoreTranslator::matrix(const PeerInstruction& peer) {
  Instruction i;
  i.type_a = input();
  i.type_d = output();
  if (size_of(i.type_a) > 2) fail(fmt::format("expected inputs of at most 16 bits, got {}", input_bits_));
  if (size_of(i.type_d) > 4) fail(fmt::format("expected outputs of at most 32 bits, got {}", output_bits_));
  if (peer[Field::mbiw] != chip_.numerics.weight_bits)
    fail(fmt::format("mbiw: chip '{}' has weights of {} bits, got {}", chip_.name, chip_.numerics.weight_bits,
                     peer[Field::mbiw]));
  if (peer[Field::relu] != 0 && peer[Field::relu] != 1)
    fail(fmt::format("relu: expected 0 or 1, got {}", peer[Field::relu]));
  if (peer[Field::group] < 0) fail(fmt::format("group: expected at least 0, got {}", peer[Field::group]));
  i.len = chip_.core.crossbar.rows;
  i.a = address(peer, Field::rs1, 0, 1, bytes_of(i.len, i.type_a));
  i.dst = address(peer, Field::rd, 0, 1, size_of(i.type_d));
  i.target = static_cast<std::uint32_t>(peer[Field::group]);
  i.flags = peer[Field::relu] != 0 ? flag::relu : std::uint8_t{0};
  use(groups_used_, i.target);
  return i;
}

Instruction CoreTranslator::vector(const PeerInstruction& peer, const Operation& op) {
  const ElementType in = input(), out = output();
  Instruction i;
  i.type_a = in;
  const bool keeps_width = peer.op == Op::vvadd || peer.op == Op::vvsub || peer.op == Op::vvmax ||
                           peer.op == Op::vrelu || peer.op == Op::vmv;
  i.type_d = keeps_width ? in : out;
  if ((peer.op == Op::vvsll || peer.op == Op::vvsra) && in != out)
    fail(fmt::format("expected inputs and outputs of one width, got {} and {} bits", input_bits_, output_bits_));
  i.len = length(peer, Field::len);
  const Form form = row(op.row).form;
  const std::int64_t in_step = size_of(in), out_step = size_of(i.type_d);
  const bool one_result = form == Form::reduce || form == Form::dot;
  const bool fixed = peer.op == Op::vmv;  // whose operands take no offset
  const std::int64_t out_bytes = one_result ? out_step : bytes_of(i.len, i.type_d);
  i.a = address(peer, Field::rs1, fixed ? 0 : select_rs1, in_step, bytes_of(i.len, in));
  i.dst = address(peer, Field::rd, fixed || one_result ? 0 : select_rd, out_step, out_bytes);
  if (form == Form::binary || form == Form::dot) {
    i.type_b = in;
    i.b = address(peer, Field::rs2, select_rs2, in_step, bytes_of(i.len, in));
  }
  if (peer.op == Op::vmv && value_of(reg(peer, Field::rs2)) > 1) {  // elements between those that are taken
    const std::int64_t stride = value_of(reg(peer, Field::rs2)) * in_step;
    if (stride > high32) fail(fmt::format("rs2: a stride of {} bytes is out of range", stride));
    i.count = i.len;
    i.len = 1;
    i.stride_a = static_cast<std::int32_t>(stride);
    i.stride_d = static_cast<std::int32_t>(in_step);
  }
  // The upper bits of the input, or the lower ones.
  if (peer.op == Op::vrsu) i.scale = i.real = power_of_two(8 * (size_of(out) - size_of(in)));
  return i;
}

Instruction CoreTranslator::transfer(const PeerInstruction& peer, const Operation& op) {
  const bool global = peer.op == Op::ld || peer.op == Op::st;
  if (!global && peer.has(Field::size) && peer[Field::size] != 0 && peer[Field::size] != peer[Field::len])
    fail(fmt::format("size: expected {} as len says, got {}", peer[Field::len], peer[Field::size]));
  Instruction i;
  i.len = length(peer, global ? Field::size : Field::len);
  i.dst = address(peer, Field::rd, select_rd, 1, i.len, peer.op == Op::st);
  switch (row(op.row).form) {
    case Form::fill_bytes:
      i.imm = peer[Field::imm];
      if (i.imm < -128 || i.imm > 255) fail(fmt::format("imm: expected a byte, got {}", i.imm));
      i.real = static_cast<float>(peer.imm);
      break;
    default:
      i.a = address(peer, Field::rs1, select_rs1, 1, i.len, peer.op == Op::ld);
  }
  return i;
}

CoreId CoreTranslator::core_named(const PeerInstruction& peer) {
  const std::int32_t core = peer[Field::core];
  if (core < 0) fail(fmt::format("core: expected at least 0, got {}", core));
  if (static_cast<CoreId>(core) == core_) fail(fmt::format("core: {} names itself", core));
  use(cores_used_, static_cast<std::uint32_t>(core));
  return static_cast<CoreId>(core);
}

Instruction CoreTranslator::message(const PeerInstruction& peer, const Operation& op) {
  Instruction i;
  i.len = length(peer, Field::size);
  i.target = core_named(peer);
  (op.row == Opcode::send ? i.a : i.dst) = address(peer, Field::rd, select_rd, 1, i.len);
  return i;
}

/// The peer's `wait` takes its value off the register, ours waits for the sum of all that was waited for.
Instruction CoreTranslator::event(const PeerInstruction& peer, const Operation& op) {
  const std::int32_t number = peer[Field::event_register];
  if (number < 0 || number >= static_cast<std::int32_t>(waited_.size()))
    fail(fmt::format("event_register: expected 0 .. {}, got {}", waited_.size() - 1, number));
  Instruction i;
  i.tag = static_cast<std::uint32_t>(number);
  if (op.row == Opcode::sync) {
    i.target = core_named(peer);
    i.imm = 1;
    return i;
  }
  if (peer[Field::wait_value] < 0)
    fail(fmt::format("wait_value: expected at least 0, got {}", peer[Field::wait_value]));
  std::int64_t& sum = waited_[static_cast<std::size_t>(number)];
  sum += peer[Field::wait_value];
  if (sum > high32) fail(fmt::format("event {} is waited for {} times in all, at most {}", number, sum, high32));
  i.target = core_;
  i.imm = static_cast<std::int32_t>(sum);
  return i;
}

}  // namespace pimento::isa::peers
