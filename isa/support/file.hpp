#pragma once
// Files: read whole, mapped, or written so that a reader sees the old content or the new, never a part. Every operation
// that can fail goes through a Disk, so a test makes the n-th one fail for every n.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace pimento {

/// What writing needs of an operating system. Every function but `remove` throws std::system_error on failure.
class Disk {
 public:
  struct Target {
    std::string path;     ///< links followed
    bool direct = false;  ///< a device or pipe: written in place, since replacing it would be wrong
  };
  virtual ~Disk() = default;
  virtual Target resolve(const std::string& path) = 0;
  virtual int open_new(const std::string& path, bool direct) = 0;
  virtual void write(int handle, std::string_view bytes) = 0;
  /// The bytes reach the medium before this returns.
  virtual void sync(int handle) = 0;
  virtual void close(int handle) = 0;
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& path) noexcept = 0;
};
Disk& real_disk();

/// Buffered bytes on their way to a file.
class Output {
 public:
  Output(Disk& disk, int handle) : disk_(disk), handle_(handle) {}
  void write(const void* data, std::size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  /// Raw bytes of a value without padding, in this machine's order (little-endian on every machine we support).
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
    write(&value, sizeof value);
  }
  /// Zero bytes up to the next multiple of `alignment`.
  void align(std::size_t alignment);
  /// Bytes accepted so far.
  std::int64_t position() const { return written_ + static_cast<std::int64_t>(buffer_.size()); }
  /// Bytes handed to the disk so far: where a failure is reported.
  std::int64_t written() const { return written_; }
  void flush();

 private:
  Disk& disk_;
  int handle_;
  std::int64_t written_ = 0;
  std::string buffer_;
};

/// Runs `writer` on a temporary neighbour of `path` and renames it. On any failure nothing stands at `path` that was
/// not there before, and the neighbour is removed. Throws UserError "a.pim: write failed at byte 4096: No space left on
/// device".
void write_atomically(const std::string& path, const std::function<void(Output&)>& writer, Disk& disk = real_disk());
void write_atomically(const std::string& path, std::string_view content, Disk& disk = real_disk());

/// The whole file. Throws UserError "chip.yaml: cannot read: No such file or directory".
std::string read_file(const std::string& path);

/// A file in memory, read-only, as long as this lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pimento
