#include "isa/support/folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>

#include "isa/support/error.hpp"
#include "isa/support/file.hpp"
#include "isa/support/unfinished.hpp"

using namespace pimento;
namespace fs = std::filesystem;

namespace {
struct TestPlace {
  fs::path path = fs::temp_directory_path() / ("pimento_folder_" + std::to_string(::getpid()));
  TestPlace() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~TestPlace() { fs::remove_all(path); }
  std::string at(const std::string& name) const { return (path / name).string(); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      all.insert(entry.path().lexically_relative(path).string());
    return all;
  }
};
void two_files(const std::string& draft) {
  fs::create_directory(draft + "/set");
  write_atomically(draft + "/set/a", "new");
  write_atomically(draft + "/b", "new");
}
}  // namespace

TEST_CASE("folder: does a new one come into being with all its files?") {
  const TestPlace place;
  write_folder(place.at("out"), two_files);
  CHECK(place.names() == std::set<std::string>{"out", "out/b", "out/set", "out/set/a"});
  write_folder(place.at("deep/er/"), two_files);
  CHECK(read_file(place.at("deep/er/set/a")) == "new");
}

TEST_CASE("folder: are files in one that is there replaced, and others kept?") {
  const TestPlace place;
  fs::create_directories(place.at("out"));
  write_atomically(place.at("out/b"), "old");
  write_atomically(place.at("out/mine"), "mine");
  write_folder(place.at("out"), two_files);
  CHECK(read_file(place.at("out/b")) == "new");
  CHECK(read_file(place.at("out/mine")) == "mine");
  CHECK(place.names() == std::set<std::string>{"out", "out/b", "out/mine", "out/set", "out/set/a"});
}

TEST_CASE("folder: does a writer that fails leave nothing, and what was there as it was?") {
  const TestPlace place;
  const auto fails = [](const std::string& draft) {
    two_files(draft);
    throw std::runtime_error("later");
  };
  CHECK_THROWS_AS(write_folder(place.at("out"), fails), std::runtime_error);
  CHECK(place.names().empty());
  fs::create_directories(place.at("out"));
  write_atomically(place.at("out/b"), "old");
  CHECK_THROWS_AS(write_folder(place.at("out"), fails), std::runtime_error);
  CHECK(read_file(place.at("out/b")) == "old");
  CHECK(place.names() == std::set<std::string>{"out", "out/b"});
}

TEST_CASE("folder: is what was moved taken back when a later file cannot be?") {
  const TestPlace place;
  fs::create_directories(place.at("out/set/a"));  // a folder where a file is to stand
  CHECK_THROWS_AS(write_folder(place.at("out"), two_files), UserError);
  CHECK(place.names() == std::set<std::string>{"out", "out/set", "out/set/a"});
}

TEST_CASE("unfinished: is all of it removed at once, and what has its name kept?") {
  const TestPlace place;
  const Unfinished folder(place.at("draft")), absent(place.at("absent"));
  Unfinished named(place.at("kept"));
  fs::create_directories(place.at("draft/set"));
  for (int i = 0; i < 300; ++i)  // more names than one read of a folder gives
    write_atomically(place.at("draft/set/a" + std::to_string(i)), "x");
  write_atomically(place.at("kept"), "x");
  named.finish();
  remove_unfinished();
  CHECK(place.names() == std::set<std::string>{"kept"});
}
