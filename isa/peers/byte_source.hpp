#pragma once
// A file as a stream of bytes: plain or gzip, told apart by content, a piece at a time, so that a program of gigabytes
// of text takes no more memory than one piece.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace pimento::isa::peers {

class ByteSource {
 public:
  /// Throws UserError when the file cannot be opened.
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Up to `room` bytes; 0 at the end. Throws UserError with the byte (of the unpacked stream) at which a gzip file is
  /// cut off or damaged.
  std::size_t read(char* into, std::size_t room);
  const std::string& path() const { return path_; }

 private:
  struct File;
  [[noreturn]] void refuse(const std::string& message) const;
  std::string path_;
  std::int64_t delivered_ = 0;
  std::unique_ptr<File> file_;
};

/// Packs what is written to it as gzip; `Sink` has write(const void*, size_t).
class GzipPacker {
 public:
  GzipPacker();
  ~GzipPacker();
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;
  template <class Sink>
  void write(const char* data, std::size_t size, bool last, Sink&& sink) {
    feed(data, size);
    for (std::size_t n = 1; n != 0;)
      if ((n = pack(last)) != 0) sink.write(packed(), n);
  }

 private:
  struct State;
  void feed(const char* data, std::size_t size);
  std::size_t pack(bool last);  ///< bytes now in packed(); 0: nothing left to give
  const char* packed() const;
  std::unique_ptr<State> state_;
};

}  // namespace pimento::isa::peers
