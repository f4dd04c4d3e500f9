// Every build feeds every target its corpus, files that fuzzers found included; no libFuzzer needed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "isa/support/file.hpp"
#include "validation/fuzz/target.hpp"
#include "validation/fuzz/wire.hpp"

using namespace pimento;
namespace fs = std::filesystem;

namespace {
fs::path fuzz_folder() {
  const char* const root = std::getenv("PIMENTO_SOURCE_DIR");
  return root != nullptr ? fs::path(root) / "validation/fuzz" : fs::path(__FILE__).parent_path();
}
std::vector<fs::path> corpus(const std::string& target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fuzz_folder() / "corpus" / target)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}
}  // namespace

TEST_CASE("fuzz: is every file of the corpora taken, but for those that fuzzers found?") {
  for (const fuzz::Target& target : fuzz::targets())
    for (const fs::path& file : corpus(target.name)) {
      CAPTURE(file);
      const bool is_found = file.filename().string().starts_with("found_");
      bool taken = false;
      CHECK_NOTHROW(taken = target.feed(read_file(file.string())));
      if (!is_found) CHECK(taken);
    }
}

TEST_CASE("fuzz: does every input that is cut short or has one byte changed get an answer?") {
  for (const fuzz::Target& target : fuzz::targets())
    for (const fs::path& file : corpus(target.name)) {
      const std::string whole = read_file(file.string());
      const std::size_t step = whole.size() / 16 + 1;  // every position is the fuzzers' work
      for (std::size_t n = 0; n < whole.size(); n += step) {
        std::string changed = whole;
        changed[n] = static_cast<char>(changed[n] ^ (n % 2 == 0 ? 0x01 : 0xff));
        CAPTURE(file);
        CAPTURE(n);
        CHECK_NOTHROW(target.feed(whole.substr(0, n)));
        CHECK_NOTHROW(target.feed(changed));
      }
    }
}

TEST_CASE("fuzz: does every target have a file, a registration and a small corpus?") {
  std::set<std::string> registered, files;
  std::uintmax_t bytes = 0;
  for (const fuzz::Target& target : fuzz::targets()) {
    CAPTURE(target.name);
    CHECK(registered.insert(target.name).second);
    CHECK(corpus(target.name).size() >= 2);
    for (const fs::path& file : corpus(target.name)) bytes += fs::file_size(file);
  }
  for (const auto& entry : fs::directory_iterator(fuzz_folder()))
    if (const std::string name = entry.path().filename().string(); name.ends_with("_fuzz.cpp"))
      files.insert(name.substr(0, name.size() - std::string("_fuzz.cpp").size()));
  CHECK(registered == files);
  CHECK(bytes < 100'000);
}

TEST_CASE("fuzz: do mutated messages stay messages, and differ by seed?") {
  const std::string message(
      "\x0a\x04\x08\x01\x10\x02\x12\x03"
      "abc",
      11);  // {1: {1: 1, 2: 2}, 2: "abc"}
  const auto blind = [](const std::string& bytes) { return bytes + "!"; };
  std::set<std::string> made;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::string one = fuzz::mutate_message(message, seed, blind);
    CHECK(one == fuzz::mutate_message(message, seed, blind));
    made.insert(one);
  }
  CHECK(made.size() > 50);
  CHECK(fuzz::mutate_message("\xff\xff", 1, blind) == "\xff\xff!");  // no message: bytes
}
