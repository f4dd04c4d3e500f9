#include "compiler/ir/lane_plan.hpp"

#include <algorithm>
#include <set>

#include "compiler/ir/kernel_sections.hpp"

namespace pimento::ir {
namespace {

class Planner {
 public:
  explicit Planner(const KernelRun& run)
      : run_(run), k_(run.kernel), axes_(full_axes(run.kernel)), exposed_(run.kernel.axes.size(), false) {}

  LanePlan plan() {
    for_each_expr(k_, [&](const Expr& e, Section) { expose(e, true); });
    for (const Output& o : k_.outputs) {
      plan_.writes.push_back(access(o.operand, o.map, o.out_of_range));
    }
    make_loops();
    for (auto& [node, a] : plan_.loads) bind(a);
    for (Access& a : plan_.writes) bind(a);
    choose_lanes();
    return std::move(plan_);
  }

 private:
  int axis_count() const { return static_cast<int>(k_.axes.size()); }

  /// Notes the loads below `e` and the axes whose value is needed as such. Output maps come here as roots: an affine
  /// one is an address, not a value.
  void expose(const Expr& e, bool root) {
    if (root && as_affine(e, axis_count()) && is_map(e)) return;
    if (const auto* a = e.as<Axis>()) {
      exposed_[static_cast<std::size_t>(a->axis)] = true;
      return;
    }
    if (const auto* l = e.as<Load>()) {
      if (plan_.loads.count(e.identity()) == 0) {
        plan_.loads.emplace(e.identity(), access(l->operand, l->indices, l->rule));
      }
      return;
    }
    for (const Expr& c : children(e)) expose(c, false);
  }
  bool is_map(const Expr& e) const {
    for (const Output& o : k_.outputs) {
      for (const Expr& m : o.map) {
        if (m.same_node(e)) return true;
      }
    }
    return false;
  }

  Access access(int operand, const std::vector<Expr>& indices, OutOfRange rule) {
    Access a;
    a.operand = operand;
    a.rule = rule;
    a.flat_over_axes.coefficients.assign(k_.axes.size(), 0);
    const Shape& shape = k_.operands[static_cast<std::size_t>(operand)].type.shape;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const std::int64_t stride = run_.strides[static_cast<std::size_t>(operand)][d];
      const auto f = as_affine(indices[d], axis_count());
      const Range r = interval(indices[d], axes_);
      const bool inside = r.empty() || (r.begin >= 0 && r.end <= shape[d]);
      if (!f || (!inside && rule == OutOfRange::clamp)) {
        a.general.push_back({indices[d], stride, shape[d], d});
        expose(indices[d], false);
        continue;
      }
      a.flat_over_axes.constant += stride * f->constant;
      for (std::size_t i = 0; i < k_.axes.size(); ++i) a.flat_over_axes.coefficients[i] += stride * f->coefficients[i];
      if (!inside) a.checks.push_back({*f, {}, shape[d], d});
    }
    return a;
  }

  template <class F>
  void for_each_affine(const F& f) const {
    const auto one = [&](const Access& a) {
      f(a.flat_over_axes);
      for (const auto& c : a.checks) f(c.over_axes);
    };
    for (const auto& [node, a] : plan_.loads) one(a);
    for (const Access& a : plan_.writes) one(a);
  }

  /// Whether every access sees outer * extent + inner only.
  bool joinable(int outer, int inner) const {
    if (exposed_[static_cast<std::size_t>(outer)] || exposed_[static_cast<std::size_t>(inner)]) return false;
    const std::int64_t extent = k_.axes[static_cast<std::size_t>(inner)].extent;
    bool ok = true;
    for_each_affine([&](const Affine& f) {
      ok = ok &&
           f.coefficients[static_cast<std::size_t>(outer)] == f.coefficients[static_cast<std::size_t>(inner)] * extent;
    });
    return ok;
  }

