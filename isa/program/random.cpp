#include "isa/program/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "isa/program/random_local.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {
using Cores = std::vector<std::size_t>;

GlobalPlan plan_of(std::size_t cores, const Pools& pools, const Chip& chip) {
  GlobalPlan plan;
  plan.input = {0, 2048};
  plan.constants = {2048, 3072};
  plan.scratch_begin = 3072;
  const std::int64_t outputs = plan.scratch(cores).begin;
  const std::int64_t end =
      outputs + static_cast<std::int64_t>(cores) * (pools[Pool::ints].size() + pools[Pool::f32s].size());
  if (end > chip.global_memory.capacity)
    throw UserError(fmt::format("a random program needs {} bytes of global memory, chip '{}' has {}", end, chip.name,
                                chip.global_memory.capacity));
  return plan;
}

/// Messages are drawn in one global order and appended to both ends at once, so every prefix of that order can run to
/// its end without any buffer; loops that hold messages are entered by all their cores together, with one trip count.
class Generator {
 public:
  Generator(const Chip& chip, std::uint64_t seed, const RandomOptions& options)
      : chip_(chip),
        options_(options),
        random_(seed),
        pools_(chip.core.local_memory.capacity),
        core_count_(static_cast<std::size_t>(options.cores > 0 ? options.cores : std::min(chip.cores, 4))),
        plan_(plan_of(core_count_, pools_, chip)),
        local_(chip, options, pools_, plan_),
        code_(core_count_),
        live_(core_count_) {
    if (options.cores > chip.cores)
      throw UserError(
          fmt::format("a random program for {} cores, chip '{}' has {}", options.cores, chip.name, chip.cores));
  }

  Program run() {
    describe();
    for (std::size_t c = 0; c < core_count_; ++c) describe_core(c);
    Cores all(core_count_);
    std::iota(all.begin(), all.end(), std::size_t{0});
    block(all, options_.instructions * static_cast<int>(core_count_));
    for (std::size_t c = 0; c < core_count_; ++c) finish_core(c);
    return std::move(program_);
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) { return random_.between(low, high); }

