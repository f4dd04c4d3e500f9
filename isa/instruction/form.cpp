#include "isa/instruction/form.hpp"

#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {
constexpr OperandSpec typed(Extent extent) { return {Space::local, extent, true}; }
constexpr OperandSpec bytes(Space space, Extent extent = Extent::segments) { return {space, extent, false}; }
constexpr OperandSpec absent{};
constexpr OperandSpec reg_r{Space::scalar_register, Extent::none, false};
constexpr OperandSpec reg_a{Space::address_register, Extent::none, false};

template <class... F>
constexpr FormSpec make(std::array<OperandSpec, 3> operands, bool shaped, std::uint8_t flags, F... fields) {
  return {operands, shaped, {fields...}, static_cast<int>(sizeof...(F)), flags};
}
constexpr FieldSpec required(std::string_view keyword, Member member) { return {keyword, member, true}; }
constexpr FieldSpec optional(std::string_view keyword, Member member) { return {keyword, member, false}; }

FormSpec spec_of(Form form) {
  using enum Extent;
  const auto seg = typed(segments);
  const auto zero = optional("zero", Member::imm);
  const auto bound = required("bound", Member::imm);
  switch (form) {
    case Form::none:
      return make({}, false, 0);
    case Form::loop:
      return make({}, false, flag::loop_register, required("body", Member::target));
    case Form::addr:
      return make({reg_a, absent, absent}, false, flag::ring);
    case Form::scalar_imm:
      return make({reg_r, absent, absent}, false, 0, required("imm", Member::imm));
    case Form::scalar_reg:
      return make({reg_r, reg_r, reg_r}, false, 0);
    case Form::scalar_reg_imm:
      return make({reg_r, reg_r, absent}, false, 0, required("imm", Member::imm));
    case Form::set_bits:
      return make({}, false, 0, required("in", Member::a), required("out", Member::b));
    case Form::mvm:
      return make({typed(columns), seg, absent}, true, flag::relu, required("group", Member::target));
    case Form::program:
      return make({}, false, 0, required("group", Member::target), required("tile", Member::tag));
    case Form::write:
      return make({absent, bytes(Space::local), absent}, true, 0, required("group", Member::target),
                  required("tile", Member::tag), required("row", Member::imm));
    case Form::dvm:
      return make({typed(per_count), typed(per_len), typed(matrix)}, true, 0);
    case Form::unary:
      return make({seg, seg, absent}, true, 0);
    case Form::binary:
      return make({seg, seg, seg}, true, flag::b_scalar);
    case Form::ternary:
      return make({seg, seg, seg}, true, flag::b_scalar);
    case Form::fill:
      return make({seg, absent, absent}, true, 0, required("value", Member::scale), optional("real", Member::real));
    case Form::convert:
      return make({seg, seg, absent}, true, flag::relu, optional("scale", Member::scale),
                  optional("real", Member::real), zero);
    case Form::requant:
      return make({seg, seg, seg}, true, flag::relu | flag::b_scalar, optional("real", Member::real), zero);
    case Form::clip:
      return make({seg, seg, absent}, true, 0, required("low", Member::scale), required("high", Member::real));
    case Form::lookup:
      return make({seg, seg, typed(table256)}, true, 0);
    case Form::reduce:
      return make({typed(per_count), seg, absent}, true, 0);
    case Form::dot:
      return make({typed(per_count), seg, seg}, true, 0);
    case Form::gather:
      return make({seg, typed(rows), typed(per_count)}, true, 0, bound);
    case Form::move:
      return make({bytes(Space::local), bytes(Space::local), absent}, true, 0);
    case Form::fill_bytes:
      return make({bytes(Space::local), absent, absent}, true, 0, required("byte", Member::imm),
                  optional("real", Member::real));
    case Form::load:
      return make({bytes(Space::local), bytes(Space::global), absent}, true, 0);
    case Form::store:
      return make({bytes(Space::global), bytes(Space::local), absent}, true, 0);
    case Form::gather_global:
      return make({bytes(Space::local), bytes(Space::global, rows), typed(per_count)}, true, 0, bound);
    case Form::scatter_global:
      return make({bytes(Space::global, rows), bytes(Space::local), typed(per_count)}, true, 0, bound);
    case Form::send:
      return make({absent, bytes(Space::local), absent}, true, 0, required("core", Member::target),
                  required("tag", Member::tag));
    case Form::multicast:
      return make({absent, bytes(Space::local), absent}, true, 0, required("set", Member::target),
                  required("tag", Member::tag));
    case Form::receive:
      return make({bytes(Space::local), absent, absent}, true, 0, required("core", Member::target),
                  required("tag", Member::tag));
    case Form::event:
      return make({}, false, 0, required("core", Member::target), required("event", Member::tag),
                  required("value", Member::imm));
  }
  throw InternalError("form without a description");
}

