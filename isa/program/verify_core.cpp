// What can be said of one core's instructions without running them. Address ranges are checked where they are certain:
// over the counters of constant loops, as far as the register's setting is the only one that reaches the use.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <compare>
#include <cstdint>

#include "isa/instruction/form.hpp"
#include "isa/instruction/writes_cells.hpp"
#include "isa/program/layout.hpp"
#include "isa/program/verify.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {
using Wide = __int128;  // sums of products of 32-bit numbers
using Registers = std::bitset<256>;

struct OpenLoop {
  std::size_t begin = 0, end = 0;  ///< of the body
  std::int64_t trips = 0;          ///< 0: it does not run; 1 when the count comes from a register
  Registers set_inside;            ///< address registers that the body sets
};
struct Setting {
  AddressSetup setup;
  std::size_t at = 0;
  bool known = false;
};
/// A tile that a group may hold when an `mvm` uses it.
struct Held {
  std::uint32_t group, tile;
  auto operator<=>(const Held&) const = default;
};

std::string text(Wide value) {
  return std::to_string(static_cast<std::int64_t>(std::clamp<Wide>(value, INT64_MIN, INT64_MAX)));
}

constexpr int most_turns = 8;  ///< through a memory, of one operand

class CoreVerifier {
 public:
  CoreVerifier(const Program& program, const Chip& chip, std::size_t core, const std::string& file)
      : program_(program),
        chip_(chip),
        mine_(program.cores[core]),
        records_(mine_.instructions.data),
        core_(core),
        file_(file) {
    for (const ElementType type : chip.core.vector.types) vector_types_.set(static_cast<std::size_t>(type));
  }

