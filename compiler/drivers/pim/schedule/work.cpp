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
  std::vector<WorkEdge> from;
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
    std::sort(from.begin(), from.end(), [](const WorkEdge& a, const WorkEdge& b) { return a.other < b.other; });
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
  round_of = rounds_of(s) == 1 ? std::vector<std::int32_t>(n, 0) : rounds_of_computes(s);
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
}

std::int64_t Work::place_in_image(std::size_t i) const {
  const Compute& c = spatial.computes[i];
  if (c.cls == no_class) return -1;
  return (std::int64_t{round_of[i]} << 21) +
         (std::int64_t{c.write.box.r0} << 20) / std::max(1, spatial.values[index_of(c.write.value)].layout.rows);
}

std::vector<Work::Origin> Work::origins(std::size_t i, const std::vector<Placed>& placed) const {
  std::vector<Origin> all;
  all.reserve(inputs[i].size());
  for (const WorkEdge& e : inputs[i]) {
    const Placed& p = placed[static_cast<std::size_t>(e.other)];
    all.push_back({p.core, e.bytes, p.end, 1});
  }
  const auto place = [](const Origin& o) { return std::pair{o.core, o.bytes}; };
  std::sort(all.begin(), all.end(), [&](const Origin& a, const Origin& b) { return place(a) < place(b); });
  std::vector<Origin> found;
  for (const Origin& o : all) {
    if (found.empty() || place(found.back()) != place(o)) {
      found.push_back(o);
      continue;
    }
    found.back().made = std::max(found.back().made, o.made);
    ++found.back().count;
  }
  return found;
}

std::vector<CoreId> Work::candidates(const std::vector<Origin>& origins, int cores) {
  std::vector<CoreId> found;
  for (const Origin& o : origins)
    if (found.empty() || found.back() != o.core) found.push_back(o.core);
  if (found.empty())
    for (CoreId k = 0; k < static_cast<CoreId>(cores); ++k) found.push_back(k);
  return found;
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
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const std::size_t l = work.layer_of(i);
    if (layers_.size() <= l) layers_.resize(l + 1);
    const std::int32_t extent = std::max(1, s.values[index_of(s.computes[i].write.value)].layout.rows);
    Layer& layer = layers_[l];
    layer.step = (std::int64_t{1} << 20) / extent;
    if (layer.unfinished.size() < static_cast<std::size_t>(extent))
      layer.unfinished.resize(static_cast<std::size_t>(extent), 0);
    ++layer.unfinished[static_cast<std::size_t>(s.computes[i].write.box.r0)];
    for (const WorkEdge& e : work.inputs[i]) {
      const std::size_t from = work.layer_of(static_cast<std::size_t>(e.other));
      std::vector<std::int32_t>& readers = layers_[from].readers;
      if (from / work.layers != l / work.layers) continue;  // it waits for another round
      if (from != l && std::find(readers.begin(), readers.end(), static_cast<std::int32_t>(l)) == readers.end())
        readers.push_back(static_cast<std::int32_t>(l));
    }
  }
  for (Layer& layer : layers_) layer.advance();
  advance_front();
}

void RunAhead::advance_front() {
  while (front_ < layers_.size() && layers_[front_].row == layers_[front_].unfinished.size()) ++front_;
}

bool RunAhead::may_start(std::size_t i) const {
  const Compute& c = work_.spatial.computes[i];
  if (c.cls == no_class) return true;
  if (rows_ahead_ == 0) return work_.layer_of(i) <= front_;
  const Layer& own = layers_[work_.layer_of(i)];
  const std::int64_t at = std::int64_t{c.write.box.r0} * own.step;
  const std::int64_t least = rows_ahead_ >= ample_rows ? (rows_ahead_ - ample_rows + 1) << 17 : 0;
  if (at > own.place() + std::max(least, rows_ahead_ * own.step)) return false;
  return std::all_of(own.readers.begin(), own.readers.end(), [&](std::int32_t r) {
    const Layer& reader = layers_[static_cast<std::size_t>(r)];
    return at <= reader.place() + std::max(least, rows_ahead_ * std::max(own.step, reader.step));
  });
}

bool RunAhead::finished(std::size_t i) {
  Layer& layer = layers_[work_.layer_of(i)];
  --layer.unfinished[static_cast<std::size_t>(work_.spatial.computes[i].write.box.r0)];
  const bool moved = layer.advance();
  if (moved) advance_front();
  return moved;
}

}  // namespace pimento::pim
