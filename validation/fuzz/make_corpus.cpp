// Writes the corpora from our own tools: make_fuzz_corpus FOLDER. Inputs that a fuzzer found stay beside them.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/tensor_file.hpp"
#include "compiler/frontend/text_model.hpp"
#include "isa/chip/canonical.hpp"
#include "isa/instruction/samples.hpp"
#include "isa/peers/binary_form.hpp"
#include "isa/peers/byte_source.hpp"
#include "isa/program/random.hpp"
#include "isa/program/small_program.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento {
namespace {
using Files = std::vector<std::pair<std::string, std::string>>;

Files models() {
  const std::vector<std::pair<std::string, const char*>> texts{
      {"convolution", R"(g (float[1,2,6,6] x, float[4,2,3,3] w, float[4] b, float[4] s) => (float[1,2] y) {
          c = Conv <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w, b)
          n = BatchNormalization (c, s, b, b, s)
          r = LeakyRelu <alpha = 0.1> (n)
          p = MaxPool <kernel_shape = [2, 2], ceil_mode = 1> (r)
          a = GlobalAveragePool (p)
          f = Flatten (a)
          two = Constant <value = float[4,2] {1, 2, 3, 4, 5, 6, 7, 8}> ()
          y = MatMul (f, two) })"},
      {"shapes", R"(g (float[n,3,4] x) => (float[n,3,4] y) {
          s = Shape (x)
          zero = Constant <value = int64[1] {0}> ()
          one = Constant <value = int64[1] {1}> ()
          end = Constant <value = int64[1] {3}> ()
          a = Gather (s, zero)
          b = Slice (s, one, end)
          p = ReduceProd <keepdims = 1> (b)
          q = Concat <axis = 0> (a, p)
          r = Reshape (x, q)
          back = Concat <axis = 0> (a, b)
          h = Reshape (r, back)
          t = Transpose <perm = [0, 2, 1]> (h)
          u = Unsqueeze (t, zero)
          v = Squeeze (u, zero)
          w = Transpose <perm = [0, 2, 1]> (v)
          e = Expand (w, s)
          y = Identity (e) })"},
      {"movement", R"(g (float[2,6] x) => (float[2,8] y, float[2,3] z) {
          split = Constant <value = int64[2] {3, 3}> ()
          a, z = Split <axis = 1> (x, split)
          pads = Constant <value = int64[4] {0, 1, 0, 1}> ()
          zero = Constant <value = float {0.5}> ()
          b = Pad <mode = "reflect"> (x, pads, zero)
          reps = Constant <value = int64[2] {1, 1}> ()
          c = Tile (b, reps)
          at = Constant <value = int64[2,2] {0, 1, 1, 0}> ()
          d = GatherElements <axis = 1> (c, at)
          k = Constant <value = int64[1] {2}> ()
          v, i = TopK (c, k)
          y = Softmax <axis = -1> (c) })"},
      {"scan", R"(g (float[3,2] x, float[2] s) => (float e, float y) {
          e, y = Scan <num_scan_inputs = 1,
                       body = b (float a, float xi) => (float n, float yi) { n = Add (a, xi)  yi = Identity (n) }> (s, x)
          })"},
      {"loop", R"(g (float[2] x, float[2] w) => (float e, float y) {
          trips = Constant <value = int64 {3}> ()
          e, y = Loop <body = b (int64 i, bool c, float a) => (bool d, float n, float s) {
              d = Identity (c)
              n = Add (a, w)
              f = Cast <to = 1> (i)
              s = Add (n, f) }> (trips, , x) })"},
      {"branch", R"(g (float[2] x) => (float[2] y) {
          yes = Constant <value = bool {1}> ()
          y = If <then_branch = a () => (float[2] p) { p = Relu (x) },
                  else_branch = b () => (float[2] q) { q = Neg (x) }> (yes) })"},
      {"recurrence", R"(g (float[3,1,2] x, float[1,8,2] w, float[1,8,2] r) => (float[3,1,1,2] y) {
          y = LSTM <hidden_size = 2, direction = "reverse"> (x, w, r) })"},
      {"quantised", R"(g (float[1,1,4,4] x) => (float[1,1,8,8] y) {
          s = Constant <value = float {0.5}> ()
          z = Constant <value = uint8 {128}> ()
          q = QuantizeLinear (x, s, z)
          w = Constant <value = uint8[1,1,1,1] {3}> ()
          c = QLinearConv (q, s, z, w, s, z, s, z)
          d = DequantizeLinear (c, s, z)
          e = Constant <value = float[0] {}> ()
          k = Constant <value = float[4] {1, 1, 2, 2}> ()
          y = Resize <mode = "linear"> (d, e, k) })"},
      {"contractions", R"(g (float[2,3] a, float[4,3] b) => (float[2] y) {
          one = Constant <value = int64 {1}> ()
          g = Gemm <transB = 1, alpha = 2.0> (a, b)
          e = Einsum <equation = "ij,kj->ik"> (a, b)
          m = Mul (g, e)
          c = CumSum (m, one)
          l = LogSoftmax (c)
          y = ReduceMax <axes = [1], keepdims = 0> (l) })"},
  };
  Files files;
  for (const auto& [name, text] : texts) files.emplace_back(name + ".onnx", frontend::model_bytes(text));
  return files;
}