  void run() {
    collect_tiles();
    for (at_ = 0; at_ < records_.size(); ++at_) {
      while (depth_ > 0 && loops_[depth_ - 1].end == at_) close_loop();
      instruction(records_[at_]);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    std::string where = fmt::format("core {}, instruction {}", core_, at_);
    if (!file_.empty()) where += fmt::format(" (byte 0x{:x})", instruction_byte(program_, core_, at_));
    throw UserError({.file = file_, .line = 0, .column = 0, .node = where}, message);
  }
  std::string_view name() const { return row(records_[at_].opcode).name; }

  void collect_tiles() {
    for (std::size_t g = 0; g < mine_.groups.size(); ++g)
      if (mine_.groups[g].tile != no_tile) held_.push_back({static_cast<std::uint32_t>(g), mine_.groups[g].tile});
    for (const Instruction& i : records_)
      if (writes_cells(i.opcode) && i.tag < program_.tiles.size()) held_.push_back({i.target, i.tag});
    std::sort(held_.begin(), held_.end());
    held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
  }

  void instruction(const Instruction& i) {
    if (const std::string fault = check_fields(i); !fault.empty()) fail(fault);
    const Row& each = row(i.opcode);
    check_registers(i);
    if (each.unit == Unit::vector || i.opcode == Opcode::dvm) check_types(i);
    std::int64_t columns = 0;
    switch (each.form) {
      case Form::loop:
        return open_loop(i);
      case Form::addr:
        if (skipped_ == 0) settings_[i.reg_d] = {address_setup(i), at_, true};
        return;
      case Form::program:
        return check_program(i);
      case Form::write:
        check_program(i);
        check_rows(i);
        break;
      case Form::mvm:
        columns = check_mvm(i);
        break;
      case Form::send:
      case Form::receive:
        check_peer(i);
        break;
      case Form::event:
        if (i.target >= program_.cores.size())
          fail(fmt::format("core {}, program has {}", i.target, program_.cores.size()));
        return;
      case Form::multicast:
        check_set(i);
        break;
      default:
        break;
    }
    const FormSpec& spec = form_spec(i.opcode);
    for (const Operand o : all_operands)
      if (spec[o].space == Space::local || spec[o].space == Space::global) check_range(i, o, columns);
  }

  void check_registers(const Instruction& i) const {
    const int limit = chip_.core.scalar.address_registers;
    const bool addressing = row(i.opcode).unit != Unit::scalar;
    for (const std::uint8_t reg : {i.reg_d, i.reg_a, i.reg_b}) {
      if (reg == no_register) continue;
      if (reg >= limit) fail(fmt::format("{}: register {}, core has {}", name(), reg, limit));
      if (addressing && skipped_ == 0 && !settings_[reg].known)
        fail(fmt::format("{}: no 'addr' before this sets A{}", name(), reg));
    }
  }

  void check_types(const Instruction& i) const {
    const Form form = row(i.opcode).form;
    // indices and multipliers are read, not computed with
    const bool b_is_table = form == Form::gather || form == Form::requant;
    for (const Operand o : all_operands) {
      if (!form_spec(i.opcode)[o].typed || (o == Operand::b && b_is_table)) continue;
      if (!vector_types_.test(static_cast<std::size_t>(type_of(i, o))))
        fail(fmt::format("{}: {} is {}, which the vector unit of chip '{}' does not know", name(), to_string(o),
                         to_string(type_of(i, o)), chip_.name));
    }
  }

  void open_loop(const Instruction& i) {
    const int depth = std::min(chip_.core.loop_depth, max_loop_levels);
    if (chip_.core.loops == LoopSupport::none) fail(fmt::format("loop: chip '{}' has no hardware loops", chip_.name));
    if (static_cast<int>(depth_) >= depth)
      fail(fmt::format("loop: nested to depth {}, core has {}", depth_ + 1, depth));
    const std::size_t begin = at_ + 1;
    const std::size_t limit = depth_ > 0 ? loops_[depth_ - 1].end : records_.size();
    if (i.target > limit - begin)
      fail(fmt::format("loop: a body of {} instructions ends at {}, outside {} that ends at {}", i.target,
                       begin + i.target, depth_ > 0 ? "the loop round it" : "the program", limit));
    OpenLoop& loop = loops_[depth_++];
    loop = {begin, begin + i.target, (i.flags & flag::loop_register) != 0 ? 1 : i.count, {}};
    for (std::size_t k = loop.begin; k < loop.end; ++k)
      if (records_[k].opcode == Opcode::addr) loop.set_inside.set(records_[k].reg_d);
    if (loop.trips == 0) ++skipped_;
  }
  void close_loop() {
    if (loops_[--depth_].trips == 0) --skipped_;
  }

  void check_group(const Instruction& i) const {
    if (i.target >= mine_.groups.size())
      fail(fmt::format("array group {}, core has {}", i.target, mine_.groups.size()));
  }

  void check_program(const Instruction& i) const {
    check_group(i);
    if (i.tag >= program_.tiles.size()) fail(fmt::format("tile {}, program has {}", i.tag, program_.tiles.size()));
    const Group& group = mine_.groups[i.target];
    const Tile& tile = program_.tiles[i.tag];
    if (tile.crossbar_rows > group.crossbar_rows || tile.crossbar_cols > group.crossbar_cols)
      fail(fmt::format("tile {} takes {}x{} crossbars, array group {} has {}x{}", i.tag, tile.crossbar_rows,
                       tile.crossbar_cols, i.target, group.crossbar_rows, group.crossbar_cols));
  }

  void check_rows(const Instruction& i) const {
    const Tile& tile = program_.tiles[i.tag];
    const std::int64_t bytes = std::int64_t{tile.cols} * size_of(tile.type);
    if (i.len != bytes) fail(fmt::format("write: segments of {} bytes, a row of tile {} has {}", i.len, i.tag, bytes));
    if (i.imm < 0 || std::int64_t{i.imm} + i.count > tile.rows)
      fail(fmt::format("write: rows {} to {}, tile {} has {}", i.imm, std::int64_t{i.imm} + i.count, i.tag, tile.rows));
  }

  /// Columns of the narrowest tile that fits the instruction.
  std::int64_t check_mvm(const Instruction& i) const {
    check_group(i);
    const bool real = is_float(i.type_a);
    if (real && !chip_.numerics.f32)
      fail(fmt::format("mvm: a is {}, chip '{}' has no f32 in its matrix path", to_string(i.type_a), chip_.name));
    const std::int64_t rows = std::int64_t{i.count} * i.len;
    const Tile* other = nullptr;
    std::int64_t columns = INT64_MAX;
    auto held = std::lower_bound(held_.begin(), held_.end(), i.target,
                                 [](const Held& h, std::uint32_t g) { return h.group < g; });
    for (; held != held_.end() && held->group == i.target; ++held) {
      const Tile& tile = program_.tiles[held->tile];
      other = &tile;
      if (tile.rows == rows && (tile.type == ElementType::f32) == real)
        columns = std::min<std::int64_t>(columns, tile.cols);
    }
    if (other == nullptr) fail(fmt::format("mvm: array group {} holds no tile", i.target));
    if (columns == INT64_MAX)
      fail(fmt::format("mvm: {} inputs of type {}, the tile of array group {} has {} rows of type {}", rows,
                       to_string(i.type_a), i.target, other->rows, to_string(other->type)));
    return columns;
  }

  void check_peer(const Instruction& i) const {
    if (i.target >= program_.cores.size())
      fail(fmt::format("{}: core {}, program has {}", name(), i.target, program_.cores.size()));
    if (i.target == core_) fail(fmt::format("{}: core {} names itself", name(), core_));
  }

  void check_set(const Instruction& i) const {
    if (!chip_.network.multicast) fail(fmt::format("mcast: chip '{}' has no multicast", chip_.name));
    if (i.target >= program_.core_sets.size())
      fail(fmt::format("mcast: core set {}, program has {}", i.target, program_.core_sets.size()));
    const auto& set = program_.core_sets[i.target];
    if (std::binary_search(set.begin(), set.end(), static_cast<CoreId>(core_)))
      fail(fmt::format("mcast: core set {} holds core {} itself", i.target, core_));
  }

  /// Adds the values that A[reg] takes for certain to [low, high].
  void add_register(std::uint8_t reg, Wide& low, Wide& high) const {
    const Setting& setting = settings_[reg];
    low += setting.setup.base;
    high += setting.setup.base;
    for (std::size_t level = 0; level < depth_; ++level) {
      const OpenLoop& loop = loops_[level];
      const bool changes =
          setting.at < loop.begin && loop.set_inside.test(reg);  // a later round may see another setting
      const Wide span = changes ? 0 : Wide{setting.setup.strides[level]} * (loop.trips - 1);
      (span < 0 ? low : high) += span;
    }
  }

  void check_range(const Instruction& i, Operand o, std::int64_t columns) const {
    if (skipped_ > 0) return;
    const View v = view(i, o, columns);
    if (v.space == Space::none) return;
    const Bytes capacity = v.space == Space::local ? chip_.core.local_memory.capacity : chip_.global_memory.capacity;
    const std::string_view memory = v.space == Space::local ? "local" : "global";
    // Segments may overlap, as those of a source that is used again; but not without end: what one instruction touches
    // is simulated, or sent, byte by byte.
    if (Wide{v.bytes} * v.count > Wide{capacity} * most_turns)
      fail(fmt::format("{}: {} segments of {} bytes for {}, expected no more than {} times the {} memory of {} bytes",
                       name(), v.count, v.bytes, to_string(o), most_turns, memory, capacity));
    Wide low = v.address, high = v.address;
    if (v.reg != no_register) add_register(v.reg, low, high);
    const Wide reach = Wide{v.stride} * (v.count - 1);
    if (v.reg != no_register && settings_[v.reg].setup.ring_size > 0) {
      const AddressSetup& ring = settings_[v.reg].setup;
      if (ring.ring_lo < 0 || std::int64_t{ring.ring_lo} + ring.ring_size > capacity)
        fail(fmt::format("{}: ring of {} at {} for {}, {} memory has {}", name(), ring.ring_size, ring.ring_lo,
                         to_string(o), memory, capacity));
      if (v.bytes > ring.ring_size)
        fail(fmt::format("{}: segments of {} bytes for {}, its ring has {}", name(), v.bytes, to_string(o),
                         ring.ring_size));
      const bool fixed = low == high && v.count == 1 && low >= INT32_MIN && low <= INT32_MAX;
      const std::int64_t start =
          fixed ? wrap(static_cast<std::int64_t>(low), ring.ring_lo, ring.ring_size) : ring.ring_lo;
      if (start + v.bytes > std::int64_t{ring.ring_lo} + ring.ring_size)
        fail(fmt::format("{}: {} bytes at {} for {} straddle the end of its ring, {}", name(), v.bytes, start,
                         to_string(o), std::int64_t{ring.ring_lo} + ring.ring_size));
      return;
    }
    (reach < 0 ? low : high) += reach;
    high += v.bytes;
    if (low < 0 || high > capacity)
      fail(fmt::format("{}: bytes {} to {} for {}, {} memory has {}", name(), text(low), text(high), to_string(o),
                       memory, capacity));
  }

  const Program& program_;
  const Chip& chip_;
  const CoreProgram& mine_;
  std::span<const Instruction> records_;
  std::size_t core_;
  const std::string& file_;
  std::bitset<element_type_count> vector_types_;
  std::vector<Held> held_;
  std::size_t at_ = 0;
  std::array<OpenLoop, max_loop_levels> loops_{};
  std::size_t depth_ = 0;
  int skipped_ = 0;  ///< open loops that run no time
  std::array<Setting, 256> settings_{};
};
}  // namespace

void verify_core(const Program& program, const Chip& chip, std::size_t core, const std::string& file) {
  CoreVerifier(program, chip, core, file).run();
}

}  // namespace pimento::isa