  void make_loops() {
    plan_.loop_of_axis.assign(k_.axes.size(), -1);
    for (const AxisKind kind : {AxisKind::parallel, AxisKind::carried, AxisKind::reduction}) {
      bool first = true;
      for (int a = 0; a < axis_count(); ++a) {
        const KernelAxis& axis = k_.axes[static_cast<std::size_t>(a)];
        if (axis.kind != kind || axis.extent == 1) continue;
        if (!first && joinable(plan_.loops.back().axes.back(), a)) {
          plan_.loops.back().extent *= axis.extent;
          plan_.loops.back().axes.push_back(a);
        } else {
          plan_.loops.push_back({kind, axis.extent, {a}});
        }
        plan_.loop_of_axis[static_cast<std::size_t>(a)] = static_cast<int>(plan_.loops.size()) - 1;
        first = false;
      }
    }
  }

  LoopAffine bind(const Affine& f) const {
    LoopAffine r{f.constant, {}};
    for (const Loop& l : plan_.loops) r.coefficients.push_back(f.coefficients[static_cast<std::size_t>(l.axes.back())]);
    return r;
  }
  void bind(Access& a) const {
    a.flat = bind(a.flat_over_axes);
    for (auto& c : a.checks) c.index = bind(c.over_axes);
  }

  /// Whether points of the parallel axes may be visited in any order (given that carried points stay in order).
  bool order_is_free() const {
    std::set<int> targets;
    for (const Output& o : k_.outputs) {
      if (!targets.insert(o.operand).second) return false;  // two outputs on one tensor: keep the order of points
    }
    if (writes_are_injective(k_)) return true;
    // Otherwise: the parallel part alone must be injective, in dimensions that no carried axis moves.
    Kernel still = k_;
    for (Output& o : still.outputs) {
      std::erase_if(o.map, [&](const Expr& e) {
        const auto f = as_affine(e, axis_count());
        if (!f) return true;
        for (std::size_t i = 0; i < k_.axes.size(); ++i) {
          if (k_.axes[i].kind == AxisKind::carried && f->coefficients[i] != 0) return true;
        }
        return false;
      });
    }
    for (KernelAxis& a : still.axes) {
      if (a.kind == AxisKind::carried) a.extent = 1;
    }
    return writes_are_injective(still);
  }

  void choose_lanes() {
    const bool free = order_is_free();
    int best = -1, innermost = -1;
    int reduction = -1;
    for (int i = 0; i < static_cast<int>(plan_.loops.size()); ++i) {
      const Loop& l = plan_.loops[static_cast<std::size_t>(i)];
      if (l.kind == AxisKind::reduction) reduction = i;
      if (l.kind != AxisKind::parallel) continue;
      innermost = i;
      // Later loops have smaller strides, so they win unless they are short.
      if (best < 0 || l.extent >= std::min<std::int64_t>(plan_.loops[static_cast<std::size_t>(best)].extent, 32))
        best = i;
    }
    if (!free) {
      // Row-major order of points: the lanes are the innermost loop, or, as carried points come in between, single
      // points.
      best = has_axis(k_, AxisKind::carried) || k_.outputs.size() > 1 ? -1 : innermost;
    }
    const std::int64_t lanes = best < 0 ? 1 : plan_.loops[static_cast<std::size_t>(best)].extent;
    const std::int64_t run = reduction < 0 ? 1 : plan_.loops[static_cast<std::size_t>(reduction)].extent;
    plan_.lanes_reduce = lanes < 16 && run > 2 * lanes;
    plan_.lane_loop = plan_.lanes_reduce ? reduction : best;
  }

  const KernelRun& run_;
  const Kernel& k_;
  std::vector<Range> axes_;
  std::vector<bool> exposed_;
  LanePlan plan_;
};

}  // namespace

LanePlan plan_lanes(const KernelRun& run) { return Planner(run).plan(); }

}  // namespace pimento::ir
