#pragma once
// What the tests of this folder share: the subcommands, what they read, and what must hold after a fault.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/faults/attempt.hpp"
#include "compiler/frontend/text_model.hpp"
#include "isa/support/file.hpp"

namespace pimento::faults {
namespace fs = std::filesystem;

/// A subcommand that writes; run in a folder of its own, with what it reads beside it.
struct Row {
  std::string name;
  std::vector<std::string> words;
};
inline const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"asm", {"asm", "../in/p.txt", "-o", "a.pim"}},
      {"compile", {"compile", "../in/m.onnx", "--chip", "tiny-4", "-o", "a.pim", "--record", "a.json"}},
      {"simulate", {"simulate", "../in/a.pim", "--out", "results"}},
      {"run", {"run", "../in/m.onnx", "--chip", "tiny-4", "--numerics", "exact", "--out", "results"}},
      {"convert", {"convert", "../in/peer.json", "a.pim"}},
      {"convert back", {"convert", "../in/peer.json", "peer", "--to", "directory"}},
      {"zoo", {"zoo", "mlp", "--out", "mlp"}},
      {"zoo's cache", {"zoo", "mlp"}},
  };
  return all;
}

struct Stage {
  Stage() {
    std::string pattern = (fs::temp_directory_path() / "pimento-faults-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root = pattern;
    fs::create_directories(root / "in");
    write_atomically(in("m.onnx"), frontend::model_bytes(R"(g (float[1,4] x) => (float[1,2] y) {
        w = Constant <value = float[4,2] {1, 2, 3, 4, 5, 6, 7, 8}> ()
        h = MatMul (x, w)
        y = Relu (h) })"));
    ::setenv("XDG_CACHE_HOME", out().c_str(), 1);
    prepare({"compile", "../in/m.onnx", "--chip", "tiny-4", "-o", "a.pim"}, "a.pim");
    write_atomically(in("peer.json"),
                     R"({"config": {"core_cnt": 1, "array_group_map": {"core0": [1]}}, "core0": [
        {"op": "setbw", "ibiw": 8, "obiw": 8}, {"op": "vrelu", "rd": 1, "rs1": 1, "len": 9}]})");
    write_atomically(in("p.txt"),
                     ".producer \"by hand\"\n.core 0\n.local_memory_used 64\n  vrelu [0]:i8, [0]:i8, len 9\n  halt\n");
  }
  ~Stage() { fs::remove_all(root); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  std::string in(const std::string& name) const { return (root / "in" / name).string(); }
  std::string out() const { return (root / "out").string(); }
  void prepare(const std::vector<std::string>& words, const std::string& file) const {
    const Attempt made = attempt(words, out(), Kind::disk, 0);
    REQUIRE_MESSAGE(made.status == 0, made.message);
    write_atomically(in(file), made.files.at(file));
  }
  fs::path root;
};

/// A record or report holds times of this very run, so its end must do: a JSON object that is closed.
inline bool is_whole(const std::string& name, const std::string& content, const Files& wanted) {
  const auto whole = wanted.find(name);
  if (whole == wanted.end()) return false;
  if (!name.ends_with(".json")) return content == whole->second;
  return content.starts_with("{") && (content.ends_with("}") || content.ends_with("}\n"));
}
inline std::vector<std::string> names(const Files& files) {
  std::vector<std::string> all;
  for (const auto& [name, content] : files) all.push_back(name);
  return all;
}

/// What must hold after any fault: an end in order, and every file whole, as a run without faults makes it, or as it
/// stood before.
inline void check_left_behind(const Attempt& made, const Files& wanted, const Files& before) {
  CHECK_FALSE(made.crashed);
  for (const auto& file : made.files) {
    const std::string& name = file.first;
    const std::string& content = file.second;
    CAPTURE(name);
    const auto old = before.find(name);
    const bool is_old = old != before.end() && content == old->second;
    const bool whole_or_old = is_whole(name, content, wanted) || is_old;
    CHECK(whole_or_old);
  }
  for (const auto& [name, content] : before) CHECK(made.files.count(name) == 1);
  if (made.status == 0) CHECK(names(made.files) == names(wanted));
}

inline void check_disk(const Stage& stage, const Row& row, const Files& before) {
  const Attempt whole = attempt(row.words, stage.out(), Kind::disk, 0);
  REQUIRE_MESSAGE(whole.status == 0, whole.message);
  REQUIRE(whole.operations > 4);
  for (long n = 1;; ++n) {
    CAPTURE(n);
    const Attempt made = attempt(row.words, stage.out(), Kind::disk, n, before);
    CAPTURE(made.message);
    check_left_behind(made, whole.files, before);
    if (!made.struck) {
      CHECK(made.status == 0);
      CHECK(n > 4);
      break;
    }
    CHECK(made.status == 2);
    CHECK(made.message.find("No space left on device") != std::string::npos);
  }
}

/// Which n are tried of `all`: the first ones, the last ones, where files are written, and a stride of those between.
inline std::vector<long> sample(long all, long edge, long between) {
  std::vector<long> chosen;
  const long stride = std::max(1L, (all - 2 * edge) / between);
  for (long n = 1; n <= all; n += n < edge || n > all - edge ? 1 : stride) chosen.push_back(n);
  return chosen;
}

inline void check_memory(const Stage& stage, const Row& row, Kind kind, long edge, long between) {
  const Attempt whole = attempt(row.words, stage.out(), kind, 0);
  REQUIRE_MESSAGE(whole.status == 0, whole.message);
  REQUIRE(whole.operations > 100);
  for (const long n : sample(whole.operations, edge, between)) {
    CAPTURE(n);
    const Attempt made = attempt(row.words, stage.out(), kind, n);
    CAPTURE(made.message);
    check_left_behind(made, whole.files, {});
    if (made.status == 0) continue;  // somebody asked for a buffer, did without it, and finished
    const bool is_named = made.status == 2 && made.message.ends_with("needs more memory than there is");
    const bool is_told = made.status == 3 && made.message == "out of memory";
    CHECK((is_told || is_named));
  }
}

}  // namespace pimento::faults
