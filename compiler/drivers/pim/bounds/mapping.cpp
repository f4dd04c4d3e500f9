#include <algorithm>
#include <numeric>

#include "compiler/drivers/pim/bounds/bounds.hpp"
#include "compiler/drivers/pim/bounds/least.hpp"
#include "compiler/drivers/pim/spatial/producers.hpp"
#include "isa/cost/shape_of.hpp"
#include "isa/program/executions.hpp"

namespace pimento::pim {
namespace {

/// The chosen computes without cores, memory or messages: what each waits for and how long its products take.
class Path {
 public:
  Path(const Spatial& spatial, const isa::Chip& chip)
      : spatial_(spatial),
        chip_(chip),
        step_(spatial.computes.size()),
        start_(spatial.computes.size(), 0),
        rest_(spatial.computes.size(), 0) {
    const Producers producers(spatial);
    std::vector<std::vector<Edge>> inputs(spatial.computes.size());
    for (std::size_t i = 0; i < spatial.computes.size(); ++i) {
      step_[i] = step_of(i);
      for (const Access& read : spatial.computes[i].reads) {
        if (spatial.values[index_of(read.value)].role == ValueRole::input && !read.box.empty())
          start_[i] = std::max(start_[i], least_access(chip, false));
      }
      for (const Producers::Feed& feed : producers.feeds(i))
        inputs[i].push_back({index_of(feed.from), duration(index_of(feed.from), feed.part)});
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)  // computes stand in topological order
      for (const Edge& e : inputs[i]) start_[i] = std::max(start_[i], start_[e.producer] + e.cycles);
    const Cycles store = least_access(chip, true);
    for (std::size_t i = inputs.size(); i-- > 0;) {
      const bool stored = spatial.values[index_of(spatial.computes[i].write.value)].role == ValueRole::output;
      rest_[i] = std::max(rest_[i], whole(i) + (stored ? store : 0));
      for (const Edge& e : inputs[i]) rest_[e.producer] = std::max(rest_[e.producer], e.cycles + rest_[i]);
    }
  }

  Cycles longest() const {
    Cycles most = 0;
    for (std::size_t i = 0; i < start_.size(); ++i) most = std::max(most, start_[i] + rest_[i]);
    return most;
  }
  /// A class does its products one after the other: the earliest start of some of them, their time, and the least that
  /// is left after any.
  Cycles busiest_class() const {
    Cycles most = 0;
    for (const TileClass& c : spatial_.classes) {
      std::vector<std::size_t> order;
      for (const ComputeId id : c.computes) order.push_back(index_of(id));
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return start_[a] < start_[b]; });
      Cycles time = 0;
      Cycles left = std::numeric_limits<Cycles>::max();
      for (auto i = order.rbegin(); i != order.rend(); ++i) {
        time += whole(*i);
        left = std::min(left, rest_[*i] - whole(*i));
        most = std::max(most, start_[*i] + time + left);
      }
    }
    return most;
  }

  /// All products one after the other.
  Cycles products() const {
    Cycles all = 0;
    for (const Compute& c : spatial_.computes) {
      if (c.cls == no_class) continue;
      const Body& body = spatial_.batches[index_of(c.batch)].body;
      for (std::int32_t t = 0; t < body.tile_count; ++t) {
        const PBox& box = c.write.box;
        all += std::int64_t{box.rows()} * tile(body, t).mvms(box.positions()) * hold(c, t);
      }
    }
    return all;
  }
  /// The products of one class for one image.
  Cycles largest_class() const {
    Cycles most = 0;
    for (const TileClass& c : spatial_.classes) {
      Cycles time = 0;
      for (const ComputeId id : c.computes) time += whole(index_of(id));
      most = std::max(most, time);
    }
    return most;
  }

 private:
  const WeightTile& tile(const Body& body, std::int32_t t) const {
    return spatial_.tiles[static_cast<std::size_t>(body.tile) + static_cast<std::size_t>(t)];
  }
  /// What a product of a compute's t-th tile holds its array group for.
  Cycles hold(const Compute& c, std::int32_t t) const {
    const ElementType input = spatial_.values[index_of(c.reads[static_cast<std::size_t>(t)].value)].type;
    return least_hold(chip_, tile(spatial_.batches[index_of(c.batch)].body, t).shape, input);
  }
  struct Edge {
    std::size_t producer = 0;
    Cycles cycles = 0;  ///< from the producer's start
  };
  const Spatial& spatial_;
  const isa::Chip& chip_;
  std::vector<Cycles> step_;  ///< of one product; of adding up partial sums
  std::vector<Cycles> start_, rest_;

  Cycles step_of(std::size_t i) const {
    const Compute& c = spatial_.computes[i];
    const Body& body = spatial_.batches[index_of(c.batch)].body;
    const isa::LocalMemory& memory = chip_.core.local_memory;
    if (body.kind == BodyKind::combine)
      return memory.read_latency_cycles + chip_.core.vector.latency_cycles + memory.write_latency_cycles;
    if (body.kind == BodyKind::vector) return 0;
    Cycles slowest = 0;
    for (std::int32_t t = 0; t < body.tile_count; ++t) slowest = std::max(slowest, hold(c, t));
    return slowest;
  }
  /// From the start of a compute until a part of what it writes can stand.
  Cycles duration(std::size_t i, const PBox& part) const {
    const Body& body = spatial_.batches[index_of(spatial_.computes[i].batch)].body;
    if (body.kind != BodyKind::mvm) return step_[i];
    return std::int64_t{part.rows()} * tile(body, 0).mvms(part.positions()) * step_[i];
  }
  Cycles whole(std::size_t i) const { return duration(i, spatial_.computes[i].write.box); }
};

