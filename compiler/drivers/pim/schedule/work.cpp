#include "compiler/drivers/pim/schedule/work.hpp"

#include <algorithm>
#include <limits>

namespace pimento::pim {

WorkEdges WorkEdges::turned() const {
  WorkEdges all;
  all.first_.assign(size() + 1, 0);
  for (const WorkEdge& e : edges_) ++all.first_[static_cast<std::size_t>(e.other) + 1];
  for (std::size_t i = 0; i < size(); ++i) all.first_[i + 1] += all.first_[i];
  std::vector<std::size_t> next(all.first_.begin(), all.first_.end() - 1);
  all.edges_.resize(edges_.size());
  for (std::size_t i = 0; i < size(); ++i)
    for (const WorkEdge& e : (*this)[i])
      all.edges_[next[static_cast<std::size_t>(e.other)]++] = {static_cast<std::int32_t>(i), e.bytes, e.box};
  return all;
}

Work::Work(const Spatial& s, const Producers& producers, const MoveCosts& costs) : spatial(s) {
  const std::size_t n = s.computes.size();
  loads.assign(n, 0);
  stores.assign(n, 0);
  inputs.reserve(n, producers.feeds());
  std::vector<WorkEdge> from;
  const auto by_producer = [](const WorkEdge& a, const WorkEdge& b) { return a.other < b.other; };
  for (std::size_t i = 0; i < n; ++i) {
    const Compute& c = s.computes[i];
    for (const Access& read : c.reads) {
      const SpatialValue& value = s.values[index_of(read.value)];
      if (value.role == ValueRole::input) loads[i] += costs.bytes(value, intersect(read.box, value.whole()));
    }
    from.clear();
    for (const Producers::Feed& feed : producers.feeds(i)) {
      const SpatialValue& value = s.values[index_of(c.reads[static_cast<std::size_t>(feed.read)].value)];
      from.push_back({static_cast<std::int32_t>(feed.from), costs.bytes(value, feed.part), feed.part});
    }
    if (!std::is_sorted(from.begin(), from.end(), by_producer)) std::sort(from.begin(), from.end(), by_producer);
    for (const WorkEdge& e : from) {
      if (WorkEdge* const last = inputs.last(); last != nullptr && last->other == e.other) {
        last->bytes += e.bytes;
        last->box = bounding(last->box, e.box);
      } else {
        inputs.add(e);
      }
    }
    inputs.end_list();
    const SpatialValue& made = s.values[index_of(c.write.value)];
    if (made.role == ValueRole::output) stores[i] = costs.bytes(made, c.write.box);
  }
  outputs = inputs.turned();
  round_of = rounds_of_computes(s, producers);
  for (const Batch& b : s.batches) layers = std::max(layers, static_cast<std::size_t>(b.body.node) + 1);
  std::vector<std::int32_t> next(n, -1);
  for (const TileClass& c : s.classes)
    for (std::size_t k = 0; k + 1 < c.computes.size(); ++k)
      next[index_of(c.computes[k])] = static_cast<std::int32_t>(c.computes[k + 1]);
  rank.assign(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    Cycles after = next[i] >= 0 ? rank[static_cast<std::size_t>(next[i])] : 0;
    for (const WorkEdge& e : outputs[i])
      after = std::max(after, rank[static_cast<std::size_t>(e.other)] + costs.mean_message(e.bytes));
    rank[i] = s.computes[i].cycles + after;
  }
  find_turns();
  find_readers();
  find_pieces();
}

void Work::find_pieces() {
  in_pieces_.assign(layers, false);
  for (const TileClass& c : spatial.classes)
    for (std::size_t k = 1; k < c.computes.size(); ++k) {
      const std::size_t one = index_of(c.computes[k - 1]), next = index_of(c.computes[k]);
      if (spatial.computes[one].write.box.r0 == spatial.computes[next].write.box.r0) in_pieces_[node_of(one)] = true;
    }
}

void Work::find_turns() {
  const std::size_t n = spatial.computes.size();
  place.assign(n, -1);
  by_turn.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    by_turn[i] = static_cast<std::int32_t>(i);
    const Compute& c = spatial.computes[i];
    if (c.cls != no_class)
      place[i] =
          (std::int64_t{round_of[i]} << 21) +
          (std::int64_t{c.write.box.r0} << 20) / std::max(1, spatial.values[index_of(c.write.value)].layout.rows);
  }
  std::sort(by_turn.begin(), by_turn.end(), [&](std::int32_t a, std::int32_t b) {
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    return std::tuple(place[x], -rank[x], a) < std::tuple(place[y], -rank[y], b);
  });
  turn.resize(n);
  for (std::size_t t = 0; t < n; ++t) turn[static_cast<std::size_t>(by_turn[t])] = static_cast<std::int32_t>(t);
}

void Work::find_readers() {
  std::size_t before = std::numeric_limits<std::size_t>::max(), last = before;  // the edge seen last, by its layers
  for (std::size_t i = 0; i < spatial.computes.size(); ++i) {
    const std::size_t l = layer_of(i);
    if (readers_of_layer.size() <= l) readers_of_layer.resize(l + 1);
    for (const WorkEdge& e : inputs[i]) {
      const std::size_t from = layer_of(static_cast<std::size_t>(e.other));
      if (from == before && l == last) continue;
      before = from, last = l;
      if (from / layers != l / layers) continue;  // it waits for another round
      std::vector<std::int32_t>& readers = readers_of_layer[from];
      if (from != l && std::find(readers.begin(), readers.end(), static_cast<std::int32_t>(l)) == readers.end())
        readers.push_back(static_cast<std::int32_t>(l));
    }
  }
}

