#pragma once
// Symbolic links on the way to a file that is written.
#include <string>

namespace pimento {

/// The path that writing to `path` writes to: links followed, those too whose target is not there yet. Throws UserError
/// for links in a ring.
std::string followed(const std::string& path);

}  // namespace pimento
