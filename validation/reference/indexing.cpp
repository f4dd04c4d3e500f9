// Operators that take positions from data: gather, scatter, one-hot, and the fixed patterns of triangles and sequences.
#include <algorithm>

#include "validation/reference/operator.hpp"

namespace pimento::reference {
namespace {

using Place = std::vector<std::int64_t>;

/// A position as ONNX counts it: negative ones from the end.
std::int64_t position(const Call& c, double index, std::int64_t extent) {
  auto i = static_cast<std::int64_t>(index);
  if (i < 0) i += extent;
  if (i < 0 || i >= extent) c.refuse("index " + std::to_string(i) + " leaves extent " + std::to_string(extent));
  return i;
}
double element(const Value& v, const Place& at) { return v.data[static_cast<std::size_t>(flat(at, strides(v.shape)))]; }

/// f(position, reference to the element there) for every element of `y`.
template <class F>
Value filled(Value y, F&& f) {
  Place at(y.shape.size(), 0);
  for (double& e : y.data) {
    e = f(at);
    advance(at, y.shape);
  }
  return y;
}

REFERENCE("gather", [](const Call& c) {
  const auto axis = static_cast<std::size_t>(c.integer("axis"));
  const std::size_t width = c.rank(1);
  return std::vector<Value>{filled(c.output(), [&](const Place& at) {
    const auto first = at.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto last = first + static_cast<std::ptrdiff_t>(width);
    Place from(at.begin(), first);
    from.push_back(position(c, element(c.in(1), Place(first, last)), c.shape()[axis]));
    from.insert(from.end(), last, at.end());
    return element(c.in(0), from);
  })};
});
REFERENCE("gather_elements", [](const Call& c) {
  const auto axis = static_cast<std::size_t>(c.integer("axis"));
  return std::vector<Value>{filled(c.output(), [&](const Place& at) {
    Place from = at;
    from[axis] = position(c, element(c.in(1), at), c.shape()[axis]);
    return element(c.in(0), from);
  })};
});
/// The coordinates that the last dimension of `indices` holds at `outer`.
Place coordinates(const Call& c, const Place& outer, std::size_t batch) {
  Place from(outer.begin(), outer.begin() + static_cast<std::ptrdiff_t>(batch));
  Place at = outer;
  at.push_back(0);
  for (; at.back() < c.shape(1).back(); ++at.back())
    from.push_back(position(c, element(c.in(1), at), c.shape()[from.size()]));
  return from;
}
REFERENCE("gather_nd", [](const Call& c) {
  const auto batch = static_cast<std::size_t>(c.integer("batch_dims"));
  return std::vector<Value>{filled(c.output(), [&](const Place& at) {
    const auto split = at.begin() + static_cast<std::ptrdiff_t>(c.rank(1) - 1);
    Place from = coordinates(c, Place(at.begin(), split), batch);
    from.insert(from.end(), split, at.end());
    return element(c.in(0), from);
  })};
});

double combined(const std::string& reduction, double old, double update) {
  if (reduction == "add") return old + update;
  if (reduction == "mul") return old * update;
  if (reduction == "max") return larger(old, update);
  if (reduction == "min") return smaller(old, update);
  return update;
}
/// Y = X, then each update in order at `to(position among the updates)`.
template <class F>
std::vector<Value> scattered(const Call& c, F&& to) {
  Value y = c.output();
  y.data = c.in(0).data;
  const std::string reduction = c.text("reduction", "none");
  const std::vector<std::int64_t> by = strides(y.shape);
  Place at(c.rank(2), 0);
  for (const double update : c.in(2).data) {
    double& e = y.data[static_cast<std::size_t>(flat(to(at), by))];
    e = fit(y.type, combined(reduction, e, update));
    advance(at, c.shape(2));
  }
  return {y};
}
REFERENCE("scatter_elements", [](const Call& c) {
  const auto axis = static_cast<std::size_t>(c.integer("axis"));
  return scattered(c, [&](const Place& at) {
    Place to = at;
    to[axis] = position(c, element(c.in(1), at), c.shape()[axis]);
    return to;
  });
});
REFERENCE("scatter_nd", [](const Call& c) {
  return scattered(c, [&](const Place& at) {
    const auto split = at.begin() + static_cast<std::ptrdiff_t>(c.rank(1) - 1);
    Place to = coordinates(c, Place(at.begin(), split), 0);
    to.insert(to.end(), split, at.end());
    return to;
  });
});

REFERENCE("one_hot", [](const Call& c) {
  const auto axis = static_cast<std::ptrdiff_t>(c.integer("axis"));
  const std::int64_t depth = c.integer("depth");
  return std::vector<Value>{filled(c.output(), [&](const Place& at) {
    Place from = at;
    from.erase(from.begin() + axis);
    auto hot = static_cast<std::int64_t>(element(c.in(0), from));
    if (hot < 0) hot += depth;
    return c.in(1).data[hot == at[static_cast<std::size_t>(axis)] ? 1 : 0];
  })};
});
REFERENCE("trilu", [](const Call& c) {
  const std::int64_t k = c.integer("k");
  const bool upper = c.integer("upper", 1) != 0;
  return std::vector<Value>{filled(c.output(), [&](const Place& at) {
    const std::int64_t diagonal = at[at.size() - 1] - at[at.size() - 2];
    return (upper ? diagonal >= k : diagonal <= k) ? element(c.in(0), at) : 0.0;
  })};
});
REFERENCE("reverse_sequence", [](const Call& c) {
  const auto batch = static_cast<std::size_t>(c.integer("batch_axis", 1));
  const auto time = static_cast<std::size_t>(c.integer("time_axis", 0));
  return std::vector<Value>{filled(c.output(), [&](const Place& at) {
    const auto length = static_cast<std::int64_t>(c.in(1).data[static_cast<std::size_t>(at[batch])]);
    Place from = at;
    if (at[time] < length) from[time] = length - 1 - at[time];
    return element(c.in(0), from);
  })};
});

}  // namespace
}  // namespace pimento::reference
