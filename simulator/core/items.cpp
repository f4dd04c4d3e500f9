// Window 1 without values: an instruction issues when the one before has ended, so a core's time is one number.
#include <algorithm>
#include <utility>

#include "isa/cost/cost.hpp"
#include "simulator/chip/machine.hpp"
#include "simulator/core/core.hpp"

namespace pimento::sim {

// What a stretch has cost is known from how often it was entered and when: its items follow each other without a gap.
inline void Core::enter_stretch(std::size_t stretch, Cycles time) {
  stretch_ = stretch;
  stretch_end_ = stretch + 1 < code_.stretches.size() ? code_.stretches[stretch + 1].begin : none;
  Tally& tally = stretch_tallies_[stretch];
  if (tally.count++ == 0) tally.first = time;
}

inline void Core::leave_stretch(Cycles time) { stretch_tallies_[stretch_].last = time; }

template <bool Counters>
void Core::run_items() {
  const Item* items = code_.items.data();
  const std::size_t count = code_.items.size();
  const Cycles limit = machine_.limit();
  const bool meets = !machine_.meetings.empty();
  Cycles time = next_;
  if (transfer_.active) {
    if (!transfer_known()) return static_cast<void>(wait());
    next_ = time = transfer_.meets ? settle_meeting<Counters>() : settle();
  }
  const auto jump = [&](std::uint32_t stretch) {
    leave_stretch(time);
    enter_stretch(stretch, time);
  };
  // The end of a loop's body is no instruction: it may stand at the limit.
  const auto ends_turn = [&](const Item& item) {
    return item.count == Item::is_single && code_.singles[item.value].kind == Kind::loop_end;
  };
  while (pc_ < count) {
    if constexpr (Counters)
      if (pc_ == stretch_end_) {
        if (stretch_ != none) leave_stretch(time);
        enter_stretch(stretch_ == none ? 0 : stretch_ + 1, time);
      }
    const bool is_over = time >= limit && !ends_turn(items[pc_]);
    if (is_over || (--until_check_ == 0 && machine_.should_stop(time))) {
      limited_ = is_over;
      break;
    }
    if (until_check_ == 0) until_check_ = steps_between_checks;
    const Item item = items[pc_];
    if (item.count < Item::is_single) {
      instructions_ += item.count;
      time += item.value;
      ++pc_;
      continue;
    }
    const bool is_message = item.count == Item::is_message;
    if (is_message && meets) {
      ++instructions_;
      const Cycles end = meet<Counters>(code_.messages[item.value], time);
      ++pc_;
      if (end == unknown) {
        next_ = time + 1;
        retired_ = latest_ = time;
        return static_cast<void>(wait());
      }
      time = end;
      continue;
    }
    Step step;
    if (is_message) {
      const Message& m = code_.messages[item.value];
      step = {m.cost, m.instruction, m.pair};
    } else {
      const Single& single = code_.singles[item.value];
      if (single.kind == Kind::loop_end) {
        const bool again = loops_.back().left > 1;
        end_turn(single.aux);
        if constexpr (Counters)
          if (again) jump(single.stretch);
        continue;
      }
      if (single.turns > 0 && loops_.size() < isa::max_loop_levels) {
        ++instructions_;
        time += single.cycles;
        begin_turns(single.turns);
        continue;
      }
      step = code_.steps[single.step];
      if (!is_contact(single.kind)) step.aux = single.aux;
    }
    const Cost& cost = code_.costs[step.cost];
    const isa::Instruction& instruction = instructions_of_[step.instruction];
    ++instructions_;
    if (is_contact(cost.kind)) {
      next_ = time + 1;
      retired_ = latest_ = time;
      issue_transfer(step, cost, instruction, time);
      ++pc_;
      if (!transfer_known()) return static_cast<void>(wait());
      next_ = time = settle();
      continue;
    }
    tallies_[step.cost].note(time, time + cost.total);
    time += cost.total;
    if (cost.kind == Kind::address) registers_.set(instruction), ++pc_;
    if (cost.kind == Kind::loop) {
      issue_loop(step, instruction);
      if constexpr (Counters)
        if (pc_ == step.aux) jump(code_.singles[item.value].stretch);
    }
    if (cost.kind == Kind::halt) pc_ = count;
  }
  next_ = retired_ = latest_ = time;
  if (pc_ < count) return;
  if constexpr (Counters)
    if (stretch_ != none) leave_stretch(time);
  finish();
}
template void Core::run_items<false>();
template void Core::run_items<true>();

// Of two that meet, the second knows everything: when both were ready, and, the way being theirs alone, when the
// message arrives. The first has been waiting and is told.
template <bool Counters>
Cycles Core::meet(const Message& m, Cycles issue) {
  Meeting& at = machine_.meetings[m.pair];
  const isa::Rules& rules = machine_.chip.rules;
  const bool reads = m.sends && !rules.request_and_grant;  // or else when it has been granted
  const Cycles ready = machine_.clocks.core_to_network(issue + rules.start_cycles + (reads ? m.read : 0));
  Transfer& x = transfer_;
  x.issue = issue;
  x.moving = 0;
  if (at.waiting == nullptr) {
    at.waiting = this;
    at.ready = ready;
    at.message = &m;
    at.tag = m.tag;
    at.bytes = m.bytes;
    x.active = x.meets = true;
    x.launched = false;
    x.kind = m.sends ? Kind::send : Kind::receive;
    x.message = &m;
    x.step = {m.cost, m.instruction, m.pair};
    x.tag = m.tag;
    x.known = unknown;
    return unknown;
  }
  Core& partner = *std::exchange(at.waiting, nullptr);
  if (m.tag != at.tag || m.bytes != at.bytes) {
    const Message& other = *at.message;
    const Party mine{m.instruction, m.tag, m.bytes}, theirs{other.instruction, other.tag, other.bytes};
    m.sends ? partner.mismatch(theirs, mine, id_) : mismatch(mine, theirs, partner.id_);
  }
  Transfer& waiting = partner.transfer_;
  Transfer& send = m.sends ? x : waiting;
  const CoreId sender = m.sends ? id_ : partner.id_, receiver = m.sends ? partner.id_ : id_;
  Cycles start = std::max(ready, at.ready);
  if (rules.request_and_grant)
    start = machine_.granted(sender, receiver, m.sends ? ready : at.ready, m.sends ? m.read : at.message->read,
                             m.sends ? at.ready : ready);
  const Cycles leaves = machine_.turn(sender, start);
  const Cycles arrival = leaves + machine_.chip.network.handshake_cycles + at.way->carry(m.flits);
  machine_.has_left(sender, arrival);
  waiting.known = x.known = machine_.clocks.network_to_core(arrival);
  send.moving = machine_.clocks.network_to_core(start);
  if (rules.sends_end_early) send.known = send.moving + (rules.retire_cycles == 0 ? 1 : 0);  // as settle() has it
  waiting.launched = true;
  partner.wake();
  return ended<Counters>(m);
}

template <bool Counters>
Cycles Core::settle_meeting() {
  transfer_.active = transfer_.meets = false;
  return ended<Counters>(*transfer_.message);
}

template <bool Counters>
Cycles Core::ended(const Message& m) {
  const Transfer& x = transfer_;
  const isa::Rules& rules = machine_.chip.rules;
  const Cycles known = m.sends ? x.known : std::max(x.issue + rules.start_cycles, x.known) + m.write;
  const Cycles end = std::max(known + rules.retire_cycles, x.issue + 1);
  if constexpr (Counters) {
    const Cycles busy = m.sends ? m.read + std::max<Cycles>(0, end - x.moving) : m.read + m.write;
    const Cycles held = end - x.issue, waits = held - std::min(busy, held);
    transfer_held_ += held;
    transfer_busy_ += held - waits;
    (m.sends ? idle_.send : idle_.receive) += waits;
    if (machine_.options.record_contacts) contacts_.push_back({m.instruction, x.issue, end});
  }
  return end;
}

Passes Core::passes_of(std::size_t stretch) const {
  const Tally& tally = stretch_tallies_[stretch];
  if (stretch != stretch_ || finished_) return {tally.count, 0, tally.first, tally.last};
  // The last one may be under way.
  const std::size_t ended = pc_ - (transfer_.active ? 1 : 0);
  const bool any = ended > code_.stretches[stretch].begin;
  return {tally.count - 1, pc_, tally.first, any ? retired_ : tally.last};
}

std::vector<Tally> Core::tallies() const {
  std::vector<Tally> all = tallies_;
  const bool meets = !machine_.meetings.empty();
  const Step* step = code_.steps.data();  // the first of the item
  for (std::size_t s = 0; s + 1 < stretch_tallies_.size(); ++s) {
    const Stretch& stretch = code_.stretches[s];
    const std::size_t end = code_.stretches[s + 1].begin;
    const Passes passes = passes_of(s);
    bool is_timed = stretch.mixed;  // when the node was busy, one of its costs tells
    for (std::size_t n = stretch.begin; n < end; ++n) {
      const Item& item = code_.items[n];
      const bool is_plain = item.count < Item::is_single;
      const Step* const behind = step + (is_plain ? item.count : 1);
      const std::int64_t count = passes.others + (n < passes.end ? 1 : 0);
      // messages that need flights, and singles but for loops that count by a constant, are counted where they issue
      const bool is_message = item.count == Item::is_message;
      const bool counts = is_message ? meets : is_plain || code_.singles[item.value].turns > 0;
      if (count == 0 || !counts) {
        step = behind;
        continue;
      }
      if (!is_timed) all[step->cost].cover(passes.first, passes.last);
      is_timed = true;
      for (Cycles offset = 0; step < behind; ++step) {
        all[step->cost].count += count;
        if (!stretch.mixed) continue;
        const Cycles total = code_.costs[step->cost].total;
        all[step->cost].cover(passes.first + offset, passes.last - item.value + offset + total);
        offset += total;
      }
    }
  }
  return all;
}

}  // namespace pimento::sim
