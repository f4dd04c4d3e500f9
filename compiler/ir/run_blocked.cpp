// The blocked path, part 5: runs a lane program over the loops of its plan.
#include <algorithm>
#include <cstring>

#include "compiler/ir/kernel_run.hpp"
#include "compiler/ir/lane_machine.hpp"
#include "compiler/ir/lane_operators.hpp"
#include "compiler/ir/scalar_operators.hpp"

namespace pimento::ir {
namespace {

class Blocked {
 public:
  explicit Blocked(KernelRun& run) : k_(run.kernel), m_(run), plan_(m_.plan()), p_(m_.program()), at_(m_.at()) {
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      const Loop& l = plan_.loops[i];
      empty_reduction_ = empty_reduction_ || (l.kind == AxisKind::reduction && l.extent == 0);
      if (static_cast<int>(i) == plan_.lane_loop) continue;
      auto& list = l.kind == AxisKind::parallel ? parallel_ : l.kind == AxisKind::carried ? carried_ : reduction_;
      list.push_back(i);
    }
    for (const auto& a : p_.accumulators) has_merge_ = has_merge_ || a.merged != no_register;
  }

  void run() {
    nest(parallel_, 0, [&] {
      if (plan_.lane_loop < 0 || plan_.lanes_reduce) {
        lanes_ = 1;
        return block();
      }
      const auto lane = static_cast<std::size_t>(plan_.lane_loop);
      for (at_[lane] = 0; at_[lane] < plan_.loops[lane].extent; at_[lane] += m_.width()) {
        lanes_ = static_cast<int>(std::min<std::int64_t>(m_.width(), plan_.loops[lane].extent - at_[lane]));
        block();
      }
    });
  }

 private:
  float* real(Register r) { return m_.real(r); }
  std::int64_t* integer(Register r) { return m_.integer(r); }
  ElementType type(Register r) const { return m_.type(r); }

  template <class F>
  void nest(const std::vector<std::size_t>& loops, std::size_t depth, const F& f) {
    if (depth == loops.size()) return f();
    std::int64_t& at = at_[loops[depth]];
    for (at = 0; at < plan_.loops[loops[depth]].extent; ++at) nest(loops, depth + 1, f);
    at = 0;
  }

  void block() {
    m_.execute(Level::block, lanes_);
    for (std::size_t i = 0; i < p_.states.size(); ++i) m_.copy(p_.states[i], p_.state_initial[i], lanes_);
    nest(carried_, 0, [&] { step(); });
  }

  void step() {
    m_.execute(Level::step, lanes_);
    for (std::size_t i = 0; i < p_.accumulators.size(); ++i)
      m_.fill(p_.accumulators[i].value, k_.accumulators[i].initial, lanes_);
    if (!p_.accumulators.empty() && !empty_reduction_) {
      nest(reduction_, 0, [&] { plan_.lanes_reduce ? reduce_in_lanes() : point(); });
    }
    m_.execute(Level::finish, lanes_);
    for (std::size_t i = 0; i < p_.writes.size(); ++i) m_.write(i, lanes_);
    if (p_.states.empty()) return;
    // All next values are taken before any state changes: one may be another state itself.
    held_.clear();
    for (const Register r : p_.state_next) hold(r);
    for (std::size_t i = 0, from = 0; i < p_.states.size(); ++i) from = release(p_.states[i], from, nullptr);
  }

  /// Saves and restores lanes of registers through bytes, for simultaneous assignment.
  void hold(Register r) {
    const bool real_type = is_float(type(r));
    const std::size_t size = static_cast<std::size_t>(lanes_) * (real_type ? sizeof(float) : sizeof(std::int64_t));
    const std::size_t from = held_.size();
    held_.resize(from + size);
    std::memcpy(held_.data() + from, real_type ? static_cast<const void*>(real(r)) : integer(r), size);
  }
  std::size_t release(Register r, std::size_t from, const std::int64_t* where) {
    const auto restore = [&](auto* to) {
      for (int j = 0; j < lanes_; ++j, from += sizeof(*to)) {
        if (where == nullptr || where[j] != 0) std::memcpy(to + j, held_.data() + from, sizeof(*to));
      }
    };
    is_float(type(r)) ? restore(real(r)) : restore(integer(r));
    return from;
  }

