#include "compiler/ir/analysis.hpp"

#include <algorithm>

#include "compiler/ir/kernel_sections.hpp"
#include "compiler/ir/needs.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {

bool is_empty(const Box& box) {
  return std::any_of(box.begin(), box.end(), [](const Range& r) { return r.empty(); });
}
Box whole(const Shape& shape) {
  Box box;
  box.reserve(shape.size());
  for (const auto extent : shape) box.push_back({0, extent});
  return box;
}
Box intersect(const Box& a, const Box& b) {
  PIMENTO_CHECK(a.size() == b.size(), "boxes of two ranks");
  Box r(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    r[i] = {std::max(a[i].begin, b[i].begin), std::min(a[i].end, b[i].end)};
    if (r[i].empty()) r[i] = {0, 0};
  }
  return r;
}
Box bounding(const Box& a, const Box& b) {
  if (is_empty(a)) return b;
  if (is_empty(b)) return a;
  PIMENTO_CHECK(a.size() == b.size(), "boxes of two ranks");
  Box r(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) r[i] = {std::min(a[i].begin, b[i].begin), std::max(a[i].end, b[i].end)};
  return r;
}

Box reshaped(const Box& box, const Shape& from, const Shape& to) {
  if (from == to) return box;
  Box result = whole(to);
  PIMENTO_CHECK(box.size() == from.size() && element_count(from) == element_count(to), "shapes of different elements");
  if (is_empty(box) || is_empty(result)) {
    for (Range& r : result) r.end = r.begin;
    return result;
  }
  // neighbouring dimensions of both whose products are equal, one group after another
  for (std::size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    const std::size_t first_i = i, first_j = j;
    std::int64_t a = 1, b = 1;
    do {
      if (i < from.size() && (a <= b || j == to.size()))
        a *= from[i++];
      else
        b *= to[j++];
    } while (a != b || (a == 1 && (i < from.size() || j < to.size())));
    std::int64_t first = 0, last = 0;  // elements of the group
    for (std::size_t d = first_i; d < i; ++d) {
      first = first * from[d] + box[d].begin;
      last = last * from[d] + box[d].end - 1;
    }
    for (std::size_t d = j; d-- > first_j;) {
      const std::int64_t extent = to[d];
      if (first / extent == last / extent) result[d] = {first % extent, last % extent + 1};
      first /= extent;
      last /= extent;
    }
  }
  return result;
}

namespace {

template <class Wanted>
void add_loads(const Expr& e, std::vector<Read>& found, Wanted&& wanted) {
  visit(e, [&](const Expr& n) {
    const auto* load = n.as<Load>();
    if (load == nullptr || !wanted(*load)) return;
    const bool known = std::any_of(found.begin(), found.end(), [&](const Read& r) { return equal(r.load, n); });
    if (!known) found.push_back({n});
  });
}

/// All expressions that output `output` depends on.
std::vector<Expr> dependences(const Kernel& k, int output) {
  std::vector<bool> accumulators(k.accumulators.size()), states(k.states.size());
  std::vector<Expr> roots, work;
  const auto push = [&](const Expr& e) {
    if (e) work.push_back(e);
  };
  const Output& o = k.outputs[static_cast<std::size_t>(output)];
  push(o.value);
  push(o.guard);
  for (const Expr& e : o.map) push(e);
  while (!work.empty()) {
    const Expr root = work.back();
    work.pop_back();
    roots.push_back(root);
    visit(root, [&](const Expr& n) {
      int accumulator = -1;
      if (const auto* a = n.as<Accumulated>()) accumulator = a->accumulator;
      if (const auto* a = n.as<Incoming>()) accumulator = a->accumulator;
      if (accumulator >= 0 && !accumulators[static_cast<std::size_t>(accumulator)]) {
        accumulators[static_cast<std::size_t>(accumulator)] = true;
        const Accumulator& acc = k.accumulators[static_cast<std::size_t>(accumulator)];
        push(acc.body);
        push(acc.guard);
        push(acc.merge);
      }
      if (const auto* s = n.as<Carried>(); s != nullptr && !states[static_cast<std::size_t>(s->state)]) {
        states[static_cast<std::size_t>(s->state)] = true;
        push(k.states[static_cast<std::size_t>(s->state)].initial);
        push(k.states[static_cast<std::size_t>(s->state)].next);
      }
    });
  }
  return roots;
}

Box read_box(const Load& load, const Shape& shape, const std::vector<Range>& axes) {
  Box box(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Range r = interval(load.indices[i], axes);
    if (load.rule == OutOfRange::clamp && !r.empty()) {
      r.begin = std::clamp<std::int64_t>(r.begin, 0, shape[i] - 1);
      r.end = std::clamp<std::int64_t>(r.end - 1, 0, shape[i] - 1) + 1;
    }
    box[i] = {std::max<std::int64_t>(r.begin, 0), std::min(r.end, shape[i])};
    if (box[i].empty()) box[i] = {0, 0};
  }
  return box;
}

}  // namespace

