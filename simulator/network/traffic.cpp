#include "simulator/network/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"
#include "simulator/network/pattern.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

constexpr double saturated_from = 3;  // times the latency without load

/// One network in a kernel of its own, and a process that gives it messages.
class Bench : public FlightSink {
 public:
  explicit Bench(const isa::Chip& chip)
      : chip_(chip),
        routes_(make_routes(chip)),
        network_(make_network({chip, no_sets_, kernel_, *this,
                               [this](const std::function<void()>& body) {
                                 if (!stopped_) body();
                               }})),
        process_(kernel_, "sources", [this] { act(kernel_.now() / period_); }),
        period_(chip.network.clock.period_fs) {
    if (!routes_)
      throw UserError(fmt::format("chip '{}': its network is a table, which no load can slow down", chip.name));
  }

 protected:
  virtual void act(Cycles now) = 0;
  void run() {
    process_.wake_at(0);
    kernel_.run();
  }
  void stop() { stopped_ = true; }
  void wake_at(Cycles time) { process_.wake_at(time * period_); }
  Cycles now() const { return kernel_.now() / period_; }
  /// Returns when the source is free for its next message.
  Cycles launch(CoreId source, CoreId destination, Bytes bytes, Cycles ready, std::uint32_t token) {
    return network_->launch({source, destination, -1, bytes, ready + chip_.network.handshake_cycles, token, token});
  }
  const std::vector<std::int64_t>& flits_by_resource() const { return *network_->flits_by_resource(); }
  const Routes& routes() const { return *routes_; }

 private:
  const isa::Chip& chip_;
  std::vector<std::vector<CoreId>> no_sets_;
  bool stopped_ = false;
  Kernel kernel_;
  std::unique_ptr<Routes> routes_;
  std::unique_ptr<Network> network_;
  Process process_;
  Femtoseconds period_;
};

struct Pair {
  CoreId source, destination;
  double part;
};
/// At most so many, evenly spread.
std::vector<Pair> pairs_of(const isa::Chip& chip, Pattern pattern, std::size_t most) {
  const Destinations destinations(chip, pattern);
  std::size_t count = 0;
  for (CoreId c = 0; c < static_cast<CoreId>(chip.cores); ++c) count += destinations.shares(c).size();
  if (count == 0)
    throw UserError(fmt::format("pattern '{}': no core of chip '{}' sends anything", to_string(pattern), chip.name));
  std::vector<Pair> some;
  std::size_t at = 0;  // of all pairs, of which only those are kept that are wanted
  for (CoreId c = 0; c < static_cast<CoreId>(chip.cores); ++c)
    for (const auto& share : destinations.shares(c))
      if (const std::size_t wanted = count <= most ? at : some.size() * count / most; at++ == wanted)
        some.push_back({c, share.destination, share.part});
  return some;
}

Bytes bytes_of(const isa::Chip& chip, std::int64_t flits) { return flits * std::max<Bytes>(chip.network.flit, 1); }

class OneByOne final : public Bench {
 public:
  OneByOne(const isa::Chip& chip, const std::vector<Pair>& pairs, Bytes bytes)
      : Bench(chip), pairs_(pairs), bytes_(bytes), credits_home_(2 * chip.network.link_cycles + 2) {
    run();
  }
  std::vector<Cycles> latencies;

 private:
  void act(Cycles now) override {
    const Pair& pair = pairs_[latencies.size()];
    launch(pair.source, pair.destination, bytes_, made_ = now, static_cast<std::uint32_t>(latencies.size()));
  }
  void arrived(const Flight&, Endpoint, Cycles time) override {
    latencies.push_back(time - made_);
    if (latencies.size() < pairs_.size()) wake_at(time + credits_home_);
  }
  const std::vector<Pair>& pairs_;
  Bytes bytes_;
  Cycles credits_home_, made_ = 0;
};

class UnderLoad final : public Bench {
 public:
  UnderLoad(const isa::Chip& chip, const TrafficOptions& options, double load, double without_load)
      : Bench(chip),
        options_(options),
        destinations_(chip, options.pattern),
        bytes_(bytes_of(chip, options.message_flits)),
        cores_(static_cast<CoreId>(chip.cores)),
        too_late_(saturated_from * without_load),
        begin_(options.warm_up),
        end_(options.warm_up + options.measured) {
    const double each_cycle = load / static_cast<double>(options.message_flits);
    threshold_ = static_cast<std::uint64_t>(std::min(each_cycle, 1.0) * 0x1p62);
    for (CoreId c = 0; c < cores_; ++c) {
      sources_.push_back({isa::Random(options.seed * 0x10001 + c), 0, 0});
      sources_.back().next = gap(sources_.back().random);
    }
    point.offered = load;
    run();
    summarise();
  }
  TrafficPoint point;