struct Specs {
  std::array<FormSpec, 256> by_code{};
  std::array<bool, 256> known{};
  Specs() {
    for (const Row& each : table()) {
      FormSpec spec = spec_of(each.form);
      if (each.opcode == Opcode::vscatter) std::swap(spec.operands[0], spec.operands[1]);
      by_code[static_cast<std::size_t>(each.opcode)] = spec;
      known[static_cast<std::size_t>(each.opcode)] = true;
    }
  }
};
const Specs& specs() {
  static const Specs all;
  return all;
}

using T = ElementType;
constexpr bool integer(T t) { return !is_float(t) && t != T::boolean; }
constexpr bool numeric(T t) { return t != T::boolean; }
constexpr bool same_kind(T a, T b) { return numeric(a) && numeric(b) && is_float(a) == is_float(b); }
constexpr bool narrow(T t) { return integer(t) && size_of(t) <= 2; }
constexpr T accumulator(T a) { return is_float(a) ? T::f32 : T::i32; }

constexpr TypeRule any{[](T, T, T) { return true; }, "no types"};
constexpr TypeRule same{[](T d, T a, T) { return d == a; }, "dst has the type of a"};
constexpr TypeRule logic1{[](T d, T a, T) { return d == a && !is_float(d); },
                          "dst and a have one type, an integer or bool"};
constexpr TypeRule number1{[](T d, T a, T) { return d == a && numeric(d); }, "dst and a have one type, not bool"};
constexpr TypeRule float1{[](T d, T a, T) { return d == a && is_float(d); }, "dst and a have one float type"};
constexpr TypeRule sum1{[](T d, T a, T) { return same_kind(d, a); }, "all integers or all floats"};
constexpr TypeRule arithmetic{[](T d, T a, T b) { return same_kind(d, a) && same_kind(a, b); },
                              "all integers or all floats"};
constexpr TypeRule power{[](T d, T a, T b) { return is_float(d) && is_float(a) && is_float(b); }, "all floats"};
constexpr TypeRule logic{[](T d, T a, T b) { return d == a && a == b && !is_float(d); },
                         "one type, an integer or bool"};
constexpr TypeRule shift{[](T d, T a, T b) { return d == a && a == b && integer(d); }, "one integer type"};
constexpr TypeRule compare{
    [](T d, T a, T b) { return d == T::boolean && (same_kind(a, b) || (a == T::boolean && b == a)); },
    "dst is bool; a and b are both integers, both floats or both bool"};
constexpr TypeRule select{[](T d, T a, T b) { return a == T::boolean && d == b; }, "a is bool; dst has the type of b"};
constexpr TypeRule scaled{[](T d, T a, T b) { return numeric(d) && numeric(a) && b == T::f32; },
                          "b is f32; dst and a are not bool"};
constexpr TypeRule lookup{[](T d, T a, T b) { return (a == T::u8 || a == T::i8) && b == d; },
                          "a is u8 or i8; b has the type of dst"};
constexpr TypeRule arg{[](T d, T a, T) { return d == T::i32 && numeric(a); }, "dst is i32; a is not bool"};
constexpr TypeRule indexed{[](T d, T a, T b) { return d == a && b == T::i32; }, "dst has the type of a; b is i32"};
constexpr TypeRule indexed_bytes{[](T, T, T b) { return b == T::i32; }, "b is i32"};
constexpr TypeRule squash{[](T d, T a, T) { return is_float(a) ? d == a : narrow(a) && narrow(d); },
                          "dst and a have one float type, or are integers of 8 or 16 bits"};
constexpr TypeRule mvm{
    [](T d, T a, T) { return is_float(a) ? d == T::f32 : narrow(a) && integer(d) && is_signed(d) && size_of(d) <= 4; },
    "a is an integer of 8 or 16 bits and dst i32 (or i16, i8: wrapped), or a is a float and dst f32"};
constexpr TypeRule dvm{
    [](T d, T a, T b) { return same_kind(a, b) && size_of(a) <= 4 && size_of(b) <= 4 && d == accumulator(a); },
    "a and b are integers of at most 32 bits and dst i32, or floats and dst f32"};

