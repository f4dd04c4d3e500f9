#pragma once
// pimsim-nn's timing as its code computes it, written a second time and apart from `isa/cost` and the simulator, to
// check the chip section `rules:` against. It runs what `load_peer_program` makes, on a table network, and knows
// windows above 1 only for cores that neither send, receive nor wait, and whose instructions do not conflict.
//
// One instruction: fetched in cycle n, it stands in the dispatcher two cycles later (cycle d), starts in d + 1, ends L
// cycles later at f, and frees its place in the window in f + 1; an MVM takes one cycle more to report, and so does a
// store, whose end comes from the network instead of the core's clock. While the window is full, nothing passes the
// dispatcher, scalar instructions neither.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <vector>

#include "isa/program/program.hpp"

namespace pimento::isa::peers {

class AsBuiltModel {
 public:
  AsBuiltModel(const Program& program, const Chip& chip) : program_(program), chip_(chip) {
    cores_.resize(program.cores.size());
    for (std::size_t c = 0; c < cores_.size(); ++c) cores_[c].code = program.cores[c].instructions.data;
  }

  /// Cycles until the last instruction has left its window; -1 when cores wait for ever.
  Cycles run() {
    for (std::size_t c = 0; c < cores_.size(); ++c) at(2, [this, c] { go_on(c, 2); });
    while (!events_.empty()) {
      const auto [time, order, action] = events_.top();
      events_.pop();
      now_ = time;
      action();
    }
    Cycles last = 0;
    for (const Core& core : cores_) {
      if (core.pc < core.code.size()) return -1;
      last = std::max(last, core.retired);
    }
    return last;
  }