std::string tensor_file(const std::string& folder, const std::string& extension, const ir::Tensor& tensor) {
  const std::string path = folder + "/tensor" + extension;
  frontend::write_tensor(path, tensor, "x");
  std::string bytes = read_file(path);
  std::filesystem::remove(path);
  return bytes;
}
Files tensors(const std::string& folder, const std::string& extension) {
  Files files;
  for (const ElementType type : {ElementType::f32, ElementType::u8, ElementType::i64, ElementType::boolean})
    files.emplace_back(std::string(to_string(type)) + extension,
                       tensor_file(folder, extension, ir::Tensor::of({type, {2, 3}}, {0, 1, 1, 0, 1, 0})));
  files.emplace_back("empty" + extension,
                     tensor_file(folder, extension, ir::Tensor::zeros({ElementType::f32, {0, 2}})));
  return files;
}

isa::Program program() {
  isa::Program p = isa::small_program(isa::load_chip("tiny-4"));
  p.chip_yaml = "name: tiny-4\n";
  return p;
}
/// One core that runs every instruction of the table that its memories allow, one after another.
isa::Program every_instruction() {
  isa::Program p = program();
  p.cores.resize(1);
  isa::CoreProgram& core = p.cores[0];
  core.nodes.clear();
  std::vector<isa::Instruction> records;
  for (const isa::Row& row : isa::table()) {
    const auto all = isa::samples(row);
    if (!all.empty()) records.push_back(all.front());
  }
  core.instructions = isa::Blob<isa::Instruction>::own(std::move(records));
  return p;
}

/// One that runs to its end on the chip of the fuzzers.
isa::Program random(std::uint64_t seed) {
  isa::Program p = isa::random_program(fuzz::small_chip(), seed, {.instructions = 12, .cores = 2});
  p.chip_yaml = "name: tiny-4\n";
  for (isa::CoreProgram& core : p.cores) core.constants.clear();  // kilobytes of random bytes; zeros serve as well
  p.global_constants.clear();
  return p;
}

Files programs(const std::string& folder) {
  Files files;
  const std::string path = folder + "/a.pim";
  for (const auto& [name, p] : {std::pair{"small.pim", program()},
                                {"every_instruction.pim", every_instruction()},
                                {"random_1.pim", random(1)},
                                {"random_2.pim", random(2)}}) {
    isa::write_program(p, path);
    files.emplace_back(name, read_file(path));
    std::filesystem::remove(path);
  }
  return files;
}

const char* const peer_config =
    R"({"core_cnt": 2, "array_group_map": {"core0": [1, 2], "core1": []}, "xbar_size": [128, 128]})";
const char* const peer_program = R"([{"op": "setbw", "ibiw": 8, "obiw": 32},
 {"op": "sldi", "rd": 1, "imm": 1024}, {"op": "sldi", "rd": 2, "imm": 2048}, {"op": "saddi", "rd": 3, "rs1": 1, "imm": 8},
 {"op": "ld", "rd": 1, "rs1": 2, "size": 128, "offset": {"offset_select": 1, "offset_value": 16}},
 {"op": "mvmul", "rd": 2, "rs1": 1, "mbiw": 8, "group": 1, "relu": 1},
 {"op": "vvadd", "rd": 1, "rs1": 2, "rs2": 3, "len": 16}, {"op": "vrelu", "rd": 1, "rs1": 1, "len": 16},
 {"op": "send", "rd": 1, "core": 1, "size": 16}, {"op": "sync", "core": 1, "event_register": 2},
 {"op": "lldi", "rd": 1, "imm": 2.0, "len": 8}, {"op": "st", "rd": 2, "rs1": 1, "size": 64}])";
const char* const peer_partner =
    R"([{"op": "setbw", "ibiw": 8, "obiw": 8}, {"op": "recv", "rd": 1, "core": 0, "size": 16},
 {"op": "wait", "event_register": 2, "wait_value": 1}])";

