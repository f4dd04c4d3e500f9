#include "compiler/drivers/pim/placement/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "compiler/drivers/pim/spatial/producers.hpp"
#include "isa/chip/node.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {

using isa::Node;

/// The parts and copies of one layer, as classes: by copy, then part.
struct LayerClasses {
  std::vector<std::vector<std::size_t>> copies;
  Spread spread;
};

/// In how many slices of its channels each layer adds up the partial sums of a column block.
std::map<std::int32_t, std::int32_t> slices_by_layer(const Spatial& s) {
  std::map<std::int32_t, std::int32_t> slices;
  for (const Batch& batch : s.batches) {
    if (batch.body.kind != BodyKind::combine) continue;
    std::set<std::int32_t> begins;
    for (const ComputeId id : batch.lanes) begins.insert(s.computes[index_of(id)].write.box.c0);
    std::int32_t& most = slices[batch.body.node];
    most = std::max(most, static_cast<std::int32_t>(begins.size()));
  }
  return slices;
}

std::map<std::int32_t, LayerClasses> by_layer(const Spatial& s) {
  std::map<std::int32_t, std::map<std::pair<std::int32_t, std::int32_t>, std::size_t>> classes;  // node: (copy, tile)
  for (std::size_t c = 0; c < s.classes.size(); ++c)
    classes[s.tiles[static_cast<std::size_t>(s.classes[c].tile)].node][{s.classes[c].copy, s.classes[c].tile}] = c;
  std::map<std::int32_t, std::int32_t> slices = slices_by_layer(s);
  std::map<std::int32_t, LayerClasses> layers;
  for (const auto& [node, all] : classes) {
    LayerClasses& layer = layers[node];
    layer.spread.strips_per_core = 1;
    std::map<std::int32_t, PBox> block;  // of each copy
    for (const auto& [key, c] : all) {
      const auto copy = static_cast<std::size_t>(key.first);
      if (layer.copies.size() <= copy) layer.copies.resize(copy + 1);
      layer.copies[copy].push_back(c);
      layer.spread.strips_per_core = std::max(layer.spread.strips_per_core, s.classes[c].tile_count);
      std::set<std::int32_t> begins;  // of its pieces
      for (const ComputeId id : s.classes[c].computes) {
        const Compute& compute = s.computes[index_of(id)];
        const Body& body = s.batches[index_of(compute.batch)].body;
        PBox box = compute.write.box;  // where merge made it write into a larger value, from there
        box.r0 -= body.row0;
        box.p0 -= body.position0;
        PBox& whole = block.try_emplace(key.first, box).first->second;
        whole.r0 = std::min(whole.r0, box.r0);
        whole.p0 = std::min(whole.p0, box.p0);
        begins.insert(compute.write.box.p0);
      }
      layer.spread.pieces = std::max(layer.spread.pieces, static_cast<std::int32_t>(begins.size()));
    }
    std::set<std::int32_t> rows, positions;
    for (const auto& [copy, box] : block) {
      rows.insert(box.r0);
      positions.insert(box.p0);
    }
    layer.spread.slices = slices[node];
    const std::int32_t tile = s.classes[all.begin()->second].tile;
    layer.spread.grid = {static_cast<std::int32_t>(rows.size()), static_cast<std::int32_t>(positions.size()),
                         s.tiles[static_cast<std::size_t>(tile)].windows};
  }
  return layers;
}

