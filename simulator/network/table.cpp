// A network that is nothing but a latency per flit for each pair: no links are shared, so every arrival is known at
// the start and the topology needs no process.
#include <fmt/format.h>

#include <algorithm>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"
#include "simulator/network/network.hpp"

namespace pimento::sim {
namespace {

class Table final : public Network {
 public:
  explicit Table(const NetworkContext& context)
      : context_(context), nodes_(static_cast<std::size_t>(context.chip.cores) + 1), ways_(nodes_ * nodes_) {
    const auto& table = context.chip.network.table;
    const auto wide = [&](const std::vector<Cycles>& row) { return row.size() >= nodes_; };
    if (!table || table->size() < nodes_ || !std::all_of(table->begin(), table->end(), wide))
      throw UserError(
          fmt::format("chip '{}': its network table has no {} rows and columns", context.chip.name, nodes_));
    for (std::size_t s = 0; s < nodes_; ++s)
      for (std::size_t d = 0; d < nodes_; ++d) ways_[s * nodes_ + d].per_flit = (*table)[s][d];
  }

  Cycles launch(const Flight& flight) override {
    if (flight.set < 0) return deliver(flight, flight.destination);
    Cycles free = flight.start;
    for (const CoreId each : context_.core_sets[static_cast<std::size_t>(flight.set)])
      free = std::max(free, deliver(flight, each));
    return free;
  }

  PrivateWay* way(CoreId source, CoreId destination) override { return &ways_[source * nodes_ + destination]; }

  std::vector<LinkResult> links() const override {
    std::vector<LinkResult> used;
    std::vector<std::string> names;
    for (std::size_t node = 0; node + 1 < nodes_; ++node) names.push_back(fmt::format("core{}", node));
    names.push_back("memory");
    for (std::size_t s = 0; s < nodes_; ++s)
      for (std::size_t d = 0; d < nodes_; ++d)
        if (const PrivateWay& t = ways_[s * nodes_ + d]; t.busy > 0)
          used.push_back({"table " + names[s] + "->" + names[d], wire_bytes(context_.chip, t.flits), t.busy});
    return used;
  }
  std::int64_t flit_hops() const override {
    std::int64_t all = 0;
    for (const PrivateWay& each : ways_) all += each.flits;
    return all;
  }

 private:
  Cycles deliver(const Flight& flight, Endpoint to) {
    const auto memory = static_cast<Endpoint>(nodes_ - 1);
    const Endpoint s = std::min(flight.source, memory), d = std::min(to, memory);
    const Cycles takes = ways_[s * nodes_ + d].carry(isa::cost::flits(context_.chip, flight.bytes));
    context_.sink.arrived(flight, to, flight.start + takes);
    return flight.start + takes;
  }

  NetworkContext context_;
  std::size_t nodes_;
  std::vector<PrivateWay> ways_;
};

const bool registered = register_topology(
    {"table", "a latency per flit for each pair, without contention", nullptr,
     [](const NetworkContext& context) -> std::unique_ptr<Network> { return std::make_unique<Table>(context); }});

}  // namespace
}  // namespace pimento::sim
