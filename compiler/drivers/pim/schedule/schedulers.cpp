#include "compiler/drivers/pim/schedule/schedulers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

std::vector<Scheduler>& registry() {
  static std::vector<Scheduler> all;
  return all;
}

}  // namespace

const std::vector<Scheduler>& schedulers() { return registry(); }

bool register_scheduler(const Scheduler& scheduler) {
  auto& all = registry();
  const auto at = std::lower_bound(all.begin(), all.end(), scheduler,
                                   [](const Scheduler& a, const Scheduler& b) { return a.name < b.name; });
  PIMENTO_CHECK(at == all.end() || at->name != scheduler.name,
                fmt::format("scheduler '{}' is registered twice", scheduler.name));
  all.insert(at, scheduler);
  return true;
}

Room::Room(const Spatial& spatial, const isa::Chip& chip)
    : spatial_(spatial),
      chip_(chip),
      cores_(static_cast<std::size_t>(chip.cores)),
      left_(static_cast<std::size_t>(rounds_of(spatial)), std::vector<std::int64_t>(cores_, chip.core.crossbars)) {}

DoesNotFit Room::no_core_left(std::size_t cls) const {
  return DoesNotFit(
      fmt::format("chip '{}', stage schedule: class {} needs {} crossbars on one core; no core has that many left",
                  chip_.name, cls, spatial_.classes[cls].crossbars));
}

const Scheduler& find_scheduler(std::string_view name) {
  std::vector<std::string> names;
  for (const Scheduler& each : schedulers()) {
    if (each.name == name) return each;
    names.emplace_back(each.name);
  }
  throw UserError(fmt::format("unknown scheduler '{}'{}", name, suggestion(std::string(name), names)));
}

}  // namespace pimento::pim
