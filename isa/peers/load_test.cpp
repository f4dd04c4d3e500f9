#include <doctest/doctest.h>
#include <fmt/format.h>

#include "isa/peers/byte_source.hpp"
#include "isa/peers/peer_files_for_tests.hpp"

using namespace pimento;
using namespace pimento::isa;
using namespace pimento::isa::peers;

namespace {
Program load(const std::string& path) {
  std::vector<std::string> warnings;
  Program p = load_peer_program(path, chip(), warnings);
  CHECK(warnings.empty());
  verify_program(p, chip(), path);
  return p;
}
std::string lines(const Program& p, std::size_t core = 0) {
  std::string text;
  for (const Instruction& i : p.cores[core].instructions.data) text += print(i) + "\n";
  return text;
}
std::string gzipped(const std::string& text) {
  struct Text {
    std::string out;
    void write(const void* data, std::size_t size) { out.append(static_cast<const char*>(data), size); }
  } packed;
  GzipPacker packer;
  packer.write(text.data(), text.size(), true, packed);
  return packed.out;
}
const std::string set = R"({"op": "setbw", "ibiw": 8, "obiw": 8}, )";
}  // namespace

TEST_CASE("peers: do all micro programs load and verify?") {
  for (const std::string& name : micro_names()) {
    CAPTURE(name);
    CHECK_FALSE(load(micro(name)).cores.empty());
  }
}

TEST_CASE("peers: are registers resolved, and do scalar instructions stay?") {
  const Folder folder;
  const std::string text =
      one_core(set +
               R"({"op": "sldi", "rd": 1, "imm": 100}, {"op": "saddi", "rd": 2, "rs1": 1, "imm": 28},
       {"op": "smul", "rd": 3, "rs1": 1, "rs2": 2}, {"op": "sldi", "rd": 9, "imm": -1},
       {"op": "vvadd", "rd": 3, "rs1": 1, "rs2": 2, "len": 7, "offset": {"offset_select": 5, "offset_value": 2}},
       {"op": "setbw", "ibiw": 16, "obiw": 32},
       {"op": "mvmul", "rd": 3, "rs1": 1, "mbiw": 8, "group": 2, "relu": 1},
       {"op": "vvmul", "rd": 3, "rs1": 1, "rs2": 2, "len": 7, "offset": {"offset_select": 3, "offset_value": 3}},
       {"op": "ld", "rd": 1, "rs1": 2, "size": 12, "offset": {"offset_select": 2, "offset_value": 5}},
       {"op": "lldi", "rd": 1, "imm": 0.25, "len": 3}, {"op": "lmv", "rd": 1, "rs1": 2, "len": 4, "size": 4},
       {"op": "wait", "event_register": 3, "wait_value": 2}, {"op": "wait", "event_register": 3, "wait_value": 5})");
  // vector offsets count elements, all others bytes; offset_select: 1 rd, 2 rs1, 4 rs2
  CHECK(lines(load(folder.write("p.json", text))) ==
        "setbw in 8, out 8\n"
        "sldi R1, imm 100\n"
        "saddi R2, R1, imm 28\n"
        "smul R3, R1, R2\n"
        "sldi R9, imm -1\n"
        "vadd [12802]:i8, [100]:i8, [130]:i8, len 7\n"
        "setbw in 16, out 32\n"
        "mvm [12800]:i32, [100]:i16, len 128, group 2, relu\n"
        "vmul [12812]:i32, [106]:i16, [128]:i16, len 7\n"
        "load [100], [133], len 12\n"
        "fill [100], len 3, byte 0, real 0.25\n"
        "move [100], [128], len 4\n"
        "wait core 0, event 3, value 2\n"
        "wait core 0, event 3, value 7\n");
}

TEST_CASE("peers: does every operation of the peer find its row?") {
  const Folder folder;
  const std::string text =
      one_core(set + R"({"op": "nop"}, {"op": "sldi", "rd": 1, "imm": 64}, {"op": "sldi", "rd": 2, "imm": 3},
    {"op": "vvdmul", "rd": 1, "rs1": 1, "rs2": 2, "len": 8}, {"op": "vavg", "rd": 1, "rs1": 1, "len": 8},
    {"op": "vvsll", "rd": 1, "rs1": 1, "rs2": 2, "len": 8}, {"op": "vvsra", "rd": 1, "rs1": 1, "rs2": 2, "len": 8},
    {"op": "vtanh", "rd": 1, "rs1": 1, "len": 8}, {"op": "vsigm", "rd": 1, "rs1": 1, "len": 8},
    {"op": "vmv", "rd": 1, "rs1": 1, "rs2": 2, "len": 8}, {"op": "setbw", "ibiw": 16, "obiw": 8},
    {"op": "vrsu", "rd": 1, "rs1": 1, "len": 8}, {"op": "vrsl", "rd": 1, "rs1": 1, "len": 8},
    {"op": "sld", "rd": 4, "rs1": 1, "offset_value": 4})");
  CHECK(lines(load(folder.write("p.json", text))) ==
        "setbw in 8, out 8\nnop\nsldi R1, imm 64\nsldi R2, imm 3\n"
        "vdot [64]:i8, [64]:i8, [3]:i8, len 8\n"
        "vravg [64]:i8, [64]:i8, len 8\n"
        "vshl [64]:i8, [64]:i8, [3]:i8, len 8\n"
        "vshr [64]:i8, [64]:i8, [3]:i8, len 8\n"
        "vtanh [64]:i8, [64]:i8, len 8\n"
        "vsigm [64]:i8, [64]:i8, len 8\n"
        "vmov [64]:i8 stride 1, [64]:i8 stride 3, x8 len 1\n"
        "setbw in 16, out 8\n"
        "vcvt [64]:i8, [64]:i16, len 8, scale 0.00390625, real 0.00390625\n"
        "vcvt [64]:i8, [64]:i16, len 8\n"
        "sld R4, R1, imm 4\n");
}

