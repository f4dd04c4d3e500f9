#include "compiler/frontend/tensor_proto.hpp"
#include "isa/support/counted.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <limits>

namespace pimento::frontend {
namespace {
struct TypeRow {
  int code;
  ElementType type;
};
constexpr std::array<TypeRow, element_type_count> types{{
    {onnx::TensorProto::UINT8, ElementType::u8},
    {onnx::TensorProto::INT8, ElementType::i8},
    {onnx::TensorProto::UINT16, ElementType::u16},
    {onnx::TensorProto::INT16, ElementType::i16},
    {onnx::TensorProto::UINT32, ElementType::u32},
    {onnx::TensorProto::INT32, ElementType::i32},
    {onnx::TensorProto::INT64, ElementType::i64},
    {onnx::TensorProto::BOOL, ElementType::boolean},
    {onnx::TensorProto::FLOAT16, ElementType::f16},
    {onnx::TensorProto::BFLOAT16, ElementType::bf16},
    {onnx::TensorProto::FLOAT, ElementType::f32},
}};

ir::TensorType tensor_type(const onnx::TensorProto& proto, const Place& place) {
  const auto type = element_type(proto.data_type());
  if (!type) throw UserError(place, fmt::format("element type {} is not supported", onnx_type_name(proto.data_type())));
  ir::TensorType t{*type, {}};
  std::int64_t elements = 1;
  for (const auto d : proto.dims()) {
    if (d < 0 || (d > 0 && elements > std::numeric_limits<std::int32_t>::max() * std::int64_t{1024} / d))
      throw UserError(place, fmt::format("dimension {} is out of range", d));
    elements *= d;
    t.shape.push_back(d);
  }
  return t;
}

/// f64 bytes (ONNX's DOUBLE) as f32.
ir::Tensor narrow(const ir::TensorType& type, const std::byte* bytes) {
  auto t = ir::Tensor::zeros(type);
  auto* out = t.mutable_data<float>();
  for (std::int64_t i = 0; i < type.elements(); ++i) {
    double value = 0;
    std::memcpy(&value, bytes + i * 8, 8);
    out[i] = static_cast<float>(value);
  }
  return t;
}

/// The list of a typed field, each element converted to T.
template <class T, class List>
ir::Tensor from_list(const ir::TensorType& type, const List& list, const Place& place) {
  if (list.size() != type.elements())
    throw UserError(
        place, fmt::format("{} needs {}, got {}", to_string(type), counted(type.elements(), "element"), list.size()));
  auto t = ir::Tensor::zeros(type);
  if (list.empty()) return t;
  auto* out = t.mutable_data<T>();
  for (const auto v : list) *out++ = static_cast<T>(v);
  return t;
}

ir::Tensor from_lists(const onnx::TensorProto& proto, const ir::TensorType& type, const Place& place) {
  switch (type.type) {
    case ElementType::f32:
      if (is_narrowed(proto.data_type())) return from_list<float>(type, proto.double_data(), place);
      return from_list<float>(type, proto.float_data(), place);
    case ElementType::i64:
      return from_list<std::int64_t>(type, proto.int64_data(), place);
    case ElementType::u32:
      return from_list<std::uint32_t>(type, proto.uint64_data(), place);
    case ElementType::i32:
      return from_list<std::int32_t>(type, proto.int32_data(), place);
    case ElementType::i16:
      return from_list<std::int16_t>(type, proto.int32_data(), place);
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
      return from_list<std::uint16_t>(type, proto.int32_data(), place);
    case ElementType::i8:
      return from_list<std::int8_t>(type, proto.int32_data(), place);
    case ElementType::u8:
    case ElementType::boolean:
      return from_list<std::uint8_t>(type, proto.int32_data(), place);
  }
  throw InternalError("tensor type without a list");
}

/// ONNX stores any non-zero byte as true; the IR knows 0 and 1.
ir::Tensor as_bool(ir::Tensor t) {
  for (std::int64_t i = 0; i < t.elements(); ++i)
    if (t.data<std::uint8_t>()[i] > 1) t.mutable_data<std::uint8_t>()[i] = 1;
  return t;
}
}  // namespace

std::optional<ElementType> element_type(int code) {
  if (code == onnx::TensorProto::DOUBLE) return ElementType::f32;
  for (const auto& row : types)
    if (row.code == code) return row.type;
  return std::nullopt;
}
bool is_narrowed(int code) { return code == onnx::TensorProto::DOUBLE; }

std::string onnx_type_name(int code) {
  static constexpr std::array<const char*, 24> names{
      "UNDEFINED",      "FLOAT",      "UINT8",          "INT8",       "UINT16",   "INT16",
      "INT32",          "INT64",      "STRING",         "BOOL",       "FLOAT16",  "DOUBLE",
      "UINT32",         "UINT64",     "COMPLEX64",      "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN",
      "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",      "INT4",     "FLOAT4E2M1"};
  if (code >= 0 && code < static_cast<int>(names.size())) return names[static_cast<std::size_t>(code)];
  return fmt::format("{}", code);
}

int onnx_type(ElementType type) {
  for (const auto& row : types)
    if (row.type == type) return row.code;
  throw InternalError("element type without an ONNX code");
}

std::shared_ptr<const std::byte> ExternalData::map(const onnx::TensorProto& proto, std::size_t bytes,
                                                   std::size_t alignment, const Place& place) {
  namespace fs = std::filesystem;
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  for (const auto& entry : proto.external_data()) {
    const auto number = [&] {
      std::uint64_t n = 0;
      const char* end = entry.value().data() + entry.value().size();
      const auto r = std::from_chars(entry.value().data(), end, n);
      if (r.ec != std::errc{} || r.ptr != end)
        throw UserError(
            place, fmt::format("external data: expected a byte count as '{}', got '{}'", entry.key(), entry.value()));
      return n;
    };
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      offset = number();
    else if (entry.key() == "length")
      length = number();
  }
  if (model_.empty()) throw UserError(place, "external data needs a model file, whose folder holds it");
  if (location.empty()) throw UserError(place, "external data without a location");
  if (location.find('\0') != std::string::npos)  // the system would open what stands before it, unchecked
    throw UserError(place, "external data: its location holds a byte 0");
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(model_).parent_path(), error);
  const fs::path file = error ? fs::path{} : fs::weakly_canonical(folder / location, error);
  const auto inside = file.lexically_relative(folder);
  if (error || fs::path(location).is_absolute() || inside.empty() || *inside.begin() == "..")
    throw UserError(place, fmt::format("external data '{}' leaves the model's folder", location));
  auto& mapped = files_[file.string()];
  if (!mapped) {
    try {
      mapped = std::make_shared<const MappedFile>(file.string());
    } catch (const UserError& e) {
      throw UserError(place, fmt::format("external data '{}': {}", location, e.what()));
    }
  }
  const auto all = mapped->bytes();
  if (length && *length != bytes)
    throw UserError(place, fmt::format("external data '{}': expected {}, its length says {}", location,
                                       counted(bytes, "byte"), *length));
  if (offset > all.size() || bytes > all.size() - offset)
    throw UserError(place, fmt::format("external data '{}': bytes {} to {} needed, the file has {}", location, offset,
                                       offset + bytes, all.size()));
  const std::byte* at = all.data() + offset;
  if (reinterpret_cast<std::uintptr_t>(at) % alignment == 0) return {mapped, at};
  auto own = std::make_shared<std::vector<std::byte>>(at, at + bytes);
  return {own, own->data()};
}