/// The entries of a mapping, each of these keys once.
const Node& entry(const Node& map, const std::string& key) {
  const Node* value = map.find(key);
  if (value == nullptr) throw UserError(map.place, fmt::format("expected the key '{}'", key));
  return *value;
}
void expect_keys(const Node& map, const std::vector<std::string>& keys, const std::string& what,
                 const std::vector<std::string>& optional = {}) {
  if (map.kind != Node::Kind::mapping)
    throw UserError(map.place, fmt::format("expected {}, got {}", what, isa::shown(map)));
  std::vector<std::string> known = keys;
  known.insert(known.end(), optional.begin(), optional.end());
  for (const isa::Entry& e : map.entries)
    if (std::find(known.begin(), known.end(), e.key.text) == known.end())
      throw UserError(e.key.place, fmt::format("unknown key '{}'{}", e.key.text, suggestion(e.key.text, known)));
  for (const std::string& key : keys) entry(map, key);
}
std::int64_t number(const Node& node, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto read = std::from_chars(node.text.data(), end, value);
  const bool is_number = node.kind == Node::Kind::scalar && read.ec == std::errc{} && read.ptr == end;
  if (!is_number || value < low || value > high)
    throw UserError(node.place,
                    fmt::format("expected a whole number in {} .. {}, got {}", low, high, isa::shown(node)));
  return value;
}
const Node& sequence(const Node& node, const std::string& what) {
  if (node.kind != Node::Kind::sequence)
    throw UserError(node.place, fmt::format("expected {}, got {}", what, isa::shown(node)));
  return node;
}
void expect_text(const Node& node, const std::string& expected) {
  if (node.kind != Node::Kind::scalar || node.text != expected)
    throw UserError(node.place, fmt::format("expected '{}', got {}", expected, isa::shown(node)));
}

constexpr std::int64_t most = 1 << 20, most_rounds = 1000;

/// A number, or a list of numbers.
std::vector<std::int32_t> rounds_in(const Node& node) {
  std::vector<std::int32_t> rounds;
  if (node.kind != Node::Kind::sequence) return {static_cast<std::int32_t>(number(node, 0, most_rounds - 1))};
  for (const Node& item : node.items) rounds.push_back(static_cast<std::int32_t>(number(item, 0, most_rounds - 1)));
  if (rounds.empty()) throw UserError(node.place, "expected a round for each weight tile, got an empty list");
  return rounds;
}

/// "    rounds: 1" or "    rounds: [0, 0, 1]".
std::string rounds_text(const Spatial& s, const std::vector<std::size_t>& classes) {
  std::vector<std::int32_t> of_tile;
  for (const std::size_t c : classes)
    of_tile.insert(of_tile.end(), static_cast<std::size_t>(s.classes[c].tile_count), s.classes[c].round);
  const bool is_one = std::count(of_tile.begin(), of_tile.end(), of_tile.front()) == std::ssize(of_tile);
  return is_one ? fmt::format("    rounds: {}\n", of_tile.front())
                : fmt::format("    rounds: [{}]\n", fmt::join(of_tile, ", "));
}

}  // namespace

std::vector<std::string> layer_names(const ir::Graph& graph) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const ir::Node& node : graph.nodes) {
    const std::string name = node.source.empty() ? node.op : node.source;
    const int times = ++seen[name];
    names.push_back(times == 1 ? name : fmt::format("{}#{}", name, times));
  }
  return names;
}

