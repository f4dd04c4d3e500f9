#include "compiler/frontend/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isa/support/error.hpp"

namespace pimento::frontend {
namespace {
[[noreturn]] void refuse(const std::string& path, const std::string& what, int error) {
  throw UserError({.file = path}, fmt::format("cannot {}: {}", what, std::strerror(error)));
}

/// Closes on every way out.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};
}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) refuse(path, "open the file", errno);
  struct stat info {};
  if (::fstat(file.number, &info) != 0) refuse(path, "read the file's size", errno);
  if (!S_ISREG(info.st_mode)) throw UserError({.file = path}, "expected a file, got a folder or device");
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (at == MAP_FAILED) refuse(path, "map the file", errno);
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(at), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::string temporary = path + ".XXXXXX";
  {
    const Descriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};
    if (file.number < 0) refuse(path, "create a temporary beside it", errno);
    int error = 0;
    for (std::size_t done = 0; done < bytes.size() && error == 0;) {
      const ssize_t written = ::write(file.number, bytes.data() + done, bytes.size() - done);
      if (written >= 0)
        done += static_cast<std::size_t>(written);
      else if (errno != EINTR)
        error = errno;
    }
    if (error == 0 && ::fchmod(file.number, 0644) != 0) error = errno;
    if (error == 0 && ::fsync(file.number) != 0) error = errno;
    if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return;
    ::unlink(temporary.c_str());
    refuse(path, "write the file", error);
  }
}

}  // namespace pimento::frontend
