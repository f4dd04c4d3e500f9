#pragma once
// A disk in memory whose n-th operation fails: what a writer leaves behind is looked at for every n.
//   for (int n = 1;; ++n) { FailingDisk disk(n); ...; if (!disk.has_failed()) break; }
#include <cerrno>
#include <map>
#include <string>
#include <system_error>

#include "isa/support/file.hpp"

namespace pimento {

class FailingDisk : public Disk {
 public:
  /// Operation `fails_at` (1-based) fails with "No space left on device"; 0: none does.
  explicit FailingDisk(int fails_at) : fails_at_(fails_at) {}
  bool has_failed() const { return failed_; }
  bool exists(const std::string& path) const { return files_.count(path) != 0; }
  const std::map<std::string, std::string>& files() const { return files_; }
  int operations() const { return operations_; }

  Target resolve(const std::string& path) override {
    step();
    return {path, false};
  }
  int open_new(const std::string& path, bool) override {
    step();
    files_[path].clear();
    open_[++last_handle_] = path;
    return last_handle_;
  }
  void write(int handle, std::string_view bytes) override {
    step();
    files_.at(open_.at(handle)).append(bytes);
  }
  void sync(int) override { step(); }
  void close(int handle) override {
    open_.erase(handle);
    step();
  }
  void rename(const std::string& from, const std::string& to) override {
    step();
    files_[to] = files_.at(from);
    files_.erase(from);
  }
  void remove(const std::string& path) noexcept override { files_.erase(path); }
  int still_open() const { return static_cast<int>(open_.size()); }

 private:
  void step() {
    if (++operations_ == fails_at_) {
      failed_ = true;
      throw std::system_error(ENOSPC, std::generic_category());
    }
  }
  int fails_at_ = 0, operations_ = 0, last_handle_ = 0;
  bool failed_ = false;
  std::map<std::string, std::string> files_;
  std::map<int, std::string> open_;
};

}  // namespace pimento