const TypeRule& rule_of(const Row& each) {
  switch (each.opcode) {
    case Opcode::vmov:
      return same;
    case Opcode::vnot:
      return logic1;
    case Opcode::vneg:
    case Opcode::vabs:
    case Opcode::vrelu:
    case Opcode::vclip:
      return number1;
    case Opcode::vrmax:
    case Opcode::vrmin:
      return number1;
    case Opcode::vscan:
    case Opcode::vrsum:
    case Opcode::vrprod:
    case Opcode::vravg:
      return sum1;
    case Opcode::vrargmax:
    case Opcode::vrargmin:
      return arg;
    case Opcode::vtanh:
    case Opcode::vsigm:
      return squash;
    case Opcode::vpow:
      return power;
    case Opcode::vand:
    case Opcode::vor:
    case Opcode::vxor:
      return logic;
    case Opcode::vshl:
    case Opcode::vshr:
      return shift;
    case Opcode::veq:
    case Opcode::vne:
    case Opcode::vlt:
    case Opcode::vle:
      return compare;
    case Opcode::vsel:
      return select;
    default:
      break;
  }
  switch (each.form) {
    case Form::unary:
      return float1;
    case Form::binary:
    case Form::ternary:
    case Form::dot:
      return arithmetic;
    case Form::requant:
      return scaled;
    case Form::lookup:
      return lookup;
    case Form::gather:
      return indexed;
    case Form::gather_global:
    case Form::scatter_global:
      return indexed_bytes;
    case Form::mvm:
      return mvm;
    case Form::dvm:
      return dvm;
    default:
      return any;
  }
}

struct Rules {
  std::array<const TypeRule*, 256> by_code{};
  std::array<std::vector<std::array<T, 3>>, 256> legal;
  Rules() {
    for (const Row& each : table()) {
      const auto code = static_cast<std::size_t>(each.opcode);
      by_code[code] = &rule_of(each);
      const FormSpec& spec = form_spec(each.opcode);
      const auto choices = [&](Operand o) { return spec[o].typed ? element_type_count : 1; };
      for (int d = 0; d < choices(Operand::d); ++d)
        for (int a = 0; a < choices(Operand::a); ++a)
          for (int b = 0; b < choices(Operand::b); ++b)
            if (by_code[code]->holds(static_cast<T>(d), static_cast<T>(a), static_cast<T>(b)))
              legal[code].push_back({static_cast<T>(d), static_cast<T>(a), static_cast<T>(b)});
    }
  }
};
const Rules& rules() {
  static const Rules all;
  return all;
}
}  // namespace

std::string_view to_string(Operand operand) {
  constexpr std::array<std::string_view, 3> names{"dst", "a", "b"};
  return names[static_cast<std::size_t>(operand)];
}

const FormSpec& form_spec(Opcode opcode) { return specs().by_code[static_cast<std::size_t>(opcode)]; }
bool is_opcode(std::uint8_t code) { return specs().known[code]; }
const TypeRule& type_rule(Opcode opcode) { return *rules().by_code[static_cast<std::size_t>(opcode)]; }
const std::vector<std::array<ElementType, 3>>& legal_types(Opcode opcode) {
  return rules().legal[static_cast<std::size_t>(opcode)];
}

View view(const Instruction& i, Operand operand, std::int64_t columns) {
  const OperandSpec& spec = form_spec(i.opcode)[operand];
  if (spec.space != Space::local && spec.space != Space::global) return {};
  View v{spec.space, reg_of(i, operand), address_of(i, operand), 1, 0, 0};
  const std::int64_t size = spec.typed ? size_of(type_of(i, operand)) : 1;
  switch (spec.extent) {
    case Extent::segments: {
      const bool scalar = operand == Operand::b && (i.flags & flag::b_scalar) != 0;
      v.count = i.count;
      v.stride = stride_of(i, operand);
      v.bytes = scalar ? size : i.len * size;
      break;
    }
    case Extent::per_len:
      v.bytes = i.len * size;
      break;
    case Extent::per_count:
      v.bytes = i.count * size;
      break;
    case Extent::columns:
      v.bytes = columns * size;
      break;
    case Extent::table256:
      v.bytes = 256 * size;
      break;
    case Extent::rows:
      v.count = i.imm;
      v.bytes = i.len * size;
      v.stride = stride_of(i, operand) != 0 ? stride_of(i, operand) : v.bytes;
      break;
    case Extent::matrix:
      v.count = i.len;
      v.stride = stride_of(i, operand);
      v.bytes = i.count * size;
      break;
    case Extent::none:
      break;
  }
  return v;
}

}  // namespace pimento::isa
