#include "cli/commands/registry.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <ostream>
#include <string_view>

#include "cli/commands/files.hpp"
#include "isa/support/printable.hpp"
#include "isa/support/unfinished.hpp"

namespace pimento::cli {
namespace {

std::vector<Subcommand>& registry() {
  static std::vector<Subcommand> all;
  return all;
}

/// The help text of a row without the blank line and the indentation that its raw string literal brought along.
std::string dedented(const std::string& text) {
  std::string result;
  std::size_t indentation = std::string::npos;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos) {
      indentation = std::min(indentation, first);
      result += "  " + line.substr(std::min(first, indentation)) + "\n";
    }
    begin = end + 1;
  }
  return result;
}

const Subcommand& find(const std::string& name) {
  std::vector<std::string> names;
  for (const Subcommand& row : subcommands()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw UserError("unknown subcommand '" + name + "'" + suggestion(name, names));
}

bool asks_for_help(const std::vector<std::string>& words, std::size_t from) {
  for (std::size_t i = from; i < words.size() && words[i] != "--"; ++i)
    if (words[i] == "--help" || words[i] == "-h") return true;
  return false;
}

Status dispatch(const std::vector<std::string>& words, Streams io) {
  if (words.empty()) {
    io.err << overview();
    return Status::bad_input;
  }
  const std::string& first = words.front();
  if (first == "--version") {
    io.out << "pimento " << PIMENTO_VERSION << "\n";
    return Status::done;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    io.out << (words.size() > 1 ? help_of(find(words[1])) : overview());
    return Status::done;
  }
  if (first.starts_with("-"))
    throw UserError("unknown option '" + first + "'" + suggestion(first, {"--help", "--version"}));
  const Subcommand& row = find(first);
  if (asks_for_help(words, 1)) {
    io.out << help_of(row);
    return Status::done;
  }
  try {
    const Arguments arguments(parse_usage(row.usage), {words.begin() + 1, words.end()});
    check_files(row.name, arguments);
    return row.run(arguments, io);
  } catch (const UserError& fault) {
    if (fault.place().file.empty() && fault.place().node.empty())
      throw UserError({.node = "pimento " + row.name},
                      fault.what());  // say which command, where nothing better is known
    throw;
  }
}

int failed(Streams io, Status status, const std::string& message) {
  io.out.flush();
  io.err << printable(message, true) << "\n";
  return static_cast<int>(status);
}
int failed_inside(Streams io, const std::string& message) {
  return failed(io, Status::our_fault,
                "internal error: " + message + "; this is a fault of pimento, not of your input");
}

}  // namespace

SubcommandRegistration::SubcommandRegistration(const char* name, std::string usage, const char* sentence,
                                               std::string help, Command run) {
  auto& all = registry();  // must not throw: it runs before main
  const auto before = [](const Subcommand& row, const std::string& n) { return row.name < n; };
  all.insert(std::lower_bound(all.begin(), all.end(), name, before),
             Subcommand{name, std::move(usage), sentence, std::move(help), run});
}

const std::vector<Subcommand>& subcommands() {
  const auto& all = registry();
  for (std::size_t i = 1; i < all.size(); ++i)
    PIMENTO_CHECK(all[i - 1].name != all[i].name, "subcommand '" + all[i].name + "' is registered twice");
  return all;
}

std::string help_of(const Subcommand& row) {
  return "usage: pimento " + row.name + (row.usage.empty() ? "" : " ") + row.usage + "\n" + row.sentence + "\n\n" +
         dedented(row.help);
}

std::string overview() {
  std::size_t width = 0;
  for (const Subcommand& row : subcommands()) width = std::max(width, row.name.size());
  std::string text = "usage: pimento SUBCOMMAND ... | --help | --version\n\n";
  for (const Subcommand& row : subcommands())
    text += "  " + row.name + std::string(width - row.name.size() + 2, ' ') + row.sentence + "\n";
  return text +
         "\n'pimento SUBCOMMAND --help' says more; status 0 done, 1 the answer is no, 2 the question is wrong, 3 our "
         "fault\n";
}

namespace {

/// Runs one command line; only std::bad_alloc leaves it.
int answered(const std::vector<std::string>& words, Streams io) {
  try {
    const Status status = dispatch(words, io);
    if (!io.out.flush()) return failed(io, Status::bad_input, "standard output: write failed");
    return static_cast<int>(status);
  } catch (const Error& fault) {
    if (fault.status() == Status::our_fault) return failed_inside(io, fault.what());
    return failed(io, fault.status(), fault.what());
  } catch (const std::filesystem::filesystem_error& fault) {
    return failed(io, Status::bad_input, fault.path1().string() + ": " + fault.code().message());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {
    return failed_inside(io, fault.what());
  } catch (...) {
    return failed_inside(io, "an exception of unknown type");
  }
}

constexpr std::string_view no_memory = "out of memory\n";
std::atomic<bool> memory_failed{false};

[[noreturn]] void note_and_throw() {
  memory_failed = true;
  throw std::bad_alloc();
}
[[noreturn]] void terminated() {
  std::signal(SIGABRT, SIG_DFL);
  remove_unfinished();
  if (!memory_failed) std::abort();
  if (::write(STDERR_FILENO, no_memory.data(), no_memory.size()) < 0) std::abort();
  ::_exit(static_cast<int>(Status::our_fault));
}

}  // namespace

void end_in_order_without_memory() {
  std::set_new_handler(note_and_throw);
  std::set_terminate(terminated);
  std::signal(SIGABRT, [](int) { terminated(); });  // assertions of the JSON library: it indexes what it could not make
}

int run_command_line(const std::vector<std::string>& words, Streams io) {
  try {
    return answered(words, io);
  } catch (const std::bad_alloc&) {  // also from the handlers above, which put a message together; this needs nothing
    io.err << no_memory;
    return static_cast<int>(Status::our_fault);
  }
}

}  // namespace pimento::cli
