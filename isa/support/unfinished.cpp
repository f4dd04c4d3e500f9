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

void remove_at(int folder, const char* name, int depth) noexcept {
  if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT || depth > deepest) return;
  const int handle = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (handle < 0) return;
  if (DIR* const inside = ::fdopendir(handle); inside != nullptr) {
    while (const dirent* const entry = ::readdir(inside)) {
      const std::string_view found = entry->d_name;
      if (found != "." && found != "..") remove_at(::dirfd(inside), entry->d_name, depth + 1);
    }
    ::closedir(inside);
  } else {
    ::close(handle);
  }
  ::unlinkat(folder, name, AT_REMOVEDIR);
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
