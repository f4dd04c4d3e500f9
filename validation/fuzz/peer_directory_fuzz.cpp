// pimsim-nn's programs as a folder. Input: config.json, a byte 0, core_0.pim without its header of 12 bytes, whose
// count is made right; then the same bytes as a whole core_0.pim.
#include <algorithm>
#include <cstring>

#include "isa/peers/binary_form.hpp"
#include "validation/fuzz/peer_program.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  static const Scratch folder;
  const std::size_t cut = std::min(bytes.find('\0'), bytes.size());
  const std::string_view records = bytes.substr(std::min(cut + 1, bytes.size()));
  folder.write("config.json", bytes.substr(0, cut));
  std::string core(isa::peers::magic);
  for (const auto word :
       {isa::peers::binary_version, static_cast<std::uint32_t>(records.size() / isa::peers::record_bytes)}) {
    std::array<char, sizeof word> raw{};
    std::memcpy(raw.data(), &word, sizeof word);
    core.append(raw.data(), raw.size());
  }
  folder.write("core_0.pim",
               core.append(records.substr(0, records.size() / isa::peers::record_bytes * isa::peers::record_bytes)));
  const bool taken = loads(folder.at(""));
  folder.write("core_0.pim", records);
  return loads(folder.at("")) || taken;
}

FUZZ_TARGET("peer_directory", feed);

}  // namespace
}  // namespace pimento::fuzz
