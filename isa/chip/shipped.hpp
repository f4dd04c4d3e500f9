#pragma once
// Which file a chip's name stands for.
#include <string>

namespace pimento::isa {

/// The file that load_chip reads for a path or for the name of a shipped chip, whether there is one or not.
std::string chip_file(const std::string& name_or_path);

}  // namespace pimento::isa