TEST_CASE("peers: are gzip and plain told apart by content?") {
  const Folder folder;
  const std::string text = read_file(micro("pipe_two_cores"));
  const Program plain = load(micro("pipe_two_cores"));
  const Program packed = load(folder.write("misnamed.json", gzipped(text)));
  REQUIRE(plain.cores.size() == 2);
  for (const std::size_t core : {std::size_t{0}, std::size_t{1}}) CHECK(lines(plain, core) == lines(packed, core));
  CHECK(file_kind(folder.at("misnamed.json")) == FileKind::peer_json);
}

TEST_CASE("peers: is a gzip file that is cut anywhere refused?") {
  const Folder folder;
  const std::string whole = gzipped(read_file(micro("mvmul_x1")));
  for (std::size_t cut = 12; cut < whole.size(); cut += 5) {
    CAPTURE(cut);
    CHECK(complaint_about(folder.write("cut.gz", whole.substr(0, cut)), chip()).find("gzip stream ends early") !=
          std::string::npos);
  }
  std::string damaged = whole;
  damaged[40] = static_cast<char>(damaged[40] ^ 0x55);
  CHECK(complaint_about(folder.write("bad.gz", damaged), chip()) != "");
}

TEST_CASE("peers: is every cut of a text refused, and none crashes?") {
  const Folder folder;
  const std::string whole = read_file(micro("send_recv_640_0_1"));
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) {
    CAPTURE(cut);
    CHECK(complaint_about(folder.write("cut.json", whole.substr(0, cut)), chip()).starts_with("cut.json:1"));
  }
}

TEST_CASE("peers: what is said about wrong instructions?") {
  const Folder folder;
  const auto about = [&](const std::string& instructions) {
    return complaint_about(folder.write("p.json", one_core(instructions)), chip());
  };
  const auto about_second = [&](const std::string& instruction) {
    const std::string text = about(set + instruction);
    const std::string place = "core 0, instruction 1 (byte 121): ";  // 82 bytes before core 0's list, 39 of setbw
    const std::size_t at = text.find(place);
    return at == std::string::npos ? text : text.substr(at + place.size());
  };
  CHECK(about(R"({"op": "mvmull"})") ==
        "p.json:1: core 0, instruction 0, byte 97: unknown operation 'mvmull'; nearest: 'mvmul'");
  CHECK(about(R"({"op": "lmv", "lenn": 3})") ==
        "p.json:1: core 0, instruction 0, byte 103: unknown key 'lenn'; nearest: 'len'");
  CHECK(about(R"({"rd": 3})") == "p.json:1: core 0, instruction 0, byte 91: key 'op' is missing");
  CHECK(about(R"({"op": "nop", "op": "nop"})") == "p.json:1: core 0, instruction 0, byte 101: key 'op' stands twice");
  CHECK(about_second(R"({"op": "ld", "rd": 1, "rs2": 5, "size": 4})") ==
        "ld: field 'rs2' means nothing here, expected 0, got 5");
  CHECK(about_second(R"({"op": "sldi", "rd": 32, "imm": 1})") == "sldi: rd: expected a register in 0 .. 31, got 32");
  CHECK(about_second(R"({"op": "sldi", "rd": 3, "imm": 1.5})") == "sldi: imm: expected a whole number, got 1.5");
  CHECK(about_second(R"({"op": "lmv", "len": 0})") == "lmv: len: expected at least 1, got 0");
  CHECK(about_second(R"({"op": "lmv", "len": 5, "size": 6})") == "lmv: size: expected 5 as len says, got 6");
  CHECK(about_second(R"({"op": "lmv", "len": 5, "offset": {"offset_select": 1, "offset_value": -8}})") ==
        "lmv: rd: bytes -8 to -3 (0 in R0, offset -8), local memory has 1048576");
  CHECK(about_second(R"({"op": "lmv", "len": 5, "offset": {"offset_select": 8, "offset_value": 1}})") ==
        "lmv: offset_select: expected a sum of 1 (rd), 2 (rs1) and 4 (rs2), got 8");
  CHECK(about_second(R"({"op": "mvmul", "mbiw": 4})") ==
        "mvmul: mbiw: chip 'pimsim-nn-64' has weights of 8 bits, got 4");
  CHECK(about_second(R"({"op": "mvmul", "mbiw": 8, "group": 9})") == "array group 9, core has 4");
  CHECK(about_second(R"({"op": "send", "core": 5, "size": 4})") == "core 5, program has 1");
  CHECK(about_second(R"({"op": "send", "core": 0, "size": 4})") == "send: core: 0 names itself");
  CHECK(about_second(R"({"op": "setbw", "ibiw": 24, "obiw": 0})") == "setbw: obiw: expected 1 to 64 bits, got 0");
  CHECK(about(R"({"op": "setbw", "ibiw": 24, "obiw": 8}, {"op": "vrelu", "len": 3})")
            .ends_with("vrelu: elements of 24 bits take 3 bytes, expected 1, 2, 4 or 8"));
  CHECK(about_second(R"({"op": "sld", "rd": 3}, {"op": "lmv", "rd": 3, "len": 4})")
            .ends_with("lmv: R3 was loaded from memory (sld), but addresses must be static"));
}

