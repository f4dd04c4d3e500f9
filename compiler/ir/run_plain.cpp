// The meaning of kernel.hpp, word for word: slow, obviously right, and the oracle of the other paths.
#include "compiler/ir/analysis.hpp"
#include "compiler/ir/kernel_run.hpp"

namespace pimento::ir {
namespace {

class Plain {
 public:
  explicit Plain(KernelRun& run) : run_(run), k_(run.kernel), at_(run.kernel.axes.size(), 0) {}

  void run() {
    for_points(AxisKind::parallel, 0, [&] {
      states_.clear();
      for (const State& s : k_.states) states_.push_back(value(s.initial));
      for_points(AxisKind::carried, 0, [&] { step(); });
    });
  }

 private:
  /// Row-major over the axes of one kind, from axis `from` on.
  template <class F>
  void for_points(AxisKind kind, std::size_t from, const F& f) {
    while (from < k_.axes.size() && k_.axes[from].kind != kind) ++from;
    if (from == k_.axes.size()) return f();
    for (at_[from] = 0; at_[from] < k_.axes[from].extent; ++at_[from]) for_points(kind, from + 1, f);
  }

  void step() {
    accumulated_.clear();
    for (const Accumulator& a : k_.accumulators) accumulated_.push_back(a.initial);
    if (!k_.accumulators.empty()) for_points(AxisKind::reduction, 0, [&] { take_in(); });
    for (const Output& o : k_.outputs) write(o);
    std::vector<Scalar> next;
    for (const State& s : k_.states) next.push_back(value(s.next));
    states_ = std::move(next);
  }

  void take_in() {
    const std::size_t n = k_.accumulators.size();
    std::vector<bool> active(n);
    incoming_.assign(n, Scalar{});
    for (std::size_t i = 0; i < n; ++i) {
      const Accumulator& a = k_.accumulators[i];
      active[i] = !a.guard || value(a.guard).integer != 0;
      incoming_[i] = active[i] ? value(a.body) : Scalar{a.type};
    }
    std::vector<Scalar> merged = accumulated_;
    for (std::size_t i = 0; i < n; ++i) {
      const Accumulator& a = k_.accumulators[i];
      if (!active[i]) continue;
      merged[i] = a.combiner == Combiner::merge ? value(a.merge)
                                                : evaluate(operator_of(a.combiner), accumulated_[i], incoming_[i]);
    }
    accumulated_ = std::move(merged);
  }

  void write(const Output& o) {
    if (o.guard && value(o.guard).integer == 0) return;
    Tensor& t = run_.tensors[static_cast<std::size_t>(o.operand)];
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < o.map.size(); ++d) {
      const std::int64_t i = value(o.map[d]).integer;
      if (i < 0 || i >= t.shape()[d]) {
        if (o.out_of_range == OutOfRange::value) return;
        index_error(k_, o.operand, d, i);
      }
      flat += i * run_.strides[static_cast<std::size_t>(o.operand)][d];
    }
    const Scalar v = value(o.value);
    t.set(flat, o.rule == WriteRule::assign ? v : evaluate(operator_of(o.rule), t.at(flat), v));
  }

  Scalar load(const Load& l) {
    const Tensor& t = run_.tensors[static_cast<std::size_t>(l.operand)];
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < l.indices.size(); ++d) {
      std::int64_t i = value(l.indices[d]).integer;
      const std::int64_t extent = t.shape()[d];
      if (i < 0 || i >= extent) {
        if (l.rule == OutOfRange::value) return l.outside;
        if (l.rule == OutOfRange::error || extent == 0) index_error(k_, l.operand, d, i);
        i = i < 0 ? 0 : extent - 1;
      }
      flat += i * run_.strides[static_cast<std::size_t>(l.operand)][d];
    }
    return t.at(flat);
  }

  Scalar value(const Expr& e) {
    if (const auto* c = e.as<Const>()) return c->value;
    if (const auto* a = e.as<Axis>()) return Scalar::of(ElementType::i64, at_[static_cast<std::size_t>(a->axis)]);
    if (const auto* l = e.as<Load>()) return load(*l);
    if (const auto* t = e.as<Lookup>()) {
      const std::int64_t i = value(t->index).integer;
      if (i < 0 || i >= t->table.elements()) table_error(k_, i, t->table.elements());
      return t->table.at(i);
    }
    if (const auto* u = e.as<Unary>()) return evaluate(u->op, value(u->a));
    if (const auto* b = e.as<Binary>()) return evaluate(b->op, value(b->a), value(b->b));
    if (const auto* s = e.as<Select>()) return value(value(s->condition).integer != 0 ? s->a : s->b);
    if (const auto* c = e.as<Cast>()) return evaluate_cast(c->to, value(c->a));
    if (const auto* c = e.as<Carried>()) return states_[static_cast<std::size_t>(c->state)];
    if (const auto* a = e.as<Accumulated>()) return accumulated_[static_cast<std::size_t>(a->accumulator)];
    return incoming_[static_cast<std::size_t>(e.as<Incoming>()->accumulator)];
  }

  KernelRun& run_;
  const Kernel& k_;
  std::vector<std::int64_t> at_;
  std::vector<Scalar> states_, accumulated_, incoming_;
};

}  // namespace

void run_plain(KernelRun& run) { Plain(run).run(); }

}  // namespace pimento::ir
