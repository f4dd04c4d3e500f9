#include "compiler/frontend/model_file.hpp"

#include <doctest/doctest.h>
#include <onnx/defs/parser.h>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/tensor_file.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "isa/support/file.hpp"

using namespace pimento;
using namespace pimento::frontend;
namespace fs = std::filesystem;

namespace {
onnx::ModelProto model_of(const char* graph) {
  onnx::ModelProto model;
  REQUIRE(onnx::OnnxParser::Parse(*model.mutable_graph(), graph).IsOK());
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  return model;
}
void write(const std::string& path, const onnx::ModelProto& model) {
  write_atomically(path, model.SerializeAsString());
}
constexpr const char* small = "g (float[2] x, float[2] w) => (float[2] y) { y = Add (x, w) }";

/// The small model with 'w' in an external file.
onnx::ModelProto with_external(const std::string& location, const std::string& offset = "",
                               const std::string& length = "") {
  auto model = model_of(small);
  auto& w = *model.mutable_graph()->add_initializer();
  w.set_name("w");
  w.add_dims(2);
  w.set_data_type(onnx::TensorProto::FLOAT);
  w.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair{"location", location}, {"offset", offset}, {"length", length}}) {
    if (value.empty()) continue;
    auto& entry = *w.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return model;
}
const std::string two_floats("\0\0\x80\x3f\0\0\0\x40", 8);  // 1.0, 2.0
}  // namespace

TEST_CASE("model file: what is said about files that are no models?") {
  const TestFolder folder("model_file");
  const auto path = folder / "m.onnx";
  const auto said = [&](const std::string& bytes) {
    write_atomically(path, bytes);
    const auto message = message_of([&] { import_onnx(path); });
    REQUIRE(message.starts_with(path + ": "));
    CHECK(message.find('\n') == std::string::npos);
    return message.substr(path.size() + 2);
  };
  CHECK(said("") == "expected an ONNX model, the file is empty");
  CHECK(said("ir_version: 8\ngraph { node { } }\n") == "expected an ONNX model (binary protobuf), got text");
  CHECK(said("\x7f"
             "ELF\x02\x01\x01") == "expected an ONNX model, got other data (byte 0)");
  CHECK(said("\x89PNG\r\n\x1a\n") == "expected an ONNX model, got other data (byte 0)");
  CHECK(said(std::string("\x08\x08", 2)) == "expected an ONNX model, the file has no graph");
  CHECK(message_of([&] { import_onnx(folder / "absent.onnx"); }) ==
        (folder / "absent.onnx") + ": cannot read: No such file or directory");
  CHECK(message_of([&] { import_onnx(folder.path.string()); }).find("Is a directory") != std::string::npos);
}

TEST_CASE("model file: is every truncation one line, and the user's fault?") {
  const TestFolder folder("model_file");
  const auto path = folder / "m.onnx";
  const auto whole = model_of(small).SerializeAsString();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    write_atomically(path, whole.substr(0, n));
    const auto message = message_of([&] { import_onnx(path); });
    CAPTURE(n);
    CHECK(message.starts_with(path + ": "));
    CHECK(message.find('\n') == std::string::npos);
  }
  write_atomically(path, whole);
  CHECK(message_of([&] { import_onnx(path); }) == "no error");
}

TEST_CASE("model file: is any single damaged byte survived?") {
  const TestFolder folder("model_file");
  const auto path = folder / "m.onnx";
  const auto whole = model_of(small).SerializeAsString();
  for (std::size_t n = 0; n < whole.size(); ++n)
    for (const int flip : {0x01, 0x80, 0xff}) {
      auto bytes = whole;
      bytes[n] = static_cast<char>(bytes[n] ^ flip);
      write_atomically(path, bytes);
      CAPTURE(n);
      CHECK_NOTHROW(message_of([&] { import_onnx(path); }));  // a result or a UserError, nothing else
    }
}

TEST_CASE("model file: is the file left as it was, and does a second import agree?") {
  const TestFolder folder("model_file");
  const auto path = folder / "m.onnx";
  write(path, model_of(small));
  const auto before = read_file(path);
  const auto time = fs::last_write_time(path);
  fs::permissions(path, fs::perms::owner_read);
  const auto first = ir::fingerprint(import_onnx(path));
  CHECK(first == ir::fingerprint(import_onnx(path)));
  CHECK(read_file(path) == before);
  CHECK(fs::last_write_time(path) == time);
}

