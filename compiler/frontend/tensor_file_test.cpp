#include "compiler/frontend/tensor_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "compiler/frontend/test_support.hpp"
#include "isa/support/file.hpp"

using namespace pimento;
using namespace pimento::frontend;
namespace fs = std::filesystem;

namespace {
ir::Tensor ramp(ElementType type, ir::Shape shape) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < ir::element_count(shape); ++i)
    values.push_back(type == ElementType::boolean ? i % 2 : i);
  return ir::Tensor::of_integers({type, std::move(shape)}, values);
}
std::string npy(const std::string& header, const std::string& data) {
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}
}  // namespace

TEST_CASE("tensor file: does every element type survive both formats?") {
  const TestFolder folder("tensor_file");
  for (int t = 0; t < element_type_count; ++t)
    for (const ir::Shape& shape : {ir::Shape{}, ir::Shape{5}, ir::Shape{2, 3, 4}, ir::Shape{2, 0}}) {
      const auto tensor = ramp(static_cast<ElementType>(t), shape);
      CAPTURE(to_string(tensor.type()));
      write_tensor(folder / "t.pb", tensor, "t");
      CHECK(read_tensor(folder / "t.pb") == tensor);
      if (tensor.element_type() == ElementType::bf16) continue;  // NumPy has no such type
      write_tensor(folder / "t.npy", tensor);
      CHECK(read_tensor(folder / "t.npy") == tensor);
      CHECK(fs::file_size(folder / "t.npy") % 64 == static_cast<std::uintmax_t>(tensor.type().bytes()) % 64);
    }
}

TEST_CASE("tensor file: is a column-major array transposed?") {
  const TestFolder folder("tensor_file");
  // columns of [[0, 1, 2], [3, 4, 5]] are 0 3, 1 4, 2 5
  write_atomically(folder / "f.npy", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
                                         std::string("\x00\x03\x01\x04\x02\x05", 6)));
  CHECK(read_npy(folder / "f.npy") == ramp(ElementType::u8, {2, 3}));
}

TEST_CASE("tensor file: what is said about a damaged .npy file?") {
  const TestFolder folder("tensor_file");
  const auto path = folder / "d.npy";
  const auto said = [&](const std::string& bytes) {
    write_atomically(path, bytes);
    const auto message = message_of([&] { read_npy(path); });
    REQUIRE(message.starts_with(path + ": "));
    return message.substr(path.size() + 2);
  };
  CHECK(said("") == "expected a .npy file, got other data");
  CHECK(said("not numpy at all") == "expected a .npy file, got other data");
  CHECK(said(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", "abc")) ==
        "u8[4] needs 4 bytes of data, the file has 3");
  CHECK(said(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd")) ==
        "expected dtype |u1 |i1 |b1 <u2 <i2 <u4 <i4 <i8 <f2 <f4 or <f8, got '>f4'");
  CHECK(said(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (), }", "abcdabcd")).ends_with("got '<c8'"));
  CHECK(said(npy("{'descr': '|u1', 'shape': (), }", "a")) ==
        "damaged .npy header: 'descr', 'fortran_order' and 'shape' are needed");
  CHECK(said(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,), }", "a")) ==
        "damaged .npy header: expected an extent at character 51");
  CHECK(said(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", "a")) ==
        "the shape is out of range");
  const auto whole = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", "abcd");
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK(said(whole.substr(0, n)) != "no error");
}

TEST_CASE("tensor file: is every truncation of a TensorProto refused?") {
  const TestFolder folder("tensor_file");
  const auto path = folder / "t.pb";
  write_tensor_pb(path, ramp(ElementType::f32, {3, 5}), "x");
  std::string whole;
  {
    std::ifstream in(path, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (std::size_t n = 0; n < whole.size(); ++n) {
    write_atomically(path, whole.substr(0, n));
    CHECK(message_of([&] { read_tensor_pb(path); }).starts_with(path + ": "));
  }
}
