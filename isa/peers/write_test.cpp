#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "isa/cost/cost.hpp"
#include "isa/peers/peer_files_for_tests.hpp"

using namespace pimento;
using namespace pimento::isa;
using namespace pimento::isa::peers;

namespace {
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
std::string without_registers(const Program& program) {
  std::string lines;
  for (const Instruction& i : program.cores[0].instructions.data)
    if (i.opcode != Opcode::sldi) lines += print(i) + "\n";
  return lines;
}
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
  CHECK(without_registers(load(folder.at("p.json"))) ==
        "move [1024], [0], len 16\nmove [1040], [16], len 16\nmove [1056], [32], len 16\n"
        "setbw in 16, out 16\n"
        "vadd [2048]:i16, [0]:i16, [512]:i16, len 8\nvadd [2080]:i16, [32]:i16, [512]:i16, len 8\n"
        "load [0], [0], len 64\nload [128], [64], len 64\n");
}

TEST_CASE("peers: is what that instruction set lacks refused by name and instruction?") {
  CHECK(refusal({"nop", "vexp [0]:f32, [64]:f32, len 4"}) ==
        "core 0, instruction 1 'vexp [0]:f32, [64]:f32, len 4': pimsim-nn has no operation for 'vexp'");
  CHECK(refusal({"vadd [0]:f32, [64]:f32, [64]:f32, len 4"}).ends_with("pimsim-nn has no floats"));
  CHECK(refusal({"vadd [0]:i8, [64]:i32, [64]:i32, len 4"})
            .ends_with("pimsim-nn's vvadd gives elements of the input's width, not i8 of i32"));
  CHECK(refusal({"vcvt [0]:i8, [0]:i32, len 4, scale 0.1"})
            .ends_with("pimsim-nn has no scales; it converts only by keeping upper or lower bits"));
  CHECK(refusal({"vadd [0]:i32, [64]:i32, [128]:i32, len 4, b_scalar"})
            .ends_with("pimsim-nn has no operand of one element"));
  CHECK(refusal({"send [0] stride 2097152, x2 len 1048576, core 1, tag 0"})
            .ends_with("needs 2097152 bytes of local memory beside the 0 in use, to bring a strided view together"));
}

TEST_CASE("peers: are strided views of MVMs and messages brought together, and narrow results kept apart?") {
  const Folder folder;
  Program p = of_lines(
      {"mvm [1024]:i32, [0]:i8 stride 200, x2 len 32, group 0", "send [0] stride 32, x2 len 16, core 1, tag 0"});
  p.tiles[p.cores[0].groups[0].tile].rows = 64;
  p.tiles[p.cores[0].groups[0].tile].cols = 100;
  p.cores.resize(2);
  p.cores[1].instructions = Blob<Instruction>::own({parse("recv [0], len 32, core 0, tag 0")});
  p.cores[0].local_memory_used = 1500;  // 1536 in lines of 64 bytes; the result apart stands 8 * 128 behind that
  write_peer_json(p, chip(), folder.at("p.json"));
  CHECK(without_registers(load(folder.at("p.json"))) ==
        "move [1536], [0], len 32\nmove [1568], [200], len 32\n"
        "setbw in 8, out 32\n"
        "mvm [2560]:i32, [1536]:i8, len 128, group 0\nmove [1024], [2560], len 400\n"
        "move [1536], [0], len 16\nmove [1552], [32], len 16\nsend [1536], len 32, core 1, tag 0\n");
}

TEST_CASE("peers: are operands of different widths brought to one?") {
  const Folder folder;
  const Program p = of_lines({"vadd [0]:i32 stride 16, [0]:i32 stride 16, [64]:i8 stride 100, x2 len 4"});
  write_peer_json(p, chip(), folder.at("p.json"));
  std::string lines = without_registers(load(folder.at("p.json")));
  const std::string beside = std::to_string((p.cores[0].local_memory_used + 63) / 64 * 64 + 32),
                    second = std::to_string((p.cores[0].local_memory_used + 63) / 64 * 64 + 48);
  CHECK(lines == "setbw in 8, out 32\nvcvt [" + beside + "]:i32, [64]:i8, len 4\nvcvt [" + second +
                     "]:i32, [164]:i8, len 4\nsetbw in 32, out 32\nvadd [0]:i32, [0]:i32, [" + beside +
                     "]:i32, len 8\n");
}

TEST_CASE("peers: does a view that goes round a ring keep its addresses?") {
  const Folder folder;
  const Program p = of_lines({"addr A1, base 96, strides 0 0 0 0, ring 64 64",
                              "vadd [0]:i8 stride 8, [0+A1]:i8 stride 32, [256]:i8 stride 32, x2 len 8"});
  write_peer_json(p, chip(), folder.at("p.json"));
  CHECK(without_registers(load(folder.at("p.json"))) ==
        "setbw in 8, out 8\nvadd [0]:i8, [96]:i8, [256]:i8, len 8\nvadd [8]:i8, [64]:i8, [288]:i8, len 8\n");
}

TEST_CASE("peers: does what scales take the same time there, and is it reported?") {
  const Folder folder;
  Program p =
      of_lines({"vcvt [0]:i8, [64]:i32, len 40, scale 0.1, zero 3", "vrequant [0]:i8, [64]:i32, [256]:f32, len 40",
                "vadd [0]:f32, [256]:f32, [512]:f32, len 40", "vrelu [0]:i8, [64]:i8, len 3"});
  p.nodes = {"fc"};
  p.cores[0].nodes = {{0, 4, 0}};
  const WriteReport report = write_peer_json(p, chip(), folder.at("p.json"), {.times_only = true});
  CHECK(report.times_only == 3);
  CHECK(report.first_times_only.starts_with("core 0, instruction 0 'vcvt"));
  CHECK(report.first_times_only.ends_with("(node 'fc')"));
  const Program back = load(folder.at("p.json"));
  std::vector<Cycles> there, here;
  for (const Instruction& i : back.cores[0].instructions.data)
    if (row(i.opcode).unit == Unit::vector) there.push_back(cost::local(chip(), i).total());
  for (const Instruction& i : p.cores[0].instructions.data) here.push_back(cost::local(chip(), i).total());
  CHECK(there == here);
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
