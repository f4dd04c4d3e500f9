#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

#include "isa/peers/binary_form.hpp"
#include "isa/peers/load.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

namespace pimento::isa::peers {
namespace {
namespace fs = std::filesystem;

/// One core_<id>.pim. Throws UserError with instruction and byte.
class CoreFile {
 public:
  CoreFile(const std::string& path, const Chip& chip, CoreId core)
      : file_(path), core_(core), translator_(chip, core, [this](const std::string& m) { refuse(m); }) {}

  CoreTranslator&& read() {
    const std::string_view bytes = file_.text();
    if (bytes.size() < header_bytes || !bytes.starts_with(magic))
      throw UserError(Place{.file = file_.path()}, "expected 'PIMB' and a header of 12 bytes at byte 0");
    const auto version = word<std::uint32_t>(4), count = word<std::uint32_t>(8);
    if (version != binary_version)
      throw UserError(Place{.file = file_.path()},
                      fmt::format("version at byte 4: expected {}, got {}", binary_version, version));
    const std::size_t wanted = header_bytes + std::size_t{count} * record_bytes;
    if (bytes.size() != wanted)
      throw UserError(
          Place{.file = file_.path()},
          fmt::format("{} instructions (byte 8) take {} bytes, the file has {}", count, wanted, bytes.size()));
    translator_.instructions().reserve(count);
    for (std::uint32_t n = 0; n < count; ++n) {
      byte_ = static_cast<std::int64_t>(header_bytes + std::size_t{n} * record_bytes);
      Record record{};
      std::memcpy(&record, bytes.data() + byte_, sizeof record);
      translator_.add(decode(record), byte_);
    }
    return std::move(translator_);
  }

 private:
  template <class T>
  T word(std::size_t at) const {
    T value{};
    std::memcpy(&value, file_.data() + at, sizeof value);
    return value;
  }
  [[noreturn]] void refuse(const std::string& message) const {
    throw UserError(Place{.file = file_.path(), .node = place_text(core_, translator_.count(), byte_)}, message);
  }
  PeerInstruction decode(const Record& record) const {
    const Operation* const found = find_operation(record.opcode);
    if (found == nullptr) refuse(fmt::format("no operation has the code {}", record.opcode));
    if (record.flags != 0) refuse(fmt::format("{}: expected flags 0, got {}", found->name, record.flags));
    return unpack(record, *found);
  }

  MappedFile file_;
  CoreId core_;
  std::int64_t byte_ = 0;
  CoreTranslator translator_;
};

/// Files of the folder: core number to path. Anything that looks like a core and is none is refused.
std::map<CoreId, std::string> core_files(const std::string& path) {
  std::map<CoreId, std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".pim") continue;
    const auto core = core_number(entry.path().stem().string(), "core_");
    if (!core) throw UserError(Place{.file = entry.path().string()}, "expected the name core_<number>.pim");
    found[*core] = entry.path().string();
  }
  return found;
}

}  // namespace

Program load_directory(const std::string& path, Assembly& assembly, const Chip& chip,
                       std::vector<std::string>& warnings) {
  JsonReader reader((fs::path(path) / "config.json").string());
  const Config config = read_config(reader, chip, warnings);
  reader.expect_end();
  const auto files = core_files(path);
  std::string missing;
  for (CoreId core = 0; core < static_cast<CoreId>(config.core_count); ++core)
    if (!files.contains(core)) missing += fmt::format("{}core_{}.pim", missing.empty() ? "" : ", ", core);
  if (!missing.empty())
    throw UserError(Place{.file = path},
                    fmt::format("config.json names {} cores; missing: {}", config.core_count, missing));
  for (const auto& [core, file] : files) assembly.add_core(core, CoreFile(file, chip, core).read(), file);
  return assembly.finish(config);
}

}  // namespace pimento::isa::peers
