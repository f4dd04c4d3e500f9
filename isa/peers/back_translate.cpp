#include "isa/peers/back_translate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace {

std::int32_t bits_of(ElementType type) { return 8 * size_of(type); }

/// Whether an operand's segments follow each other without gaps.
bool dense(const Instruction& i, std::int32_t stride, std::int64_t bytes) { return i.count == 1 || stride == bytes; }

std::int32_t plus(std::int32_t address, std::int64_t k, std::int32_t stride) {
  return static_cast<std::int32_t>(address + k * stride);
}

}  // namespace

BackTranslator::BackTranslator(const Program& program, const Chip& chip, CoreId core, Take take)
    : program_(program), chip_(chip), core_(core), take_(std::move(take)) {
  registers_.fill(0);
  for (const Instruction& i : program.cores[core].instructions.data)
    if (row(i.opcode).unit == Unit::scalar && i.opcode != Opcode::addr && i.reg_d < register_count)
      reserved_[i.reg_d] = true;
}

void BackTranslator::refuse(const std::string& why) const {
  const Instruction& i = program_.cores[core_].instructions.data[at_];
  throw UserError(fmt::format("core {}, instruction {} '{}': {}", core_, at_, print(i), why));
}

void BackTranslator::run() {
  const auto& all = program_.cores[core_].instructions.data;
  for (at_ = 0; at_ < all.size(); ++at_) {
    if (all[at_].opcode == Opcode::halt) return;
    add(all[at_]);
  }
}

Op BackTranslator::operation_for(const Instruction& i) const {
  switch (i.opcode) {
    case Opcode::vcvt: {
      if (i.imm != 0 || (i.flags & flag::relu) != 0) refuse("pimsim-nn has no conversion with zero point or relu");
      const bool lower = i.scale == 1.0F;
      const float upper =
          size_of(i.type_d) < size_of(i.type_a)
              ? 1.0F / static_cast<float>(std::int64_t{1} << (8 * (size_of(i.type_a) - size_of(i.type_d))))
              : static_cast<float>(std::int64_t{1} << (8 * (size_of(i.type_d) - size_of(i.type_a))));
      if (!lower && i.scale != upper) refuse("pimsim-nn converts only by keeping upper or lower bits");
      return lower ? Op::vrsl : Op::vrsu;
    }
    default:
      break;
  }
  for (const Operation& each : operations())
    if (each.row == i.opcode) return each.op;
  refuse(fmt::format("pimsim-nn has no operation for '{}'", row(i.opcode).name));
}

void BackTranslator::add(const Instruction& i) {
  chosen_.clear();
  if (row(i.opcode).unit != Unit::scalar)
    for (const std::uint8_t r : {i.reg_d, i.reg_a, i.reg_b})
      if (r != no_register) refuse("pimsim-nn has no address registers, and this one has a ring");
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
    if (is_float(type) || type == ElementType::boolean)
      refuse(fmt::format("pimsim-nn has no elements of type {}", to_string(type)));
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
  if (!dense(i, i.stride_a, std::int64_t{i.len} * size_of(i.type_a)))
    refuse("pimsim-nn reads an MVM's inputs from one place, not from a strided view");
  const std::uint32_t tile = program_.cores[core_].groups.at(i.target).tile;
  const std::int64_t rows = tile == no_tile ? 0 : program_.tiles.at(tile).rows;
  if (rows != chip_.core.crossbar.rows)
    refuse(
        fmt::format("pimsim-nn applies all {} rows of a crossbar, this tile has {}", chip_.core.crossbar.rows, rows));
  set_widths(i.type_a, i.type_d);
  PeerInstruction peer{Op::mvmul, 0, {}, 0};
  peer.set(Field::rs1, reg(i.a));
  peer.set(Field::rd, reg(i.dst));
  peer.set(Field::mbiw, chip_.numerics.weight_bits);
  peer.set(Field::group, static_cast<std::int32_t>(i.target));
  peer.set(Field::relu, (i.flags & flag::relu) != 0 ? 1 : 0);
  emit(peer);
}

