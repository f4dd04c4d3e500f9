#pragma once
// Files and folders on their way to their names. Each is removed when it is given up; those that are left when the
// process must end without unwinding are removed together. Neither allocates, so both work without memory.
#include <string>

namespace pimento {

class Unfinished {
 public:
  /// Nothing is made here: the path is only noted.
  explicit Unfinished(std::string path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const std::string& path() const { return path_; }
  /// It has its name now, or was removed: nothing is to be done for it any more.
  void finish() noexcept;

 private:
  static constexpr int nowhere = -1, finished = -2;
  std::string path_;
  int slot_ = nowhere;
};

/// What is unfinished in this process, removed with all that is in it. For handlers of std::terminate and signals.
void remove_unfinished() noexcept;

}  // namespace pimento