ir::Tensor take_tensor(onnx::TensorProto& proto, ExternalData* external, const Place& place) {
  const ir::TensorType type = tensor_type(proto, place);
  const bool narrowed = is_narrowed(proto.data_type());
  const auto size = static_cast<std::size_t>(narrowed ? type.elements() * 8 : type.bytes());
  ir::Tensor t;
  if (proto.has_segment()) throw UserError(place, "tensors in segments are not supported");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (external == nullptr) throw UserError(place, "external data is not supported here");
    auto bytes = external->map(proto, size, static_cast<std::size_t>(narrowed ? 8 : size_of(type.type)), place);
    t = narrowed ? narrow(type, bytes.get()) : ir::Tensor::view(type, std::move(bytes));
  } else if (proto.has_raw_data()) {
    if (proto.raw_data().size() != size)
      throw UserError(
          place, fmt::format("{} needs {}, got {}", to_string(type), counted(size, "byte"), proto.raw_data().size()));
    auto owner = std::make_shared<const std::string>(std::move(*proto.mutable_raw_data()));
    proto.clear_raw_data();
    const auto* bytes = reinterpret_cast<const std::byte*>(owner->data());
    t = narrowed ? narrow(type, bytes) : ir::Tensor::view(type, {std::move(owner), bytes});
  } else {
    t = from_lists(proto, type, place);
  }
  return type.type == ElementType::boolean ? as_bool(std::move(t)) : t;
}

onnx::TensorProto to_proto(const ir::Tensor& tensor, const std::string& name) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(onnx_type(tensor.element_type()));
  for (const auto d : tensor.shape()) proto.add_dims(d);
  const auto bytes = tensor.byte_span();
  proto.set_raw_data(bytes.data(), bytes.size());
  return proto;
}

}  // namespace pimento::frontend