void BackTranslator::vector(const Instruction& i, Op op) {
  if (i.flags != 0) refuse("pimsim-nn has no operand of one element");
  const Form form = row(i.opcode).form;
  const bool two = form == Form::binary || form == Form::dot, one_result = form == Form::reduce || form == Form::dot;
  const bool keeps = op == Op::vvadd || op == Op::vvsub || op == Op::vvmax || op == Op::vrelu || op == Op::vmv ||
                     op == Op::vvsll || op == Op::vvsra;
  if (keeps && size_of(i.type_d) != size_of(i.type_a))
    refuse(fmt::format("pimsim-nn's {} gives elements of the input's width, not {} of {}", operation(op).name,
                       to_string(i.type_d), to_string(i.type_a)));
  if (two && i.type_b != i.type_a) refuse("pimsim-nn's operands have one type");
  const std::int64_t in = size_of(i.type_a), out = size_of(i.type_d);
  const bool shifts = op == Op::vvsll || op == Op::vvsra;
  set_widths(i.type_a, keeps && !shifts ? std::optional<ElementType>() : std::optional(i.type_d));
  const auto one = [&](std::int64_t k, std::int32_t len, std::int32_t stride) {
    chosen_.clear();
    PeerInstruction peer{op, 0, {}, 0};
    peer.set(Field::rs1, reg(plus(i.a, k, i.stride_a)));
    if (two) peer.set(Field::rs2, reg(plus(i.b, k, i.stride_b)));
    if (op == Op::vmv) peer.set(Field::rs2, reg(stride));
    peer.set(Field::rd, reg(one_result ? plus(i.dst, k, static_cast<std::int32_t>(out)) : plus(i.dst, k, i.stride_d)));
    peer.set(Field::len, len);
    emit(peer);
  };
  if (op == Op::vmv && i.len == 1 && i.count > 1 && i.stride_d == out && i.stride_a > 0 && i.stride_a % in == 0)
    return one(0, i.count, static_cast<std::int32_t>(i.stride_a / in));
  const bool joined = !one_result && dense(i, i.stride_a, in * i.len) && dense(i, i.stride_d, out * i.len) &&
                      (!two || dense(i, i.stride_b, in * i.len));
  if (joined) return one(0, i.count * i.len, 1);
  for (std::int64_t k = 0; k < i.count; ++k) one(k, i.len, 1);
}

void BackTranslator::transfer(const Instruction& i, Op op) {
  const bool message = op == Op::send || op == Op::recv;
  const bool has_a = op != Op::recv && op != Op::lldi, has_d = op != Op::send;
  const bool joined = (!has_a || dense(i, i.stride_a, i.len)) && (!has_d || dense(i, i.stride_d, i.len));
  if (message && !joined) refuse("pimsim-nn sends and receives one piece, not a strided view");
  const bool by_size = message || op == Op::ld || op == Op::st;
  for (std::int64_t k = 0; k < (joined ? 1 : i.count); ++k) {
    chosen_.clear();
    PeerInstruction peer{op, 0, {}, 0};
    if (op == Op::send) peer.set(Field::rd, reg(i.a));
    if (has_a && !message) peer.set(Field::rs1, reg(plus(i.a, k, i.stride_a)));
    if (has_d) peer.set(Field::rd, reg(plus(i.dst, k, i.stride_d)));
    if (op == Op::lldi) {
      peer.set(Field::imm, i.imm);
      peer.imm = static_cast<double>(i.real);
      if (static_cast<std::int32_t>(i.real) != i.imm) peer.imm = i.imm;
    }
    peer.set(by_size ? Field::size : Field::len, joined ? i.count * i.len : i.len);
    if (message) peer.set(Field::core, static_cast<std::int32_t>(i.target));
    emit(peer);
  }
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
