#pragma once
// The table of subcommands. One file and one row per subcommand; dispatch, --help, completion and "did you mean" read
// the row.
//
//   SUBCOMMAND("compare", "BEFORE AFTER [--kind KIND] [--json]", "set two records side by side and apply the stop
//   rule", R"(
//     BEFORE       record of the compile before the change
//     AFTER        record of the compile after it
//     --kind KIND  what the change wins: cost (the default) or schedule
//     --json       print JSON instead of a table
//     example: pimento compare before.json after.json)",
//     [](const Arguments& a, Streams io) { ...; return Status::done; });
//
// The usage text declares what may be given: `NAME` must be there, `[NAME]` may, `NAME...` once or more, `[NAME...]`
// any number of times; `[--flag]`, `[--option VALUE]`, `--option VALUE` (required), `[--option VALUE]...` (repeatable).
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/document.hpp"
#include "isa/support/error.hpp"

namespace pimento::cli {

/// Output is data, err is talk. Both are passed in, so that a test needs no process.
struct Streams {
  std::ostream& out;
  std::ostream& err;
};

/// One thing that the usage text declares.
struct Parameter {
  std::string name;     ///< "BEFORE", or "json" for --json, "o" for -o
  std::string value;    ///< the value's name in "--kind KIND"; empty for a flag and for a positional
  bool option = false;  ///< begins with --
  bool required = false;
  bool repeated = false;
};
/// Reads a usage text; one that cannot be read is an InternalError.
std::vector<Parameter> parse_usage(const std::string& usage);

/// What the user gave, checked against the declaration. Asking for an undeclared name is an InternalError.
class Arguments {
 public:
  /// Throws UserError for an unknown option (with the nearest), a missing or surplus argument, an option given twice.
  Arguments(std::vector<Parameter> declared, const std::vector<std::string>& words);

  const std::vector<Parameter>& parameters() const { return declared_; }
  bool declares(const std::string& name) const;
  bool given(const std::string& name) const;
  bool flag(const std::string& name) const { return given(name); }
  /// The value of a required argument, or of an optional one that was given.
  const std::string& text(const std::string& name) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::optional<std::string> optional_text(const std::string& name) const;
  std::filesystem::path path(const std::string& name) const { return text(name); }
  /// The path of a file that must exist and be readable; UserError otherwise.
  std::filesystem::path input_file(const std::string& name) const;
  std::int64_t integer(const std::string& name, std::int64_t otherwise, std::int64_t low, std::int64_t high) const;
  double real(const std::string& name, double otherwise) const;
  /// One of `choices`; the first is the default.
  std::string choice(const std::string& name, const std::vector<std::string>& choices) const;
  /// Every value of a repeated argument, in the order given.
  const std::vector<std::string>& all(const std::string& name) const;
  /// Every value of a repeated `NAME=VALUE` option, in the order given; UserError when '=' is missing or a name comes
  /// twice.
  std::vector<std::pair<std::string, std::string>> pairs(const std::string& name) const;

 private:
  const Parameter& declared(const std::string& name) const;
  std::vector<Parameter> declared_;
  std::map<std::string, std::vector<std::string>> values_;
};

using Command = Status (*)(const Arguments&, Streams);

struct Subcommand {
  std::string name;
  std::string usage;
  std::string sentence;
  std::string help;  ///< a line for every declared parameter, and `example: pimento ...`
  Command run;
};
struct SubcommandRegistration {
  SubcommandRegistration(const char* name, std::string usage, const char* sentence, std::string help, Command run);
};
#define SUBCOMMAND(...) \
  static const ::pimento::cli::SubcommandRegistration PIMENTO_JOIN(subcommand_at_line_, __LINE__) { __VA_ARGS__ }

/// All rows, ordered by name; InternalError when a name was registered twice.
const std::vector<Subcommand>& subcommands();
/// UserError when `option` is given in vain: without what it belongs to, which `needs` names.
void refuse_in_vain(const Arguments& a, const std::string& option, bool in_vain, const std::string& needs);

std::string help_of(const Subcommand& row);
std::string overview();

/// Some libraries, the standard one among them, allocate where nothing may be thrown, and std::terminate is all that is
/// left. From here on that says "out of memory" and ends with status 3, if memory is the reason.
void end_in_order_without_memory();

/// Runs one command line (without the program's name): dispatches, maps every exception to a message on err and a
/// status.
int run_command_line(const std::vector<std::string>& words, Streams io);

}  // namespace pimento::cli