 private:
  struct Source {
    isa::Random random;
    Cycles next, free;
  };

  /// Cycles to the next message: each cycle makes one with the same probability. What comes after the last cycle that
  /// counts is never made.
  Cycles gap(isa::Random& random) const {
    Cycles cycles = 1;
    while (random.next() >> 2 >= threshold_ && cycles <= end_ + options_.drain) ++cycles;
    return cycles;
  }

  void act(Cycles now) override {
    if (now >= begin_ && at_begin_.empty()) at_begin_ = flits_by_resource();
    if (now >= end_ && at_end_.empty()) at_end_ = flits_by_resource();
    if (now >= end_ && (here_ == point.messages || now >= end_ + options_.drain || is_late(now))) return stop();
    Cycles next = now < begin_ ? begin_ : now < end_ ? end_ : now + 1;
    for (CoreId c = 0; c < cores_; ++c) {
      Source& s = sources_[c];
      while (s.next <= now) {
        make(c, s, s.next);
        s.next += gap(s.random);
      }
      next = std::min(next, s.next);
    }
    wake_at(next);
  }

  void make(CoreId core, Source& source, Cycles time) {
    const std::optional<CoreId> to = destinations_.draw(core, source.random);
    if (!to) return;
    const auto token = static_cast<std::uint32_t>(made_.size());
    made_.push_back(time);
    if (is_measured(time)) ++point.messages, made_sum_ += time;
    source.free = launch(core, *to, bytes_, std::max(time, source.free), token);
  }

  void arrived(const Flight& flight, Endpoint, Cycles time) override {
    if (time >= begin_ && time < end_) ++arrived_in_time_;
    const Cycles made = made_[flight.token];
    if (!is_measured(made)) return;
    ++here_;
    latencies_.push_back(time - made);
    sum_ += time - made;
    made_sum_ -= made;
  }

  bool is_measured(Cycles made) const { return made >= begin_ && made < end_; }
  /// Whether the mean will be that of saturation even if all that is not there came now.
  bool is_late(Cycles now) const {
    const std::int64_t to_come = point.messages - here_;
    const Cycles so_far = sum_ + to_come * now - made_sum_;
    return static_cast<double>(so_far) > too_late_ * static_cast<double>(point.messages);
  }

  void summarise() {
    const double cycles = static_cast<double>(options_.measured), cores = static_cast<double>(cores_);
    const auto flits = [&](std::int64_t messages) {
      return static_cast<double>(messages * options_.message_flits) / cycles / cores;
    };
    point.made = flits(point.messages);
    point.accepted = flits(arrived_in_time_);
    point.outstanding = point.messages - here_;
    if (here_ > 0) {
      std::sort(latencies_.begin(), latencies_.end());
      point.mean = static_cast<double>(sum_) / static_cast<double>(here_);
      point.median = latencies_[latencies_.size() / 2];
      point.p95 = latencies_[latencies_.size() * 95 / 100];
      point.most = latencies_.back();
    }
    point.saturated = point.outstanding > 0 || point.mean > too_late_;
    Resource hottest = 0;
    std::int64_t most = 0, over_links = 0, into_cores = 0;
    for (Resource r = 0; r < routes().count(); ++r) {
      const std::int64_t moved = at_end_[r] - at_begin_[r];
      if (moved > most) most = moved, hottest = r;
      (routes().is_link(r) ? over_links : into_cores) += moved;
    }
    if (into_cores > 0) point.hops = static_cast<double>(over_links) / static_cast<double>(into_cores);
    if (most > 0) point.hottest = routes().name(hottest);
    point.hottest_busy = std::min(1.0, static_cast<double>(most) / cycles);  // a whole message counts when it begins
  }

