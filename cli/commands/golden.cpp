// pimento golden: the zoo's records as accepted last: checked, or replaced under the stop rule.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <ostream>

#include "cli/commands/registry.hpp"
#include "isa/support/file.hpp"
#include "isa/support/printable.hpp"
#include "validation/golden/golden.hpp"

namespace pimento::cli {
namespace {
namespace fs = std::filesystem;
using validation::Golden;
using validation::GoldenCase;

std::vector<GoldenCase> chosen(const Arguments& a) {
  std::vector<GoldenCase> cases;
  std::vector<std::string> names;
  for (const GoldenCase& each : validation::golden_cases()) names.push_back(each.name());
  for (const std::string& only : a.all("only"))
    if (std::find(names.begin(), names.end(), only) == names.end())
      throw UserError(fmt::format("--only {}: no such golden record{}", only, suggestion(only, names)));
  for (const GoldenCase& each : validation::golden_cases()) {
    const auto& only = a.all("only");
    const bool named = std::find(only.begin(), only.end(), each.name()) != only.end();
    if (only.empty() ? !(a.flag("fast") && each.slow) : named) cases.push_back(each);
  }
  return cases;
}

fs::path folder_of(const Arguments& a) {
  const fs::path root = a.text("root", ".");
  const fs::path folder = root / "validation" / "golden";
  if (!fs::is_directory(folder))
    throw UserError({.file = root.string()},
                    "not the source tree: it has no folder 'validation/golden'; --root names another");
  return folder;
}

validation::Acceptance acceptance_of(const Arguments& a) {
  validation::Acceptance how;
  if (!a.given("kind") || a.text("why", "").empty())
    throw UserError("--accept: expected --kind, what the change wins, and --why, a sentence for the history");
  how.rule.kind =
      a.choice("kind", {"cost", "schedule"}) == "cost" ? proof::ChangeKind::cost : proof::ChangeKind::schedule;
  how.why = a.text("why");
  how.reasons = a.pairs("reason");
  for (const auto& [figure, reason] : how.reasons) {
    if (proof::find_figure(figure) != nullptr) continue;
    std::vector<std::string> names;
    for (const proof::Figure& f : proof::figures()) names.emplace_back(f.name);
    throw UserError(fmt::format("--reason {}: no such figure{}", figure, suggestion(figure, names)));
  }
  return how;
}

class Goldens {
 public:
  Goldens(const Arguments& a, Streams io) : a_(a), io_(io), folder_(folder_of(a)) {}

  Status run() {
    std::optional<validation::Acceptance> how;
    if (a_.flag("accept")) how = acceptance_of(a_);
    for (const char* option : {"kind", "why", "reason", "before"})
      if (!how && a_.given(option)) throw UserError(fmt::format("--{}: only with --accept", option));
    std::size_t differing = 0;
    for (const GoldenCase& each : chosen(a_)) {
      const validation::Measured measured = validation::measure(each, !a_.given("write"), [&](const std::string& text) {
        io_.err << each.name() << ": " << printable(text, true) << "\n";
      });
      keep(each, measured);
      if (how)
        collect(each, measured.record);
      else if (!a_.given("write") && !check(each, measured.record))  // what is written is for another judge
        ++differing;
    }
    if (how) return accept(*how);
    if (differing == 0) return Status::done;
    io_.out << fmt::format("{} differ; 'pimento golden --accept --kind KIND --why TEXT' applies the stop rule\n",
                           differing);
    return Status::no;
  }

 private:
  fs::path file_of(const GoldenCase& each) const { return folder_ / (each.name() + ".json"); }

  /// --write FOLDER
  void keep(const GoldenCase& each, const validation::Measured& measured) const {
    if (!a_.given("write")) return;
    const fs::path to = a_.path("write");
    fs::create_directories(to);
    write_atomically((to / (each.name() + ".json")).string(), proof::to_json(measured.record));
    isa::write_program(measured.program, (to / (each.name() + ".pim")).string());
  }

  bool check(const GoldenCase& each, const proof::Record& record) const {
    if (!fs::exists(file_of(each))) {
      io_.out << fmt::format("{}: no golden record yet\n", each.name());
      return false;
    }
    const Golden golden = validation::parse_golden(read_file(file_of(each).string()), file_of(each).string());
    const std::vector<std::string> lines = validation::differences(golden, record);
    io_.out << fmt::format("{}: {}\n", each.name(), lines.empty() ? "as accepted" : "differs");
    for (const std::string& line : lines) io_.out << "  " << line << "\n";
    return lines.empty();
  }

  void collect(const GoldenCase& each, const proof::Record& record) {
    validation::Update update{each.name(), nullptr, nullptr, record};
    if (const fs::path file = file_of(each); fs::exists(file))
      update.golden = &goldens_.emplace_back(validation::parse_golden(read_file(file.string()), file.string()));
    if (a_.given("before"))
      update.before =
          &befores_.emplace_back(proof::read_record((a_.path("before") / (each.name() + ".json")).string()));
    updates_.push_back(std::move(update));
  }

  Status accept(const validation::Acceptance& how) const {
    const validation::Accepted accepted = validation::accept(updates_, how);
    if (!accepted.judgement.comparisons.empty()) io_.out << proof::to_table(accepted.judgement, false);
    if (accepted.judgement.rejected()) return Status::no;
    for (const auto& [name, golden] : accepted.files) {
      write_atomically((folder_ / (name + ".json")).string(), validation::to_json(golden));
      io_.out << fmt::format("{}: written\n", name);
    }
    return Status::done;
  }

  const Arguments& a_;
  Streams io_;
  fs::path folder_;
  std::deque<Golden> goldens_;
  std::deque<proof::Record> befores_;
  std::vector<validation::Update> updates_;
};

SUBCOMMAND("golden",
           "[--only NAME]... [--fast] [--root FOLDER] [--write FOLDER] [--accept] [--kind KIND] [--why TEXT] "
           "[--reason FIGURE=TEXT]... [--before FOLDER]",
           "check the zoo's golden records, or replace them under the stop rule", R"(
  --only NAME           this record, as lenet5.pimsim-nn-64; otherwise all
  --fast                without those that the fast tests leave out
  --root FOLDER         the source tree (default: the current folder)
  --write FOLDER        also write today's records and programs there, made as without --verify
  --accept              let today's records take the golden ones' place, if the stop rule allows it for all together
  --kind KIND           --accept: what the change wins, cost or schedule (see 'pimento compare')
  --why TEXT            --accept: what was changed, for the history that every golden record keeps
  --reason FIGURE=TEXT  --accept: why a proxy got worse, where --why does not say it
  --before FOLDER       --accept: compare with these records and not with the golden ones: for a change of chips or of
                        the rules of time, where scripts/proof.sh runs the old programs again
  example: pimento golden --only mlp.pimsim-nn-64)",
           [](const Arguments& a, Streams io) { return Goldens(a, io).run(); });

}  // namespace
}  // namespace pimento::cli
