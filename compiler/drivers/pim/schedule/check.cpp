#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/drivers/pim/schedule/residency.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

std::string print(const Schedule& schedule, const Spatial& spatial) {
  std::string text = fmt::format("schedule: makespan {} core cycles\n", schedule.makespan);
  for (std::size_t c = 0; c < schedule.class_core.size(); ++c)
    text += fmt::format("  class {} tile {} copy {} core {}\n", c, spatial.classes[c].tile, spatial.classes[c].copy,
                        schedule.class_core[c]);
  for (const Placed& p : schedule.placed)
    text += fmt::format("  compute {} core {} start {} end {}\n", index_of(p.compute), p.core, p.start, p.end);
  for (const CellWrite& w : schedule.writes)
    text += fmt::format("  write rows {}:{} of tile {} for class {} core {} start {} end {}\n", w.row, w.row + w.count,
                        w.tile, index_of(w.cls), w.core, w.start, w.end);
  return text;
}

namespace {
std::string region_text(const Transfer& t) { return t.region < 0 ? "" : fmt::format(" region {}", t.region); }
}  // namespace

std::string print(const Steps& steps, const Spatial& spatial) {
  std::string text = fmt::format("steps: {} transfers\n", steps.transfers.size());
  for (std::size_t core = 0; core < steps.cores.size(); ++core) {
    const bool is_tight = std::ranges::count(steps.tight, static_cast<CoreId>(core)) > 0;
    text += fmt::format("  core {}{}\n", core, is_tight ? ", tight" : "");
    for (const Step& step : steps.cores[core]) {
      if (step.kind == Step::Kind::compute) {
        text += fmt::format("    compute {}\n", step.index);
        continue;
      }
      if (step.kind == Step::Kind::write) {
        const CellWrite& w = steps.writes[static_cast<std::size_t>(step.index)];
        text += fmt::format("    write rows {}:{} of tile {} for class {}\n", w.row, w.row + w.count, w.tile,
                            index_of(w.cls));
        continue;
      }
      const Transfer& t = steps.transfers[static_cast<std::size_t>(step.index)];
      const std::string what = spatial.values[index_of(t.what.value)].name + to_string(t.what.box);
      switch (step.kind) {
        case Step::Kind::send:
          text += fmt::format("    send {} to", what);
          for (const CoreId d : t.destinations) text += fmt::format(" {}", d);
          text += fmt::format(" tag {}\n", t.tag);
          break;
        case Step::Kind::receive:
          text += fmt::format("    receive {} from {} tag {}\n", what, t.source, t.tag);
          break;
        case Step::Kind::load:
          text += fmt::format("    load {}{}{}\n", what, t.again ? " again" : "", region_text(t));
          break;
        case Step::Kind::store:
          text += fmt::format("    store {}{}\n", what, region_text(t));
          break;
        case Step::Kind::compute:
        case Step::Kind::write:
          break;
      }
    }
  }
  return text;
}

std::string verify(const Schedule& schedule, const Spatial& spatial, const isa::Chip& chip) {
  return verify(schedule, spatial, Producers(spatial), chip);
}

std::string verify(const Schedule& schedule, const Spatial& spatial, const Producers& producers,
                   const isa::Chip& chip) {
  std::map<std::pair<std::int32_t, CoreId>, std::int64_t> crossbars;  // by round and core
  for (std::size_t c = 0; c < spatial.classes.size(); ++c)
    crossbars[{spatial.classes[c].round, schedule.class_core[c]}] += spatial.classes[c].crossbars;
  for (const auto& [place, taken] : crossbars)
    if (taken > chip.core.crossbars)
      return fmt::format("core {}: classes take {} crossbars, it has {}", place.second, taken, chip.core.crossbars);
  for (std::size_t i = 0; i < spatial.computes.size(); ++i) {
    const Compute& c = spatial.computes[i];
    const Placed& p = schedule.placed[i];
    if (c.cls != no_class && p.core != schedule.class_core[index_of(c.cls)])
      return fmt::format("compute {} runs on core {}, its class stands on {}", i, p.core,
                         schedule.class_core[index_of(c.cls)]);
    for (const Producers::Feed& feed : producers.feeds(i)) {
      const std::int32_t before = schedule.stage_of(i) - schedule.stage_of(index_of(feed.from));
      const Cycles end = schedule.placed[index_of(feed.from)].end;
      if (before < 0 || (before == 0 && end > p.start))
        return fmt::format("compute {} starts at {}, its input from compute {} ends at {}", i, p.start,
                           index_of(feed.from), end);
    }
  }
  if (std::string fault = verify_writes(schedule, spatial, chip); !fault.empty()) return fault;
  return verify(materialise(spatial, schedule, chip), spatial, schedule);
}