  TrafficOptions options_;
  Destinations destinations_;
  Bytes bytes_;
  CoreId cores_;
  double too_late_;
  Cycles begin_, end_;
  std::uint64_t threshold_ = 0;
  std::vector<Source> sources_;
  std::vector<Cycles> made_;  ///< by token
  std::vector<Cycles> latencies_;
  std::int64_t here_ = 0, arrived_in_time_ = 0;
  Cycles sum_ = 0, made_sum_ = 0;  ///< of those that are here; of those that are not
  std::vector<std::int64_t> at_begin_, at_end_;
};

bool adapts(const isa::Chip& chip) {
  return chip.network.level == isa::NetworkLevel::flit && chip.network.routing != isa::Routing::xy;
}

void check(const TrafficOptions& options) {
  if (options.message_flits < 1 || options.warm_up < 0 || options.measured < 1 || options.drain < 0)
    throw UserError("traffic: expected messages of a flit and a measured cycle at least, and no negative times");
}

}  // namespace

ZeroLoad zero_load(const isa::Chip& chip, const TrafficOptions& options) {
  check(options);
  const std::vector<Pair> pairs = pairs_of(chip, options.pattern, 4096);
  const Bytes bytes = bytes_of(chip, options.message_flits);
  const OneByOne run(chip, pairs, bytes);
  ZeroLoad z;
  z.pairs = static_cast<std::int64_t>(pairs.size());
  z.equal = true;
  double parts = 0;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    const Cycles closed = isa::cost::message_network_cycles(chip, pairs[n].source, pairs[n].destination, bytes);
    z.equal = z.equal && closed == run.latencies.at(n);
    z.measured += pairs[n].part * static_cast<double>(run.latencies.at(n));
    z.closed_form += pairs[n].part * static_cast<double>(closed);
    parts += pairs[n].part;
  }
  z.measured /= parts;
  z.closed_form /= parts;
  return z;
}

LoadBound load_bound(const isa::Chip& chip, const TrafficOptions& options) {
  const std::unique_ptr<Routes> routes = make_routes(chip);
  if (!routes)
    throw UserError(fmt::format("chip '{}': its network is a table, which no load can slow down", chip.name));
  const Destinations destinations(chip, options.pattern);
  std::vector<double> load(routes->count(), 0);
  for (CoreId s = 0; s < static_cast<CoreId>(chip.cores); ++s)
    for (const auto& share : destinations.shares(s)) {
      std::uint32_t router = routes->router_of(s);
      for (bool there = false; !there;) {
        const Resource r = routes->step(router, share.destination, router);
        load[r] += share.part;
        there = !routes->is_link(r);
      }
    }
  const auto fullest = std::max_element(load.begin(), load.end());
  if (*fullest <= 1) return {1, "each core sends a flit a cycle"};
  return {1 / *fullest, routes->name(static_cast<Resource>(fullest - load.begin()))};
}

TrafficPoint measure_load(const isa::Chip& chip, const TrafficOptions& options, double load, double without_load) {
  check(options);
  if (!(load > 0) || load > 1)
    throw UserError(fmt::format("traffic: expected a load above 0, at most 1, got {}", load));
  return UnderLoad(chip, options, load, without_load).point;
}

TrafficCurve measure_curve(const isa::Chip& chip, const TrafficOptions& options, const std::vector<double>& loads) {
  TrafficCurve curve;
  curve.zero_load = zero_load(chip, options);
  curve.bound = load_bound(chip, options);
  for (const double load : loads) curve.points.push_back(measure_load(chip, options, load, curve.zero_load.measured));
  const auto measure = [&](double load) {
    TrafficPoint point = measure_load(chip, options, load, curve.zero_load.measured);
    curve.saturation_known = curve.saturation_known && point.messages > 0;
    return point;
  };
  double above = curve.bound.load;
  TrafficPoint at_above = measure(above);
  // Where all ways are fixed, what the fullest link cannot carry only takes longer than the measurement to show.
  if (!at_above.saturated && adapts(chip)) {
    curve.saturation = above;
    above = 1;
    at_above = measure(above);
    if (!at_above.saturated) {
      curve.saturation = above;
      return curve;
    }
  }
  while (above - curve.saturation > above / 100) {
    const double middle = (above + curve.saturation) / 2;
    TrafficPoint point = measure(middle);
    if (point.saturated) {
      above = middle;
      at_above = std::move(point);
    } else {
      curve.saturation = middle;
    }
  }
  curve.above = std::move(at_above);
  return curve;
}

}  // namespace pimento::sim
