#include "compiler/drivers/pim/spatial/merge.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/drivers/pim/lower/select.hpp"
#include "compiler/drivers/pim/spatial/needs.hpp"

namespace pimento::pim {
namespace {

/// Moves by whole rows, positions and channels: destination = source + offset.
struct Move {
  SpatialValueId from{}, to{};
  std::int32_t row = 0, position = 0, channel = 0;
  bool operator==(const Move&) const = default;
};

bool is_movement(const ir::Node& node, const ir::KernelSequence& sequence) {
  if (node.op == "group") return false;
  return !sequence.calls.empty() &&
         std::all_of(sequence.calls.begin(), sequence.calls.end(), [](const ir::KernelCall& c) {
           const auto* k = std::get_if<ir::Kernel>(&c.kernel);
           return k != nullptr && ir::is_data_movement(*k);
         });
}

/// The move that a compute makes, when it is one: probed at the box's first element and one step along each coordinate
/// (index maps of movements are affine within one source).
std::optional<Move> move_of(const Spatial& s, const ir::Graph& graph, const Compute& c, const ir::Node& node,
                            const InputNeeds& needs) {
  const Access* source = nullptr;
  for (const Access& read : c.reads) {
    if (read.box.empty()) continue;
    if (source != nullptr) return std::nullopt;
    source = &read;
  }
  if (source == nullptr) return std::nullopt;
  const PBox& from = source->box;
  const PBox& to = c.write.box;
  if (from.rows() != to.rows() || from.positions() != to.positions() || from.channels() != to.channels())
    return std::nullopt;
  const SpatialValue& in = s.values[index_of(source->value)];
  const SpatialValue& out = s.values[index_of(c.write.value)];
  if (in.type != out.type || in.scale != out.scale || in.role != ValueRole::intermediate) return std::nullopt;
  // the maker of `in` would write in the order of `out`, which may be right for the elements and wrong for its indices
  if (in.layout.order != out.layout.order) return std::nullopt;
  const Move move{source->value, c.write.value, to.r0 - from.r0, to.p0 - from.p0, to.c0 - from.c0};
  const auto probe = [&](std::int32_t r, std::int32_t p, std::int32_t ch) {
    const PBox unit{to.r0 + r, to.r0 + r + 1, to.p0 + p, to.p0 + p + 1, to.c0 + ch, to.c0 + ch + 1};
    const std::vector<ir::Box> boxes = needs.of(to_logical(out.layout, graph.type(out.graph_value).shape, unit));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (node.inputs[i] == ir::no_value || node.inputs[i] != in.graph_value || boxes[i].empty() ||
          ir::is_empty(boxes[i]))
        continue;
      const PBox at = physical(in.layout, graph.type(in.graph_value).shape, boxes[i]);
      return at == PBox{from.r0 + r, from.r0 + r + 1, from.p0 + p, from.p0 + p + 1, from.c0 + ch, from.c0 + ch + 1};
    }
    return false;
  };
  if (!probe(0, 0, 0) || (to.rows() > 1 && !probe(1, 0, 0)) || (to.positions() > 1 && !probe(0, 1, 0)) ||
      (to.channels() > 1 && !probe(0, 0, 1)))
    return std::nullopt;
  return move;
}

}  // namespace

