// Questions about a kernel's form: contraction, element-wise, injective writes, cost.
#include <algorithm>
#include <cstdlib>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/kernel_sections.hpp"

namespace pimento::ir {
namespace {

int axis_count(const Kernel& k) { return static_cast<int>(k.axes.size()); }

/// The axes that an affine load uses; nothing when a map is not affine.
std::optional<std::vector<bool>> axes_of(const Load& load, int count) {
  std::vector<bool> used(static_cast<std::size_t>(count), false);
  for (const Expr& index : load.indices) {
    const auto f = as_affine(index, count);
    if (!f) return std::nullopt;
    for (std::size_t k = 0; k < used.size(); ++k) used[k] = used[k] || f->coefficients[k] != 0;
  }
  return used;
}

bool any(const std::vector<bool>& v) { return std::find(v.begin(), v.end(), true) != v.end(); }

/// The one load of a factor that moves with the axes (or its only load); nothing when the factor has another form.
std::optional<Expr> moving_load(const Expr& factor, int count) {
  std::optional<Expr> moving, fixed;
  bool ok = true;
  const std::function<void(const Expr&)> walk = [&](const Expr& e) {
    if (e.as<Load>() != nullptr) {
      const auto used = axes_of(*e.as<Load>(), count);
      if (!used || e.as<Load>()->rule == OutOfRange::clamp) {
        ok = false;
      } else if (any(*used)) {
        ok = ok && (!moving || equal(*moving, e));
        moving = e;
      } else if (!fixed) {
        fixed = e;
      }
      return;  // index expressions are the map, not the factor
    }
    if (e.as<Axis>() != nullptr || e.as<Lookup>() != nullptr || e.as<Carried>() != nullptr) ok = false;
    for (const Expr& c : children(e)) walk(c);
  };
  walk(factor);
  if (!ok) return std::nullopt;
  return moving ? moving : fixed;
}

}  // namespace

std::optional<Contraction> as_contraction(const Kernel& k) {
  if (k.accumulators.size() != 1 || !k.states.empty() || has_axis(k, AxisKind::carried)) return std::nullopt;
  const Accumulator& acc = k.accumulators[0];
  const auto* product = acc.body.as<Binary>();
  if (acc.combiner != Combiner::add || acc.guard || product == nullptr || product->op != BinaryOp::mul)
    return std::nullopt;
  const auto left = moving_load(product->a, axis_count(k)), right = moving_load(product->b, axis_count(k));
  if (!left || !right) return std::nullopt;
  Contraction c;
  c.left = product->a;
  c.right = product->b;
  c.left_load = *left;
  c.right_load = *right;
  const auto in_left = *axes_of(*left->as<Load>(), axis_count(k)),
             in_right = *axes_of(*right->as<Load>(), axis_count(k));
  for (int a = 0; a < axis_count(k); ++a) {
    const auto i = static_cast<std::size_t>(a);
    const bool l = in_left[i], r = in_right[i];
    if (k.axes[i].kind == AxisKind::reduction) {
      if (!l && !r && k.axes[i].extent != 1) return std::nullopt;
      c.reduction.push_back(a);
    } else {
      (l && r ? c.batch : l ? c.left_only : r ? c.right_only : c.neither).push_back(a);
    }
  }
  if (c.reduction.empty()) return std::nullopt;
  return c;
}

bool has_data_dependent_map(const Kernel& k) {
  bool found = false;
  const auto holds_load = [&](const Expr& e) {
    visit(e, [&](const Expr& n) { found = found || n.as<Load>() != nullptr; });
  };
  for_each_expr(k, [&](const Expr& e, Section) {
    visit(e, [&](const Expr& n) {
      if (const auto* load = n.as<Load>()) {
        for (const Expr& i : load->indices) holds_load(i);
      }
    });
  });
  for (const Output& o : k.outputs) {
    for (const Expr& e : o.map) holds_load(e);
  }
  return found;
}

bool writes_are_injective(const Kernel& k) {
  for (const Output& o : k.outputs) {
    std::vector<bool> determined(k.axes.size(), false);
    for (const Expr& index : o.map) {
      const auto f = as_affine(index, axis_count(k));
      if (!f) continue;
      // Mixed radix: with coefficients ordered by size, each exceeds what all smaller ones can add up to.
      std::vector<std::pair<std::int64_t, std::size_t>> terms;
      for (std::size_t a = 0; a < k.axes.size(); ++a) {
        if (f->coefficients[a] != 0 && k.axes[a].extent > 1) terms.emplace_back(std::abs(f->coefficients[a]), a);
      }
      std::sort(terms.begin(), terms.end());
      std::int64_t reach = 0;
      bool unique = true;
      for (const auto& [coefficient, a] : terms) {
        unique = unique && coefficient > reach;
        reach += coefficient * (k.axes[a].extent - 1);
      }
      if (!unique) continue;
      for (const auto& term : terms) determined[term.second] = true;
    }
    for (std::size_t a = 0; a < k.axes.size(); ++a) {
      if (k.axes[a].kind != AxisKind::reduction && k.axes[a].extent > 1 && !determined[a]) return false;
    }
  }
  return true;
}

bool is_elementwise(const Kernel& k) {
  if (has_axis(k, AxisKind::reduction) || has_axis(k, AxisKind::carried) || k.outputs.empty()) return false;
  for (const Output& o : k.outputs) {
    if (o.guard || o.rule != WriteRule::assign || o.starts_from >= 0 || o.map.size() != k.axes.size()) return false;
    for (std::size_t i = 0; i < o.map.size(); ++i) {
      const auto* a = o.map[i].as<Axis>();
      if (a == nullptr || a->axis != static_cast<int>(i)) return false;
    }
  }
  for (const Read& r : reads(k)) {
    for (const Expr& index : (*r).indices) {
      const auto f = as_affine(index, axis_count(k));
      if (!f || f->constant != 0) return false;
      std::int64_t axes = 0;
      for (const auto c : f->coefficients) {
        if (c != 0 && c != 1) return false;
        axes += c;
      }
      if (axes > 1) return false;
    }
  }
  return true;
}

namespace {
bool only_moves(const Expr& e) {
  if (e.as<Load>() != nullptr || e.as<Const>() != nullptr) return true;
  const auto* s = e.as<Select>();
  return s != nullptr && only_moves(s->a) && only_moves(s->b);
}
}  // namespace

bool is_data_movement(const Kernel& k) {
  if (has_axis(k, AxisKind::reduction) || has_axis(k, AxisKind::carried) || k.outputs.empty()) return false;
  return std::all_of(k.outputs.begin(), k.outputs.end(),
                     [](const Output& o) { return o.rule == WriteRule::assign && only_moves(o.value); });
}

namespace {
std::int64_t count_operators(const Expr& e) {
  if (!e || e.as<Load>() != nullptr || e.as<Lookup>() != nullptr) return 0;
  std::int64_t n =
      e.as<Unary>() != nullptr || e.as<Binary>() != nullptr || e.as<Select>() != nullptr || e.as<Cast>() != nullptr;
  for (const Expr& c : children(e)) n += count_operators(c);
  return n;
}
}  // namespace

std::int64_t operations(const Kernel& k) {
  std::int64_t per_point = 0, per_step = 0, per_start = 0;
  for (const Accumulator& a : k.accumulators) {
    per_point += count_operators(a.body) + count_operators(a.guard);
    per_point += a.combiner == Combiner::merge ? count_operators(a.merge) : 1;
  }
  for (const Output& o : k.outputs) per_step += count_operators(o.value) + count_operators(o.guard);
  for (const State& s : k.states) {
    per_step += count_operators(s.next);
    per_start += count_operators(s.initial);
  }
  const std::int64_t starts = points(k, AxisKind::parallel), steps = starts * points(k, AxisKind::carried);
  return starts * per_start + steps * per_step + steps * points(k, AxisKind::reduction) * per_point;
}

}  // namespace pimento::ir