  void describe() {
    program_.producer = "random program";
    program_.model = "random";
    program_.chip_name = chip_.name;
    program_.chip_yaml = chip_.yaml;
    program_.chip = chip_.fingerprints;
    program_.settings_json = "{}";
    program_.cores.resize(core_count_);
    program_.inputs = {{"x", ElementType::u8, {plan_.input.size()}, {0}, ElementType::u8, 1.0, 0, plan_.input.begin}};
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(plan_.constants.size()));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_.next());
    program_.global_constants = {
        {plan_.constants.begin, ElementType::u8, Blob<std::uint8_t>::own(std::move(bytes)), {}}};
    program_.global_memory_used = plan_.scratch(core_count_).begin;
    make_tiles();
  }

  void make_tiles() {
    const int most_rows = std::min(chip_.core.crossbar.rows, 48);
    const int most_cols = std::min(chip_.weights_per_crossbar_row(), 24);
    if (chip_.core.crossbars < 1 || most_cols < 1) return;
    for (const bool real : {false, true}) {
      if (real && !(options_.floats && chip_.numerics.f32)) continue;
      const auto rows = static_cast<std::int32_t>(pick(1, most_rows)),
                 cols = static_cast<std::int32_t>(pick(1, most_cols));
      for (int n = 0; n < 2; ++n) {  // two of one shape, so that a group can be reprogrammed
        Tile tile{rows, cols, 1, 1, real ? ElementType::f32 : ElementType::i8, {}, {}};
        std::vector<std::uint8_t> weights;
        for (int k = 0; k < rows * cols; ++k) {
          const auto raw = std::bit_cast<std::array<std::uint8_t, 4>>(static_cast<float>(pick(-16, 16)) / 8.0F);
          if (real)
            weights.insert(weights.end(), raw.begin(), raw.end());
          else
            weights.push_back(static_cast<std::uint8_t>(random_.next()));
        }
        tile.weights = Blob<std::uint8_t>::own(std::move(weights));
        program_.tiles.push_back(std::move(tile));
      }
    }
  }

  void describe_core(std::size_t c) {
    CoreProgram& core = program_.cores[c];
    const auto groups = std::min<std::size_t>(program_.tiles.size(), static_cast<std::size_t>(chip_.core.crossbars));
    for (std::uint32_t g = 0; g < groups; ++g) core.groups.push_back({g, 1, 1});
    core.constants = pools_.contents(random_);
    core.local_memory_used = pools_.used();
  }

  std::vector<Instruction>& code(std::size_t c) { return code_[c]; }

  void finish_core(std::size_t c) {
    store_pool(c, Pool::ints, "ints", ElementType::u8);
    store_pool(c, Pool::f32s, "reals", ElementType::f32);
    program_.cores[c].instructions = Blob<Instruction>::own(std::move(code_[c]));
  }
  void store_pool(std::size_t c, Pool pool, std::string_view name, ElementType type) {
    const Region& region = pools_[pool];
    Instruction store;
    store.opcode = Opcode::store;
    store.dst = static_cast<std::int32_t>(program_.global_memory_used);
    store.a = static_cast<std::int32_t>(region.begin);
    store.len = static_cast<std::int32_t>(region.size());
    code(c).push_back(store);
    program_.outputs.push_back({fmt::format("{}{}", name, c),
                                type,
                                {region.size() / size_of(type)},
                                {0},
                                type,
                                1.0,
                                0,
                                program_.global_memory_used});
    program_.global_memory_used += region.size();
  }

  void block(const Cores& cores, int budget) {
    while (budget > 0) {
      const auto kind = pick(0, 11);
      if (kind == 0 && may_loop() && budget >= 6) {
        const int part = static_cast<int>(pick(3, budget / 2));
        loop(some_of(cores, 1), part);
        budget -= part;
      } else if (kind <= 2 && cores.size() > 1 && options_.messages) {
        message(cores);
        budget -= 2;
      } else if (kind == 3 && cores.size() > 1 && may_multicast()) {
        multicast(cores);
        budget -= 2;
      } else if (kind == 4 && cores.size() > 1 && options_.messages && trips_.empty() && event_ < 8) {
        event(cores);
        budget -= 2;
      } else {
        const std::size_t c = cores[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(cores.size()) - 1))];
        if (kind == 5 && live_[c].size() < 12) add_register(c);
        local_.add(code(c), program_, c, live_[c], random_);
        --budget;
      }
    }
  }

  Cores some_of(const Cores& cores, std::size_t least) {
    Cores chosen = cores;
    for (std::size_t k = chosen.size(); k > 1; --k)
      std::swap(chosen[k - 1], chosen[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(k) - 1))]);
    chosen.resize(
        static_cast<std::size_t>(pick(static_cast<std::int64_t>(least), static_cast<std::int64_t>(cores.size()))));
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  bool may_loop() const {
    const auto depth = static_cast<std::size_t>(std::min(chip_.core.loop_depth, max_loop_levels));
    std::int64_t rounds = 1;
    for (const std::int64_t trips : trips_) rounds *= std::max<std::int64_t>(trips, 1);
    return options_.loops && chip_.core.loops == LoopSupport::hardware && trips_.size() < depth && rounds <= 32;
  }

  /// All `cores` run one loop together. Registers set up for it live until it ends.
  void loop(const Cores& cores, int budget) {
    const bool by_register = !trips_.empty() && random_.one_in(3);
    const std::int64_t trips = by_register ? 3 : random_.one_in(12) ? 0 : pick(1, 5);
    // A[r] = base + stride * outermost counter, between 1 and 3 for the rounds that the outermost loop makes
    AddressSetup count{.base = 1};
    if (by_register)
      count.strides[0] = trips_[0] <= 3 ? 1 : 0,
      count.base = static_cast<std::int32_t>(pick(1, trips_[0] <= 3 ? 1 : 3));
    trips_.push_back(trips);
    std::vector<std::size_t> live_before, begins;
    for (const std::size_t c : cores) {
      live_before.push_back(live_[c].size());
      for (auto n = pick(1, 4); n > 0; --n) add_register(c);
      Instruction i;
      i.opcode = Opcode::loop;
      if (by_register) {
        i.reg_a = next_register(c);
        i.flags = flag::loop_register;
        code(c).push_back(make_addr(i.reg_a, count));
      } else {
        i.count = static_cast<std::int32_t>(trips);
      }
      begins.push_back(code(c).size());
      code(c).push_back(i);
    }
    block(cores, budget);
    for (std::size_t n = 0; n < cores.size(); ++n) {
      auto& mine = code(cores[n]);
      if (mine.size() == begins[n] + 1) mine.emplace_back();  // nop
      mine[begins[n]].target = static_cast<std::uint32_t>(mine.size() - begins[n] - 1);
      live_[cores[n]].resize(live_before[n]);
    }
    trips_.pop_back();
  }

  /// Registers are taken like a stack; the last one, which is never live, counts loops.
  std::uint8_t next_register(std::size_t c) const { return static_cast<std::uint8_t>(live_[c].size()); }

  void add_register(std::size_t c) {
    if (static_cast<int>(live_[c].size()) + 1 >= chip_.core.scalar.address_registers) return;
    const std::array<Pool, 4> pools{Pool::ints, Pool::ints, Pool::f32s, Pool::bools};
    LiveRegister r{next_register(c), pools[static_cast<std::size_t>(pick(0, 3))], 0, 0, random_.one_in(3), {}};
    const std::int64_t unit = r.ring ? ring_slot : 8;
    for (std::size_t level = 0; level < trips_.size(); ++level) {
      r.setup.strides[level] = static_cast<std::int32_t>(unit * pick(-2, 3));
      const std::int64_t reach = r.setup.strides[level] * std::max<std::int64_t>(trips_[level] - 1, 0);
      (reach < 0 ? r.low : r.high) += reach;
    }
    const Region& region = pools_[r.pool];
    if (r.ring) {
      const std::int64_t slots = std::min<std::int64_t>(pick(2, 6), region.size() / ring_slot);
      r.setup.ring_size = static_cast<std::int32_t>(slots * ring_slot);
      r.setup.ring_lo = static_cast<std::int32_t>(region.begin +
                                                  ring_slot * pick(0, (region.size() - r.setup.ring_size) / ring_slot));
      r.setup.base = r.setup.ring_lo + static_cast<std::int32_t>(ring_slot * pick(-3, 9));
    } else {
      r.setup.base = static_cast<std::int32_t>(8 * pick(0, 64));
      r.low += r.setup.base;
      r.high += r.setup.base;
    }
    code(c).push_back(make_addr(r.reg, r.setup));
    live_[c].push_back(r);
  }

  /// A view of `total` bytes, cut into equal segments in one of its ways.
  Instruction end_of_message(Opcode opcode, Operand o, std::size_t core, Pool pool, std::int64_t total) {
    for (;;) {
      Instruction i;
      i.opcode = opcode;
      i.count = static_cast<std::int32_t>(pick(1, 4));
      if (total % (4 * i.count) != 0) continue;
      i.len = static_cast<std::int32_t>(total / i.count);
      if (local_.place(i, o, pool, {4, i.count, i.len, true, false}, live_[core], random_).ok) return i;
    }
  }

  void message(const Cores& cores) {
    const Cores ends = two_of(cores);
    const Pool pool = options_.floats && random_.one_in(4) ? Pool::f32s : Pool::ints;
    const std::int64_t total = 4 * pick(1, 16);
    Instruction send = end_of_message(Opcode::send, Operand::a, ends[0], pool, total);
    Instruction receive = end_of_message(Opcode::recv, Operand::d, ends[1], pool, total);
    send.target = static_cast<std::uint32_t>(ends[1]);
    receive.target = static_cast<std::uint32_t>(ends[0]);
    send.tag = receive.tag = tag_++;
    code(ends[0]).push_back(send);
    code(ends[1]).push_back(receive);
  }

  bool may_multicast() const { return options_.messages && options_.multicast && chip_.network.multicast; }
  void multicast(const Cores& cores) {
    const std::size_t source = cores[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(cores.size()) - 1))];
    Cores others = cores;
    others.erase(std::find(others.begin(), others.end(), source));
    const Cores chosen = some_of(others, 1);
    const std::vector<CoreId> set(chosen.begin(), chosen.end());
    auto known = std::find(program_.core_sets.begin(), program_.core_sets.end(), set);
    if (known == program_.core_sets.end()) known = program_.core_sets.insert(known, set);
    const std::int64_t total = 4 * pick(1, 16);
    Instruction send = end_of_message(Opcode::mcast, Operand::a, source, Pool::ints, total);
    send.target = static_cast<std::uint32_t>(known - program_.core_sets.begin());
    send.tag = tag_;
    code(source).push_back(send);
    for (const std::size_t c : chosen) {
      Instruction receive = end_of_message(Opcode::recv, Operand::d, c, Pool::ints, total);
      receive.target = static_cast<std::uint32_t>(source);
      receive.tag = tag_;
      code(c).push_back(receive);
    }
    ++tag_;
  }

  /// Each event register serves one pair, once and outside of loops, so a wait has one meaning.
  void event(const Cores& cores) {
    const Cores ends = two_of(cores);
    for (const Opcode opcode : {Opcode::sync, Opcode::wait}) {
      Instruction i;
      i.opcode = opcode;
      i.target = static_cast<std::uint32_t>(ends[1]);
      i.tag = event_;
      i.imm = 1;
      code(opcode == Opcode::sync ? ends[0] : ends[1]).push_back(i);
    }
    ++event_;
  }

  Cores two_of(const Cores& cores) {
    const auto n = static_cast<std::int64_t>(cores.size());
    const std::int64_t first = pick(0, n - 1), second = (first + pick(1, n - 1)) % n;
    return {cores[static_cast<std::size_t>(first)], cores[static_cast<std::size_t>(second)]};
  }

  const Chip& chip_;
  RandomOptions options_;
  Random random_;
  Pools pools_;
  std::size_t core_count_;
  GlobalPlan plan_;
  LocalInstructions local_;
  Program program_;
  std::vector<std::vector<Instruction>> code_;
  std::vector<std::vector<LiveRegister>> live_;
  std::vector<std::int64_t> trips_;  ///< of the open loops, the largest where a register counts
  std::uint32_t tag_ = 1, event_ = 0;
};
}  // namespace

Program random_program(const Chip& chip, std::uint64_t seed, const RandomOptions& options) {
  return Generator(chip, seed, options).run();
}

}  // namespace pimento::isa
