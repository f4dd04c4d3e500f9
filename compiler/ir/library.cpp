#include "compiler/ir/library.hpp"

#include <fmt/format.h>

#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

std::map<std::string, LibraryKind, std::less<>>& kinds() {
  static std::map<std::string, LibraryKind, std::less<>> table;
  return table;
}

}  // namespace

bool register_library_kind(LibraryKind kind) {
  const std::string name = kind.name;
  PIMENTO_CHECK(kinds().emplace(name, std::move(kind)).second,
                fmt::format("library kernel '{}' is registered twice", name));
  return true;
}

std::vector<std::string> library_kind_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

const LibraryKind& library_kind(std::string_view name) {
  const auto found = kinds().find(name);
  if (found == kinds().end()) {
    throw UserError(fmt::format("unknown library kernel '{}'{}", name, suggestion(name, library_kind_names())));
  }
  return found->second;
}

const std::string& name_of(const AnyKernel& k) {
  return std::visit([](const auto& x) -> const std::string& { return x.name; }, k);
}
const std::vector<Operand>& operands_of(const AnyKernel& k) {
  return std::visit([](const auto& x) -> const std::vector<Operand>& { return x.operands; }, k);
}

}  // namespace pimento::ir