Placement Placement::parse(const std::string& text, const std::string& file, const std::string& model,
                           const std::string& chip) {
  const Node root = isa::parse_yaml(text, file, "a placement");
  expect_keys(root, {"pimento", "model", "chip", "rows_ahead", "layers"}, "a placement", {"roaming"});
  expect_text(entry(root, "pimento"), "placement 2");
  expect_text(entry(root, "model"), model);
  expect_text(entry(root, "chip"), chip);
  Placement placement;
  placement.file_ = file;
  placement.rows_ahead_ = static_cast<int>(number(entry(root, "rows_ahead"), 0, most));
  if (root.find("roaming")) placement.roaming_ = static_cast<Roaming>(number(entry(root, "roaming"), 0, most));
  for (const Node& node : sequence(entry(root, "layers"), "a list of layers").items) {
    expect_keys(node, {"layer", "rows", "positions", "windows", "strips_per_core", "cores"}, "a layer",
                {"slices", "pieces", "rounds"});
    Layer layer;
    layer.name = entry(node, "layer").text;
    layer.place = entry(node, "layer").place;
    layer.rows_place = entry(node, "rows").place;
    layer.positions_place = entry(node, "positions").place;
    layer.windows_place = entry(node, "windows").place;
    layer.strips_place = entry(node, "strips_per_core").place;
    layer.cores_place = entry(node, "cores").place;
    layer.spread.grid.rows = static_cast<std::int32_t>(number(entry(node, "rows"), 1, most));
    layer.spread.grid.positions = static_cast<std::int32_t>(number(entry(node, "positions"), 1, most));
    layer.spread.grid.windows = static_cast<std::int32_t>(number(entry(node, "windows"), 1, most));
    layer.spread.strips_per_core = static_cast<std::int32_t>(number(entry(node, "strips_per_core"), 1, most));
    if (const Node* const given = node.find("slices")) {
      layer.spread.slices = static_cast<std::int32_t>(number(*given, 1, most));
      layer.slices_place = given->place;
    }
    if (const Node* const given = node.find("pieces")) {
      layer.spread.pieces = static_cast<std::int32_t>(number(*given, 1, most));
      layer.pieces_place = given->place;
    }
    layer.rounds = {0};
    if (const Node* const given = node.find("rounds")) {
      layer.rounds = rounds_in(*given);
      layer.rounds_place = given->place;
    }
    placement.rounds_ = std::max(placement.rounds_, 1 + *std::max_element(layer.rounds.begin(), layer.rounds.end()));
    for (const Node& copy : sequence(entry(node, "cores"), "a list of copies").items) {
      Copy& added = layer.copies.emplace_back();
      added.place = copy.place;
      for (const Node& part : sequence(copy, "a list of cores").items)
        added.parts.push_back({number(part, 0, most), part.place});
    }
    for (const Layer& other : placement.layers_)
      if (other.name == layer.name) throw UserError(layer.place, fmt::format("layer '{}' a second time", layer.name));
    placement.layers_.push_back(std::move(layer));
  }
  return placement;
}

void Placement::expect_layers_of(const ir::Graph& graph) const {
  const std::vector<std::string> known = layer_names(graph);
  for (const Layer& l : layers_)
    if (std::find(known.begin(), known.end(), l.name) == known.end())
      throw UserError(l.place, fmt::format("the model has no layer '{}'{}", l.name, suggestion(l.name, known)));
}

const Placement::Layer& Placement::layer(const std::string& name) const {
  const auto at = std::find_if(layers_.begin(), layers_.end(), [&](const Layer& l) { return l.name == name; });
  if (at == layers_.end()) {
    // a misspelt name in the file is what is nearest
    std::vector<std::string> names;
    for (const Layer& l : layers_) names.push_back(l.name);
    throw UserError({.file = file_}, fmt::format("layer '{}' is missing{}", name, suggestion(name, names)));
  }
  return *at;
}

namespace {
void at_most(const Place& place, const std::string& layer, const char* what, std::int64_t limit, std::int32_t got) {
  if (got > limit)
    throw UserError(place, fmt::format("layer '{}': expected at most {} ({}), got {}", layer, limit, what, got));
}
}  // namespace

AskedWindows Placement::windows(const std::string& name, std::int32_t positions) const {
  const Layer& l = layer(name);
  at_most(l.windows_place, name, "positions of its output", positions, l.spread.grid.windows);
  return {l.spread.grid.windows, l.windows_place};
}

Spread Placement::spread(const std::string& name, std::int32_t rows, std::int32_t positions,
                         std::int32_t strips) const {
  const Layer& l = layer(name);
  const Grid& grid = l.spread.grid;
  at_most(l.rows_place, name, "rows of its output", rows, grid.rows);
  at_most(l.positions_place, name, grid.windows == 1 ? "positions of its output" : "MVMs of a row of its output",
          ceil_div(positions, grid.windows), grid.positions);
  at_most(l.strips_place, name, "strips of its matrix", strips, l.spread.strips_per_core);
  at_most(l.slices_place, name, "strips of its matrix", strips, l.spread.slices);
  at_most(l.pieces_place, name, "MVMs of a copy's row", ceil_div(ceil_div(positions, grid.windows), grid.positions),
          l.spread.pieces);
  return l.spread;
}

