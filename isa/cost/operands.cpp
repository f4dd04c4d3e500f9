#include "isa/cost/operands.hpp"

namespace pimento::isa::cost {
namespace {

Operand view(Which which, std::int64_t count, Bytes bytes, std::int64_t stride) {
  return {which, count, bytes, stride, false, 0};
}

Operand indexed(Which which, std::int64_t count, Bytes bytes, Bytes extent) {
  return {which, count, bytes, 0, true, extent};
}

}  // namespace

std::int64_t index_step(const Instruction& i, Which which) {
  return which == Which::d ? i.stride_d : which == Which::a ? i.stride_a : i.stride_b;
}

Operands operands(const Instruction& i) {
  Operands o;
  const auto count = static_cast<std::int64_t>(i.count);
  const auto len = static_cast<std::int64_t>(i.len);
  const auto read = [&](const Operand& operand) { o.source[static_cast<std::size_t>(o.source_count++)] = operand; };
  const auto write = [&](const Operand& operand) {
    o.writes = true;
    o.destination = operand;
  };
  const auto d = [&] { return view(Which::d, count, len * size_of(i.type_d), i.stride_d); };
  const auto a = [&] { return view(Which::a, count, len * size_of(i.type_a), i.stride_a); };
  const auto b = [&] {
    if ((i.flags & flag::b_scalar) == 0) return view(Which::b, count, len * size_of(i.type_b), i.stride_b);
    return view(Which::b, i.stride_b == 0 ? 1 : count, size_of(i.type_b), i.stride_b);
  };
  const auto indices = [&] { return view(Which::b, 1, count * 4, 0); };

  switch (row(i.opcode).form) {
    case Form::none:
    case Form::loop:
    case Form::addr:
    case Form::scalar_imm:
    case Form::scalar_reg:
    case Form::set_bits:
    case Form::program:
    case Form::event:
      break;
    case Form::scalar_reg_imm:
      if (i.opcode == Opcode::sld) read(view(Which::a, 1, 4, 0));
      break;
    case Form::mvm:
      read(a());
      break;
    case Form::dvm:
      read(view(Which::a, 1, len * size_of(i.type_a), 0));
      read(view(Which::b, len, count * size_of(i.type_b), i.stride_b));
      write(view(Which::d, 1, count * size_of(i.type_d), 0));
      break;
    case Form::unary:
    case Form::convert:
    case Form::clip:
      read(a());
      write(d());
      break;
    case Form::binary:
    case Form::requant:
      read(a());
      read(b());
      write(d());
      break;
    case Form::ternary:
      read(a());
      read(b());
      read(d());
      write(d());
      break;
    case Form::fill:
      write(d());
      break;
    case Form::lookup:
      read(a());
      read(indexed(Which::b, count * len, size_of(i.type_d), Bytes{256} * size_of(i.type_d)));
      write(d());
      break;
    case Form::reduce:
      read(a());
      write(view(Which::d, 1, count * size_of(i.type_d), 0));
      break;
    case Form::dot:
      read(a());
      read(b());
      write(view(Which::d, 1, count * size_of(i.type_d), 0));
      break;
    case Form::fill_bytes:
      write(view(Which::d, count, len, i.stride_d));
      break;
    case Form::gather:
      read(indices());
      if (i.opcode == Opcode::vscatter) {
        read(a());
        write(indexed(Which::d, count, len * size_of(i.type_d),
                      (i.imm - 1) * index_step(i, Which::d) + len * size_of(i.type_d)));
      } else {
        read(indexed(Which::a, count, len * size_of(i.type_a),
                     (i.imm - 1) * index_step(i, Which::a) + len * size_of(i.type_a)));
        write(d());
      }
      break;
    case Form::move:
      read(view(Which::a, count, len, i.stride_a));
      write(view(Which::d, count, len, i.stride_d));
      break;
    case Form::load:
    case Form::receive:
      write(view(Which::d, count, len, i.stride_d));
      break;
    case Form::store:
    case Form::send:
    case Form::multicast:
    case Form::write:
      read(view(Which::a, count, len, i.stride_a));
      break;
    case Form::gather_global:
      read(indices());
      write(view(Which::d, count, len, i.stride_d));
      break;
    case Form::scatter_global:
      read(indices());
      read(view(Which::a, count, len, i.stride_a));
      break;
  }
  return o;
}

}  // namespace pimento::isa::cost
