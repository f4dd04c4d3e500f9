#include "validation/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"
#include "simulator/chip/simulate.hpp"

namespace pimento::validation {
namespace {

Cycles cycles(const isa::Program& program, const isa::Chip& chip) {
  sim::Options options;
  options.timing_only = true;
  options.counters = false;
  const sim::Result result = sim::simulate(program, chip, options);
  if (result.stop != sim::StopReason::finished) throw Negative(result.explanation);
  return result.cycles;
}

}  // namespace

RuleTable rule_table(const isa::Program& program, const isa::Chip& chip) {
  RuleTable table;
  table.with_rules = table.without = cycles(program, chip);
  std::map<std::string, std::string> gone;
  for (const isa::KeyInfo& key : isa::chip_keys()) {
    const std::string value = isa::key_value(chip, key.path);
    if (!key.path.starts_with("rules.") || value == key.default_text || value == "not used") continue;
    gone[key.path] = key.default_text;
    const Cycles alone = cycles(program, isa::with_values(chip, {{key.path, key.default_text}}));
    const Cycles now = gone.size() == 1 ? alone : cycles(program, isa::with_values(chip, gone));
    table.steps.push_back({key.path.substr(6), value, key.default_text, table.with_rules - alone, table.without - now});
    table.without = now;
  }
  return table;
}

std::string print(const RuleTable& table) {
  std::size_t width = 4, values = 5;
  for (const RuleStep& each : table.steps) {
    width = std::max(width, each.rule.size());
    values = std::max(values, each.from.size() + each.to.size() + 4);
  }
  const auto line = [&](const std::string& name, const std::string& change, const auto& alone, const auto& step) {
    return fmt::format("{:<{}}  {:<{}}  {:>14}  {:>14}\n", name, width, change, values, alone, step);
  };
  std::string text = line("rule", "taken", "alone", "in this order");
  Cycles sum = 0;
  for (const RuleStep& each : table.steps) {
    sum += each.step;
    text += line(each.rule, each.from + " -> " + each.to, each.alone, each.step);
  }
  text += line("sum", "", "", sum);
  text += fmt::format("\ncycles with the rules {}, without {}, difference {}\n", table.with_rules, table.without,
                      table.with_rules - table.without);
  return text;
}

}  // namespace pimento::validation
