#include "compiler/drivers/pim/emit/roll.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "isa/instruction/form.hpp"

namespace pimento::pim {
namespace {
constexpr std::size_t operands = 3;

const FlatOperand& operand(const FlatOp& op, std::size_t k) { return k == 0 ? op.d : k == 1 ? op.a : op.b; }
FlatOperand& operand(FlatOp& op, std::size_t k) { return k == 0 ? op.d : k == 1 ? op.a : op.b; }

/// An operand that stands in global memory, where every image has its own place.
bool is_global(const FlatOp& op, std::size_t k) {
  return (op.form.opcode == isa::Opcode::load && k == 1) || (op.form.opcode == isa::Opcode::store && k == 0);
}

/// Bytes of a key under which equal structures meet.
class Key {
 public:
  template <class T>
  Key& operator<<(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Structures {
 public:
  std::uint32_t of(const Key& key) {
    return ids_.try_emplace(key.bytes(), static_cast<std::uint32_t>(ids_.size())).first->second;
  }

  std::size_t size() const { return ids_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
};

Key key_of(const Operation& operation) {
  const FlatOp& op = operation.op;
  Key key;
  key << op.form << op.depth << operation.node;
  for (std::int32_t level = 0; level < op.depth; ++level) key << op.trips[static_cast<std::size_t>(level)];
  for (std::size_t k = 0; k < operands; ++k) {
    const FlatOperand& o = operand(op, k);
    key << o.home_lo << o.home_size;
    for (std::int32_t level = 0; level < op.depth; ++level) key << o.loops[static_cast<std::size_t>(level)];
  }
  return key;
}

/// A loop of few turns round one operation costs as much as it saves: its turns one after another.
void write_out(const Operation& operation, std::vector<Operation>& out) {
  constexpr std::int32_t few = 3;
  if (operation.op.depth != 1 || operation.op.trips[0] > few) {
    out.push_back(operation);
    return;
  }
  for (std::int32_t turn = 0; turn < operation.op.trips[0]; ++turn) {
    Operation one = operation;
    one.op.depth = 0;
    one.op.trips = {};
    for (std::size_t k = 0; k < operands; ++k) {
      FlatOperand& o = operand(one.op, k);
      o.address += turn * o.loops[0];
      o.loops = {};
      if (o.home_size == 0) continue;
      o.address = isa::wrap(o.address, o.home_lo, o.home_size);
      const std::int64_t last = o.address + (one.op.form.count - 1) * o.stride;
      if (o.ring_size > 0 && last >= o.home_lo && last < o.home_lo + o.home_size) o.ring_lo = o.ring_size = 0;
    }
    out.push_back(one);
  }
}

class Roller {
 public:
  Roller(const std::vector<Operation>& operations, const isa::Chip& chip, Prefer prefer, const Repeat& repeat)
      : prefer_(prefer),
        depth_(std::min(isa::max_loop_levels, chip.core.loop_depth) - (repeat.is_loop() ? 1 : 0)),
        registers_(static_cast<std::size_t>(chip.core.scalar.address_registers)) {
    std::vector<Operation> written;
    written.reserve(operations.size());
    for (const Operation& operation : operations) write_out(operation, written);
    r_ = as_they_stand(std::move(written), repeat);
    for (Item& item : r_.items) item.structure = structures_.of(key_of(r_.operations[item.first_place]));
  }

  Rolled run() {
    if (prefer_ == Prefer::shortest)
      for (const std::size_t longest : {std::size_t{1}, std::size_t{4}, std::size_t{16}}) roll_once(longest);
    // one that finds nothing would find nothing again
    for (int level = 0; level < depth_; ++level)
      if (!roll_once(r_.operations.size())) break;
    return std::move(r_);
  }

 private:
  struct Choice {
    std::size_t period = 0, turns = 1;
    std::int64_t gain = 0;
  };

  std::int64_t address(const Item& item, std::size_t slot) const {
    const std::uint32_t place = r_.places[item.first_place + slot / operands];
    return operand(r_.operations[place].op, slot % operands).address;
  }
  std::int64_t ring(const Item& item, std::size_t slot) const {
    return operand(r_.operations[r_.places[item.first_place + slot / operands]].op, slot % operands).home_size;
  }
  bool follows_image(const Item& item, std::size_t slot) const {
    return is_global(r_.operations[r_.places[item.first_place + slot / operands]].op, slot % operands);
  }
  /// From one item to another of its structure; within a ring the way forward.
  std::int64_t way(const Item& from, const Item& to, std::size_t slot) const {
    const std::int64_t plain = address(to, slot) - address(from, slot), size = ring(from, slot);
    return size == 0 ? plain : isa::wrap(plain, 0, size);
  }

  /// One walk over the items; bodies of `longest` items at most. Whether it made a loop.
  bool roll_once(std::size_t longest) {
    const std::vector<Item> items = std::move(r_.items);
    r_.items.clear();
    next_.assign(items.size(), items.size());
    std::vector<std::size_t> seen(structures_.size(), items.size());
    for (std::size_t i = items.size(); i-- > 0;) next_[i] = std::exchange(seen[items[i].structure], i);
    bool rolled = false;
    for (std::size_t i = 0; i < items.size();) {
      const Choice choice = choose(items, i, longest);
      if (choice.turns < 2) {
        r_.items.push_back(items[i++]);
        continue;
      }
      const Item loop = make_loop(items, i, choice);
      if (operands * loop.places > registers_ && distinct(walks(r_, loop)).size() > registers_) {
        take_back(loop);  // its loops and theirs together walk in too many ways
        r_.items.push_back(items[i++]);
        continue;
      }
      r_.items.push_back(loop);
      i += choice.period * choice.turns;
      rolled = true;
    }
    return rolled;
  }

  /// The repetition that begins here and is preferred.
  Choice choose(const std::vector<Item>& items, std::size_t i, std::size_t longest) {
    constexpr int most_candidates = 32;
    Choice best;
    std::size_t j = next_[i];
    for (int k = 0; k < most_candidates && j < items.size(); ++k, j = next_[j]) {
      const std::size_t period = j - i;
      if (period > longest || j + period > items.size()) break;
      const std::size_t turns = turns_of(items, i, period);
      if (turns < 2) continue;
      const Choice here{period, turns, gain(items, i, period, turns)};
      if (here.gain > best.gain) best = here;
    }
    return best;
  }

  std::size_t turns_of(const std::vector<Item>& items, std::size_t i, std::size_t period) const {
    std::size_t turns = 1;
    while (i + (turns + 1) * period <= items.size()) {
      const std::size_t last = i + (turns - 1) * period;
      for (std::size_t k = 0; k < period; ++k) {
        const Item &first = items[i + k], &from = items[last + k], &to = items[last + period + k];
        if (from.structure != to.structure) return turns;
        if (turns == 1) {
          if (from.depth >= depth_) return turns;
          continue;
        }
        const Item& second = items[i + period + k];
        for (std::size_t slot = 0; slot < operands * from.places; ++slot)
          if (way(from, to, slot) != way(first, second, slot)) return turns;
      }
      ++turns;
    }
    return turns;
  }

  /// Instructions saved, less those that the loop costs: its own and the settings of registers.
  std::int64_t gain(const std::vector<Item>& items, std::size_t i, std::size_t period, std::size_t turns) {
    std::int64_t records = 0;
    auto& ways = ways_;
    ways.clear();
    for (std::size_t k = 0; k < period; ++k) {
      const Item &from = items[i + k], &to = items[i + period + k];
      records += from.records;
      for (std::size_t slot = 0; slot < operands * from.places; ++slot)
        if (const std::int64_t w = way(from, to, slot); w != 0)
          ways.emplace_back(w, ring(from, slot), r_.repeat.is_loop() && follows_image(from, slot));
    }
    std::sort(ways.begin(), ways.end());
    const auto settings = std::unique(ways.begin(), ways.end()) - ways.begin();
    if (static_cast<std::size_t>(settings) > registers_) return 0;
    return static_cast<std::int64_t>(turns - 1) * records - 1 - settings;
  }

  Item make_loop(const std::vector<Item>& items, std::size_t i, const Choice& choice) {
    Item item;
    item.loop = static_cast<std::int32_t>(r_.loops.size());
    item.first_place = static_cast<std::uint32_t>(r_.places.size());
    item.places = 0;
    RolledLoop loop;
    loop.trips = static_cast<std::int32_t>(choice.turns);
    Key key;
    key << loop.trips << choice.period;
    for (std::size_t k = 0; k < choice.period; ++k) {
      const Item &first = items[i + k], &second = items[i + choice.period + k];
      loop.body.push_back(first);
      item.records += first.records;
      item.depth = std::max(item.depth, first.depth + 1);
      key << first.structure;
      for (std::size_t slot = 0; slot < operands * first.places; ++slot) {
        loop.strides.push_back(way(first, second, slot));
        key << loop.strides.back();
        r_.wraps.push_back(wraps(items, i + k, choice, slot));
      }
      for (std::uint32_t place = 0; place < first.places; ++place)
        r_.places.push_back(r_.places[first.first_place + place]);
      item.places += first.places;
    }
    item.structure = structures_.of(key);
    r_.loops.push_back(std::move(loop));
    return item;
  }
  /// The loop that was made last is not used.
  void take_back(const Item& loop) {
    r_.loops.pop_back();
    r_.places.resize(loop.first_place);
    r_.wraps.resize(operands * loop.first_place);
  }
  /// An operand passes the end of its ring within a turn, or from one turn to the next.
  std::uint8_t wraps(const std::vector<Item>& items, std::size_t at, const Choice& choice, std::size_t slot) const {
    for (std::size_t turn = 0; turn < choice.turns; ++turn) {
      const Item& here = items[at + turn * choice.period];
      if (r_.wraps[operands * here.first_place + slot] != 0) return 1;
      if (turn + 1 == choice.turns) break;
      const Item& after = items[at + (turn + 1) * choice.period];
      if (address(after, slot) - address(here, slot) != way(here, after, slot)) return 1;
    }
    return 0;
  }

  Prefer prefer_;
  int depth_;
  std::size_t registers_;
  Structures structures_;
  Rolled r_;
  std::vector<std::tuple<std::int64_t, std::int64_t, bool>> ways_;  ///< of the repetition in hand
  std::vector<std::size_t> next_;                                   ///< by item: the next one of its structure
};

void fill_walks(const Rolled& rolled, const Item& item, std::size_t level, std::size_t slot, std::vector<Walk>& all) {
  if (item.loop < 0) {
    const FlatOp& op = rolled.operations[rolled.places[item.first_place]].op;
    for (std::size_t k = 0; k < operands; ++k) {
      Walk& walk = all[slot + k];
      walk.depth = static_cast<std::int32_t>(level) + op.depth;
      if (rolled.repeat.is_loop() && is_global(op, k))
        walk.strides[0] = static_cast<std::int32_t>(rolled.repeat.stride);
      for (std::size_t own = 0; own < static_cast<std::size_t>(op.depth); ++own)
        walk.strides[level + own] = static_cast<std::int32_t>(operand(op, k).loops[own]);
    }
    return;
  }
  const RolledLoop& loop = rolled.loops[static_cast<std::size_t>(item.loop)];
  for (std::size_t k = 0; k < loop.strides.size(); ++k)
    all[slot + k].strides[level] = static_cast<std::int32_t>(loop.strides[k]);
  for (const Item& each : loop.body) {
    fill_walks(rolled, each, level + 1, slot, all);
    slot += operands * each.places;
  }
}
}  // namespace

bool Walk::served_by(const Walk& held) const {
  return ring_lo == held.ring_lo && ring_size == held.ring_size &&
         std::equal(strides.begin(), strides.begin() + depth, held.strides.begin());
}

Rolled as_they_stand(std::vector<Operation> operations, const Repeat& repeat) {
  Rolled r;
  r.repeat = repeat;
  r.operations = std::move(operations);
  for (std::size_t k = 0; k < r.operations.size(); ++k) {
    const FlatOp& op = r.operations[k].op;
    Item item;
    item.first_place = static_cast<std::uint32_t>(k);
    item.records = static_cast<std::uint32_t>(op.depth) + 1;
    item.depth = op.depth;
    r.places.push_back(static_cast<std::uint32_t>(k));
    for (std::size_t o = 0; o < operands; ++o) r.wraps.push_back(operand(op, o).ring_size > 0 ? 1 : 0);
    r.items.push_back(item);
  }
  return r;
}

Rolled roll(const std::vector<Operation>& operations, const isa::Chip& chip, Prefer prefer, const Repeat& repeat) {
  return Roller(operations, chip, prefer, repeat).run();
}

std::vector<Walk> walks(const Rolled& rolled, const Item& item) {
  std::vector<Walk> all(operands * item.places);
  fill_walks(rolled, item, rolled.repeat.is_loop() ? 1 : 0, 0, all);
  for (std::size_t slot = 0; slot < all.size(); ++slot) {
    if (rolled.wraps[operands * item.first_place + slot] == 0) continue;
    const FlatOperand& o =
        operand(rolled.operations[rolled.places[item.first_place + slot / operands]].op, slot % operands);
    all[slot].ring_lo = static_cast<std::int32_t>(o.home_lo);
    all[slot].ring_size = static_cast<std::int32_t>(o.home_size);
  }
  return all;
}

std::vector<Walk> distinct(std::vector<Walk> walks) {
  std::erase_if(walks, [](const Walk& walk) { return walk.still(); });
  std::stable_sort(walks.begin(), walks.end(), [](const Walk& a, const Walk& b) { return a.depth > b.depth; });
  std::vector<Walk> kept;
  for (const Walk& walk : walks) {
    if (std::none_of(kept.begin(), kept.end(), [&](const Walk& held) { return walk.served_by(held); }))
      kept.push_back(walk);
  }
  return kept;
}

}  // namespace pimento::pim
