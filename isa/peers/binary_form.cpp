#include "isa/peers/binary_form.hpp"

namespace pimento::isa::peers {
namespace {

/// Which field each of the four numbers holds. A field that the operation does not use takes the place of an unused
/// number: given and not 0, it is refused.
struct Fields {
  Field first, second, third, fourth;
};

Fields fields_of(Op op) {
  switch (op) {
    case Op::setbw:
      return {Field::rs2, Field::ibiw, Field::obiw, Field::len};
    case Op::mvmul:
      return {Field::mbiw, Field::relu, Field::group, Field::len};
    case Op::sldi:
    case Op::saddi:
    case Op::smuli:
    case Op::sld:
      return {Field::imm, Field::offset_select, Field::offset_value, Field::len};
    case Op::lldi:
      return {Field::imm, Field::offset_select, Field::offset_value, Field::len};
    case Op::ld:
    case Op::st:
      return {Field::rs2, Field::offset_select, Field::offset_value, Field::size};
    case Op::send:
    case Op::recv:
      return {Field::core, Field::offset_select, Field::offset_value, Field::size};
    case Op::sync:
    case Op::wait:
      return {Field::core, Field::event_register, Field::wait_value, Field::size};
    default:
      return {Field::rs2, Field::offset_select, Field::offset_value, Field::len};
  }
}

}  // namespace

PeerInstruction unpack(const Record& record, const Operation& op) {
  PeerInstruction made;
  made.op = op.op;
  const Fields fields = fields_of(op.op);
  made.set(Field::rd, record.rd);
  made.set(Field::rs1, record.rs1);
  made.set(fields.first, record.first);
  made.set(fields.second, record.second);
  made.set(fields.third, record.third);
  made.set(fields.fourth, record.fourth);
  made.imm = made[Field::imm];
  return made;
}

Record pack(const PeerInstruction& peer) {
  const Fields fields = fields_of(peer.op);
  Record record;
  record.opcode = static_cast<std::uint8_t>(peer.op);
  record.rd = static_cast<std::uint8_t>(peer[Field::rd]);
  record.rs1 = static_cast<std::uint8_t>(peer[Field::rs1]);
  record.first = peer[fields.first];
  record.second = peer[fields.second];
  record.third = peer[fields.third];
  record.fourth = peer[fields.fourth];
  return record;
}

}  // namespace pimento::isa::peers
