// The network at flit level as the machine sees it: a process that runs in those cycles in which a flit may move.
#include "isa/cost/cost.hpp"
#include "simulator/network/flit_level.hpp"

namespace pimento::sim {
namespace {

class FlitNetwork final : public Network {
 public:
  FlitNetwork(const NetworkContext& context, std::unique_ptr<Routes> routes)
      : context_(context),
        period_(context.chip.network.clock.period_fs),
        routes_(std::move(routes)),
        fabric_(context.chip, *routes_, context.sink),
        process_(context.kernel, "network", [this] { context_.guard([this] { serve(); }); }) {}

  Cycles launch(const Flight& flight) override {
    if (flight.set >= 0)
      fabric_.launch(flight, context_.core_sets[static_cast<std::size_t>(flight.set)]);
    else
      fabric_.launch(flight, {flight.destination});
    wake();
    return flight.start + isa::cost::flits(context_.chip, flight.bytes);
  }

  std::vector<LinkResult> links() const override {
    return traffic_of_links(context_.chip, *routes_, fabric_.traffic());
  }
  const std::vector<std::int64_t>* flits_by_resource() const override { return &fabric_.traffic(); }
  std::int64_t flit_hops() const override { return fabric_.flit_hops(); }

 private:
  void wake() {
    if (fabric_.next() != FlitFabric::never) process_.wake_at(fabric_.next() * period_);
  }
  void serve() {
    while (fabric_.next() != FlitFabric::never && fabric_.next() * period_ <= context_.kernel.now()) fabric_.cycle();
    wake();
  }

  NetworkContext context_;
  Femtoseconds period_;
  std::unique_ptr<Routes> routes_;
  FlitFabric fabric_;
  Process process_;
};

}  // namespace

std::unique_ptr<Network> make_flit_network(const NetworkContext& context, std::unique_ptr<Routes> routes) {
  return std::make_unique<FlitNetwork>(context, std::move(routes));
}

}  // namespace pimento::sim
