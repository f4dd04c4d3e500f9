// Sets of elements reduced to one number, or to the place of one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "validation/reference/slices.hpp"

namespace pimento::reference {

std::vector<std::vector<std::size_t>> slices(const ir::Shape& shape, const ir::Shape& axes) {
  ir::Shape kept = shape;
  for (const std::int64_t a : axes) kept[static_cast<std::size_t>(a)] = 1;
  const std::vector<std::int64_t> by = broadcast_strides(kept, shape);
  std::vector<std::vector<std::size_t>> sets(static_cast<std::size_t>(count(kept)));
  std::vector<std::int64_t> at(shape.size(), 0);
  for (std::int64_t i = 0; i < count(shape); ++i, advance(at, shape))
    sets[static_cast<std::size_t>(flat(at, by))].push_back(static_cast<std::size_t>(i));
  return sets;
}
ir::Shape axes_from(std::int64_t first, std::size_t rank) {
  ir::Shape axes;
  for (auto d = first; d < static_cast<std::int64_t>(rank); ++d) axes.push_back(d);
  return axes;
}

namespace {

using Set = std::vector<std::size_t>;

/// f(elements of a set) for every set.
template <class F>
std::vector<Value> reduced(const Call& c, const ir::Shape& axes, F&& f) {
  Value y = c.output();
  const std::vector<Set> sets = slices(c.shape(), axes);
  std::vector<double> elements;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    elements.clear();
    for (const std::size_t i : sets[s]) elements.push_back(c.in(0).data[i]);
    y.data[s] = fit(y.type, f(elements));
  }
  return {y};
}
using Elements = std::vector<double>;

template <class F>
double sum(const Elements& x, F&& f) {
  double total = 0;
  for (const double e : x) total += f(e);
  return total;
}
constexpr double infinity = std::numeric_limits<double>::infinity();
double largest(const Elements& x) { return std::accumulate(x.begin(), x.end(), -infinity, larger); }
double least(const Elements& x) { return std::accumulate(x.begin(), x.end(), infinity, smaller); }
double plain_sum(const Elements& x) {
  return sum(x, [](double e) { return e; });
}
double norm(const Elements& x, double p) {
  return std::pow(sum(x, [p](double e) { return std::pow(std::fabs(e), p); }), 1 / p);
}

#define REDUCTION(name, expression)                                                                \
  REFERENCE(name, [](const Call& c) {                                                              \
    return reduced(c, c.integers("axes"), [](const Elements& x) -> double { return expression; }); \
  })
REDUCTION("reduce_sum", plain_sum(x));
REDUCTION("reduce_mean", plain_sum(x) / static_cast<double>(x.size()));
REDUCTION("reduce_max", largest(x));
REDUCTION("reduce_min", least(x));
REDUCTION("reduce_l1", norm(x, 1));
REDUCTION("reduce_l2", norm(x, 2));
REDUCTION("reduce_sum_square", sum(x, [](double e) { return e * e; }));
REDUCTION("reduce_log_sum", std::log(plain_sum(x)));
#undef REDUCTION
REFERENCE("reduce_prod", [](const Call& c) {
  return reduced(c, c.integers("axes"), [](const Elements& x) {
    double product = 1;
    for (const double e : x) product *= e;
    return product;
  });
});
REFERENCE("reduce_log_sum_exp", [](const Call& c) {
  return reduced(c, c.integers("axes"), [](const Elements& x) {
    const double top = largest(x);
    if (std::isinf(top)) return top;
    return top + std::log(sum(x, [top](double e) { return std::exp(e - top); }));
  });
});

REFERENCE("global_average_pool", [](const Call& c) {
  return reduced(c, axes_from(2, c.rank()),
                 [](const Elements& x) { return plain_sum(x) / static_cast<double>(x.size()); });
});
REFERENCE("global_max_pool", [](const Call& c) { return reduced(c, axes_from(2, c.rank()), largest); });
REFERENCE("global_lp_pool", [](const Call& c) {
  const auto p = static_cast<double>(c.integer("p", 2));
  return reduced(c, axes_from(2, c.rank()), [p](const Elements& x) { return norm(x, p); });
});
REFERENCE("lp_normalization", [](const Call& c) {
  Value y = c.output();
  for (const Set& set : slices(c.shape(), {c.integer("axis")})) {
    Elements x;
    for (const std::size_t i : set) x.push_back(c.in(0).data[i]);
    const double length = norm(x, static_cast<double>(c.integer("p", 2)));
    for (const std::size_t i : set) y.data[i] = length == 0 ? 0 : c.in(0).data[i] / length;
  }
  return std::vector<Value>{y};
});

/// Position of the largest of sign * x; of equals the first or the last.
std::vector<Value> best_position(const Call& c, double sign) {
  const bool last = c.integer("last") != 0;
  return reduced(c, {c.integer("axis")}, [&](const Elements& x) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < x.size(); ++i)
      if (sign * x[i] > sign * x[best] || (last && x[i] == x[best])) best = i;
    return static_cast<double>(best);
  });
}
REFERENCE("arg_max", [](const Call& c) { return best_position(c, 1); });
REFERENCE("arg_min", [](const Call& c) { return best_position(c, -1); });

REFERENCE("top_k", [](const Call& c) {
  std::vector<Value> results{c.wants(0) ? c.output(0) : Value{}, c.wants(1) ? c.output(1) : Value{}};
  const std::int64_t axis = c.integer("axis");
  const std::vector<Set> from = slices(c.shape(), {axis});
  ir::Shape shape = c.shape();
  shape[static_cast<std::size_t>(axis)] = c.integer("k");
  const std::vector<Set> to = slices(shape, {axis});
  const double sign = c.integer("largest", 1) != 0 ? 1 : -1;
  for (std::size_t s = 0; s < from.size(); ++s) {
    std::vector<std::size_t> order(from[s].size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sign * c.in(0).data[from[s][a]] > sign * c.in(0).data[from[s][b]];
    });
    for (std::size_t i = 0; i < to[s].size(); ++i) {
      if (c.wants(0)) results[0].data[to[s][i]] = c.in(0).data[from[s][order[i]]];
      if (c.wants(1)) results[1].data[to[s][i]] = static_cast<double>(order[i]);
    }
  }
  return results;
});

REFERENCE("cum_sum", [](const Call& c) {
  Value y = c.output();
  const bool exclusive = c.integer("exclusive") != 0;
  for (Set set : slices(c.shape(), {c.integer("axis")})) {
    if (c.integer("reverse") != 0) std::reverse(set.begin(), set.end());
    double total = 0;
    for (const std::size_t i : set) {
      const double next = total + c.in(0).data[i];
      y.data[i] = fit(y.type, exclusive ? total : next);
      total = next;
    }
  }
  return std::vector<Value>{y};
});

}  // namespace
}  // namespace pimento::reference
