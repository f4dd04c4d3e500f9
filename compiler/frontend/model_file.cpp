#include "compiler/frontend/model_file.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <climits>
#include <new>
#include <optional>

#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

namespace pimento::frontend {
namespace {
using Bytes = std::span<const std::byte>;

/// The outermost level of protobuf's wire format, walked before protobuf sees the file, so that a fault has a byte
/// number.
struct Walk {
  enum class Fault { none, cut_short, malformed } fault = Fault::none;
  std::size_t at = 0;  ///< first byte of the faulty field
  int field = 0;
  std::uint64_t needed = 0;
};

std::optional<std::uint64_t> read_varint(Bytes bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<std::uint64_t>(bytes[at++]);
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

Walk walk(Bytes bytes, int last_known_field) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    Walk w{.at = at};
    const auto tag = read_varint(bytes, at);
    w.field = tag ? static_cast<int>(*tag >> 3) : 0;
    if (!tag || w.field == 0 || w.field > last_known_field) {
      w.fault = Walk::Fault::malformed;
      return w;
    }
    switch (*tag & 7) {
      case 0:
        if (!read_varint(bytes, at)) w.fault = at == bytes.size() ? Walk::Fault::cut_short : Walk::Fault::malformed;
        break;
      case 1:
        w.needed = 8;
        break;
      case 2: {
        const auto length = read_varint(bytes, at);
        if (!length) w.fault = at == bytes.size() ? Walk::Fault::cut_short : Walk::Fault::malformed;
        w.needed = length.value_or(0);
        break;
      }
      case 5:
        w.needed = 4;
        break;
      default:
        w.fault = Walk::Fault::malformed;
    }
    if (w.fault == Walk::Fault::none && w.needed > bytes.size() - at) w.fault = Walk::Fault::cut_short;
    if (w.fault != Walk::Fault::none) return w;
    at += static_cast<std::size_t>(w.needed);
  }
  return {};
}

bool looks_like_text(Bytes bytes) {
  const auto head = bytes.first(std::min<std::size_t>(bytes.size(), 256));
  return std::all_of(head.begin(), head.end(), [](std::byte b) {
    const auto c = static_cast<unsigned char>(b);
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
  });
}

/// Parses `bytes`, or says in one line why not. `what` is "an ONNX model" or the like.
template <class Message>
Message parse(Bytes bytes, const std::string& path, const std::string& what, int last_known_field) {
  const auto refuse = [&](const std::string& reason) { throw UserError({.file = path}, reason); };
  if (bytes.empty()) refuse(fmt::format("expected {}, the file is empty", what));
  if (looks_like_text(bytes)) refuse(fmt::format("expected {} (binary protobuf), got text", what));
  if (bytes.size() > INT_MAX)
    refuse(fmt::format("{} bytes exceed protobuf's limit of 2 GiB; store the weights as external data", bytes.size()));
  const Walk w = walk(bytes, last_known_field);
  if (w.fault == Walk::Fault::malformed) refuse(fmt::format("expected {}, got other data (byte {})", what, w.at));
  if (w.fault == Walk::Fault::cut_short)
    refuse(fmt::format("the file is cut short: field {} at byte {} needs {}, the file ends at byte {}", w.field, w.at,
                       w.needed == 0   ? "more bytes"
                       : w.needed == 1 ? "1 byte"
                                       : fmt::format("{} bytes", w.needed),
                       bytes.size()));
  Message message;
  bool ok = false;
  try {
    const google::protobuf::LogSilencer silence;
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    ok = message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  } catch (const std::bad_alloc&) {
    throw;  // no fault of the file
  } catch (const std::exception&) {
    ok = false;
  }
  if (!ok) refuse(fmt::format("expected {}, got a damaged file: protobuf cannot read it", what));
  return message;
}

constexpr int last_model_field = 26;   // ModelProto's last field in ONNX 1.17: 26, configuration
constexpr int last_tensor_field = 16;  // TensorProto: 16, metadata_props
}  // namespace

onnx::ModelProto read_model(const std::string& path) {
  const MappedFile file(path);
  auto model = parse<onnx::ModelProto>(file.bytes(), path, "an ONNX model", last_model_field);
  if (!model.has_ir_version() || !model.has_graph())
    throw UserError({.file = path}, fmt::format("expected an ONNX model, the file has no {}",
                                                model.has_graph() ? "IR version" : "graph"));
  return model;
}

onnx::TensorProto parse_tensor(Bytes bytes, const std::string& path) {
  return parse<onnx::TensorProto>(bytes, path, "an ONNX tensor", last_tensor_field);
}

}  // namespace pimento::frontend
