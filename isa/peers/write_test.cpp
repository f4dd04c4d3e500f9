#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "isa/peers/peer_files_for_tests.hpp"

using namespace pimento;
using namespace pimento::isa;
using namespace pimento::isa::peers;

namespace {
const Chip& chip() {
  static const Chip loaded = load_chip("pimsim-nn-64");
  return loaded;
}
Program load(const std::string& path) {
  std::vector<std::string> warnings;
  return load_peer_program(path, chip(), warnings);
}
std::string text(const Program& p) {
  std::string all;
  for (std::size_t core = 0; core < p.cores.size(); ++core) {
    all += "core " + std::to_string(core) + ", " + std::to_string(p.cores[core].groups.size()) + " groups\n";
    for (const Instruction& i : p.cores[core].instructions.data) all += print(i) + "\n";
  }
  return all;
}
/// A program of one core with one full group, from lines of ours.
Program of_lines(const std::vector<std::string>& lines) {
  Program p = load(micro("mvmul_x1"));
  std::vector<Instruction> records;
  for (const std::string& line : lines) records.push_back(parse(line));
  p.cores[0].instructions = Blob<Instruction>::own(std::move(records));
  return p;
}
std::string refusal(const std::vector<std::string>& lines) {
  const Folder folder;
  try {
    write_peer_json(of_lines(lines), chip(), folder.at("p.json"));
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}
const char* const every_operation = R"({"op": "setbw", "ibiw": 16, "obiw": 8}, {"op": "nop"},
    {"op": "sldi", "rd": 1, "imm": 64}, {"op": "sldi", "rd": 2, "imm": 4096}, {"op": "saddi", "rd": 3, "rs1": 1, "imm": -8},
    {"op": "sadd", "rd": 4, "rs1": 1, "rs2": 3}, {"op": "smul", "rd": 5, "rs1": 1, "rs2": 3},
    {"op": "sld", "rd": 6, "rs1": 1, "offset_value": 4}, {"op": "sldi", "rd": 7, "imm": 3},
    {"op": "mvmul", "rd": 2, "rs1": 1, "mbiw": 8, "group": 3, "relu": 1},
    {"op": "vvadd", "rd": 1, "rs1": 2, "rs2": 4, "len": 8, "offset": {"offset_select": 7, "offset_value": 6}},
    {"op": "vvmul", "rd": 1, "rs1": 2, "rs2": 4, "len": 8}, {"op": "vvdmul", "rd": 1, "rs1": 2, "rs2": 4, "len": 8},
    {"op": "vavg", "rd": 1, "rs1": 2, "len": 8}, {"op": "vrelu", "rd": 1, "rs1": 2, "len": 8},
    {"op": "vtanh", "rd": 1, "rs1": 2, "len": 8}, {"op": "vrsu", "rd": 1, "rs1": 2, "len": 8},
    {"op": "vrsl", "rd": 1, "rs1": 2, "len": 8}, {"op": "vmv", "rd": 1, "rs1": 2, "rs2": 7, "len": 8},
    {"op": "ld", "rd": 1, "rs1": 2, "size": 80}, {"op": "st", "rd": 1, "rs1": 2, "size": 80},
    {"op": "lldi", "rd": 1, "imm": 5, "len": 8}, {"op": "lmv", "rd": 1, "rs1": 2, "len": 8},
    {"op": "wait", "event_register": 3, "wait_value": 2}, {"op": "wait", "event_register": 3, "wait_value": 2})";
}  // namespace

TEST_CASE("peers: do all micro programs survive JSON, gzip and directory?") {
  const Folder folder;
  for (const std::string& name : micro_names()) {
    CAPTURE(name);
    const Program p = load(micro(name));
    write_peer_json(p, chip(), folder.at(name + ".json"));
    write_peer_json(p, chip(), folder.at(name + ".json.gz"));
    write_peer_directory(p, chip(), folder.at(name));
    CHECK(text(load(folder.at(name + ".json"))) == text(p));
    CHECK(text(load(folder.at(name + ".json.gz"))) == text(p));
    CHECK(text(load(folder.at(name))) == text(p));
  }
}

TEST_CASE("peers: does every operation survive every form?") {
  const Folder folder;
  const Program p = load(folder.write("p.json", one_core(every_operation)));
  write_peer_json(p, chip(), folder.at("q.json"));
  write_peer_directory(p, chip(), folder.at("q"));
  const Program json = load(folder.at("q.json")), directory = load(folder.at("q"));
  CHECK(text(json) == text(directory));
  // Addresses that no register of the program holds take an `sldi` more; all else is the same.
  std::vector<std::string> kept;
  const auto& original = p.cores[0].instructions.data;
  std::size_t at = 0, added = 0;
  for (const Instruction& i : json.cores[0].instructions.data) {
    if (at < original.size() && i == original[at]) {
      ++at;
    } else {
      CHECK(i.opcode == Opcode::sldi);
      ++added;
    }
  }
  CHECK(at == original.size());
  CHECK(added <= 3);
}

