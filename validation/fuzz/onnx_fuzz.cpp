// ONNX models, through import and shape inference. What is imported must verify and
// be the same when imported again.
#include "compiler/frontend/import.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/verify.hpp"
#include "validation/fuzz/wire.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  static const Scratch folder;
  static const std::string beside = folder.write("w.bin", std::string(64, '\1'));  // what external data may name
  const std::string path = folder.write("m.onnx", bytes);
  frontend::ImportOptions options;
  options.most_computed = 1 << 20;  // a hang is what takes longer although it is not allowed more
  ir::Graph graph;
  if (!answered([&] { graph = frontend::import_onnx(path, options); })) return false;
  ir::require_valid(graph, "an imported graph");
  if (bytes.size() % 8 != 0) return true;  // once in a while is enough: an import is slow
  promise(ir::fingerprint(frontend::import_onnx(path, options)) == ir::fingerprint(graph), "two imports agree");
  return true;
}

FUZZ_TARGET("onnx", feed, mutate_message);

}  // namespace
}  // namespace pimento::fuzz
