#pragma once
// A core's program as the run-ahead core executes it. What instructions cost is interned: instructions of one shape on
// one node share a Cost, so counting one execution is one increment, and every figure of the report follows from the
// counts afterwards. At window 1 and without values, runs of instructions between contacts become one item.
#include <cstdint>
#include <string>
#include <vector>

#include "isa/cost/cost.hpp"
#include "isa/instruction/writes_cells.hpp"
#include "isa/program/program.hpp"
#include "simulator/core/place.hpp"

namespace pimento::sim {

enum class Kind : std::uint8_t {
  plain,    ///< works on its core alone
  address,  ///< addr
  loop,
  loop_end,  ///< not an instruction: behind the last one of a body
  halt,
  send,
  multicast,
  receive,
  load,   ///< and gload
  store,  ///< and gstore
  sync,
  wait
};
constexpr bool is_contact(Kind kind) { return kind >= Kind::send; }

using isa::writes_cells;

/// What an instruction holds while it is in flight.
using Unit = std::uint32_t;
inline constexpr Unit unit_control = 0, unit_scalar = 1, unit_vector = 2, unit_digital = 3, unit_transfer = 4,
                      unit_group = 5;  ///< unit_group + g: array group g

inline constexpr std::uint32_t none = 0xffffffffU;

struct Cost {
  Kind kind = Kind::plain;
  isa::Opcode opcode{};
  isa::Unit part{};
  Unit unit = 0;
  Cycles read = 0, compute = 0, write = 0, total = 1;  ///< total is at least 1 and includes the next two
  Cycles start = 0, retire = 0;                        ///< of the chip's rules: before and after its work
  Cycles occupies = -1;  ///< isa::cost::Duration's: from its reading until the next MVM's slices may begin
  std::uint32_t node = none;
  std::uint32_t sample = 0;  ///< an instruction of this cost
  std::uint32_t tile = none;
  Bytes bytes = 0;  ///< of a transfer
  bool touches_memory = false;
  Touched touched;
};

struct Step {
  std::uint32_t cost = 0;
  std::uint32_t instruction = 0;
  /// loop: the step behind its end; loop_end: the first step of the body; send, receive: the pair; multicast: the set
  /// of pairs.
  std::uint32_t aux = none;
};

/// A stretch of a core's program as cores of window 1 go through it: `count` plain steps that take `value` cycles
/// together; or, by `count`, one send or receive, `value` being its place in `messages`; or one other step, `value`
/// being its place in `singles`.
struct Item {
  static constexpr std::uint32_t is_message = 0xffffffffU, is_single = 0xfffffffeU, most_cycles = 1U << 30;
  std::uint32_t count = 0, value = 0;
};

/// All that sending or receiving takes to be timed, in one place: what Cost and the instruction say is spread over
/// megabytes, and a chip's cores take turns at it.
struct Message {
  std::uint32_t cost = 0, instruction = 0, tag = 0;
  std::uint32_t pair : 31 = 0, sends : 1 = 0;
  std::uint32_t bytes = 0, flits = 0, read = 0, write = 0;
};

struct Single {
  std::uint32_t step = 0;
  std::uint32_t aux = none;      ///< as in Step, in items
  std::uint32_t turns = 0;       ///< of a loop that counts by a constant, and is no empty one
  std::uint32_t cycles = 0;      ///< of that loop instruction
  std::uint32_t stretch = none;  ///< the one that begins at `aux`
  Kind kind = Kind::plain;
};

/// Items that are counted as one, being always passed one after the other: of one node, or a plain item of several.
struct Stretch {
  std::uint32_t begin : 31 = 0, mixed : 1 = 0;
};

struct CoreCode {
  std::vector<Cost> costs;
  std::vector<Step> steps;
  std::vector<Item> items;  ///< empty when not asked for
  std::vector<Message> messages;
  std::vector<Single> singles;
  std::vector<Stretch> stretches;                   ///< one after the other, and one behind the last item
  std::vector<std::vector<std::uint32_t>> sharing;  ///< isa::groups_that_share
};

/// A (source, destination) that messages pass between.
struct PairKey {
  CoreId source = 0, destination = 0;
  bool operator==(const PairKey&) const = default;
};

struct Code {
  std::vector<CoreCode> cores;
  std::vector<PairKey> pairs;
  std::vector<std::vector<std::uint32_t>> pair_sets;  ///< Step::aux of a multicast
};

/// Cores of window 1 that compute no values run over items.
inline bool decodes_items(const isa::Chip& chip, bool timing_only, bool observed) {
  return timing_only && chip.core.window <= 1 && !observed;
}
/// Decodes a verified program. `items`: also for window 1 without values.
Code decode(const isa::Program& program, const isa::Chip& chip, bool items);

/// "core 3, instruction 17 'recv ...' (node 'conv1')".
std::string describe(const isa::Program& program, CoreId core, std::uint32_t instruction);

}  // namespace pimento::sim