  void point() {
    m_.execute(Level::point, lanes_);
    combine(0);
  }

  /// Takes in the incoming values from lane `from` on (not 0 only when the lanes are reduction points, taken one by
  /// one). Merges are evaluated first, as all accumulators change at once.
  void combine(int from) {
    if (has_merge_) {
      m_.execute(Level::merge, lanes_);
      held_.clear();
      for (const auto& a : p_.accumulators) {
        if (a.merged != no_register) hold(a.merged);
      }
    }
    std::size_t held = 0;
    for (std::size_t i = 0; i < p_.accumulators.size(); ++i) {
      const auto& a = p_.accumulators[i];
      const std::int64_t* where = a.guard == no_register ? nullptr : integer(a.guard) + from;
      const ElementType t = type(a.value);
      if (a.merged != no_register) {
        held = release(a.value, held, where);
      } else if (is_float(t)) {
        take_in(operator_of(k_.accumulators[i].combiner), real(a.value), real(a.body) + from, where, t);
      } else {
        take_in(operator_of(k_.accumulators[i].combiner), integer(a.value), integer(a.body) + from, where, t);
      }
    }
  }

  void apply(BinaryOp op, float* to, const float* b, ElementType t, int lanes) {
    lanes_binary(op, to, to, b, lanes);
    settle(t, to, lanes);
  }
  void apply(BinaryOp op, std::int64_t* to, const std::int64_t* b, ElementType t, int lanes) {
    lanes_binary(op, to, to, b, t, lanes);
  }
  template <class T>
  void take_in(BinaryOp op, T* value, const T* body, const std::int64_t* where, ElementType t) {
    if (where == nullptr) return apply(op, value, body, t, lanes_);
    for (int j = 0; j < lanes_; ++j) {
      if (where[j] != 0) apply(op, value + j, body + j, t, 1);
    }
  }

  void reduce_in_lanes() {
    const auto lane = static_cast<std::size_t>(plan_.lane_loop);
    for (std::int64_t start = 0; start < plan_.loops[lane].extent; start += m_.width()) {
      const int n = static_cast<int>(std::min<std::int64_t>(m_.width(), plan_.loops[lane].extent - start));
      at_[lane] = start;
      m_.execute(Level::point, n);
      if (fold(n)) continue;
      for (int j = 0; j < n; ++j) {
        at_[lane] = start + j;
        for (const auto& a : p_.accumulators) {
          if (is_float(type(a.body))) {
            *real(a.incoming) = real(a.body)[j];
          } else {
            *integer(a.incoming) = integer(a.body)[j];
          }
        }
        combine(j);
      }
    }
    at_[lane] = 0;
  }

  /// The usual case of one accumulator in f32 or integers without guard: a plain loop in order.
  bool fold(int n) {
    if (p_.accumulators.size() != 1 || k_.accumulators[0].combiner == Combiner::merge) return false;
    const auto& a = p_.accumulators[0];
    if (a.guard != no_register) return false;
    const BinaryOp op = operator_of(k_.accumulators[0].combiner);
    const ElementType t = type(a.value);
    if (is_float(t)) {
      float v = *real(a.value);
      const float* body = real(a.body);
      for (int j = 0; j < n; ++j) v = round_to(t, real_binary(op, v, body[j]));
      *real(a.value) = v;
    } else {
      std::int64_t v = *integer(a.value);
      const std::int64_t* body = integer(a.body);
      for (int j = 0; j < n; ++j) v = wrap(t, integer_binary(op, v, body[j], t));
      *integer(a.value) = v;
    }
    return true;
  }

  const Kernel& k_;
  LaneMachine m_;
  const LanePlan& plan_;
  const LaneProgram& p_;
  std::vector<std::int64_t>& at_;
  int lanes_ = 1;
  bool empty_reduction_ = false, has_merge_ = false;
  std::vector<std::size_t> parallel_, carried_, reduction_;
  std::vector<std::byte> held_;
};

}  // namespace

void run_blocked(KernelRun& run) { Blocked(run).run(); }

}  // namespace pimento::ir