std::vector<std::int64_t> message_depths(const Steps& steps) {
  std::vector<std::vector<std::int32_t>> after(steps.transfers.size());
  std::vector<std::int32_t> waits_for(steps.transfers.size(), 0);
  for (const auto& core : steps.cores) {
    std::int32_t last = -1;
    for (const Step& step : core) {
      if (step.kind != Step::Kind::send && step.kind != Step::Kind::receive) continue;
      if (last >= 0) {
        after[static_cast<std::size_t>(last)].push_back(step.index);
        ++waits_for[static_cast<std::size_t>(step.index)];
      }
      last = step.index;
    }
  }
  std::vector<std::int32_t> free;
  std::vector<std::int64_t> chain(steps.transfers.size(), 0);
  for (std::size_t t = 0; t < steps.transfers.size(); ++t)
    if (steps.transfers[t].kind == Transfer::Kind::message && waits_for[t] == 0) {
      free.push_back(static_cast<std::int32_t>(t));
      chain[t] = 1;
    }
  for (std::size_t i = 0; i < free.size(); ++i) {
    const auto t = static_cast<std::size_t>(free[i]);
    for (const std::int32_t next : after[t]) {
      const auto n = static_cast<std::size_t>(next);
      chain[n] = std::max(chain[n], chain[t] + 1);
      if (--waits_for[n] == 0) free.push_back(next);
    }
  }
  return chain;
}

