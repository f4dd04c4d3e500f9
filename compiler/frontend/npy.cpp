#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "compiler/frontend/tensor_file.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

// The .npy format: "\x93NUMPY", major, minor, header length (u16 in version 1, u32 later), a Python dictionary, data.
static_assert(std::endian::native == std::endian::little, "tensor files are read and written in place");

namespace pimento::frontend {
namespace {
constexpr std::string_view magic{"\x93NUMPY", 6};

struct DtypeRow {
  std::string_view dtype;  ///< after the byte-order mark
  ElementType type;
};
constexpr std::array<DtypeRow, 10> dtypes{{{"u1", ElementType::u8},
                                           {"i1", ElementType::i8},
                                           {"u2", ElementType::u16},
                                           {"i2", ElementType::i16},
                                           {"u4", ElementType::u32},
                                           {"i4", ElementType::i32},
                                           {"i8", ElementType::i64},
                                           {"b1", ElementType::boolean},
                                           {"f2", ElementType::f16},
                                           {"f4", ElementType::f32}}};

struct Header {
  std::string dtype;
  bool fortran = false;
  ir::Shape shape;
};

/// Reads the three entries of the header's dictionary, in any order.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Header read() {
    Header h;
    expect('{');
    bool has_dtype = false, has_order = false, has_shape = false;
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr")
        h.dtype = quoted(), has_dtype = true;
      else if (key == "fortran_order")
        h.fortran = truth(), has_order = true;
      else if (key == "shape")
        h.shape = tuple(), has_shape = true;
      else
        fail(fmt::format("unknown key '{}'", key));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_dtype || !has_order || !has_shape) fail("'descr', 'fortran_order' and 'shape' are needed");
    return h;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UserError({.file = path_}, fmt::format("damaged .npy header: {}", why));
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}' at character {}", c, at_));
  }
  std::string quoted() {
    expect('\'');
    const auto end = text_.find('\'', at_);
    if (end == std::string_view::npos) fail("a string does not end");
    std::string s(text_.substr(at_, end - at_));
    at_ = end + 1;
    return s;
  }
  bool truth() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, {"False", false}})
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::strlen(word);
        return value;
      }
    fail("expected True or False");
  }
  ir::Shape tuple() {
    ir::Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = -1;
      const auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (r.ec != std::errc{} || extent < 0) fail(fmt::format("expected an extent at character {}", at_));
      at_ = static_cast<std::size_t>(r.ptr - text_.data());
      shape.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }
  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

/// Row-major copy of column-major elements.
ir::Tensor from_fortran(const ir::TensorType& type, const std::byte* bytes) {
  auto t = ir::Tensor::zeros(type);
  auto* out = t.mutable_bytes();
  const auto size = static_cast<std::size_t>(size_of(type.type));
  ir::Shape at(type.shape.size(), 0);
  for (std::int64_t i = 0; i < type.elements(); ++i) {
    std::int64_t source = 0;
    for (std::size_t d = at.size(); d-- > 0;) source = source * type.shape[d] + at[d];
    std::memcpy(out + static_cast<std::size_t>(i) * size, bytes + static_cast<std::size_t>(source) * size, size);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < type.shape[d]) break;
      at[d] = 0;
    }
  }
  return t;
}
}  // namespace

ir::Tensor read_npy(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const auto refuse = [&](const std::string& why) { throw UserError({.file = path}, why); };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    refuse("expected a .npy file, got other data");
  const int version = static_cast<int>(bytes[6]);
  if (version < 1 || version > 3) refuse(fmt::format("expected .npy format 1 to 3, got {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::uint32_t length = 0;
  if (bytes.size() >= 8 + length_bytes) std::memcpy(&length, bytes.data() + 8, length_bytes);
  const std::size_t begin = 8 + length_bytes;
  if (bytes.size() < begin || length > bytes.size() - begin) refuse("the file is cut short in its header");
  const Header h = HeaderReader({reinterpret_cast<const char*>(bytes.data()) + begin, length}, path).read();

  const std::string_view dtype = h.dtype.empty() ? h.dtype : std::string_view(h.dtype).substr(1);
  const bool is_double = dtype == "f8";
  ir::TensorType type{ElementType::f32, h.shape};
  bool known = is_double && h.dtype[0] == '<';
  for (const auto& row : dtypes)
    if (row.dtype == dtype && (h.dtype[0] == '<' || (h.dtype[0] == '|' && size_of(row.type) == 1))) {
      type.type = row.type;
      known = true;
    }
  if (!known) refuse(fmt::format("expected dtype |u1 |i1 |b1 <u2 <i2 <u4 <i4 <i8 <f2 <f4 or <f8, got '{}'", h.dtype));
  const auto* data = bytes.data() + begin + length;
  const std::size_t have = bytes.size() - begin - length;
  std::size_t need = is_double ? 8 : static_cast<std::size_t>(size_of(type.type));
  for (const auto d : h.shape) {
    if (d != 0 && need > (std::size_t{1} << 46) / static_cast<std::size_t>(d)) refuse("the shape is out of range");
    need *= static_cast<std::size_t>(d);
  }
  if (have != need)
    refuse(fmt::format("{} needs {} of data, the file has {}", to_string(type), counted(need, "byte"), have));

  if (!is_double) return h.fortran ? from_fortran(type, data) : ir::Tensor::copy(type, {data, need});
  auto narrowed = ir::Tensor::zeros(type);
  for (std::int64_t i = 0; i < type.elements(); ++i) {
    double value = 0;
    std::memcpy(&value, data + i * 8, 8);
    narrowed.mutable_data<float>()[i] = static_cast<float>(value);
  }
  return h.fortran ? from_fortran(type, narrowed.bytes()) : narrowed;
}

void write_npy(const std::string& path, const ir::Tensor& tensor) {
  std::string dtype = "<u2";  // bf16
  for (const auto& row : dtypes)
    if (row.type == tensor.element_type()) dtype = (size_of(row.type) == 1 ? "|" : "<") + std::string(row.dtype);
  std::string shape;
  for (const auto d : tensor.shape()) shape += fmt::format("{}, ", d);
  if (!shape.empty()) shape.resize(shape.size() - (tensor.shape().size() == 1 ? 1 : 2));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", dtype, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');  // the data starts on a multiple of 64
  header += '\n';
  std::string out(magic);
  out += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out += header;
  const auto bytes = tensor.byte_span();
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_atomically(path, out);
}

}  // namespace pimento::frontend
