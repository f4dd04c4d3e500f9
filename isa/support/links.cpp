#include "isa/support/links.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "isa/support/error.hpp"

namespace pimento {

std::string followed(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most = 40;  // as Linux has it
  fs::path at = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, error)); ++links) {
    if (links == most)
      throw UserError(Place{.file = path}, std::make_error_code(std::errc::too_many_symbolic_link_levels).message());
    const fs::path next = fs::read_symlink(at, error);
    if (error) throw UserError(Place{.file = path}, error.message());
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

}  // namespace pimento