Spatial merge(Spatial before, const ir::Graph& graph, ConstantPool& pool, MergeStatistics& statistics) {
  const std::size_t n = before.computes.size();
  std::vector<std::optional<Move>> moves(n);
  std::map<std::pair<std::int32_t, std::int32_t>, std::optional<InputNeeds>> movement;  // by node and output, of moves
  for (std::size_t i = 0; i < n; ++i) {
    const Body& body = before.batches[index_of(before.computes[i].batch)].body;
    if (body.kind != BodyKind::vector) continue;
    const ir::Node& node = graph.nodes[static_cast<std::size_t>(body.node)];
    const auto [at, is_new] = movement.try_emplace({body.node, body.output});
    if (is_new && node.op != "loop")
      if (const ir::KernelSequence& sequence = pool.kernels(graph, body.node); is_movement(node, sequence))
        at->second.emplace(graph, node, sequence, 0, body.output);
    if (at->second) moves[i] = move_of(before, graph, before.computes[i], node, *at->second);
  }
  // a value may go when all its readers are moves with one offset, and cover it once
  std::vector<std::optional<Move>> value_move(before.values.size());
  std::vector<bool> stays(before.values.size(), false);
  std::vector<std::int64_t> moved(before.values.size(), 0);
  for (std::size_t i = 0; i < n; ++i)
    for (const Access& read : before.computes[i].reads) {
      if (read.box.empty()) continue;
      const std::size_t v = index_of(read.value);
      if (!moves[i] || (value_move[v] && !(*value_move[v] == *moves[i])))
        stays[v] = true;
      else
        value_move[v] = moves[i];
      moved[v] += read.box.elements();
    }
  std::vector<bool> gone(before.values.size(), false);
  for (std::size_t v = 0; v < before.values.size(); ++v)
    gone[v] = value_move[v] && !stays[v] && before.values[v].role == ValueRole::intermediate &&
              moved[v] == before.values[v].whole().elements();

  const auto final_place = [&](Access a) {
    while (gone[index_of(a.value)]) {
      const Move& m = *value_move[index_of(a.value)];
      a = {m.to,
           {a.box.r0 + m.row, a.box.r1 + m.row, a.box.p0 + m.position, a.box.p1 + m.position, a.box.c0 + m.channel,
            a.box.c1 + m.channel}};
    }
    return a;
  };
  Spatial after;
  after.tiles = std::move(before.tiles);
  after.alike = std::move(before.alike);
  std::vector<SpatialValueId> new_value(before.values.size());
  for (std::size_t v = 0; v < before.values.size(); ++v) {
    if (gone[v]) {
      ++statistics.values_removed;
      continue;
    }
    new_value[v] = SpatialValueId{static_cast<std::int32_t>(after.values.size())};
    after.values.push_back(std::move(before.values[v]));
  }
  after.classes = std::move(before.classes);
  for (TileClass& c : after.classes) c.computes.clear();
  std::vector<std::int32_t> new_batch(before.batches.size(), -1);
  for (std::size_t i = 0; i < n; ++i) {
    Compute& c = before.computes[i];
    if (moves[i] && gone[index_of(moves[i]->from)]) {
      ++statistics.moves_merged;
      continue;
    }
    if (moves[i]) ++statistics.moves_kept;
    const PBox old = c.write.box;
    c.write = final_place(c.write);
    Body body = before.batches[index_of(c.batch)].body;
    body.row0 += c.write.box.r0 - old.r0;
    body.position0 += c.write.box.p0 - old.p0;
    body.channel0 += c.write.box.c0 - old.c0;
    c.write.value = new_value[index_of(c.write.value)];
    for (Access& read : c.reads) read.value = new_value[index_of(read.value)];
    std::int32_t& batch = new_batch[index_of(c.batch)];
    if (batch < 0) {
      batch = static_cast<std::int32_t>(after.batches.size());
      after.batches.push_back({body, {}});
    }
    c.batch = BatchId{batch};
    const ComputeId id{static_cast<std::int32_t>(after.computes.size())};
    after.batches[static_cast<std::size_t>(batch)].lanes.push_back(id);
    if (c.cls != no_class) after.classes[index_of(c.cls)].computes.push_back(id);
    after.computes.push_back(std::move(c));
  }
  return after;
}

Cycles critical_path(const Spatial& s, const Producers& producers) {
  std::vector<Cycles> end(s.computes.size(), 0);
  Cycles longest = 0;
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    for (const Producers::Feed& feed : producers.feeds(i)) end[i] = std::max(end[i], end[index_of(feed.from)]);
    end[i] += s.computes[i].cycles;
    longest = std::max(longest, end[i]);
  }
  return longest;
}

}  // namespace pimento::pim
