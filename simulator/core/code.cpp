#include "simulator/core/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>

#include "isa/cost/operands.hpp"
#include "isa/cost/shape_of.hpp"
#include "isa/support/error.hpp"
#include "simulator/core/held_tiles.hpp"
#include "simulator/core/shapes.hpp"

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

/// What decoding asks of an opcode, looked up once.
struct OpcodeFacts {
  Kind kind = Kind::plain;
  isa::Unit part{};
  Unit unit = 0;
  bool takes_tile = false;
  bool takes_bound = false;             ///< how far a gather may reach
  std::array<std::uint64_t, 5> mask{};  ///< of the record's words 0, 2, 3, 4, 5
};

constexpr std::uint64_t low_half = 0xffffffffU, high_half = low_half << 32;

OpcodeFacts facts_of(Opcode op) {
  Instruction i;
  i.opcode = op;
  OpcodeFacts f;
  f.kind = kind_of(i);
  f.part = isa::row(op).unit;
  f.unit = unit_of(i);
  f.takes_bound = isa::row(op).form == Form::gather;
  f.takes_tile = op == Opcode::mvm || writes_cells(op);
  const bool has_target = f.part == isa::Unit::matrix || f.kind == Kind::multicast;
  const bool shaped = f.kind != Kind::loop && f.kind != Kind::address && f.part != isa::Unit::scalar;
  static_assert(offsetof(Instruction, reg_d) == 4 && offsetof(Instruction, flags) == 7 &&
                offsetof(Instruction, b) == 16 && offsetof(Instruction, stride_a) == 24 &&
                offsetof(Instruction, count) == 32 && offsetof(Instruction, target) == 40);
  f.mask = {low_half | 0xffULL << 56, shaped ? high_half : 0, shaped ? ~0ULL : 0, shaped ? ~0ULL : 0,
            has_target ? low_half : 0};
  return f;
}

std::array<OpcodeFacts, 256> all_facts() {
  std::array<OpcodeFacts, 256> all;
  for (const isa::Row& row : isa::table()) all[static_cast<std::size_t>(row.opcode)] = facts_of(row.opcode);
  return all;
}

Shape shape_of(const Instruction& i, const OpcodeFacts& f, std::uint32_t tile, std::uint32_t node) {
  const auto word = [&](std::size_t n) {
    std::uint64_t w = 0;
    std::memcpy(&w, reinterpret_cast<const char*>(&i) + 8 * n, sizeof w);
    return w;
  };
  return {{word(0) & f.mask[0], word(2) & f.mask[1], word(3) & f.mask[2], word(4) & f.mask[3],
           f.takes_bound ? word(6) & low_half : word(5) & f.mask[4], tile | static_cast<std::uint64_t>(node) << 32}};
}

class Decoder {
 public:
  Decoder(const isa::Program& program, const isa::Chip& chip, bool items, Code& code)
      : program_(program), chip_(chip), items_(items), code_(code) {}

  void core(CoreId id) {
    code_.cores.emplace_back();
    // Without values, addresses matter where they choose a channel or a row, tell the image of a store or count the
    // turns of a loop, and only there.
    addresses_join_ =
        std::max(chip_.global_memory.channels, 1) == 1 && chip_.global_memory.row_size == 0 && program_.images == 1;
    if (!decode_core(id)) {
      addresses_join_ = false;
      code_.cores.back() = CoreCode{};
      decode_core(id);
    }
  }

 private:
  /// False: a loop counts by a register, so the addresses must not join.
  bool decode_core(CoreId id) {
    id_ = id;
    out_ = &code_.cores.back();
    needs_addresses_ = false;
    costs_.clear();
    joining_ = false;
    new_stretch_ = true;
    pair_to_.assign(program_.cores.size(), none);
    pair_from_.assign(program_.cores.size(), none);
    const isa::CoreProgram& in = program_.cores[id];
    out_->steps.reserve(in.instructions.size() + 16);
    out_->costs.reserve(64);
    if (items_) out_->items.reserve(in.instructions.size() / 2 + 16);
    out_->sharing = isa::groups_that_share(in.groups, chip_.core.crossbars);
    held_.emplace(program_, id, out_->sharing);
    node_ = in.nodes.begin();
    nodes_end_ = in.nodes.end();
    const auto& all = in.instructions.data;
    open_.clear();
    for (std::uint32_t n = 0; n < all.size(); ++n) {
      __builtin_prefetch(all.data() + n + 48);
      step(all[n], n);
      while (!open_.empty() && open_.back().last == n) close();
    }
    // A hand-written body may reach beyond the end; the verifier says so, here it ends with the program.
    while (!open_.empty()) close();
    if (items_) finish_stretches();
    return !(items_ && needs_addresses_ && addresses_join_);
  }

