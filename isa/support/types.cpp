#include "isa/support/types.hpp"

#include <array>

namespace pimento {
namespace {
constexpr std::array<std::string_view, element_type_count> type_names{"u8",  "i8",   "u16", "i16",  "u32", "i32",
                                                                      "i64", "bool", "f16", "bf16", "f32"};
constexpr std::array<std::string_view, 3> numerics_names{"quantised", "exact", "f32"};

template <class E, std::size_t n>
std::optional<E> find_name(const std::array<std::string_view, n>& names, std::string_view text) {
  for (std::size_t i = 0; i < n; ++i)
    if (names[i] == text) return static_cast<E>(i);
  return std::nullopt;
}
}  // namespace

std::string_view to_string(ElementType t) { return type_names[static_cast<std::size_t>(t)]; }
std::optional<ElementType> parse_element_type(std::string_view text) {
  return find_name<ElementType>(type_names, text);
}
std::string_view to_string(Numerics n) { return numerics_names[static_cast<std::size_t>(n)]; }
std::optional<Numerics> parse_numerics(std::string_view text) { return find_name<Numerics>(numerics_names, text); }

}  // namespace pimento
