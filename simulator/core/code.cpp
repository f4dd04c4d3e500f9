#include "simulator/core/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "isa/cost/operands.hpp"
#include "isa/support/error.hpp"

namespace pimento::sim {
namespace {

using isa::Form;
using isa::Instruction;
using isa::Opcode;

Kind kind_of(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::loop:
      return Kind::loop;
    case Opcode::halt:
      return Kind::halt;
    case Opcode::addr:
      return Kind::address;
    case Opcode::send:
      return Kind::send;
    case Opcode::mcast:
      return Kind::multicast;
    case Opcode::recv:
      return Kind::receive;
    case Opcode::load:
    case Opcode::gload:
      return Kind::load;
    case Opcode::store:
    case Opcode::gstore:
      return Kind::store;
    case Opcode::sync:
      return Kind::sync;
    case Opcode::wait:
      return Kind::wait;
    default:
      return Kind::plain;
  }
}

Unit unit_of(const Instruction& i) {
  switch (isa::row(i.opcode).unit) {
    case isa::Unit::control:
      return unit_control;
    case isa::Unit::scalar:
      return unit_scalar;
    case isa::Unit::vector:
      return unit_vector;
    case isa::Unit::transfer:
      return unit_transfer;
    case isa::Unit::matrix:
      return i.opcode == Opcode::dvm ? unit_digital : unit_group + i.target;
  }
  return unit_control;
}

/// What a cost depends on: the record without addresses, registers and constants, with the tile and the node.
struct Shape {
  Instruction record;
  std::uint32_t tile, node;
  bool operator==(const Shape&) const = default;
};
struct ShapeHash {
  std::size_t operator()(const Shape& s) const {
    std::uint64_t h = static_cast<std::uint64_t>(s.record.opcode) | static_cast<std::uint64_t>(s.record.type_a) << 8 |
                      static_cast<std::uint64_t>(s.record.type_d) << 16 | static_cast<std::uint64_t>(s.tile) << 32;
    const auto mix = [&](std::uint64_t value) { h = (h ^ value) * 0x9e3779b97f4a7c15U, h ^= h >> 29; };
    mix(static_cast<std::uint32_t>(s.record.len) | static_cast<std::uint64_t>(s.record.count) << 32);
    mix(static_cast<std::uint32_t>(s.record.stride_a) | static_cast<std::uint64_t>(s.record.stride_d) << 32);
    mix(s.node | static_cast<std::uint64_t>(s.record.target) << 32);
    return h;
  }
};

Shape shape_of(const Instruction& i, std::uint32_t tile, std::uint32_t node) {
  Shape s{i, tile, node};
  Instruction& r = s.record;
  r.reg_d = r.reg_a = r.reg_b = isa::no_register;
  r.dst = r.a = r.b = 0;
  r.tag = 0;
  r.scale = r.real = 1.0F;
  if (isa::row(i.opcode).unit != isa::Unit::matrix) r.target = 0;
  if (isa::row(i.opcode).form != Form::gather) r.imm = 0;
  if (i.opcode == Opcode::addr) r.stride_d = r.stride_a = r.stride_b = r.len = 0, r.flags = 0;
  return s;
}

class Decoder {
 public:
  Decoder(const isa::Program& program, const isa::Chip& chip, Code& code)
      : program_(program), chip_(chip), code_(code) {}

  void core(CoreId id) {
    id_ = id;
    out_ = &code_.cores.emplace_back();
    costs_.clear();
    const isa::CoreProgram& in = program_.cores[id];
    out_->steps.reserve(in.instructions.size());
    for (const isa::Group& group : in.groups) out_->tile_of_group.push_back(group.tile);
    node_ = in.nodes.begin();
    nodes_end_ = in.nodes.end();
    const auto& all = in.instructions.data;
    open_.clear();
    for (std::uint32_t n = 0; n < all.size(); ++n) {
      step(all[n], n);
      while (!open_.empty() && open_.back().last == n) close();
    }
    // A hand-written body may reach beyond the end; the verifier says so, here it ends with the program.
    while (!open_.empty()) close();
  }

 private:
  struct Open {
    std::uint32_t last, step;
    std::vector<std::uint32_t> tiles;  ///< of the groups, at the loop's start
  };

