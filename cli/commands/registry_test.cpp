#include "cli/commands/registry.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/commands/files.hpp"
#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/pipeline/ablations.hpp"

using namespace pimento;
using namespace pimento::cli;

namespace {
struct Outcome {
  int status;
  std::string out, err;
};
Outcome run(const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = run_command_line(words, {out, err});
  return {status, out.str(), err.str()};
}
std::string refusal(const std::string& usage, const std::vector<std::string>& words) {
  try {
    Arguments(parse_usage(usage), words);
  } catch (const UserError& fault) {
    return fault.what();
  }
  return "accepted";
}
}  // namespace

TEST_CASE("usage: what does each form declare?") {
  const auto p = parse_usage("MODEL CHIP... [OUT] --seed N [--json] [--dim NAME=VALUE]...");
  REQUIRE(p.size() == 6);
  CHECK((p[0].name == "MODEL" && p[0].required && !p[0].repeated && !p[0].option));
  CHECK((p[1].name == "CHIP" && p[1].required && p[1].repeated));
  CHECK((p[2].name == "OUT" && !p[2].required));
  CHECK((p[3].name == "seed" && p[3].required && p[3].option && p[3].value == "N"));
  CHECK((p[4].name == "json" && !p[4].required && p[4].value.empty()));
  CHECK((p[5].name == "dim" && !p[5].required && p[5].repeated && p[5].value == "NAME=VALUE"));
  CHECK_THROWS_AS(parse_usage("[A [B]]"), InternalError);
  CHECK_THROWS_AS(parse_usage("[A"), InternalError);
}

TEST_CASE("arguments: what is read from a full command line?") {
  const Arguments a(parse_usage("MODEL [CHIP...] [--seed N] [--kind KIND] [--json] [--dim NAME=VALUE]..."),
                    {"m.onnx", "--seed=7", "a", "--dim", "batch=1", "b", "--dim", "h=2", "--json", "--", "--c"});
  CHECK(a.text("MODEL") == "m.onnx");
  CHECK(a.all("CHIP") == std::vector<std::string>{"a", "b", "--c"});
  CHECK(a.integer("seed", 0, 0, 10) == 7);
  CHECK(a.flag("json"));
  CHECK(a.choice("kind", {"cost", "schedule"}) == "cost");
  CHECK(a.pairs("dim") == std::vector<std::pair<std::string, std::string>>{{"batch", "1"}, {"h", "2"}});
  CHECK_THROWS_AS(a.flag("jason"), InternalError);
}

TEST_CASE("arguments: is an option of one letter written with one dash?") {
  const Arguments a(parse_usage("MODEL -o FILE"), {"m.onnx", "-o", "m.pim"});
  CHECK(a.text("o") == "m.pim");
  CHECK(refusal("MODEL -o FILE", {"m.onnx"}) == "missing -o FILE");
  CHECK(refusal("MODEL -o FILE", {"m.onnx", "--o", "m.pim"}) == "unknown option '--o'; nearest: '-o'");
}

TEST_CASE("arguments: what is said to a wrong command line?") {
  CHECK(refusal("[--json]", {"--jsn"}) == "unknown option '--jsn'; nearest: '--json'");
  CHECK(refusal("[--json] [--chip F]", {"--verbose"}) == "unknown option '--verbose'; known: --json, --chip");
  CHECK(refusal("A", {"-x"}) == "unknown option '-x'; there are none");
  CHECK(refusal("[--json]", {"--json", "--json"}) == "option '--json' is given twice");
  CHECK(refusal("[--json]", {"--json=1"}) == "option '--json' takes no value, got '1'");
  CHECK(refusal("[--chip F] [--json]", {"--chip", "--json"}) == "option '--chip': expected F after it");
  CHECK(refusal("A [B]", {}) == "missing A");
  CHECK(refusal("--chip F", {}) == "missing --chip F");
  CHECK(refusal("A", {"x", "y"}) == "unexpected argument 'y'; expected 1 argument");
  CHECK(refusal("A", {"-1"}) == "accepted");
  const Arguments a(parse_usage("[--number N] [--kind K] [--dim D]... [--in F]"),
                    {"--number", "12x", "--kind", "cots", "--dim", "b", "--in", "/no/such"});
  CHECK_THROWS_WITH(a.integer("number", 0, 0, 9), "--number: expected a whole number, got '12x'");
  CHECK_THROWS_WITH(a.choice("kind", {"cost", "schedule"}), "--kind: unknown value 'cots'; nearest: 'cost'");
  CHECK_THROWS_WITH(a.pairs("dim"), "--dim: expected NAME=VALUE, got 'b'");
  CHECK_THROWS_WITH(a.input_file("in"), "/no/such: no such file");
  CHECK_THROWS_WITH(Arguments(parse_usage("[--number N]"), {"--number", "10"}).integer("number", 0, 0, 9),
                    "--number: expected 0 .. 9, got 10");
}

