#pragma once
// Golden records: what the zoo costs on three chips, as accepted last, with the history of how it came about. They are
// checked by the tests and replaced only by `accept`, which applies the stop rule first.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/proof/compare.hpp"
#include "isa/program/program.hpp"

namespace pimento::validation {

inline constexpr int golden_schema_version = 1;

struct GoldenCase {
  std::string network, chip;
  bool values = false;  ///< also simulates the values and holds them against the reference
  bool slow = false;    ///< checked by the slow tests
  std::string name() const { return network + "." + chip; }
};
const std::vector<GoldenCase>& golden_cases();

/// One accepted change: what it won, why, and what it did to this record.
struct GoldenChange {
  std::string kind, why;
  struct Figure {
    std::string name, before, after;
  };
  std::vector<Figure> changed;
  std::vector<std::pair<std::string, std::string>> worse;  ///< proxies that got worse, and the reason of each
};
struct Golden {
  proof::Record record;
  std::vector<GoldenChange> history;  ///< oldest first
};
std::string to_json(const Golden& golden);
Golden parse_golden(const std::string& json, const std::string& file);

struct Measured {
  proof::Record record;
  isa::Program program;
};
/// Compiles, every stage held to the first law when `verify` (which takes time, and is part of it), and simulates.
/// Throws Negative when a law is broken or the run does not finish.
Measured measure(const GoldenCase& of, bool verify = true, const std::function<void(const std::string&)>& note = {});
/// Without what depends on the machine and the day.
proof::Record portable(proof::Record record);

/// What keeps a measured record from being the golden one: every figure that differs, or the refusal to compare them.
/// Empty: none.
std::vector<std::string> differences(const Golden& golden, const proof::Record& measured);

struct Acceptance {
  proof::Rule rule;
  std::string why;
  std::vector<std::pair<std::string, std::string>> reasons;  ///< by figure; where none is given, `why` is it
};
struct Update {
  std::string name;
  const Golden* golden = nullptr;         ///< none: a first record
  const proof::Record* before = nullptr;  ///< measured again under today's chip and rules of time; none: the golden's
  proof::Record now;
};
struct Accepted {
  proof::Judgement judgement;                         ///< without comparisons when all are first records
  std::vector<std::pair<std::string, Golden>> files;  ///< to be written, by name; none when rejected
};
/// The stop rule over all updates together. Where the rules of time changed and the program did not, the golden's
/// cycles are today's; where both did, UserError asks for `before`.
Accepted accept(const std::vector<Update>& updates, const Acceptance& how);

}  // namespace pimento::validation