  void step(const Instruction& i, std::uint32_t n) {
    Step s;
    s.instruction = n;
    s.cost = cost(i, n);
    switch (out_->costs[s.cost].kind) {
      case Kind::send:
        s.aux = pair({id_, i.target});
        break;
      case Kind::receive:
        s.aux = pair({i.target, id_});
        break;
      case Kind::multicast:
        s.aux = pair_set(i.target);
        break;
      case Kind::loop:
        open_.push_back({n + i.target, static_cast<std::uint32_t>(out_->steps.size()), out_->tile_of_group});
        break;
      default:
        if (i.opcode == Opcode::program) out_->tile_of_group.at(i.target) = i.tag;
        break;
    }
    out_->steps.push_back(s);
  }

  void close() {
    const Open loop = open_.back();
    open_.pop_back();
    for (std::size_t g = 0; g < loop.tiles.size(); ++g)
      if (!same_shape(loop.tiles[g], out_->tile_of_group[g]))
        throw UserError(fmt::format("{}: its body leaves array group {} with a tile of another size",
                                    describe(program_, id_, out_->steps[loop.step].instruction), g));
    out_->steps.push_back({end_cost(), out_->steps[loop.step].instruction, loop.step + 1});
    out_->steps[loop.step].aux = static_cast<std::uint32_t>(out_->steps.size());
  }

  bool same_shape(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return true;
    if (a >= program_.tiles.size() || b >= program_.tiles.size()) return false;
    const isa::Tile &x = program_.tiles[a], &y = program_.tiles[b];
    return x.rows == y.rows && x.cols == y.cols;
  }

  std::uint32_t end_cost() {
    const Shape key{Instruction{}, none, none - 1};
    const auto [at, fresh] = costs_.try_emplace(key, static_cast<std::uint32_t>(out_->costs.size()));
    if (fresh) {
      Cost c;
      c.kind = Kind::loop_end;
      c.total = 0;
      out_->costs.push_back(c);
    }
    return at->second;
  }

  std::uint32_t cost(const Instruction& i, std::uint32_t n) {
    while (node_ != nodes_end_ && node_->end <= n) ++node_;
    const std::uint32_t node = node_ != nodes_end_ && node_->begin <= n ? node_->node : none;
    std::uint32_t tile = none;
    if (i.opcode == Opcode::mvm) tile = out_->tile_of_group.at(i.target);
    if (i.opcode == Opcode::program) tile = i.tag;
    const Shape key = shape_of(i, tile, node);
    if (key == last_ && last_core_ == id_) return last_cost_;
    const auto [at, fresh] = costs_.try_emplace(key, static_cast<std::uint32_t>(out_->costs.size()));
    if (fresh) out_->costs.push_back(make(i, n, tile, node));
    last_ = key;
    last_core_ = id_;
    last_cost_ = at->second;
    return last_cost_;
  }

  Cost make(const Instruction& i, std::uint32_t n, std::uint32_t tile, std::uint32_t node) const {
    Cost c;
    c.kind = kind_of(i);
    c.opcode = i.opcode;
    c.part = isa::row(i.opcode).unit;
    c.unit = unit_of(i);
    c.node = node;
    c.sample = n;
    c.tile = tile;
    c.bytes = isa::cost::transfer_bytes(i);
    isa::cost::Duration d;
    if (i.opcode == Opcode::mvm || i.opcode == Opcode::program) {
      if (tile >= program_.tiles.size())
        throw UserError(fmt::format("{}: array group {} holds no tile", describe(program_, id_, n), i.target));
      const isa::Tile& t = program_.tiles[tile];
      const isa::cost::TileShape shape{t.rows, t.cols, t.crossbar_rows, t.crossbar_cols};
      d = i.opcode == Opcode::mvm ? isa::cost::mvm(chip_, shape, i) : isa::cost::program(chip_, shape);
    } else {
      d = isa::cost::local(chip_, i);
    }
    c.read = d.read;
    c.compute = d.compute;
    c.write = d.write;
    c.total = std::max<Cycles>(1, d.total());
    return c;
  }

  std::uint32_t pair(PairKey key) {
    if (key.source >= program_.cores.size() || key.destination >= program_.cores.size())
      throw UserError(fmt::format("core {}: a message between core {} and core {}, the program has {} cores", id_,
                                  key.source, key.destination, program_.cores.size()));
    const auto [at, fresh] =
        pairs_.try_emplace({key.source, key.destination}, static_cast<std::uint32_t>(code_.pairs.size()));
    if (fresh) code_.pairs.push_back(key);
    return at->second;
  }

