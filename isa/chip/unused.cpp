#include "isa/chip/unused.hpp"

#include <algorithm>
#include <vector>

#include "isa/chip/points.hpp"

namespace pimento::isa {
namespace {

constexpr const char *voltage = "core.supply.voltage", *nominal = "core.supply.nominal";

struct Need {
  const char* key;
  const char* what;
  bool (*met)(const Chip& chip, const Given& given);
};

const std::vector<Need>& needs() {
  static const std::vector<Need> all{
      {voltage, "core.supply.nominal and an exponent, or a table over the voltage",
       [](const Chip& chip, const Given& given) {
         return has_table_over(chip, Over::voltage) ||
                (given(nominal) && (given("core.supply.time_exponent") || given("core.supply.energy_exponent")));
       }},
      {nominal, voltage, [](const Chip&, const Given& given) { return given(voltage); }},
      {"core.supply.time_exponent", "core.supply.voltage and core.supply.nominal",
       [](const Chip&, const Given& given) { return given(voltage) && given(nominal); }},
      {"core.supply.energy_exponent", "core.supply.voltage and core.supply.nominal",
       [](const Chip&, const Given& given) { return given(voltage) && given(nominal); }},
      {"core.crossbar.mean_output", "a table over the mean code of the outputs",
       [](const Chip& chip, const Given&) { return has_table_over(chip, Over::mean_output); }},
      {"core.crossbar.adc.steps", "core.crossbar.adc.step_latency",
       [](const Chip&, const Given& given) { return given("core.crossbar.adc.step_latency"); }},
      {"core.crossbar.adc.step_latency", "core.crossbar.adc.steps",
       [](const Chip&, const Given& given) { return given("core.crossbar.adc.steps"); }},
      {"core.crossbar.adc.fewer_steps", "core.crossbar.adc.steps",
       [](const Chip&, const Given& given) { return given("core.crossbar.adc.steps"); }},
      {"core.crossbar.adc.range", "core.crossbar.adc.ideal false",
       [](const Chip& chip, const Given&) { return !chip.core.crossbar.adc.ideal; }},
      {"core.crossbar.nonideal.seed",
       "something that is drawn: variation, stuck_at_0, stuck_at_1, read_noise or "
       "drift_spread of core.crossbar.nonideal",
       [](const Chip&, const Given& given) {
         const char* const drawn[] = {"variation", "stuck_at_0", "stuck_at_1", "read_noise", "drift_spread"};
         return std::any_of(std::begin(drawn), std::end(drawn),
                            [&](const char* name) { return given(std::string("core.crossbar.nonideal.") + name); });
       }},
      {"core.crossbar.nonideal.drift_exponent", "core.crossbar.nonideal.drift_age",
       [](const Chip&, const Given& given) { return given("core.crossbar.nonideal.drift_age"); }},
      {"core.crossbar.nonideal.drift_age", "core.crossbar.nonideal.drift_exponent",
       [](const Chip&, const Given& given) { return given("core.crossbar.nonideal.drift_exponent"); }},
      {"core.crossbar.nonideal.drift_spread", "core.crossbar.nonideal.drift_exponent and drift_age",
       [](const Chip&, const Given& given) {
         return given("core.crossbar.nonideal.drift_exponent") && given("core.crossbar.nonideal.drift_age");
       }},
  };
  return all;
}

}  // namespace

std::optional<std::string> missing_for(const std::string& path, const Chip& chip, const Given& given) {
  const auto need = std::find_if(needs().begin(), needs().end(), [&](const Need& n) { return path == n.key; });
  if (need == needs().end() || need->met(chip, given)) return std::nullopt;
  return need->what;
}

}  // namespace pimento::isa