TEST_CASE("external data: is it read, at its offset?") {
  const TestFolder folder("external");
  write(folder / "m.onnx", with_external("w.bin", "4", "8"));
  write_atomically(folder / "w.bin", "pad!" + two_floats);
  const auto g = import_onnx(folder / "m.onnx");
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.value(g.nodes[0].inputs[1]).constant->to_doubles() == std::vector<double>{1, 2});
}

TEST_CASE("external data: can it leave the model's folder?") {
  const TestFolder folder("external");
  fs::create_directories(folder.path / "model" / "sub");
  write_atomically(folder / "secret.bin", two_floats);
  write_atomically(folder / "model/sub/w.bin", two_floats);
  fs::create_symlink(folder.path / "secret.bin", folder.path / "model" / "link.bin");
  fs::create_directory_symlink(folder.path, folder.path / "model" / "up");
  const auto said = [&](const std::string& location) {
    write(folder / "model/m.onnx", with_external(location));
    return message_of([&] { import_onnx(folder / "model/m.onnx"); });
  };
  CHECK(said("sub/w.bin") == "no error");
  CHECK(said("sub/../sub/w.bin") == "no error");
  for (const std::string& bad : {std::string("../secret.bin"), std::string("link.bin"), std::string("up/secret.bin"),
                                 folder / "secret.bin", std::string("sub/../../secret.bin")})
    CHECK(said(bad) ==
          (folder / "model/m.onnx") + ": initialiser 'w': external data '" + bad + "' leaves the model's folder");
  for (const std::string& bad : {std::string("../secret.bin\0/../model/sub/w.bin", 32), std::string("link.bin\0", 9)})
    CHECK(said(bad) == (folder / "model/m.onnx") + ": initialiser 'w': external data: its location holds a byte 0");
}

TEST_CASE("external data: can that of an input tensor leave its folder?") {
  const TestFolder folder("external");
  fs::create_directories(folder.path / "data");
  write_atomically(folder / "secret.bin", two_floats);
  write_atomically(folder / "data/w.bin", two_floats);
  fs::create_symlink(folder.path / "secret.bin", folder.path / "data" / "link.bin");
  const auto said = [&](const std::string& location) {
    const auto model = with_external(location);
    write_atomically(folder / "data/x.pb", model.graph().initializer(0).SerializeAsString());
    return message_of([&] { read_tensor(folder / "data/x.pb"); });
  };
  CHECK(said("w.bin") == "no error");
  for (const std::string& bad : {std::string("../secret.bin"), std::string("link.bin"), folder / "secret.bin"})
    CHECK(said(bad) == (folder / "data/x.pb") + ": external data '" + bad + "' leaves the model's folder");
}

TEST_CASE("external data: what is said when it is short or absent?") {
  const TestFolder folder("external");
  const auto path = folder / "m.onnx";
  write_atomically(folder / "w.bin", two_floats);
  const auto said = [&](const onnx::ModelProto& model) {
    write(path, model);
    const auto message = message_of([&] { import_onnx(path); });
    const auto head = path + ": initialiser 'w': ";
    REQUIRE(message.starts_with(head));
    return message.substr(head.size());
  };
  CHECK(said(with_external("w.bin", "4")) == "external data 'w.bin': bytes 4 to 12 needed, the file has 8");
  CHECK(said(with_external("w.bin", "18446744073709551615")).ends_with("needed, the file has 8"));
  CHECK(said(with_external("w.bin", "0", "4")) == "external data 'w.bin': expected 8 bytes, its length says 4");
  CHECK(said(with_external("w.bin", "x")) == "external data: expected a byte count as 'offset', got 'x'");
  CHECK(said(with_external("absent.bin")).find("cannot read: No such file or directory") != std::string::npos);
  CHECK(said(with_external("")) == "external data without a location");
}

TEST_CASE("ranges: are they read, and refused when malformed?") {
  const TestFolder folder("ranges");
  const auto path = folder / "m.onnx";
  const auto import_with = [&](const std::string& ranges) {
    auto model = model_of(small);
    auto& property = *model.add_metadata_props();
    property.set_key("pimento.ranges");
    property.set_value(ranges);
    write(path, model);
    return import_onnx(path);
  };
  CHECK(import_with(R"({"x": [-1.5, 2]})").metadata.at("pimento.ranges") == R"({"x": [-1.5, 2]})");
  for (const auto* bad : {"", "[1, 2]", R"({"x": [2, 1]})", R"({"x": [1]})", R"({"x": ["a", "b"]})"})
    CHECK(message_of([&] { import_with(bad); }) ==
          path + ": property 'pimento.ranges': expected JSON, an object of value name -> [min, max]");
}