  std::uint32_t pair_set(std::uint32_t set) {
    if (set >= program_.core_sets.size())
      throw UserError(fmt::format("core {}: core set {}, the program has {}", id_, set, program_.core_sets.size()));
    const auto [at, fresh] = sets_.try_emplace({id_, set}, static_cast<std::uint32_t>(code_.pair_sets.size()));
    if (fresh) {
      std::vector<std::uint32_t> all;
      for (const CoreId each : program_.core_sets[set]) all.push_back(pair({id_, each}));
      code_.pair_sets.push_back(std::move(all));
    }
    return at->second;
  }

  const isa::Program& program_;
  const isa::Chip& chip_;
  Code& code_;
  CoreId id_ = 0;
  CoreCode* out_ = nullptr;
  std::unordered_map<Shape, std::uint32_t, ShapeHash> costs_;  // never iterated
  std::map<std::pair<CoreId, CoreId>, std::uint32_t> pairs_;
  std::map<std::pair<CoreId, std::uint32_t>, std::uint32_t> sets_;
  std::vector<isa::NodeRange>::const_iterator node_, nodes_end_;
  std::vector<Open> open_;
  Shape last_{};
  CoreId last_core_ = none;
  std::uint32_t last_cost_ = 0;
};

/// Registers whose values timing needs: loop counts, and the global addresses that choose a channel.
std::vector<bool> timed_registers(const isa::CoreProgram& core, const CoreCode& code) {
  std::vector<bool> used(256, false);
  for (const Step& s : code.steps) {
    const Instruction& i = core.instructions.data[s.instruction];
    const Kind kind = code.costs[s.cost].kind;
    if (kind == Kind::loop || kind == Kind::load) used[i.reg_a] = true;
    if (kind == Kind::store) used[i.reg_d] = true;
  }
  used[isa::no_register] = false;
  return used;
}

void add_items(const isa::CoreProgram& core, CoreCode& code) {
  const std::vector<bool> timed = timed_registers(core, code);
  std::vector<std::uint32_t> item_of(code.steps.size() + 1, 0);  // of steps that begin an item
  bool joining = false;
  for (std::uint32_t n = 0; n < code.steps.size(); ++n) {
    const Cost& c = code.costs[code.steps[n].cost];
    const bool joins = c.kind == Kind::plain ||
                       (c.kind == Kind::address && !timed[core.instructions.data[code.steps[n].instruction].reg_d]);
    item_of[n] = static_cast<std::uint32_t>(code.items.size());
    if (joins && joining) {
      ++code.items.back().count;
      code.items.back().cycles += c.total;
      continue;
    }
    Item item;
    item.first = n;
    item.count = joins ? 1 : 0;
    item.cycles = joins ? c.total : 0;
    code.items.push_back(item);
    joining = joins;
  }
  item_of[code.steps.size()] = static_cast<std::uint32_t>(code.items.size());
  for (Item& item : code.items) {
    if (item.count != 0) continue;
    const Step& s = code.steps[item.first];
    const Kind kind = code.costs[s.cost].kind;
    item.cycles = 0;
    item.aux = kind == Kind::loop || kind == Kind::loop_end ? item_of[s.aux] : s.aux;
  }
  code.items.shrink_to_fit();
}

}  // namespace

Code decode(const isa::Program& program, const isa::Chip& chip, bool items) {
  Code code;
  code.cores.reserve(program.cores.size());
  Decoder decoder(program, chip, code);
  for (CoreId c = 0; c < program.cores.size(); ++c) {
    decoder.core(c);
    if (items) add_items(program.cores[c], code.cores.back());
  }
  return code;
}

std::string describe(const isa::Program& program, CoreId core, std::uint32_t instruction) {
  const isa::CoreProgram& mine = program.cores[core];
  std::string text =
      fmt::format("core {}, instruction {} '{}'", core, instruction, isa::print(mine.instructions.data[instruction]));
  for (const isa::NodeRange& range : mine.nodes)
    if (range.begin <= instruction && instruction < range.end && range.node < program.nodes.size())
      text += fmt::format(" (node '{}')", program.nodes[range.node]);
  return text;
}

}  // namespace pimento::sim