/// All instructions of the program, each unit's divided evenly over the cores.
struct Work {
  double issued = 0, scalar = 0, vector = 0, digital = 0, transfer = 0, ports = 0, window = 0, channels = 0;

  Work(const isa::Program& program, const isa::Chip& chip) {
    for (const isa::CoreProgram& core : program.cores) {
      const std::vector<std::int64_t> times = isa::executions(core);
      for (std::size_t k = 0; k < times.size(); ++k)
        if (times[k] > 0) add(program, core, chip, core.instructions.data[k], static_cast<double>(times[k]));
    }
  }

 private:
  void add(const isa::Program& program, const isa::CoreProgram& core, const isa::Chip& chip, const isa::Instruction& i,
           double times) {
    using isa::Opcode;
    issued += times;
    isa::cost::TileShape shape;
    if (i.opcode == Opcode::mvm || i.opcode == Opcode::program) {
      const std::uint32_t tile = i.opcode == Opcode::mvm ? core.groups.at(i.target).tile : i.tag;
      if (tile == isa::no_tile) return;  // programmed while running
      shape = isa::cost::shape_of(program.tiles.at(tile));
    }
    const isa::cost::Duration d = i.opcode == Opcode::mvm       ? isa::cost::mvm(chip, shape, i)
                                  : i.opcode == Opcode::program ? isa::cost::program(chip, shape)
                                  : i.opcode == Opcode::write   ? isa::cost::write(chip, i)
                                                                : isa::cost::local(chip, i);
    const double total = times * static_cast<double>(d.total());
    ports += times * static_cast<double>(d.read + d.write);
    window += std::max(times, total);
    switch (isa::row(i.opcode).unit) {
      case isa::Unit::scalar:
        scalar += total;
        break;
      case isa::Unit::vector:
        vector += total;
        break;
      case isa::Unit::matrix:
        if (i.opcode == Opcode::dvm) digital += total;
        break;
      case isa::Unit::transfer:
        transfer += total;
        break;
      case isa::Unit::control:
        break;
    }
    const isa::Form form = isa::row(i.opcode).form;
    const bool reads = form == isa::Form::load || form == isa::Form::gather_global;
    const bool writes = form == isa::Form::store || form == isa::Form::scatter_global;
    if (reads || writes)
      channels += times * static_cast<double>(isa::cost::global_accesses(chip, i) *
                                              (reads ? chip.global_memory.read_latency_cycles
                                                     : chip.global_memory.write_latency_cycles));
  }
};

/// What each unit does in all, per image, over the cores.
std::vector<Bound::Part> shares(const Work& work, const isa::Chip& chip, std::int64_t images) {
  const auto over_cores = [&](double cycles, int each = 1) {
    return static_cast<Cycles>(cycles / (static_cast<double>(chip.cores) * each * static_cast<double>(images)));
  };
  const double channels = work.channels / (static_cast<double>(images) * chip.global_memory.channels);
  return {{"instructions issued", over_cores(work.issued)},
          {"instruction window", over_cores(work.window, chip.core.window)},
          {"scalar unit", over_cores(work.scalar)},
          {"vector unit", over_cores(work.vector)},
          {"digital products", over_cores(work.digital)},
          {"transfer unit", over_cores(work.transfer)},
          {"local memory ports", over_cores(work.ports, chip.core.local_memory.ports)},
          {"global memory", to_core_cycles(chip, channels, chip.global_memory.clock)}};
}

}  // namespace

Bound mapping_bound(const Spatial& spatial, const isa::Program& program, const isa::Chip& chip) {
  const Path path(spatial, chip);
  Bound bound{{{"critical path", path.longest()}, {"busiest array group", path.busiest_class()}}};
  for (Bound::Part& part : shares(Work(program, chip), chip, 1)) bound.parts.push_back(std::move(part));
  return bound;
}

Bound interval_bound(const Spatial& spatial, const isa::Program& program, const isa::Chip& chip) {
  Bound bound{{{"busiest array group", Path(spatial, chip).largest_class()}}};
  for (Bound::Part& part : shares(Work(program, chip), chip, program.images)) bound.parts.push_back(std::move(part));
  return bound;
}

namespace {
Bound::Part all_products(const Path& path, const isa::Chip& chip) {
  return {"matrix products", path.products() / (std::int64_t{chip.cores} * chip.core.window)};
}
}  // namespace

Bound mapping_bound(const Spatial& spatial, const isa::Chip& chip) {
  const Path path(spatial, chip);
  return {{{"critical path", path.longest()}, {"busiest array group", path.busiest_class()}, all_products(path, chip)}};
}

Bound interval_bound(const Spatial& spatial, const isa::Chip& chip) { return {{all_products({spatial, chip}, chip)}}; }

}  // namespace pimento::pim