TEST_CASE("peers: what is said about wrong configurations?") {
  const Folder folder;
  const auto about = [&](const std::string& text) { return complaint_about(folder.write("p.json", text), chip()); };
  CHECK(about(R"({"core0": []})") == "p.json:1: byte 13: key 'config' is missing");
  CHECK(about(R"({"config": {}})") == "p.json:1: byte 13: config.core_cnt is missing");
  CHECK(about(R"({"config": {"core_count": 1}})") ==
        "p.json:1: byte 25: unknown key 'core_count' in 'config'; nearest: 'core_cnt'");
  CHECK(about(R"({"config": {"core_cnt": 65}})") ==
        "p.json:1: byte 26: config.core_cnt: expected 1 to 64, the cores of chip 'pimsim-nn-64', got 65");
  CHECK(about(R"({"config": {"core_cnt": 1, "xbar_size": [64, 128]}})") ==
        "p.json:1: byte 43: config.xbar_size: chip has 128 (core.crossbar.rows), got 64");
  CHECK(about(R"({"config": {"core_cnt": 1}, "core1": []})") == "p.json: core 1: core_cnt is 1");
  CHECK(about(R"({"config": {"core_cnt": 2}, "cores": []})") ==
        "p.json:1: byte 36: unknown key 'cores'; nearest: 'core0'");
  CHECK(about(R"({"config": {"core_cnt": 2}, "core0": [], "core0": []})") == "p.json:1: byte 49: core 0 stands twice");
  CHECK(about(R"({"config": {"core_cnt": 1}} x)") == "p.json:1: byte 28: expected the end of the file, got 'x'");
  CHECK(about(R"({"config": {"core_cnt": 2}, "core0": [{"op": "sync", "core": 1}]})") ==
        "p.json: core 0, instruction 0 (byte 38): core 1 has no instructions in this program");
  CHECK(about(R"({"config": {"core_cnt": 2}, "core0": []})") == "");  // empty and absent cores are legal
}

TEST_CASE("peers: is a width that nothing set a named warning, and an error when strict?") {
  const Folder folder;
  const std::string path =
      folder.write("p.json", one_core(R"({"op": "nop"}, {"op": "vrelu", "len": 9}, {"op": "vrelu", "len": 9})"));
  std::vector<std::string> warnings;
  const Program p = load_peer_program(path, chip(), warnings);
  const std::string message =
      "core 0, instruction 1 (byte 97): a width is used before 'setbw' sets it; 8 bits are assumed, pimsim-nn "
      "computes "
      "with 0";
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == path + ": " + message);
  CHECK(print(p.cores[0].instructions.data[1]) == "vrelu [0]:i8, [0]:i8, len 9");
  CHECK(complaint_about(path, chip(), {.strict = true}) == "p.json: " + message);
}

TEST_CASE("peers: are the kinds of files told apart?") {
  const Folder folder;
  CHECK(file_kind(micro("mvmul_x1")) == FileKind::peer_json);
  CHECK(file_kind(folder.write("c", R"({"chip_config": {}})")) == FileKind::peer_chip);
  CHECK(file_kind(folder.write("core_0.pim", std::string("PIMB\1\0\0\0\0\0\0\0", 12))) == FileKind::peer_core);
  CHECK(file_kind(folder.write("x", "hello")) == FileKind::unknown);
  CHECK(file_kind(chips_folder() + "/tiny-4.yaml") == FileKind::chip);
  bool timing_only = false;
  std::vector<std::string> warnings;
  CHECK(load_any_program(micro("mvmul_x1"), chip(), warnings, timing_only).cores.size() == 1);
  CHECK(timing_only);
  CHECK_THROWS_AS(load_any_program(folder.at("x"), chip(), warnings, timing_only), UserError);
}