void Work::find_origins(std::size_t i, const std::vector<Placed>& placed, std::vector<Origin>& found) const {
  found.clear();
  for (const WorkEdge& e : inputs[i]) {
    const Placed& p = placed[static_cast<std::size_t>(e.other)];
    found.push_back({p.core, e.bytes, p.end, 1});
  }
  const auto key = [](const Origin& o) { return std::pair{o.core, o.bytes}; };
  std::sort(found.begin(), found.end(), [&](const Origin& a, const Origin& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const Origin& o : found) {
    if (kept == 0 || key(found[kept - 1]) != key(o)) {
      found[kept++] = o;
      continue;
    }
    found[kept - 1].made = std::max(found[kept - 1].made, o.made);
    ++found[kept - 1].count;
  }
  found.resize(kept);
}

void Work::find_candidates(const std::vector<Origin>& origins, int cores, Roaming roaming,
                           std::vector<Candidate>& found) {
  found.clear();
  for (const Origin& o : origins)
    if (found.empty() || found.back().core != o.core) found.push_back({o.core, 1});
  if (!found.empty() && roaming == 0) return;
  const std::size_t makers = found.size();  // by core
  for (CoreId k = 0; k < static_cast<CoreId>(cores); ++k) {
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(makers);
    const auto at =
        std::lower_bound(found.begin(), end, k, [](const Candidate& c, CoreId core) { return c.core < core; });
    if (at == end || at->core != k) found.push_back({k, roaming});
  }
}

std::optional<CoreId> WideSums::home(const Compute& c) const {
  if (!is_wide(c)) return std::nullopt;
  const auto at = homes_.find({index_of(c.batch), c.write.box.p0, c.write.box.c0});
  return at == homes_.end() ? std::nullopt : std::optional(at->second);
}

PBox WideSums::all_on(const Compute& c, CoreId core) const {
  const auto at = boxes_.find({index_of(c.batch), c.write.box.p0, core});
  return at == boxes_.end() ? PBox{} : at->second;
}

bool WideSums::may_take(const Compute& c, CoreId core) const {
  if (!is_wide(c)) return true;
  const PBox has = all_on(c, core);
  if (has.empty()) return true;
  const SpatialValue& partial = spatial_.values[index_of(c.reads.front().value)];
  PBox row = bounding(has, c.write.box);
  row.r0 = 0, row.r1 = 1;
  const Bytes bytes = static_cast<Bytes>(c.reads.size()) * row.elements() * size_of(partial.type);
  return bytes <= chip_.core.local_memory.capacity / 4;
}

void WideSums::take(const Compute& c, CoreId core) {
  if (!is_wide(c)) return;
  homes_[{index_of(c.batch), c.write.box.p0, c.write.box.c0}] = core;
  const PBox has = all_on(c, core);
  boxes_[{index_of(c.batch), c.write.box.p0, core}] = has.empty() ? c.write.box : bounding(has, c.write.box);
}

std::int64_t RunAhead::Layer::place() const {
  return row == unfinished.size() ? std::numeric_limits<std::int64_t>::max() / 2
                                  : static_cast<std::int64_t>(row) * step;
}
bool RunAhead::Layer::advance() {
  const std::size_t before = row;
  while (row < unfinished.size() && unfinished[row] == 0) ++row;
  return row != before;
}

RunAhead::RunAhead(const Work& work, int rows) : rows_ahead_(rows), work_(work) {
  const Spatial& s = work.spatial;
  layers_.resize(work.readers_of_layer.size());
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const std::size_t l = work.layer_of(i);
    const std::int32_t extent = std::max(1, s.values[index_of(s.computes[i].write.value)].layout.rows);
    Layer& layer = layers_[l];
    layer.step = (std::int64_t{1} << 20) / extent;
    if (layer.unfinished.size() < static_cast<std::size_t>(extent))
      layer.unfinished.resize(static_cast<std::size_t>(extent), 0);
    ++layer.unfinished[static_cast<std::size_t>(s.computes[i].write.box.r0)];
    layer_.push_back(l);
  }
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const Compute& c = s.computes[i];
    at_.push_back(c.cls == no_class ? std::numeric_limits<std::int64_t>::min()
                                    : std::int64_t{c.write.box.r0} * layers_[layer_[i]].step);
  }
  for (Layer& layer : layers_) layer.advance();
  for (std::size_t l = 0; l < layers_.size(); ++l)
    for (const std::int32_t r : work.readers_of_layer[l])
      layers_[static_cast<std::size_t>(r)].sources.push_back(static_cast<std::int32_t>(l));
  limit_.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) find_limit(l);
  advance_front();
}

void RunAhead::advance_front() {
  while (front_ < layers_.size() && layers_[front_].row == layers_[front_].unfinished.size()) ++front_;
}

void RunAhead::find_limit(std::size_t l) {
  const Layer& own = layers_[l];
  const std::int64_t least = rows_ahead_ >= ample_rows ? (rows_ahead_ - ample_rows + 1) << 17 : 0;
  std::int64_t limit = own.place() + std::max(least, rows_ahead_ * own.step);
  for (const std::int32_t r : work_.readers_of_layer[l]) {
    const Layer& reader = layers_[static_cast<std::size_t>(r)];
    limit = std::min(limit, reader.place() + std::max(least, rows_ahead_ * std::max(own.step, reader.step)));
  }
  limit_[l] = limit;
}

bool RunAhead::finished(std::size_t i) {
  Layer& layer = layers_[layer_[i]];
  --layer.unfinished[static_cast<std::size_t>(work_.spatial.computes[i].write.box.r0)];
  const bool moved = layer.advance();
  if (!moved) return false;
  advance_front();
  find_limit(layer_[i]);
  for (const std::int32_t source : layer.sources) find_limit(static_cast<std::size_t>(source));
  return true;
}

}  // namespace pimento::pim
