#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/spatial/producers.hpp"

namespace pimento::pim {
namespace {

std::string_view name_of(BodyKind kind) {
  switch (kind) {
    case BodyKind::mvm:
      return "mvm";
    case BodyKind::combine:
      return "combine";
    case BodyKind::vector:
      return "vector";
  }
  return "";
}
std::string_view name_of(ValueRole role) {
  switch (role) {
    case ValueRole::input:
      return "input";
    case ValueRole::intermediate:
      return "intermediate";
    case ValueRole::output:
      return "output";
    case ValueRole::partial:
      return "partial";
  }
  return "";
}
std::string text_of(const Access& a, const Spatial& s) {
  return fmt::format("{}{}", s.values[index_of(a.value)].name, to_string(a.box));
}

std::vector<std::vector<ComputeId>> writers_of_values(const Spatial& s) {
  std::vector<std::vector<ComputeId>> writers(s.values.size());
  for (std::size_t i = 0; i < s.computes.size(); ++i)
    writers[index_of(s.computes[i].write.value)].push_back(ComputeId{static_cast<std::int32_t>(i)});
  return writers;
}

/// Every element of a value is written once: boxes are disjoint row by row and their elements add up to the whole.
std::string check_written(const Spatial& s, const Producers& producers) {
  const std::vector<std::vector<ComputeId>> writers = writers_of_values(s);
  for (std::size_t v = 0; v < s.values.size(); ++v) {
    const SpatialValue& value = s.values[v];
    const SpatialValueId id{static_cast<std::int32_t>(v)};
    if (value.role == ValueRole::input) {
      if (!writers[v].empty()) return fmt::format("value '{}' is an input and is written", value.name);
      continue;
    }
    std::int64_t written = 0;
    for (const ComputeId c : writers[v]) {
      const PBox& box = s.computes[index_of(c)].write.box;
      if (box.empty() || !(intersect(box, value.whole()) == box))
        return fmt::format("compute {} writes {} outside value '{}' {}", index_of(c), to_string(box), value.name,
                           to_string(value.whole()));
      written += box.elements();
      std::string clash;
      producers.of(id, box, [&](ComputeId other, const PBox& part) {
        if (other != c && clash.empty())
          clash = fmt::format("computes {} and {} both write '{}' {}", index_of(c), index_of(other), value.name,
                              to_string(part));
      });
      if (!clash.empty()) return clash;
    }
    if (written != value.whole().elements())
      return fmt::format("value '{}': {} of {} elements are written", value.name, written, value.whole().elements());
  }
  return "";
}

/// Nothing reads what a later round makes: its crossbars would never come.
std::string check_rounds(const Spatial& s, const Producers& producers) {
  if (rounds_of(s) == 1) return "";
  const std::vector<std::int32_t> rounds = rounds_of_computes(s, producers);
  std::string fault;
  for (std::size_t i = 0; i < s.computes.size(); ++i)
    for (const Access& read : s.computes[i].reads)
      producers.of(read.value, read.box, [&](ComputeId p, const PBox&) {
        if (rounds[index_of(p)] > rounds[i] && fault.empty())
          fault = fmt::format("compute {} of round {} reads what compute {} makes in round {}", i, rounds[i],
                              index_of(p), rounds[index_of(p)]);
      });
  return fault;
}

}  // namespace

std::string print(const Spatial& s) {
  std::string text = fmt::format("spatial: {} values, {} tiles, {} classes, {} batches, {} computes\n", s.values.size(),
                                 s.tiles.size(), s.classes.size(), s.batches.size(), s.computes.size());
  for (const SpatialValue& v : s.values)
    text += fmt::format("  value {} {} {} scale {} {}\n", v.name, name_of(v.role), to_string(v.type), v.scale,
                        to_string(v.whole()));
  for (std::size_t t = 0; t < s.tiles.size(); ++t) {
    const WeightTile& tile = s.tiles[t];
    text += fmt::format("  tile {} node {} strip {} windows {} columns {}:{} rows {} crossbars {}x{}\n", t, tile.node,
                        tile.strip, tile.windows, tile.col0, tile.col1, tile.rows(), tile.shape.crossbar_rows,
                        tile.shape.crossbar_cols);
  }
  for (std::size_t b = 0; b < s.batches.size(); ++b) {
    const Batch& batch = s.batches[b];
    text += fmt::format("  batch {} {} node {} tile {} lanes {}\n", b, name_of(batch.body.kind), batch.body.node,
                        batch.body.tile, batch.lanes.size());
    for (const ComputeId c : batch.lanes) {
      const Compute& compute = s.computes[index_of(c)];
      text += fmt::format("    {} class {} cycles {}: {} <-", index_of(c), static_cast<std::int32_t>(compute.cls),
                          compute.cycles, text_of(compute.write, s));
      for (const Access& read : compute.reads) text += " " + text_of(read, s);
      text += "\n";
    }
  }
  return text;
}

std::string verify(const Spatial& s, const isa::Chip& chip) { return verify(s, Producers(s), chip); }

std::string verify(const Spatial& s, const Producers& producers, const isa::Chip& chip) {
  if (std::string fault = check_written(s, producers); !fault.empty()) return fault;
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const Compute& c = s.computes[i];
    for (const Producers::Feed& feed : producers.feeds(i))
      if (index_of(feed.from) >= i)
        return fmt::format("compute {} reads what compute {} writes later", i, index_of(feed.from));
    const Batch& batch = s.batches[index_of(c.batch)];
    if ((batch.body.kind == BodyKind::mvm) != (c.cls != no_class))
      return fmt::format("compute {}: a class belongs to MVM computes and to no others", i);
    if (c.cls != no_class && s.classes[index_of(c.cls)].tile != batch.body.tile)
      return fmt::format("compute {}: class of tile {}, body of tile {}", i, s.classes[index_of(c.cls)].tile,
                         batch.body.tile);
  }
  std::size_t lanes = 0;
  for (std::size_t b = 0; b < s.batches.size(); ++b)
    for (const ComputeId c : s.batches[b].lanes) {
      ++lanes;
      if (index_of(s.computes[index_of(c)].batch) != b)
        return fmt::format("compute {} is a lane of batch {}, names another", index_of(c), b);
    }
  if (lanes != s.computes.size()) return fmt::format("{} lanes, {} computes", lanes, s.computes.size());
  std::vector<std::int64_t> crossbars(static_cast<std::size_t>(rounds_of(s)), 0);
  for (const TileClass& c : s.classes) {
    if (c.round < 0) return fmt::format("a copy of tile {} stands in round {}", c.tile, c.round);
    crossbars[static_cast<std::size_t>(c.round)] += c.crossbars;
    if (c.crossbars > chip.core.crossbars)
      return fmt::format("a copy of tile {} takes {} crossbars, a core has {}", c.tile, c.crossbars,
                         chip.core.crossbars);
  }
  for (const std::int64_t used : crossbars)
    if (used > std::int64_t{chip.cores} * chip.core.crossbars)
      return fmt::format("{} crossbars used, {} on the chip", used, std::int64_t{chip.cores} * chip.core.crossbars);
  return check_rounds(s, producers);
}

std::vector<std::int32_t> rounds_of_computes(const Spatial& s, const Producers& producers) {
  std::vector<std::int32_t> rounds(s.computes.size(), 0);
  if (rounds_of(s) == 1) return rounds;
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const Compute& c = s.computes[i];
    if (c.cls != no_class) {
      rounds[i] = s.classes[index_of(c.cls)].round;
      continue;
    }
    for (const Producers::Feed& feed : producers.feeds(i)) rounds[i] = std::max(rounds[i], rounds[index_of(feed.from)]);
  }
  return rounds;
}

std::int32_t rounds_of(const Spatial& s) {
  std::int32_t last = 0;
  for (const TileClass& c : s.classes) last = std::max(last, c.round);
  return last + 1;
}

}  // namespace pimento::pim
