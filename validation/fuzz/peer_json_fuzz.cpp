// pimsim-nn's programs as JSON, plain or gzip. What loads must be well-formed.
#include "validation/fuzz/peer_program.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  static const Scratch folder;
  const std::string path = folder.write("p.json", bytes);
  answered([&] { isa::peers::file_kind(path); });
  return loads(path);
}

FUZZ_TARGET("peer_json", feed);

}  // namespace
}  // namespace pimento::fuzz