namespace {
int thrown = 0;
}
SUBCOMMAND("zz-test-throws", "[--what N]", "raise one fault of each kind", "--what N  which",
           [](const Arguments& a, Streams io) -> Status {
             thrown = static_cast<int>(a.integer("what", 0, 0, 9));
             io.out << "partial\n";
             if (thrown == 1) throw Negative("no core can move");
             if (thrown == 2) throw UserError({.file = "a.yaml", .line = 3, .column = 4}, "unknown key 'x'");
             if (thrown == 3) throw InternalError("lane 4 has no core");
             if (thrown == 4) throw std::runtime_error("vector");
             if (thrown == 5) throw 5;
             if (thrown == 6) throw UserError("nothing to do");
             if (thrown == 7)
               throw std::filesystem::filesystem_error("open", "b.pim",
                                                       std::make_error_code(std::errc::permission_denied));
             return Status::done;
           });

TEST_CASE("dispatch: which status and message does each fault become?") {
  const auto with = [](const char* n) { return run({"zz-test-throws", "--what", n}); };
  CHECK(with("0").status == 0);
  CHECK((with("1").status == 1 && with("1").err == "no core can move\n" && with("1").out == "partial\n"));
  CHECK((with("2").status == 2 && with("2").err == "a.yaml:3:4: unknown key 'x'\n"));
  CHECK((with("3").status == 3 &&
         with("3").err == "internal error: lane 4 has no core; this is a fault of pimento, not of your input\n"));
  CHECK(with("4").status == 3);
  CHECK(with("5").status == 3);
  CHECK((with("6").status == 2 && with("6").err == "pimento zz-test-throws: nothing to do\n"));
  CHECK((with("7").status == 2 && with("7").err == "b.pim: Permission denied\n"));
}

TEST_CASE("dispatch: is output that cannot be written a failure?") {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  CHECK(run_command_line({"--version"}, {out, err}) == 2);
  CHECK(err.str() == "standard output: write failed\n");
}

TEST_CASE("dispatch: what do the words that are no subcommand do?") {
  CHECK((run({}).status == 2 && run({}).err == overview()));
  CHECK((run({"--help"}).status == 0 && run({"--help"}).out == overview()));
  CHECK(run({"--version"}).out == "pimento " PIMENTO_VERSION "\n");
  CHECK((run({"dosc"}).status == 2 && run({"dosc"}).err == "unknown subcommand 'dosc'; nearest: 'docs'\n"));
  CHECK(run({"--vesion"}).err == "unknown option '--vesion'; nearest: '--version'\n");
  CHECK(run({"help", "docs"}).out == run({"docs", "--help"}).out);
}

TEST_CASE("table: has every subcommand a line per parameter and an example that parses?") {
  for (const Subcommand& row : subcommands()) {
    if (row.name == "zz-test-throws") continue;
    CAPTURE(row.name);
    for (const Parameter& p : parse_usage(row.usage)) {
      CAPTURE(p.name);
      CHECK_NOTHROW(file_role(row.name, p));  // what is declared as a file is read or written, and guarded as that
      CHECK(std::regex_search(row.help, std::regex("(^|\n) *" +
                                                   std::string(!p.option            ? ""
                                                               : p.name.size() == 1 ? "-"
                                                                                    : "--") +
                                                   p.name + "[ =]")));
    }
    std::smatch example;
    REQUIRE(std::regex_search(row.help, example, std::regex("example: pimento ([^\n]*)")));
    std::istringstream words(example[1].str());
    std::vector<std::string> list;
    for (std::string word; words >> word;) list.push_back(word);
    REQUIRE(list.at(0) == row.name);
    CHECK_NOTHROW(Arguments(parse_usage(row.usage), {list.begin() + 1, list.end()}));
    CHECK(help_of(row).find("usage: pimento " + row.name) == 0);
  }
}

TEST_CASE("table: is every row that a source file declares in the table of the executable?") {
  const char* root = std::getenv("PIMENTO_SOURCE_DIR");
  REQUIRE(root != nullptr);
  std::size_t declared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(root) / "cli" / "commands")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) declared += line.starts_with("SUBCOMMAND(") ? 1 : 0;
  }
  CHECK(subcommands().size() == declared);
}

TEST_CASE("registry: does the help of compile and run name every scheduler and every part that may be left out?") {
  for (const Subcommand& row : subcommands()) {
    if (row.name != "compile" && row.name != "run") continue;
    const std::string help = help_of(row);
    for (const pim::Scheduler& each : pim::schedulers())
      CHECK_MESSAGE(help.find(" " + std::string(each.name)) != std::string::npos, each.name);
    for (const Ablation& each : ablations())
      CHECK_MESSAGE(help.find("--" + std::string(each.name) + " ") != std::string::npos, each.name);
  }
}
