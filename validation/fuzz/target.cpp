#include "validation/fuzz/target.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "isa/support/error.hpp"

namespace pimento::fuzz {
namespace {
std::vector<Target>& registry() {
  static std::vector<Target> all;
  return all;
}
}  // namespace

TargetRegistration::TargetRegistration(const char* name, Feed feed, Mutate mutate) {
  auto& all = registry();
  const auto before = [](const Target& t, const std::string& n) { return t.name < n; };
  all.insert(std::lower_bound(all.begin(), all.end(), name, before), Target{name, feed, mutate});
}

const std::vector<Target>& targets() { return registry(); }

bool answered(const std::function<void()>& ask) {
  try {
    ask();
    return true;
  } catch (const UserError& refusal) {
    promise(*refusal.what() != '\0', "a refusal says why");
  } catch (const Negative& answer) {
    promise(*answer.what() != '\0', "a negative answer says why");
  }
  return false;
}

void promise(bool holds, const char* what) { PIMENTO_CHECK(holds, what); }

const isa::Chip& small_chip() {
  static const isa::Chip chip = isa::with_values(isa::load_chip("tiny-4"), {{"core.local_memory.capacity", "16 KiB"},
                                                                            {"core.instruction_memory", "16 KiB"},
                                                                            {"global_memory.capacity", "64 KiB"}});
  return chip;
}

Scratch::Scratch() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code ignored;
  const auto home = std::filesystem::is_directory(memory, ignored) ? memory : std::filesystem::temp_directory_path();
  path_ = (home / "pimento-fuzz-XXXXXX").string();
  PIMENTO_CHECK(::mkdtemp(path_.data()) != nullptr, "no temporary folder");
}
Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::string Scratch::write(const std::string& name, std::string_view bytes) const {
  std::ofstream out(at(name), std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  PIMENTO_CHECK(out.good(), "the temporary folder cannot be written");
  return at(name);
}

}  // namespace pimento::fuzz
