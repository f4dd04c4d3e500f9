#pragma once
// The files that a command line names. What is read is not written, no two results go to one place, and each can be
// written: said before anything takes time, so that no run ends without a place for its results.
#include <functional>
#include <string>

#include "cli/commands/registry.hpp"

namespace pimento::cli {

/// What a command does with the file or folder that one of its arguments names.
enum class FileRole {
  none,     ///< the argument names no file
  reads,    ///< a file, or a folder; of MODEL and CHIP also a name of ours
  writes,   ///< a file that is made or replaced
  fills,    ///< a folder that files are written into
  updates,  ///< a file that is read, and written again
};
/// InternalError for an argument that is declared as a FILE or FOLDER and has no role.
FileRole file_role(const std::string& subcommand, const Parameter& parameter);

/// UserError for an output that is an input, for two outputs in one place, for one that has no folder or whose ending
/// names a format that is not written.
void check_files(const std::string& subcommand, const Arguments& a);
/// The same for further outputs of the command, `option`s whose names came about later.
std::function<void(const std::string& path)> check_of_further_outputs(const std::string& subcommand, const Arguments& a,
                                                                      const std::string& option);

}  // namespace pimento::cli
