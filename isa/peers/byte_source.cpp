#include "isa/peers/byte_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "isa/support/error.hpp"

namespace pimento::isa::peers {

struct ByteSource::File {
  gzFile handle = nullptr;
  explicit File(const std::string& path) : handle(gzopen(path.c_str(), "rb")) {
    if (handle != nullptr) gzbuffer(handle, 1U << 15);
  }
  ~File() {
    if (handle != nullptr) gzclose_r(handle);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

ByteSource::ByteSource(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("cannot read: Is a directory");
  errno = 0;
  file_ = std::make_unique<File>(path);
  if (file_->handle == nullptr) refuse("cannot read: " + std::generic_category().message(errno != 0 ? errno : ENOMEM));
}
ByteSource::~ByteSource() = default;

void ByteSource::refuse(const std::string& message) const { throw UserError(Place{.file = path_}, message); }

std::size_t ByteSource::read(char* into, std::size_t room) {
  const int got = gzread(file_->handle, into, static_cast<unsigned>(room));
  int code = Z_OK;
  if (got <= 0) gzerror(file_->handle, &code);
  if (code == Z_BUF_ERROR) refuse(fmt::format("gzip stream ends early, after byte {}", delivered_));
  if (code == Z_ERRNO) refuse("cannot read: " + std::generic_category().message(errno));
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
    refuse(fmt::format("gzip stream is damaged after byte {}", delivered_));
  delivered_ += got;
  return static_cast<std::size_t>(got);
}

struct GzipPacker::State {
  z_stream stream{};
  std::array<char, 1U << 16> out{};
  bool finished = false;
};

GzipPacker::GzipPacker() : state_(std::make_unique<State>()) {
  constexpr int gzip = 16 + MAX_WBITS;
  PIMENTO_CHECK(deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib does not start");
}
GzipPacker::~GzipPacker() { deflateEnd(&state_->stream); }

void GzipPacker::feed(const char* data, std::size_t size) {
  state_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));  // zlib only reads it
  state_->stream.avail_in = static_cast<uInt>(size);
}
std::size_t GzipPacker::pack(bool last) {
  State& s = *state_;
  if (s.finished) return 0;
  s.stream.next_out = reinterpret_cast<Bytef*>(s.out.data());
  s.stream.avail_out = static_cast<uInt>(s.out.size());
  const int code = deflate(&s.stream, last ? Z_FINISH : Z_NO_FLUSH);
  PIMENTO_CHECK(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR, "zlib refuses to pack");
  s.finished = code == Z_STREAM_END;
  return s.out.size() - s.stream.avail_out;
}
const char* GzipPacker::packed() const { return state_->out.data(); }

}  // namespace pimento::isa::peers
