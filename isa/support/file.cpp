#include "isa/support/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "isa/support/error.hpp"
#include "isa/support/links.hpp"
#include "isa/support/unfinished.hpp"

namespace pimento {
static_assert(std::endian::native == std::endian::little, "files are little-endian and are mapped, not decoded");
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

std::string reason(int error) { return std::generic_category().message(error); }
[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

class RealDisk : public Disk {
 public:
  Target resolve(const std::string& path) override {
    namespace fs = std::filesystem;
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_directory(status)) fail(EISDIR);
    if (fs::exists(status) && !fs::is_regular_file(status)) return {path, true};
    return {followed(path), false};
  }
  int open_new(const std::string& path, bool direct) override {
    const int handle = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (direct ? 0 : O_CREAT | O_EXCL), 0666);
    if (handle < 0) fail(errno);
    return handle;
  }
  void write(int handle, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::write(handle, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(errno);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void sync(int handle) override {
    if (::fsync(handle) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  }
  void close(int handle) override {
    if (::close(handle) != 0 && errno != EINTR) fail(errno);
  }
  void rename(const std::string& from, const std::string& to) override {
    if (std::rename(from.c_str(), to.c_str()) != 0) fail(errno);
  }
  void remove(const std::string& path) noexcept override { ::unlink(path.c_str()); }
};

/// Unique among the processes and threads that write to one folder.
std::string neighbour(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return path + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

/// An open handle that is closed, whatever happens; closing after a failure must not hide it.
class Handle {
 public:
  Handle(Disk& disk, int handle) : disk_(disk), handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (!open_) return;
    try {
      disk_.close(handle_);
    } catch (const std::system_error&) {  // another failure is already on its way to the caller
    }
  }
  void close() {
    open_ = false;
    disk_.close(handle_);
  }
  int value() const { return handle_; }

 private:
  Disk& disk_;
  int handle_;
  bool open_ = true;
};

}  // namespace

Disk& real_disk() {
  static RealDisk disk;
  return disk;
}

void Output::write(const void* data, std::size_t size) {
  buffer_.append(static_cast<const char*>(data), size);
  if (buffer_.size() >= buffer_bytes) flush();
}

void Output::align(std::size_t alignment) {
  const std::size_t over = static_cast<std::size_t>(position()) % alignment;
  if (over != 0) write(std::string(alignment - over, '\0'));
}

void Output::flush() {
  disk_.write(handle_, buffer_);
  written_ += static_cast<std::int64_t>(buffer_.size());
  buffer_.clear();
}

void write_atomically(const std::string& path, const std::function<void(Output&)>& writer, Disk& disk) {
  std::int64_t at = 0;
  std::optional<Unfinished> part;  // the neighbour, named before it is made, since naming may fail
  const auto give_up = [&] {
    if (!part) return;
    disk.remove(part->path());
    part->finish();
  };
  try {
    const Disk::Target target = disk.resolve(path);
    if (!target.direct) part.emplace(neighbour(target.path));
    Handle handle(disk, disk.open_new(part ? part->path() : target.path, target.direct));
    Output output(disk, handle.value());
    try {
      writer(output);
      output.flush();
    } catch (const std::system_error&) {
      at = output.written();
      throw;
    }
    at = output.written();
    if (part) disk.sync(handle.value());
    handle.close();
    if (part) disk.rename(part->path(), target.path), part->finish();
  } catch (const std::system_error& error) {
    give_up();
    throw UserError(Place{.file = path},
                    "write failed at byte " + std::to_string(at) + ": " + reason(error.code().value()));
  } catch (...) {
    give_up();
    throw;
  }
}

void write_atomically(const std::string& path, std::string_view content, Disk& disk) {
  write_atomically(
      path, [&](Output& output) { output.write(content); }, disk);
}

std::string read_file(const std::string& path) {
  const auto refuse = [&](int error) { throw UserError(Place{.file = path}, "cannot read: " + reason(error)); };
  Handle handle(real_disk(), ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (handle.value() < 0) refuse(errno);
  struct stat status {};
  if (::fstat(handle.value(), &status) != 0) refuse(errno);
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    throw UserError(Place{.file = path}, "expected a file, got a device");
  std::string content;
  std::string piece(std::size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t n = ::read(handle.value(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(errno);
    if (n == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(n));
  }
}

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const auto refuse = [&](int error) { throw UserError(Place{.file = path}, "cannot read: " + reason(error)); };
  Handle handle(real_disk(), ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (handle.value() < 0) refuse(errno);
  struct stat status {};
  if (::fstat(handle.value(), &status) != 0) refuse(errno);
  if (S_ISDIR(status.st_mode)) refuse(EISDIR);
  if (!S_ISREG(status.st_mode))
    throw UserError(Place{.file = path},
                    S_ISFIFO(status.st_mode) ? "expected a file, got a pipe" : "expected a file, got a device");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, handle.value(), 0);
  if (at == MAP_FAILED) refuse(errno);
  data_ = static_cast<const std::byte*>(at);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace pimento
