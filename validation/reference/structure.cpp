// Nodes that own a body: what fusion joined, and loops.
#include <algorithm>

#include "isa/support/error.hpp"
#include "validation/reference/operator.hpp"

namespace pimento::reference {
namespace {

std::vector<Value> unshared(const std::vector<Shared>& values) {
  std::vector<Value> result;
  for (const Shared& v : values) result.push_back(*v);
  return result;
}

/// Slice `at` along dimension 0, which is dropped.
Shared slice(const Value& whole, std::int64_t at) {
  Value part{whole.type, {whole.shape.begin() + 1, whole.shape.end()}, {}};
  const auto size = static_cast<std::ptrdiff_t>(count(part.shape));
  part.data.assign(whole.data.begin() + at * size, whole.data.begin() + (at + 1) * size);
  return std::make_shared<const Value>(std::move(part));
}

std::vector<Value> loop(const Call& c) {
  const std::int64_t trips = c.integer("trip_count");
  const auto carried = static_cast<std::size_t>(c.integer("carried"));
  const auto scans = static_cast<std::size_t>(c.integer("scan_inputs"));
  const auto stacks = static_cast<std::size_t>(c.integer("scan_outputs"));
  const ir::Shape reverse = c.integers("reverse", ir::Shape(scans + stacks, 0));
  std::vector<Shared> state(c.inputs.begin(), c.inputs.begin() + static_cast<std::ptrdiff_t>(carried));
  std::vector<Value> stacked;
  for (std::size_t k = 0; k < stacks; ++k) stacked.push_back(c.output(carried + k));
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    const auto place = [&](std::size_t scan) { return reverse[scan] != 0 ? trips - 1 - trip : trip; };
    std::vector<Shared> inputs{std::make_shared<const Value>(Value{ElementType::i64, {}, {static_cast<double>(trip)}})};
    inputs.insert(inputs.end(), state.begin(), state.end());
    for (std::size_t s = 0; s < scans; ++s) inputs.push_back(slice(c.in(carried + s), place(s)));
    inputs.insert(inputs.end(), c.inputs.begin() + static_cast<std::ptrdiff_t>(carried + scans), c.inputs.end());
    const std::vector<Shared> results = run_body(*c.node.body, inputs);
    state.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carried));
    for (std::size_t k = 0; k < stacks; ++k) {
      const std::vector<double>& part = results[carried + k]->data;
      std::copy(part.begin(), part.end(),
                stacked[k].data.begin() + place(scans + k) * static_cast<std::ptrdiff_t>(part.size()));
    }
  }
  std::vector<Value> outputs = unshared(state);
  outputs.insert(outputs.end(), stacked.begin(), stacked.end());
  return outputs;
}

REFERENCE("loop", loop);
REFERENCE("group", [](const Call& c) { return unshared(run_body(*c.node.body, c.inputs)); });

}  // namespace
}  // namespace pimento::reference