struct Text {
  std::string out;
  void write(const void* data, std::size_t size) { out.append(static_cast<const char*>(data), size); }
};
std::string gzipped(const std::string& text) {
  Text packed;
  isa::peers::GzipPacker packer;
  packer.write(text.data(), text.size(), true, packed);
  return packed.out;
}
Files peer_json() {
  const std::string whole =
      fmt::format(R"({{"config": {}, "core0": {}, "core1": {}}})", peer_config, peer_program, peer_partner);
  return {{"two_cores.json", whole},
          {"two_cores.json.gz", gzipped(whole)},
          {"empty.json", R"({"config": {"core_cnt": 1}, "core0": []})"}};
}

std::string peer_record(const isa::peers::Record& record) {
  std::string bytes(sizeof record, '\0');
  std::memcpy(bytes.data(), &record, sizeof record);
  return bytes;
}
Files peer_directory() {
  // setbw 8 8; sldi R1 1024; sldi R2 2048; vvadd; vrelu; mvmul of group 0; ld; st; lmv
  std::string records;
  for (const isa::peers::Record& r : std::vector<isa::peers::Record>{{8, 0, 0, 0, 0, 8, 8, 0},
                                                                     {1, 1, 0, 0, 1024, 0, 0, 0},
                                                                     {1, 2, 0, 0, 2048, 0, 0, 0},
                                                                     {10, 1, 2, 0, 1, 0, 0, 16},
                                                                     {18, 1, 1, 0, 0, 0, 0, 16},
                                                                     {9, 2, 1, 0, 8, 1, 0, 0},
                                                                     {25, 1, 2, 0, 0, 1, 16, 64},
                                                                     {26, 2, 1, 0, 0, 0, 0, 64},
                                                                     {28, 1, 2, 0, 0, 0, 0, 8}})
    records += peer_record(r);
  const std::string config = R"({"core_cnt": 1, "array_group_map": {"core0": [1, 1]}})";
  return {{"nine_instructions", config + '\0' + records}, {"no_instruction", config + '\0'}};
}

Files peer_chips() {
  const std::string text = R"({"chip_config": {"core_cnt": 1, "global_memory_switch_id": -1,
 "core_config": {"period": 1, "rob_size": 4, "vector_width": 16, "vector_latency_cycle": 8,
  "matrix_config": {"xbar_array_count": 16, "xbar_size": [128, 128], "cell_precision": 2, "dac_resolution": 1, "period": 1},
  "local_memory_config": {"data_width": 16, "period": 1, "read_latency_cycle": 1}},
 "global_memory_config": {"data_width": 16, "period": 1},
 "network_config": {"bus_width": 8, )";
  return {{"mesh.json", text + R"("bus_topology": "mesh", "layout": [1, 1]}}})"},
          {"table.json", text + R"("net_config_file_path": "network.json"}}, "sim_config": {"sim_mode": 0}})"}};
}
Files chips() {
  const isa::Chip tiny = isa::load_chip("tiny-4");
  const isa::Chip table =
      isa::with_values(tiny, {{"network.topology", "table"},
                              {"network.table", "[[0,1,1,1,2],[1,0,1,1,2],[1,1,0,1,2],[1,1,1,0,2],[2,2,2,2,0]]"}});
  Files files;
  for (isa::Chip chip : {tiny, table}) {
    chip.sources.clear();  // sentences that only cost time
    files.emplace_back(chip.network.topology + ".yaml", isa::canonical_yaml(chip));
  }
  return files;
}
Files tables() {
  return {{"two.csv", "# one core and the memory\n0,3\n3,0\n"},
          {"two.json", R"({"latency": {"0": {"-1": 3}, "-1": {"0": 3}}})"}};
}

void write(const std::string& root, const std::string& target, const Files& files) {
  const std::string folder = root + "/" + target;
  std::filesystem::create_directories(folder);
  for (const auto& [name, bytes] : files) write_atomically(folder + "/" + name, bytes);
}

}  // namespace
}  // namespace pimento

int main(int argc, char** argv) {
  using namespace pimento;
  if (argc != 2) {
    std::cerr << "usage: make_fuzz_corpus FOLDER\n";
    return 2;
  }
  const std::string root = argv[1];
  std::filesystem::create_directories(root);
  try {
    write(root, "onnx", models());
    write(root, "tensor", tensors(root, ".pb"));
    write(root, "npy", tensors(root, ".npy"));
    write(root, "program", programs(root));
    write(root, "assembly",
          {{"small.txt", isa::disassemble(program(), true)},
           {"every_instruction.txt", isa::disassemble(every_instruction())}});
    write(root, "chip", chips());
    write(root, "table", tables());
    write(root, "peer_json", peer_json());
    write(root, "peer_directory", peer_directory());
    write(root, "peer_chip", peer_chips());
  } catch (const Error& fault) {
    std::cerr << fault.what() << "\n";
    return static_cast<int>(fault.status());
  }
  return 0;
}
