#include "cli/faults/shim.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace pimento::faults {
namespace {

std::atomic<bool> armed{false}, struck{false};
std::atomic<long> seen{0};
Kind armed_kind = Kind::disk;
long fatal = 0;
std::array<std::atomic<bool>, 1024> made_here{};  // handles of files that this process writes

/// Counts one operation; true: it is to fail.
bool fails(bool is_disk) {
  if (!armed || is_disk != (armed_kind == Kind::disk)) return false;
  const long n = ++seen;
  const bool now = fatal != 0 && (armed_kind == Kind::memory_gone ? n >= fatal : n == fatal);
  if (now) struck = true;
  return now;
}
bool disk_fails() {
  if (!fails(true)) return false;
  errno = ENOSPC;
  return true;
}
bool is_ours(int handle) {
  return handle >= 0 && handle < static_cast<int>(made_here.size()) && made_here[static_cast<std::size_t>(handle)];
}

void* take(std::size_t size, std::size_t alignment) {
  if (fails(false)) {
    if (const auto handler = std::get_new_handler()) handler();  // ours throws
    throw std::bad_alloc();
  }
  const std::size_t wanted = size == 0 ? 1 : size;
  void* const p = alignment <= alignof(std::max_align_t)
                      ? std::malloc(wanted)
                      : std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void* take_or_null(std::size_t size, std::size_t alignment) noexcept {
  try {
    return take(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void arm(Kind kind, long n) {
  armed_kind = kind;
  fatal = n;
  seen = 0;
  struck = false;
  armed = true;
}
void disarm() { armed = false; }
long operations() { return seen; }
bool has_struck() { return struck; }

}  // namespace pimento::faults

using namespace pimento::faults;

void* operator new(std::size_t size) { return take(size, 1); }
void* operator new[](std::size_t size) { return take(size, 1); }
void* operator new(std::size_t size, std::align_val_t a) { return take(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return take(size, static_cast<std::size_t>(a)); }
// Not left to the library: what its form takes from a sanitizer's operator new, the delete below would give to free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take_or_null(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take_or_null(size, 1); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (writes && disk_fails()) return -1;
  const int handle = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  if (handle >= 0 && handle < static_cast<int>(made_here.size())) made_here[static_cast<std::size_t>(handle)] = writes;
  return handle;
}
ssize_t write(int handle, const void* bytes, size_t count) {
  if (is_ours(handle) && disk_fails()) return -1;
  return ::syscall(SYS_write, handle, bytes, count);
}
int fsync(int handle) {
  if (is_ours(handle) && disk_fails()) return -1;
  return static_cast<int>(::syscall(SYS_fsync, handle));
}
int close(int handle) {
  const bool fails_now = is_ours(handle) && disk_fails();  // the handle is gone in either case
  if (is_ours(handle)) made_here[static_cast<std::size_t>(handle)] = false;
  const int result = static_cast<int>(::syscall(SYS_close, handle));
  if (!fails_now) return result;
  errno = ENOSPC;
  return -1;
}
int rename(const char* from, const char* to) noexcept {
  if (disk_fails()) return -1;
  return static_cast<int>(::syscall(SYS_rename, from, to));
}
int mkdir(const char* path, mode_t mode) noexcept {
  if (disk_fails()) return -1;
  return static_cast<int>(::syscall(SYS_mkdir, path, mode));
}

}  // extern "C"
