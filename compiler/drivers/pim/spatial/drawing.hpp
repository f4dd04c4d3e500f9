#pragma once
// For tests: spatial programs drawn by hand, a few computes each, and a chip to put them on.
#include <string>
#include <vector>

#include "compiler/drivers/pim/spatial/spatial.hpp"

namespace pimento::pim {

/// A chip of `cores` cores in a row whose messages take a few cycles.
inline isa::Chip row_of(int cores, bool multicast = false) {
  isa::Chip chip = isa::load_chip("tiny-4");
  chip.cores = cores;
  chip.network.width = cores;
  chip.network.height = 1;
  chip.network.multicast = multicast;
  chip.core.crossbars = 2;
  return chip;
}

/// Draws a spatial program: one row of 8 channels per value.
struct Drawing {
  Spatial s;
  Drawing() { s.batches.push_back({}); }
  SpatialValueId value(const std::string& name, ValueRole role = ValueRole::intermediate) {
    SpatialValue v;
    v.name = name;
    v.role = role;
    v.layout.channels = 8;
    s.values.push_back(v);
    return SpatialValueId{static_cast<std::int32_t>(s.values.size() - 1)};
  }
  Access whole(SpatialValueId v) const { return {v, s.values[index_of(v)].whole()}; }
  ClassId weights() {
    s.tiles.push_back({});
    s.tiles.back().node = static_cast<std::int32_t>(s.tiles.size());
    s.classes.push_back({.tile = static_cast<std::int32_t>(s.tiles.size() - 1),
                         .copy = 0,
                         .tile_count = 1,
                         .crossbars = 1,
                         .computes = {}});
    s.batches.push_back({{.kind = BodyKind::mvm, .tile = static_cast<std::int32_t>(s.tiles.size() - 1)}, {}});
    return ClassId{static_cast<std::int32_t>(s.classes.size() - 1)};
  }
  ComputeId compute(SpatialValueId to, const std::vector<SpatialValueId>& from, Cycles cycles, ClassId cls = no_class) {
    Compute c;
    c.cls = cls;
    c.batch = cls == no_class ? BatchId{0} : BatchId{static_cast<std::int32_t>(cls) + 1};
    for (const SpatialValueId v : from) c.reads.push_back(whole(v));
    c.write = whole(to);
    c.cycles = cycles;
    c.alone = cycles;
    const ComputeId id{static_cast<std::int32_t>(s.computes.size())};
    s.batches[index_of(c.batch)].lanes.push_back(id);
    if (cls != no_class) s.classes[index_of(cls)].computes.push_back(id);
    s.computes.push_back(c);
    return id;
  }
};

}  // namespace pimento::pim
