#include "isa/support/unfinished.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <utility>

namespace pimento {
namespace {

constexpr int deepest = 8;  // folders in a folder that we make

std::array<std::atomic<const char*>, 64>& slots() {
  static std::array<std::atomic<const char*>, 64> all{};
  return all;
}

bool remove_at(int folder, const char* name, int depth) noexcept;

/// One pass over a folder's entries, read into the stack: opendir would allocate. Whether any of them went.
bool remove_inside(int handle, int depth) noexcept {
  alignas(dirent64) std::array<char, 2048> entries;
  bool any = false;
  for (ssize_t size; (size = ::getdents64(handle, entries.data(), entries.size())) > 0;)
    for (ssize_t at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      const std::string_view found = entry->d_name;
      if (found != "." && found != "..") any |= remove_at(handle, entry->d_name, depth + 1);
      at += entry->d_reclen;
    }
  return any;
}

bool remove_at(int folder, const char* name, int depth) noexcept {
  if (::unlinkat(folder, name, 0) == 0) return true;
  if (errno == ENOENT || depth > deepest) return false;
  const int handle = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (handle < 0) return false;
  while (remove_inside(handle, depth)) ::lseek(handle, 0, SEEK_SET);  // a pass may miss some of what moved up
  ::close(handle);
  return ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

}  // namespace

Unfinished::Unfinished(std::string path) : path_(std::move(path)) {
  for (std::size_t k = 0; k < slots().size() && slot_ < 0; ++k) {
    const char* expected = nullptr;
    if (slots()[k].compare_exchange_strong(expected, path_.c_str())) slot_ = static_cast<int>(k);
  }
}
Unfinished::~Unfinished() {
  if (slot_ == finished) return;
  remove_at(AT_FDCWD, path_.c_str(), 0);
  finish();
}
void Unfinished::finish() noexcept {
  if (slot_ >= 0) slots()[static_cast<std::size_t>(slot_)] = nullptr;
  slot_ = finished;
}

void remove_unfinished() noexcept {
  for (auto& slot : slots())
    if (const char* const path = slot.exchange(nullptr)) remove_at(AT_FDCWD, path, 0);
}

}  // namespace pimento