std::vector<std::int32_t> Placement::rounds_of(const std::string& name, std::int32_t strips, std::int32_t tiles) const {
  const Layer& l = layer(name);
  if (l.rounds.size() == 1) return std::vector<std::int32_t>(static_cast<std::size_t>(tiles), l.rounds.front());
  if (std::ssize(l.rounds) != tiles)
    throw UserError(l.rounds_place,
                    fmt::format("layer '{}': expected a round, or one for each of {} ({} of {}), got {}", name,
                                counted(tiles, "weight tile"), counted(tiles / strips, "column block"),
                                counted(strips, "strip"), l.rounds.size()));
  const auto joins = [&](std::int32_t tile) {
    return l.rounds[static_cast<std::size_t>(tile)] == l.rounds[static_cast<std::size_t>(tile) - 1];
  };
  for (std::int32_t tile = strips; tile < tiles; ++tile)  // parts are the same strips in every column block
    if (tile % strips != 0 && joins(tile % strips) && !joins(tile))
      throw UserError(l.rounds_place,
                      fmt::format("layer '{}': strips {} and {} have one round in column block 0 and two in block {}",
                                  name, tile % strips - 1, tile % strips, tile / strips));
  return l.rounds;
}

void Placement::expect_rounds(const Spatial& spatial, const ir::Graph& graph, const isa::Chip& chip) const {
  const std::vector<std::string> names = layer_names(graph);
  std::vector<std::int64_t> crossbars(static_cast<std::size_t>(rounds_), 0);
  for (const TileClass& c : spatial.classes) crossbars[static_cast<std::size_t>(c.round)] += c.crossbars;
  const std::int64_t present = std::int64_t{chip.cores} * chip.core.crossbars;
  for (std::size_t r = 0; r < crossbars.size(); ++r) {
    if (crossbars[r] == 0 && rounds_ > 1)
      throw UserError({.file = file_}, fmt::format("no layer is in round {} of {}", r, rounds_));
    if (crossbars[r] > present)
      throw UserError({.file = file_},
                      fmt::format("its copies{} need {} crossbars; chip '{}' has {}",
                                  rounds_ > 1 ? fmt::format(" of round {}", r) : "", crossbars[r], chip.name, present));
  }
  if (rounds_ == 1) return;
  const Producers producers(spatial);
  const std::vector<std::int32_t> rounds = rounds_of_computes(spatial, producers);
  for (std::size_t i = 0; i < spatial.computes.size(); ++i) {
    const Compute& c = spatial.computes[i];
    if (c.cls == no_class) continue;
    const std::string& name = names[static_cast<std::size_t>(spatial.batches[index_of(c.batch)].body.node)];
    for (const Access& read : c.reads)
      producers.of(read.value, read.box, [&](ComputeId p, const PBox&) {
        if (rounds[index_of(p)] > rounds[i])
          throw UserError(layer(name).rounds_place,
                          fmt::format("layer '{}' in round {} needs '{}', which is made in round {}", name, rounds[i],
                                      spatial.values[index_of(read.value)].name, rounds[index_of(p)]));
      });
  }
}