 private:
  struct Core {
    std::span<const Instruction> code;
    std::size_t pc = 0;
    Cycles retired = 0;
    Cycles switch_free = 0;
    Cycles memory_free = 0;
    std::map<std::size_t, bool> asked;    ///< by sender: its request came before our receive
    std::size_t receiving = none;         ///< from this core, right now
    std::map<std::uint32_t, int> events;  ///< by register
    std::map<std::uint32_t, Cycles> group_free;
    std::deque<Cycles> window;  ///< when each place becomes free
    Cycles vector_free = 0, transfer_free = 0;
  };
  struct Event {
    Cycles time;
    std::int64_t order;
    std::function<void()> action;
    bool operator<(const Event& other) const {  // the queue's top is its largest
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  static constexpr std::size_t none = SIZE_MAX;

  void at(Cycles time, std::function<void()> action) { events_.push({time, order_++, std::move(action)}); }
  /// What reaches the memory in one cycle is served in the order of the cores: the one tie that our rules decide.
  void at_memory(Cycles time, std::size_t core, std::function<void()> action) {
    events_.push({time, static_cast<std::int64_t>(core), std::move(action)});
  }
  static Cycles up(Cycles a, Cycles b) { return (a + b - 1) / b; }

  Cycles local(Bytes bytes, bool write) const {
    const LocalMemory& m = chip_.core.local_memory;
    return up(bytes, m.width) * (write ? m.write_latency_cycles : m.read_latency_cycles);
  }
  Cycles latency(std::size_t c, const Instruction& i) const {
    const auto len = Cycles{i.len} * i.count;
    const auto in = len * size_of(i.type_a), out = len * size_of(i.type_d);
    switch (row(i.opcode).form) {
      case Form::mvm: {
        const Tile& tile = program_.tiles[program_.cores[c].groups[i.target].tile];
        return mvm_compute(i) + local(Bytes{tile.cols} * size_of(i.type_d), true);
      }
      case Form::fill_bytes:
        return local(len, true);
      case Form::move:
        return local(len, false) + local(len, true);
      case Form::binary:
        return 2 * local(in, false) + up(len, chip_.core.vector.lanes) * chip_.core.vector.latency_cycles +
               local(out, true);
      default:
        return local(in, false) + up(len, chip_.core.vector.lanes) * chip_.core.vector.latency_cycles +
               local(out, true);
    }
  }
  /// Ceilings are floors here.
  Cycles mvm_compute(const Instruction& i) const {
    const Crossbar& x = chip_.core.crossbar;
    const Cycles steps = 8 * size_of(i.type_a) / x.dac_bits * (x.rows / x.rows_active);
    const Cycles front =
        x.dac_latency_cycles + up(x.read_latency_fs, chip_.core.clock.period_fs) + x.sample_hold_cycles;
    const Cycles drain = x.shift_add_cycles + x.output_cycles;
    const Cycles back =
        x.adc.latency_cycles + drain + (x.cols / x.adc.per_crossbar - 1) * std::max(x.adc.latency_cycles, drain);
    return x.pipelined ? front + back + (steps - 1) * std::max(front, back) : steps * (front + back);
  }

  /// The network is free of contention, but each core's messages leave one after the other.
  Cycles carry(std::size_t from, std::size_t to, Bytes bytes, Cycles time) {
    const Cycles starts = std::max(time, cores_[from].switch_free);
    return cores_[from].switch_free = starts + up(bytes, chip_.network.flit) * (*chip_.network.table)[from][to];
  }
  Cycles global(Bytes bytes, Cycles time, bool store) {
    const GlobalMemory& m = chip_.global_memory;
    const Cycles takes = up(bytes, m.width) * (store ? m.write_latency_cycles : m.read_latency_cycles);
    return global_free_ = std::max(time, global_free_) + takes;
  }

  /// Core c's next instruction stands in the dispatcher in cycle d.
  void go_on(std::size_t c, Cycles d) {
    Core& core = cores_[c];
    for (; core.pc < core.code.size(); ++core.pc) {
      const Instruction& i = core.code[core.pc];
      const Unit unit = row(i.opcode).unit;
      if (static_cast<int>(core.window.size()) == std::max(chip_.core.window, 1)) {
        d = std::max(d, core.window.front());
        core.window.pop_front();
      }
      if (unit == Unit::scalar || unit == Unit::control) {
        ++d;  // passes without a place
        continue;
      }
      if (starts_contact(c, i, d + 1)) return;
      d = issue(core, c, i, d) + 1;
    }
  }

  /// A local instruction; returns the cycle in which it left the dispatcher.
  Cycles issue(Core& core, std::size_t c, const Instruction& i, Cycles d) {
    const bool matrix = row(i.opcode).form == Form::mvm;
    Cycles& unit = matrix                               ? core.group_free[i.target]
                   : row(i.opcode).unit == Unit::vector ? core.vector_free
                                                        : core.transfer_free;
    d = std::max(d, matrix ? unit - 1 : unit);
    const Cycles start = matrix && chip_.core.window > 1 ? d + 2 : d + 1;
    Cycles f = start + latency(c, i);
    if (matrix) {  // inputs are read eight times; the port serves one after the other
      const Cycles reading = std::max(start, core.memory_free);
      core.memory_free = reading + local(Bytes{8} * i.len * size_of(i.type_a), false);
      f += core.memory_free - start;
    }
    unit = f;
    free_place(core, matrix && chip_.core.window == 1 ? f + 2 : f + 1);
    return d;
  }
  void free_place(Core& core, Cycles time) {
    core.retired = std::max(core.retired, time);
    core.window.push_back(core.retired);
  }

  void ends(std::size_t c, Cycles f) {
    Core& core = cores_[c];
    free_place(core, f);
    ++core.pc;
    go_on(c, core.window.front());
  }

  /// Instructions that involve more than the core. The core goes on when they end.
  bool starts_contact(std::size_t c, const Instruction& i, Cycles s) {
    const std::size_t memory = static_cast<std::size_t>(chip_.cores);
    const Bytes bytes = i.len;
    switch (i.opcode) {
      case Opcode::load:
        at(s, [=, this] {
          const Cycles asked = carry(c, memory, 1, now_);
          at_memory(asked, c, [=, this] {
            cores_[c].switch_free = global(bytes, now_, false);  // the data come back for nothing
            ends(c, cores_[c].switch_free + local(bytes, true) + 1);
          });
        });
        return true;
      case Opcode::store:
        at(s + local(bytes, false), [=, this] {
          const Cycles there = carry(c, memory, bytes, now_);
          at_memory(there, c, [=, this] { ends(c, (cores_[c].switch_free = global(bytes, now_, true)) + 2); });
        });
        return true;
      case Opcode::send:
        at(s, [=, this] {
          const Cycles asked = carry(c, i.target, 1, now_);
          cores_[c].switch_free = asked + 1;
          at(asked, [=, this] { cores_[i.target].receiving == c ? grant(i.target, c) : wait_for(i.target, c); });
        });
        return true;
      case Opcode::recv:
        at(s, [=, this] {
          cores_[c].receiving = i.target;
          if (cores_[c].asked[i.target]) cores_[c].asked[i.target] = false, grant(c, i.target);
        });
        return true;
      case Opcode::sync:
        at(s, [=, this] {
          at(carry(c, i.target, 1, now_), [=, this] {
            ++cores_[i.target].events[i.tag];
            wake(i.target);
          });
          ends(c, now_ + 2);
        });
        return true;
      case Opcode::wait:
        at(s, [=, this] {
          if (cores_[c].events[i.tag] >= i.imm) return ends(c, now_ + 2);
          waiting_[c] = &i;
        });
        return true;
      default:
        return false;
    }
  }
  void wait_for(std::size_t receiver, std::size_t sender) { cores_[receiver].asked[sender] = true; }
  void grant(std::size_t receiver, std::size_t sender) {
    at(carry(receiver, sender, 1, now_), [=, this] {
      const Bytes bytes = cores_[sender].code[cores_[sender].pc].len;
      const Cycles read = now_ + local(bytes, false);
      at(read, [=, this] {
        at(carry(sender, receiver, bytes, now_), [=, this] {
          cores_[receiver].receiving = none;
          ends(receiver, now_ + local(bytes, true) + 1);
        });
        ends(sender, now_ + 1);
      });
    });
  }
  void wake(std::size_t c) {
    const auto found = waiting_.find(c);
    if (found == waiting_.end() || cores_[c].events[found->second->tag] < found->second->imm) return;
    waiting_.erase(found);
    ends(c, now_ + 2);
  }

  const Program& program_;
  const Chip& chip_;
  std::vector<Core> cores_;
  std::map<std::size_t, const Instruction*> waiting_;
  std::priority_queue<Event> events_;
  std::int64_t order_ = 1 << 20;  ///< above the numbers of cores
  Cycles now_ = 0, global_free_ = 0;
};

}  // namespace pimento::isa::peers
