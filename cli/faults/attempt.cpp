#include "cli/faults/attempt.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/commands/registry.hpp"

namespace pimento::faults {
namespace fs = std::filesystem;
namespace {

/// What the child tells, after its stderr has gone through the pipe.
struct Told {
  int status = -1;
  bool struck = false;
  long operations = 0;
};

[[noreturn]] void run_child(const std::vector<std::string>& words, const std::string& folder, Kind kind, long n,
                            int errors, int result) {
  Told told;
  if (::chdir(folder.c_str()) != 0 || ::dup2(errors, STDERR_FILENO) < 0) ::_exit(99);
  std::filebuf nowhere;
  nowhere.open("/dev/null", std::ios::out);
  std::cout.rdbuf(&nowhere);
  cli::end_in_order_without_memory();
  arm(kind, n);
  told.status = cli::run_command_line(words, {std::cout, std::cerr});
  disarm();
  told.struck = has_struck();
  told.operations = operations();
  std::cerr.flush();
  const bool ok = ::write(result, &told, sizeof told) == static_cast<ssize_t>(sizeof told);
  ::_exit(ok ? 0 : 98);
}

std::string all_of(int handle) {
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = ::read(handle, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(n));
  ::close(handle);
  return text;
}

Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder).string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto at = text.rfind('\n');
  return at == std::string::npos ? text : text.substr(at + 1);
}

}  // namespace

Attempt attempt(const std::vector<std::string>& words, const std::string& folder, Kind kind, long n,
                const Files& before) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [name, content] : before) {
    fs::create_directories((fs::path(folder) / name).parent_path());
    std::ofstream(fs::path(folder) / name, std::ios::binary) << content;
  }
  std::array<int, 2> errors{}, result{};
  if (::pipe(errors.data()) != 0 || ::pipe(result.data()) != 0) return {};
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) run_child(words, folder, kind, n, errors[1], result[1]);
  ::close(errors[1]);
  ::close(result[1]);
  Attempt made;
  made.message = last_line(all_of(errors[0]));
  const std::string told_bytes = all_of(result[0]);
  int ended = 0;
  ::waitpid(child, &ended, 0);
  // A child that ended early, with the status of a command, has told nothing.
  made.crashed = !WIFEXITED(ended) || WEXITSTATUS(ended) >= 4;
  if (!made.crashed) {
    Told told{.status = WEXITSTATUS(ended), .struck = true};
    if (told_bytes.size() == sizeof(Told))
      std::copy(told_bytes.begin(), told_bytes.end(), reinterpret_cast<char*>(&told));
    made.status = told.status;
    made.struck = told.struck;
    made.operations = told.operations;
  }
  made.files = files_in(folder);
  return made;
}

}  // namespace pimento::faults