TEST_CASE("peers: are loops unrolled, views expanded and widths set?") {
  const Folder folder;
  const Program p = of_lines({"addr A1, base 0, strides 16 0 0 0", "loop 3, body 1", "move [1024+A1], [A1], len 16",
                              "vadd [2048]:i16 stride 32, [0]:i16 stride 32, [512]:i16, x2 len 8",
                              "load [0] stride 128, [0] stride 64, x2 len 64", "halt"});
  write_peer_json(p, chip(), folder.at("p.json"));
  const Program unrolled = load(folder.at("p.json"));
  std::string without_registers;
  for (const Instruction& i : unrolled.cores[0].instructions.data)
    if (i.opcode != Opcode::sldi) without_registers += print(i) + "\n";
  CHECK(without_registers ==
        "move [1024], [0], len 16\nmove [1040], [16], len 16\nmove [1056], [32], len 16\n"
        "setbw in 16, out 16\n"
        "vadd [2048]:i16, [0]:i16, [512]:i16, len 8\nvadd [2080]:i16, [32]:i16, [512]:i16, len 8\n"
        "load [0], [0], len 64\nload [128], [64], len 64\n");
}

TEST_CASE("peers: is what that instruction set lacks refused by name and instruction?") {
  CHECK(refusal({"nop", "vexp [0]:f32, [64]:f32, len 4"}) ==
        "core 0, instruction 1 'vexp [0]:f32, [64]:f32, len 4': pimsim-nn has no operation for 'vexp'");
  CHECK(refusal({"vadd [0]:f32, [64]:f32, [64]:f32, len 4"}).ends_with("pimsim-nn has no elements of type f32"));
  CHECK(refusal({"vadd [0]:i32, [64]:i8, [64]:i8, len 4"})
            .ends_with("pimsim-nn's vvadd gives elements of the input's width, not i32 of i8"));
  CHECK(refusal({"mvm [0]:i8, [0]:i8 stride 200, x2 len 64, group 0"})
            .ends_with("pimsim-nn reads an MVM's inputs from one place, not from a strided view"));
  CHECK(refusal({"vcvt [0]:i8, [0]:i32, len 4, scale 0.1"})
            .ends_with("pimsim-nn converts only by keeping upper or lower bits"));
  CHECK(refusal({"send [0] stride 32, x2 len 16, core 1, tag 0"})
            .ends_with("pimsim-nn sends and receives one piece, not a strided view"));
}

TEST_CASE("peers: what is said about broken directories?") {
  const Folder folder;
  const Program p = load(micro("pipe_two_cores"));
  const auto fresh = [&] { write_peer_directory(p, chip(), folder.at("d")); };
  const auto about = [&] { return complaint_about(folder.at("d"), chip()); };
  fresh();
  CHECK(about() == "");
  CHECK(file_kind(folder.at("d")) == FileKind::peer_directory);
  const std::string core = read_file(folder.at("d/core_1.pim"));
  folder.write("d/core_1.pim", core.substr(0, core.size() - 1));
  CHECK(about() == "d/core_1.pim: 26 instructions (byte 8) take 532 bytes, the file has 531");
  folder.write("d/core_1.pim", "PIMBx");
  CHECK(about() == "d/core_1.pim: expected 'PIMB' and a header of 12 bytes at byte 0");
  std::string bad = core;
  bad[4] = 2;
  folder.write("d/core_1.pim", bad);
  CHECK(about() == "d/core_1.pim: version at byte 4: expected 1, got 2");
  bad = core;
  bad[12 + 20] = 21;
  folder.write("d/core_1.pim", bad);
  CHECK(about() == "d/core_1.pim: core 1, instruction 1 (byte 32): no operation has the code 21");
  bad = core;
  bad[12 + 3] = 1;
  folder.write("d/core_1.pim", bad);
  CHECK(about() == "d/core_1.pim: core 1, instruction 0 (byte 12): setbw: expected flags 0, got 1");
  folder.write("d/core_1.pim", std::string("PIMB\1\0\0\0\0\0\0\0", 12));
  CHECK(about() == "d/core_0.pim: core 0, instruction 9 (byte 192): core 1 has no instructions in this program");
  std::filesystem::remove(folder.at("d/core_1.pim"));
  CHECK(about() == "d: config.json names 2 cores; missing: core_1.pim");
  fresh();
  folder.write("d/core_x.pim", "");
  CHECK(about() == "d/core_x.pim: expected the name core_<number>.pim");
}