  struct Open {
    std::uint32_t last, step, item;
  };

  void step(const Instruction& i, std::uint32_t n) {
    const OpcodeFacts& f = facts_[static_cast<std::size_t>(i.opcode)];
    Step s;
    s.instruction = n;
    s.cost = cost(i, f, n);
    switch (f.kind) {
      case Kind::send:
        s.aux = pair_with(pair_to_, i.target, {id_, i.target});
        break;
      case Kind::receive:
        s.aux = pair_with(pair_from_, i.target, {i.target, id_});
        break;
      case Kind::multicast:
        s.aux = pair_set(i.target);
        break;
      case Kind::loop:
        needs_addresses_ = needs_addresses_ || (i.flags & isa::flag::loop_register) != 0;
        open_.push_back({n + i.target, static_cast<std::uint32_t>(out_->steps.size()),
                         static_cast<std::uint32_t>(out_->items.size())});
        held_->open_loop(i, n);
        break;
      default:
        if (writes_cells(i.opcode)) held_->write(i, n);
        break;
    }
    if (items_) add_item(s, f.kind, i);
    out_->steps.push_back(s);
  }

  /// The plain step that comes next joins the item before it, or begins one.
  void add_plain(Cycles total, std::uint32_t node) {
    if (joining_ && out_->items.back().value + total < Item::most_cycles) {
      ++out_->items.back().count;
      out_->items.back().value += static_cast<std::uint32_t>(total);
      if (node != stretch_node_) separate_last_item();
      return;
    }
    out_->items.push_back({1, static_cast<std::uint32_t>(total)});
    joining_ = true;
    continue_stretch(node);
  }

  /// The item just added is of this node.
  void continue_stretch(std::uint32_t node) {
    if (new_stretch_ || node != stretch_node_) begin_stretch(false);
    new_stretch_ = false;
    stretch_node_ = node;
  }

  /// The last item is of several nodes.
  void separate_last_item() {
    if (out_->stretches.back().begin == last_item()) out_->stretches.pop_back();
    begin_stretch(true);
    new_stretch_ = true;
  }

  void begin_stretch(bool mixed) { out_->stretches.push_back({last_item() & 0x7fffffffU, mixed}); }
  std::uint32_t last_item() const { return static_cast<std::uint32_t>(out_->items.size() - 1); }

