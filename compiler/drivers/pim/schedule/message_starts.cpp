#include <algorithm>
#include <tuple>

#include "compiler/drivers/pim/schedule/schedule.hpp"

namespace pimento::pim {
namespace {
std::pair<ComputeId, CoreId> key(const MessageStarts::Start& s) { return {s.producer, s.to}; }
}  // namespace

MessageStarts::MessageStarts(std::vector<Start> starts) : starts_(std::move(starts)) {
  const auto before = [](const Start& a, const Start& b) { return key(a) < key(b); };
  if (!std::is_sorted(starts_.begin(), starts_.end(), before)) std::stable_sort(starts_.begin(), starts_.end(), before);
}

std::optional<Cycles> MessageStarts::find(ComputeId producer, CoreId to) const {
  const std::pair wanted{producer, to};
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), wanted,
                                       [](const auto& k, const Start& s) { return k < key(s); });
  if (behind == starts_.begin() || key(behind[-1]) != wanted) return std::nullopt;
  return behind[-1].start;
}

}  // namespace pimento::pim