std::vector<CoreId> Placement::cores(const Spatial& spatial, const ir::Graph& graph, const isa::Chip& chip) const {
  const std::vector<std::string> names = layer_names(graph);
  const std::map<std::int32_t, LayerClasses> layers = by_layer(spatial);
  std::vector<std::string> known;
  for (const auto& [node, classes] : layers) known.push_back(names[static_cast<std::size_t>(node)]);
  for (const Layer& l : layers_)
    if (std::find(known.begin(), known.end(), l.name) == known.end())
      throw UserError(l.place,
                      fmt::format("the model has no layer '{}' on crossbars{}", l.name, suggestion(l.name, known)));
  std::vector<CoreId> result(spatial.classes.size(), 0);
  std::vector<std::vector<std::int64_t>> taken(  // by round and core
      static_cast<std::size_t>(pim::rounds_of(spatial)),
      std::vector<std::int64_t>(static_cast<std::size_t>(chip.cores), 0));
  for (const auto& [node, classes] : layers) {
    const Layer& l = layer(names[static_cast<std::size_t>(node)]);
    if (l.copies.size() != classes.copies.size())
      throw UserError(l.cores_place,
                      fmt::format("layer '{}': expected {} copies ({} x {} in rows x positions), got {}", l.name,
                                  classes.copies.size(), l.spread.grid.rows, l.spread.grid.positions, l.copies.size()));
    for (std::size_t copy = 0; copy < l.copies.size(); ++copy) {
      const Copy& given = l.copies[copy];
      const std::vector<std::size_t>& parts = classes.copies[copy];
      if (given.parts.size() != parts.size())
        throw UserError(given.place, fmt::format("layer '{}', copy {}: expected a core for each of {} parts, got {}",
                                                 l.name, copy, parts.size(), given.parts.size()));
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const Core& core = given.parts[part];
        if (core.core >= chip.cores)
          throw UserError(core.place,
                          fmt::format("layer '{}': expected a core below {}, got {}", l.name, chip.cores, core.core));
        const TileClass& cls = spatial.classes[parts[part]];
        const std::int32_t needs = cls.crossbars;
        std::int64_t& used = taken[static_cast<std::size_t>(cls.round)][static_cast<std::size_t>(core.core)];
        if (used + needs > chip.core.crossbars)
          throw UserError(
              core.place,
              fmt::format("layer '{}', copy {}, part {} needs {} crossbars; core {} has {} of {} left", l.name, copy,
                          part, needs, core.core, chip.core.crossbars - used, chip.core.crossbars));
        used += needs;
        result[parts[part]] = static_cast<CoreId>(core.core);
      }
    }
  }
  return result;
}

std::string print_placement(const Spatial& spatial, const ir::Graph& graph, const std::vector<CoreId>& class_core,
                            int rows_ahead, Roaming roaming, const std::string& model, const std::string& chip) {
  const std::vector<std::string> names = layer_names(graph);
  std::string text =
      fmt::format("pimento: placement 2\nmodel: {}\nchip: {}\nrows_ahead: {}\n{}layers:", isa::quoted(model),
                  isa::quoted(chip), rows_ahead, roaming == 0 ? "" : fmt::format("roaming: {}\n", roaming));
  const std::map<std::int32_t, LayerClasses> layers = by_layer(spatial);
  if (layers.empty()) text += " []";
  text += "\n";
  for (const auto& [node, classes] : layers) {
    const Grid& grid = classes.spread.grid;
    text += fmt::format(
        "  - layer: {}\n    rows: {}\n    positions: {}\n    windows: {}\n    strips_per_core: {}\n{}{}    cores: [",
        isa::quoted(names[static_cast<std::size_t>(node)]), grid.rows, grid.positions, grid.windows,
        classes.spread.strips_per_core,
        classes.spread.slices > 1 ? fmt::format("    slices: {}\n", classes.spread.slices) : "",
        classes.spread.pieces > 1 ? fmt::format("    pieces: {}\n", classes.spread.pieces) : "");
    for (std::size_t copy = 0; copy < classes.copies.size(); ++copy) {
      text += copy == 0 ? "[" : ", [";
      for (std::size_t part = 0; part < classes.copies[copy].size(); ++part)
        text += fmt::format("{}{}", part == 0 ? "" : ", ", class_core[classes.copies[copy][part]]);
      text += "]";
    }
    text += "]\n";
    if (pim::rounds_of(spatial) > 1) text += rounds_text(spatial, classes.copies.front());
  }
  return text;
}

}  // namespace pimento::pim
