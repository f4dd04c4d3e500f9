#pragma once
// A user's file, opened read-only and mapped. Whoever holds a view keeps the mapping alive.
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace pimento::frontend {

class MappedFile {
 public:
  /// UserError with the system's reason when `path` cannot be opened or is not a regular file.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

/// Writes a file whole or not at all: to a temporary beside it, flushed, then renamed. UserError with the system's
/// reason when that fails; nothing is left behind then.
void write_file(const std::string& path, std::span<const std::byte> bytes);
inline void write_file(const std::string& path, const std::string& bytes) {
  write_file(path, std::as_bytes(std::span(bytes.data(), bytes.size())));
}

}  // namespace pimento::frontend