std::vector<Read> reads(const Kernel& k) {
  std::vector<Read> found;
  for_each_expr(k, [&](const Expr& e, Section) { add_loads(e, found, [](const Load&) { return true; }); });
  return found;
}

std::vector<Read> reads_of(const Kernel& k, int operand) {
  std::vector<Read> found = reads(k);
  std::erase_if(found, [&](const Read& r) { return (*r).operand != operand; });
  return found;
}

std::vector<bool> constants_of(const KernelCall& call) {
  std::vector<bool> constant;
  for (const Slot& slot : call.slots) constant.push_back(slot.kind == SlotKind::constant);
  return constant;
}

bool works_in_place(const KernelCall& call, const Shape& shape, const std::vector<bool>& constant) {
  const auto* k = std::get_if<Kernel>(&call.kernel);
  if (k == nullptr || k->outputs.size() != 1 || !is_elementwise(*k)) return false;
  for (std::size_t o = 0; o < k->operands.size(); ++o)
    if (!constant[o] && k->operands[o].type.shape != shape) return false;
  for (const Read& read : reads(*k)) {
    if (constant[static_cast<std::size_t>((*read).operand)]) continue;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) continue;  // there is no other element
      const auto* axis = (*read).indices[d].as<Axis>();
      if (axis == nullptr || axis->axis != static_cast<int>(d)) return false;
    }
  }
  return true;
}

Needs::Needs(const Kernel& k, int output) : kernel_(&k), output_(output) {
  for (const Expr& root : dependences(k, output)) add_loads(root, loads_, [](const Load&) { return true; });
}

std::vector<Range> Needs::axes(const Box& box) const {
  const Kernel& k = *kernel_;
  auto axes = axes_for(k, output_, box);
  bool outer_runs = false;  // with several carried axes every inner one has run in full before
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (k.axes[i].kind != AxisKind::carried || axes[i].empty()) continue;
    axes[i].begin = 0;
    const bool runs = axes[i].end > 1;
    if (outer_runs) axes[i].end = k.axes[i].extent;
    outer_runs = outer_runs || runs;
  }
  return axes;
}

Box Needs::part(int operand, const Box& box, const std::vector<Range>& axes) const {
  const Shape& shape = kernel_->operands[static_cast<std::size_t>(operand)].type.shape;
  Box result(shape.size(), Range{0, 0});
  if (std::any_of(axes.begin(), axes.end(), [](const Range& r) { return r.empty(); })) return result;
  for (const Read& r : loads_)
    if ((*r).operand == operand) result = bounding(result, read_box(*r, shape, axes));
  if (kernel_->outputs[static_cast<std::size_t>(output_)].starts_from == operand) result = bounding(result, box);
  return result;
}

Box needed(const Kernel& k, int operand, const Box& box, int output) {
  const Needs needs(k, output);
  return needs.part(operand, box, needs.axes(box));
}

Box needed(const Kernel& k, std::string_view operand, const Box& box, int output) {
  return needed(k, k.operand(operand), box, output);
}

Box needed(const LibraryKernel& k, int operand, const Box& box, int output) {
  const Shape& shape = k.operands[static_cast<std::size_t>(operand)].type.shape;
  (void)output;  // every output of a library kernel has the same ranges on its non-whole dimensions
  if (is_empty(box)) return Box(shape.size(), Range{0, 0});
  const auto whole_dimensions = library_kind(k.name).whole_dimensions(k, operand);
  Box result = whole(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool all =
        std::find(whole_dimensions.begin(), whole_dimensions.end(), static_cast<int>(i)) != whole_dimensions.end();
    if (!all) {
      PIMENTO_CHECK(i < box.size(),
                    "library kernel '" + k.name + "': a dimension that is not whole must exist in the output");
      result[i] = box[i];
    }
  }
  return result;
}

Box written(const Kernel& k, int output, const std::vector<Range>& axes) {
  const Output& o = k.outputs[static_cast<std::size_t>(output)];
  const Shape& shape = k.operands[static_cast<std::size_t>(o.operand)].type.shape;
  Box box(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) box[i] = interval(o.map[i], axes);
  return intersect(box, whole(shape));
}

bool has_axis(const Kernel& k, AxisKind kind) {
  return std::any_of(k.axes.begin(), k.axes.end(), [&](const KernelAxis& a) { return a.kind == kind; });
}
std::int64_t points(const Kernel& k) {
  std::int64_t n = 1;
  for (const KernelAxis& a : k.axes) n *= a.extent;
  return n;
}
std::int64_t points(const Kernel& k, AxisKind kind) {
  std::int64_t n = 1;
  for (const KernelAxis& a : k.axes) n *= a.kind == kind ? a.extent : 1;
  return n;
}

}  // namespace pimento::ir
