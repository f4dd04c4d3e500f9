#include "isa/peers/operations.hpp"

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace {

constexpr std::array<std::string_view, field_count> field_names{
    "rd",   "rs1", "rs2",  "imm",  "mbiw",         "group",         "relu",           "ibiw",
    "obiw", "len", "size", "core", "offset_value", "offset_select", "event_register", "wait_value"};
constexpr std::array<Field, field_count> all_fields = [] {
  std::array<Field, field_count> all{};
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<Field>(n);
  return all;
}();

constexpr std::uint32_t F(std::uint32_t bit) { return 1U << bit; }
#define F(name) F(static_cast<std::uint32_t>(Field::name))
#define OFFSET (F(offset_value) | F(offset_select))
#define ONE_VECTOR (F(rd) | F(rs1) | F(len) | OFFSET)
#define TWO_VECTORS (ONE_VECTOR | F(rs2))
constexpr std::array all_operations{
#define OP(code, name, row, fields, also) Operation{Op::name, #name, Opcode::row, fields, also},
#include "isa/peers/operations.def"
#undef OP
};
#undef F
#undef OFFSET
#undef ONE_VECTOR
#undef TWO_VECTORS

/// Names hashed into a table without collisions worth mentioning: files of gigabytes are made of these words.
constexpr std::size_t slots = 256;
constexpr std::size_t slot_of(std::string_view name) {
  const auto at = [&](std::size_t n) { return static_cast<std::size_t>(static_cast<unsigned char>(name[n])); };
  return name.empty() ? 0 : (name.size() * 31 + at(0) * 7 + at(name.size() - 1) * 13 + at(name.size() / 2) * 3) % slots;
}
template <class T>
struct Lookup {
  struct Slot {
    std::string_view name;
    const T* value = nullptr;
  };
  std::array<Slot, slots> table{};
  void add(std::string_view name, const T* value) {
    std::size_t at = slot_of(name);
    while (table[at].value != nullptr) at = (at + 1) % slots;
    table[at] = {name, value};
  }
  const T* find(std::string_view name) const {
    for (std::size_t at = slot_of(name); table[at].value != nullptr; at = (at + 1) % slots)
      if (table[at].name == name) return table[at].value;
    return nullptr;
  }
};

struct Operations {
  Lookup<Operation> by_name;
  std::array<const Operation*, 256> by_code{};
  std::vector<Operation> list{all_operations.begin(), all_operations.end()};
  Operations() {
    for (const Operation& each : all_operations) {
      by_name.add(each.name, &each);
      by_code[static_cast<std::size_t>(each.op)] = &each;
    }
  }
};
const Operations& table_of_operations() {
  static const Operations all;
  return all;
}

}  // namespace

std::string_view to_string(Field field) { return field_names[static_cast<std::size_t>(field)]; }

const Operation* find_operation(std::string_view name) { return table_of_operations().by_name.find(name); }
const Operation* find_operation(std::uint8_t code) { return table_of_operations().by_code[code]; }
const Operation& operation(Op op) {
  const Operation* const found = find_operation(static_cast<std::uint8_t>(op));
  PIMENTO_CHECK(found != nullptr, "a peer's operation without a row");
  return *found;
}
const std::vector<Operation>& operations() { return table_of_operations().list; }

const Field* find_field(std::string_view key) {
  static const Lookup<Field> fields = [] {
    Lookup<Field> made;
    for (std::size_t n = 0; n < all_fields.size(); ++n) made.add(field_names[n], &all_fields[n]);
    return made;
  }();
  return fields.find(key);
}

}  // namespace pimento::isa::peers
