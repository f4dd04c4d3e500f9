#pragma once
// One run of a command line in a process of its own, with one fault, and what it left behind.
#include <map>
#include <string>
#include <vector>

#include "cli/faults/shim.hpp"

namespace pimento::faults {

using Files = std::map<std::string, std::string>;  ///< name below the folder -> content

struct Attempt {
  bool crashed = false;
  int status = -1;
  bool struck = false;  ///< the fault came to pass
  long operations = 0;  ///< of its kind
  std::string message;  ///< the last line on stderr
  Files files;          ///< in the folder, afterwards
};

/// Runs `words` in the folder `folder`, emptied and filled with `before`. The process starts as this one stands, so
/// nothing that one attempt did helps the next.
Attempt attempt(const std::vector<std::string>& words, const std::string& folder, Kind kind, long n,
                const Files& before = {});

}  // namespace pimento::faults
