#include "simulator/core/banks.hpp"

#include <algorithm>
#include <numeric>

namespace pimento::sim {
namespace {

void put(const std::vector<bool>& held, BankSet& out) {
  out.clear();
  for (std::size_t bank = 0; bank < held.size(); ++bank)
    if (held[bank]) out.push_back(bank);
}

}  // namespace

Banks::Banks(const isa::LocalMemory& memory) : banks_(memory.banks), interleave_(memory.bank_interleave) {}

void Banks::add(const ByteRange& range, std::vector<bool>& held) const {
  const std::int64_t round = banks_ * interleave_;
  const std::int64_t bytes = range.stride == 0 ? range.high - range.low : range.bytes;
  const std::int64_t step = range.stride == 0 ? range.high - range.low : range.stride;
  if (bytes >= round) return held.assign(held.size(), true);
  // Segments whose starts lie a whole number of rounds apart are in the same banks.
  std::int64_t segments = round / std::gcd(step, round);
  for (std::int64_t start = range.low; start < range.high && segments > 0; start += step, --segments)
    for (std::int64_t unit = start / interleave_; unit * interleave_ < start + bytes; ++unit)
      held[static_cast<std::size_t>(isa::wrap(unit, 0, banks_))] = true;
}

void Banks::of(const Touched& touched, const Footprint& footprint, BankSet& reads, BankSet& writes) const {
  std::vector<bool> held(static_cast<std::size_t>(banks_));
  const auto sources = touched.operands.sources();
  const bool all = touched.reads_all > 0 ||
                   std::any_of(sources.begin(), sources.end(), [](const auto& source) { return source.indexed; });
  if (all) held.assign(held.size(), true);
  for (const ByteRange& range : footprint.all_reads()) add(range, held);
  put(held, reads);
  held.assign(held.size(), footprint.writes && touched.operands.destination.indexed);
  if (footprint.writes) add(footprint.write, held);
  put(held, writes);
}

}  // namespace pimento::sim
