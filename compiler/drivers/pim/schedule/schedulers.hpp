#pragma once
// How classes find their cores, by name: one file and one registration each.
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

struct Scheduler {
  std::string_view name, text;
  /// Cores by class, the classes of each round within the cores' crossbars; throws DoesNotFit when the classes do not
  /// pack.
  std::vector<CoreId> (*place)(const Scheduling&);
};
/// All of them by name; registering a name twice is a fault of ours.
const std::vector<Scheduler>& schedulers();
bool register_scheduler(const Scheduler& scheduler);
/// The crossbars that classes leave on every core; every round has all of the chip's to itself.
class Room {
 public:
  Room(const Spatial& spatial, const isa::Chip& chip);
  std::size_t cores() const { return cores_; }
  /// What the round of a class has left on a core.
  std::int64_t left(std::size_t cls, std::size_t core) const { return left_[round(cls)][core]; }
  bool has(std::size_t cls, std::size_t core) const { return left(cls, core) >= spatial_.classes[cls].crossbars; }
  void take(std::size_t cls, std::size_t core) { left_[round(cls)][core] -= spatial_.classes[cls].crossbars; }
  void give_back(std::size_t cls, std::size_t core) { left_[round(cls)][core] += spatial_.classes[cls].crossbars; }
  /// The core with room for a class where `key` of the core is least, the lowest of several; throws DoesNotFit when
  /// none has room.
  template <class Key>
  std::size_t best_core(std::size_t cls, Key&& key) const {
    std::optional<std::pair<decltype(key(cls)), std::size_t>> best;
    for (std::size_t core = 0; core < cores_; ++core) {
      if (!has(cls, core)) continue;
      auto here = key(core);
      if (!best || here < best->first) best.emplace(std::move(here), core);
    }
    if (!best) throw no_core_left(cls);
    return best->second;
  }
  DoesNotFit no_core_left(std::size_t cls) const;

 private:
  std::size_t round(std::size_t cls) const { return static_cast<std::size_t>(spatial_.classes[cls].round); }

  const Spatial& spatial_;
  const isa::Chip& chip_;
  std::size_t cores_;
  std::vector<std::vector<std::int64_t>> left_;  ///< by round and core
};
/// The same classes together, on cores between which their data goes short ways: those of the busiest cores the more,
/// the higher the power (renumber.cpp).
std::vector<CoreId> renumbered(const Scheduling& all, std::vector<CoreId> core_of, int power);
/// Throws UserError with the nearest name for one that nobody registered.
const Scheduler& find_scheduler(std::string_view name);

}  // namespace pimento::pim