  void finish_stretches() {
    std::vector<Stretch>& all = out_->stretches;
    all.push_back({(last_item() + 1) & 0x7fffffffU, false});
    const auto before = [](const Stretch& s, std::uint32_t item) { return s.begin < item; };
    for (Single& single : out_->singles)
      if (single.kind == Kind::loop || single.kind == Kind::loop_end)
        single.stretch =
            static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), single.aux, before) - all.begin());
  }

  void add_single(std::uint32_t node, std::uint32_t aux, Kind kind, std::uint32_t turns = 0, Cycles cycles = 0) {
    out_->items.push_back({Item::is_single, static_cast<std::uint32_t>(out_->singles.size())});
    out_->singles.push_back(
        {static_cast<std::uint32_t>(out_->steps.size()), aux, turns, static_cast<std::uint32_t>(cycles), none, kind});
    joining_ = false;
    continue_stretch(node);
    new_stretch_ = kind == Kind::loop || kind == Kind::loop_end || kind == Kind::halt;  // passes differ behind these
  }

  void add_message(const Step& s, std::uint32_t tag) {
    const auto narrow = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
    const Cost& c = out_->costs[s.cost];
    out_->items.push_back({Item::is_message, narrow(static_cast<std::int64_t>(out_->messages.size()))});
    out_->messages.push_back({s.cost, s.instruction, tag, s.aux & 0x7fffffffU, c.kind == Kind::send, narrow(c.bytes),
                              narrow(isa::cost::flits(chip_, c.bytes)), narrow(c.read), narrow(c.write)});
    joining_ = false;
    continue_stretch(c.node);
  }

  void add_item(const Step& s, Kind kind, const Instruction& i) {
    const Cost& c = out_->costs[s.cost];
    const bool short_enough = std::max({c.total, c.bytes, c.read, c.write}) < Item::most_cycles;
    const bool plain = kind == Kind::plain || (kind == Kind::address && addresses_join_);
    if (plain && short_enough) return add_plain(c.total, c.node);
    if ((kind == Kind::send || kind == Kind::receive) && short_enough) return add_message(s, i.tag);
    const bool constant = kind == Kind::loop && (i.flags & isa::flag::loop_register) == 0;
    const auto turns = static_cast<std::uint32_t>(std::max<std::int32_t>(i.count, 0));
    if (constant && short_enough) return add_single(c.node, s.aux, kind, turns, c.total);
    add_single(c.node, s.aux, kind);
  }

  void close() {
    const Open loop = open_.back();
    open_.pop_back();
    held_->close_loop();
    if (items_) add_single(none, loop.item + 1, Kind::loop_end);
    out_->steps.push_back({end_cost(), out_->steps[loop.step].instruction, loop.step + 1});
    out_->steps[loop.step].aux = static_cast<std::uint32_t>(out_->steps.size());
    if (items_) out_->singles[out_->items[loop.item].value].aux = static_cast<std::uint32_t>(out_->items.size());
  }

  std::uint32_t end_cost() {
    const std::uint32_t index = costs_.index({{~0ULL}});
    if (index == out_->costs.size()) {
      Cost c;
      c.kind = Kind::loop_end;
      c.total = 0;
      out_->costs.push_back(c);
    }
    return index;
  }

  std::uint32_t cost(const Instruction& i, const OpcodeFacts& f, std::uint32_t n) {
    while (node_ != nodes_end_ && node_->end <= n) ++node_;
    const std::uint32_t node = node_ != nodes_end_ && node_->begin <= n ? node_->node : none;
    std::uint32_t tile = none;
    if (f.takes_tile) tile = i.opcode == Opcode::mvm ? held_->use(i.target, n) : i.tag;
    const std::uint32_t index = costs_.index(shape_of(i, f, tile, node));
    if (index == out_->costs.size()) out_->costs.push_back(make(i, n, tile, node));
    return index;
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
    if (i.opcode == Opcode::mvm || writes_cells(i.opcode)) {
      if (tile >= program_.tiles.size())
        throw UserError(fmt::format("{}: array group {} holds no tile", describe(program_, id_, n), i.target));
      const isa::Tile& t = program_.tiles[tile];
      const isa::cost::TileShape shape = isa::cost::shape_of(t);
      d = i.opcode == Opcode::mvm       ? isa::cost::mvm(chip_, shape, i)
          : i.opcode == Opcode::program ? isa::cost::program(chip_, shape)
                                        : isa::cost::write(chip_, i);
    } else {
      d = isa::cost::local(chip_, i);
    }
    c.read = d.read;
    c.compute = d.compute;
    c.write = d.write;
    c.start = d.start;
    c.retire = d.retire;
    c.occupies = d.occupies;
    c.total = std::max<Cycles>(1, d.total());
    c.touched = touched(i, tile == none ? 0 : program_.tiles[tile].cols, chip_.core.local_memory.capacity);
    c.touches_memory = c.touched.reads_all > 0 || c.touched.operands.source_count > 0 || c.touched.operands.writes;
    return c;
  }

  /// `known` remembers this core's pairs by the other core.
  std::uint32_t pair_with(std::vector<std::uint32_t>& known, CoreId other, PairKey key) {
    if (other < known.size() && known[other] != none) return known[other];
    const std::uint32_t index = pair(key);
    return known[other] = index;
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
  bool items_;
  Code& code_;
  bool joining_ = false, addresses_join_ = false, needs_addresses_ = false, new_stretch_ = true;
  std::uint32_t stretch_node_ = none;
  CoreId id_ = 0;
  CoreCode* out_ = nullptr;
  const std::array<OpcodeFacts, 256> facts_ = all_facts();
  Interned costs_;
  std::vector<std::uint32_t> pair_to_, pair_from_;
  std::map<std::pair<CoreId, CoreId>, std::uint32_t> pairs_;
  std::map<std::pair<CoreId, std::uint32_t>, std::uint32_t> sets_;
  std::vector<isa::NodeRange>::const_iterator node_, nodes_end_;
  std::vector<Open> open_;
  std::optional<HeldTiles> held_;
};

}  // namespace

Code decode(const isa::Program& program, const isa::Chip& chip, bool items) {
  Code code;
  code.cores.reserve(program.cores.size());
  Decoder decoder(program, chip, items, code);
  for (CoreId c = 0; c < program.cores.size(); ++c) decoder.core(c);
  return code;
}

std::string describe(const isa::Program& program, CoreId core, std::uint32_t instruction) {
  const isa::CoreProgram& mine = program.cores[core];
  std::string text =
      fmt::format("core {}, instruction {} '{}'", core, instruction, isa::print(mine.instructions.data[instruction]));
  const std::uint32_t node = isa::node_of(mine, instruction);
  if (node < program.nodes.size()) text += fmt::format(" (node '{}')", program.nodes[node]);
  return text;
}

}  // namespace pimento::sim
