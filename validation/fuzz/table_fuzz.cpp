// Network tables that a chip description names. Input: the file, as .csv and as .json.
#include "isa/chip/table.hpp"
#include "isa/support/error.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  const std::string text(bytes);
  const bool is_csv = answered([&] { isa::parse_table_csv(text, "network.csv"); });
  const bool is_json = answered([&] { isa::parse_table_json(text, "network.json", 1'000'000); });
  return is_csv || is_json;
}

FUZZ_TARGET("table", feed);

}  // namespace
}  // namespace pimento::fuzz