namespace {

/// No circle means free of deadlock without any buffer: some message always has both its ends at the front of their
/// cores.
std::string check_rendezvous(const Steps& steps) {
  const std::vector<std::int64_t> depths = message_depths(steps);
  std::size_t messages = 0, done = 0;
  for (std::size_t t = 0; t < steps.transfers.size(); ++t) {
    if (steps.transfers[t].kind != Transfer::Kind::message) continue;
    ++messages;
    if (depths[t] > 0) ++done;
  }
  if (done == messages) return "";
  return fmt::format("{} of {} messages wait in a circle under rendezvous", messages - done, messages);
}

/// Sends and receives of each (source, destination) pair stand in one order with equal tags.
std::string check_pairs(const Steps& steps) {
  std::map<std::pair<CoreId, CoreId>, std::vector<std::int32_t>> sent;
  std::map<std::pair<CoreId, CoreId>, std::vector<std::int32_t>> received;
  for (std::size_t core = 0; core < steps.cores.size(); ++core)
    for (const Step& step : steps.cores[core]) {
      if (step.kind != Step::Kind::send && step.kind != Step::Kind::receive) continue;
      const Transfer& t = steps.transfers[static_cast<std::size_t>(step.index)];
      if (step.kind == Step::Kind::send)
        for (const CoreId d : t.destinations) sent[{static_cast<CoreId>(core), d}].push_back(step.index);
      else
        received[{t.source, static_cast<CoreId>(core)}].push_back(step.index);
    }
  for (const auto& [pair, list] : sent)
    if (received[pair] != list)
      return fmt::format("core {} to core {}: {} sends and {} receives do not match in order", pair.first, pair.second,
                         list.size(), received[pair].size());
  for (const auto& [pair, list] : received)
    if (!sent.contains(pair))
      return fmt::format("core {} to core {}: {} receives without a send", pair.first, pair.second, list.size());
  return "";
}

/// Elements of a box that a set of disjoint or overlapping boxes does not cover.
std::int64_t uncovered(const PBox& box, const std::vector<PBox>& pieces, std::size_t from = 0) {
  for (std::size_t i = from; i < pieces.size(); ++i) {
    const PBox part = intersect(box, pieces[i]);
    if (part.empty()) continue;
    std::int64_t rest = 0;
    PBox b = box;
    const auto cut = [&](std::int32_t PBox::*low, std::int32_t PBox::*high) {
      if (b.*low < part.*low) {
        PBox side = b;
        side.*high = part.*low;
        rest += uncovered(side, pieces, i + 1);
        b.*low = part.*low;
      }
      if (b.*high > part.*high) {
        PBox side = b;
        side.*low = part.*high;
        rest += uncovered(side, pieces, i + 1);
        b.*high = part.*high;
      }
    };
    cut(&PBox::r0, &PBox::r1);
    cut(&PBox::p0, &PBox::p1);
    cut(&PBox::c0, &PBox::c1);
    return rest;
  }
  return box.elements();
}

/// Computes of a stream are counted through: those of image 0, then those of image 1, ...; `transfers`: of one image.
std::string check_core(std::size_t core, const Steps& steps, const Spatial& spatial, const Schedule& schedule,
                       std::size_t transfers, std::vector<int>& seen) {
  // what stands in this core's memory, by image, value and row
  std::map<std::tuple<std::size_t, std::size_t, std::int32_t>, std::vector<PBox>> here;
  std::size_t image = 0;
  const auto arrive = [&](const Access& a) {
    for (std::int32_t r = a.box.r0; r < a.box.r1; ++r) {
      PBox row = a.box;
      row.r0 = r;
      row.r1 = r + 1;
      here[{image, index_of(a.value), r}].push_back(row);
    }
  };
  const auto missing = [&](const Access& a) {
    std::int64_t elements = 0;
    const PBox inside = intersect(a.box, spatial.values[index_of(a.value)].whole());
    if (inside.empty()) return elements;
    for (std::int32_t r = inside.r0; r < inside.r1; ++r) {
      PBox row = inside;
      row.r0 = r;
      row.r1 = r + 1;
      elements += uncovered(row, here[{image, index_of(a.value), r}]);
    }
    return elements;
  };
  for (const Step& step : steps.cores[core]) {
    if (step.kind == Step::Kind::compute) {
      ++seen[static_cast<std::size_t>(step.index)];
      const std::size_t i = static_cast<std::size_t>(step.index) % spatial.computes.size();
      image = static_cast<std::size_t>(step.index) / spatial.computes.size();
      if (schedule.placed[i].core != core) return fmt::format("compute {} stands on core {}", i, core);
      for (const Access& read : spatial.computes[i].reads)
        if (const std::int64_t n = missing(read); n > 0)
          return fmt::format("core {}, compute {}: {} elements of '{}' {} have not arrived", core, i, n,
                             spatial.values[index_of(read.value)].name, to_string(read.box));
      arrive(spatial.computes[i].write);
      continue;
    }
    if (step.kind == Step::Kind::write) continue;
    const Transfer& t = steps.transfers[static_cast<std::size_t>(step.index)];
    image = static_cast<std::size_t>(step.index) / transfers;
    if (step.kind == Step::Kind::receive || step.kind == Step::Kind::load)
      arrive(t.what);
    else if (const std::int64_t n = missing(t.what); n > 0)
      return fmt::format("core {}: {} elements of '{}' {} are sent before they exist", core, n,
                         spatial.values[index_of(t.what.value)].name, to_string(t.what.box));
  }
  return "";
}

}  // namespace

std::string verify(const Steps& order, const Schedule& schedule, const Spatial& spatial, const isa::Chip& chip) {
  if (order.cores.size() != static_cast<std::size_t>(chip.cores))
    return fmt::format("steps for {} cores, the chip has {}", order.cores.size(), chip.cores);
  // Every turn's contacts follow one order of which each core keeps its part, and turns follow each other on every
  // core: what holds for as many images as there are stages, and one more, holds for all.
  const Steps steps =
      order.images == 1 && order.stages == 1 ? order : unfolded(order, spatial.computes.size(), order.stages + 1);
  const auto images = static_cast<std::size_t>(std::min(order.images, order.stages + 1));
  std::vector<int> seen(spatial.computes.size() * images, 0);
  for (std::size_t core = 0; core < steps.cores.size(); ++core)
    if (std::string fault = check_core(core, steps, spatial, schedule, order.transfers.size(), seen); !fault.empty())
      return fault;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] != 1) return fmt::format("compute {} stands in {} places", i, seen[i]);
  for (const Transfer& t : steps.transfers)
    if (t.destinations.size() > 1 && !chip.network.multicast)
      return fmt::format("a message from core {} has {} destinations, the chip does not multicast", t.source,
                         t.destinations.size());
  if (std::string fault = check_pairs(steps); !fault.empty()) return fault;
  return check_rendezvous(steps);
}

}  // namespace pimento::pim
