#include "cli/commands/signals.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "isa/support/error.hpp"
#include "isa/support/file.hpp"
#include "isa/support/folder.hpp"

using namespace pimento;
namespace fs = std::filesystem;

namespace {

constexpr int stopping[] = {SIGINT, SIGTERM, SIGHUP};

/// The child's wait status after `act` in a process of its own, whose errors go nowhere.
template <class Act>
int in_child(Act&& act, bool is_ignored = false) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(9);
    for (const int signal : stopping) std::signal(signal, is_ignored ? SIG_IGN : SIG_DFL);  // whatever ours were
    cli::end_in_order_when_stopped();
    act();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

fs::path empty_folder() {
  const fs::path folder = fs::temp_directory_path() / ("pimento-signals-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

}  // namespace

TEST_CASE("signals: does nothing unfinished stay behind a process that is stopped?") {
  const fs::path folder = empty_folder();
  for (const int signal : stopping) {
    CAPTURE(signal);
    const int status = in_child([&] {
      write_folder((folder / "out").string(), [&](const std::string& draft) {
        write_atomically(draft + "/report.json", "{}");
        write_atomically((folder / "a.pim").string(), [&](Output& output) {
          output.write(std::string(1 << 20, 'x'));
          // the draft and the file beside it: both are there, neither under its name
          const auto there = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
          if (there != 2 || fs::exists(folder / "out") || fs::exists(folder / "a.pim")) ::_exit(7);
          std::raise(signal);
        });
      });
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(fs::is_empty(folder));
  }
  fs::remove_all(folder);
}

TEST_CASE("signals: does one that was ignored before stay ignored, and the file come into being?") {
  const fs::path folder = empty_folder();
  for (const int signal : stopping) {
    CAPTURE(signal);
    const std::string path = (folder / ("a" + std::to_string(signal))).string();
    const int status = in_child(
        [&] {
          write_atomically(path, [&](Output& output) {
            output.write("x");
            std::raise(signal);
          });
        },
        true);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(read_file(path) == "x");
  }
  fs::remove_all(folder);
}

TEST_CASE("signals: is a file that grows over the limit a failed write, without a rest?") {
  const fs::path folder = empty_folder();
  const int status = in_child([&] {
    const rlimit limit{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
    try {
      write_atomically((folder / "a.pim").string(), std::string(1 << 20, 'x'));
    } catch (const UserError& fault) {
      ::_exit(std::string(fault.what()).find("File too large") == std::string::npos ? 8 : 2);
    }
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);
  CHECK(fs::is_empty(folder));
  fs::remove_all(folder);
}
