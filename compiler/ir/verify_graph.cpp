#include <fmt/format.h>

#include <set>

#include "compiler/ir/text.hpp"
#include "compiler/ir/verify.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

class GraphVerifier {
 public:
  GraphVerifier(const Graph& g, std::string path) : g_(g), path_(std::move(path)) {}

  Findings run() {
    defined_.assign(g_.values.size(), false);
    for (std::size_t i = 0; i < g_.values.size(); ++i) {
      const Value& v = g_.values[i];
      if (!v.constant) continue;
      defined_[i] = true;
      if (v.constant->type() != v.type) {
        say(fmt::format("constant '{}' is {}, its tensor {}", v.name, to_string(v.type),
                        to_string(v.constant->type())));
      }
    }
    for (const ValueId v : g_.inputs) define(v, "an input");
    for (const GraphState& s : g_.states) {
      define(s.current, "a state");
      if (s.initial && findings_.empty() && s.initial->type() != g_.type(s.current)) {
        say(fmt::format("state '{}' is {}, its initial content {}", g_.value(s.current).name,
                        to_string(g_.type(s.current)), to_string(s.initial->type())));
      }
    }
    for (const Node& n : g_.nodes) node(n);
    for (const ValueId v : g_.outputs) use(v, "the graph's outputs");
    for (const GraphState& s : g_.states) {
      use(s.next, "a state");
      if (!findings_.empty()) continue;
      if (g_.type(s.current) != g_.type(s.next)) {
        say(fmt::format("state '{}' is {}, its next value '{}' {}", g_.value(s.current).name,
                        to_string(g_.type(s.current)), g_.value(s.next).name, to_string(g_.type(s.next))));
      }
    }
    return findings_;
  }

 private:
  void say(const std::string& message) { findings_.push_back({fmt::format("{}: {}", path_, message)}); }

  bool exists(ValueId v, const std::string& where) {
    if (v != no_value && static_cast<std::int32_t>(v) >= 0 && to_index(v) < g_.values.size()) return true;
    say(fmt::format("{} mentions value {}, there are {}", where, static_cast<std::int32_t>(v), g_.values.size()));
    return false;
  }
  void define(ValueId v, const std::string& where) {
    if (!exists(v, where)) return;
    if (defined_[to_index(v)]) say(fmt::format("value '{}' is defined twice, again by {}", g_.value(v).name, where));
    defined_[to_index(v)] = true;
  }
  void use(ValueId v, const std::string& where) {
    if (!exists(v, where)) return;
    if (!defined_[to_index(v)])
      say(fmt::format("value '{}' is read by {} before it is defined", g_.value(v).name, where));
  }

  void node(const Node& n) {
    const std::string where = fmt::format("node '{}'", n.source.empty() ? n.op : n.source);
    for (const ValueId v : n.inputs) {
      if (v != no_value) use(v, where);
    }
    for (const ValueId v : n.outputs) {
      if (v != no_value) define(v, where);
    }
    if (n.op.empty()) say(where + " has no operator");
    const bool owns = n.op == "loop" || n.op == "group";
    if (owns != (n.body != nullptr)) {
      say(fmt::format("{}: operator '{}' {} a body", where, n.op, owns ? "needs" : "may not have"));
      return;
    }
    if (!owns || !findings_.empty()) return;
    const Findings inner = GraphVerifier(*n.body, path_ + ": " + where).run();
    findings_.insert(findings_.end(), inner.begin(), inner.end());
    if (!inner.empty()) return;
    n.op == "loop" ? loop(n, where) : group(n, where);
  }

  void same(const TensorType& have, const TensorType& want, const std::string& what) {
    if (have != want) say(fmt::format("{} is {}, expected {}", what, to_string(have), to_string(want)));
  }
  bool count(std::size_t have, std::size_t want, const std::string& what) {
    if (have != want) say(fmt::format("{}: {}, expected {}", what, have, want));
    return have == want;
  }

  void group(const Node& n, const std::string& where) {
    const Graph& b = *n.body;
    if (!count(b.inputs.size(), n.inputs.size(), where + ": inputs of the body") ||
        !count(b.outputs.size(), n.outputs.size(), where + ": outputs of the body")) {
      return;
    }
    if (!b.states.empty()) say(where + ": a group's body has a state");
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      if (n.inputs[i] != no_value)
        same(b.type(b.inputs[i]), g_.type(n.inputs[i]), fmt::format("{}: body input {}", where, i));
    }
    for (std::size_t i = 0; i < n.outputs.size(); ++i) {
      if (n.outputs[i] != no_value)
        same(b.type(b.outputs[i]), g_.type(n.outputs[i]), fmt::format("{}: body output {}", where, i));
    }
    for (const Node& inner : b.nodes) {
      if (inner.body != nullptr) say(where + ": a group's body is not straight-line");
    }
  }

  void loop(const Node& n, const std::string& where) {
    const Graph& b = *n.body;
    const auto trips = integer_attribute(n, "trip_count", -1);
    const auto carried = integer_attribute(n, "carried", 0), scans = integer_attribute(n, "scan_inputs", 0),
               stacks = integer_attribute(n, "scan_outputs", 0);
    if (trips < 0) say(fmt::format("{}: trip_count is {}, at least 0 is needed", where, trips));
    if (carried < 0 || scans < 0 || stacks < 0)
      say(where + ": carried, scan_inputs and scan_outputs may not be negative");
    const auto reverse = integers_attribute(n, "reverse", {});
    if (!reverse.empty())
      count(reverse.size(), static_cast<std::size_t>(scans + stacks), where + ": entries of reverse");
    if (!b.states.empty()) say(where + ": a loop's body has a state");
    if (!findings_.empty()) return;
    const auto c = static_cast<std::size_t>(carried), s = static_cast<std::size_t>(scans),
               k = static_cast<std::size_t>(stacks);
    if (n.inputs.size() < c + s) {
      say(fmt::format("{}: {} inputs, carried + scan_inputs is {}", where, n.inputs.size(), c + s));
      return;
    }
    if (!count(b.inputs.size(), n.inputs.size() + 1, where + ": inputs of the body") ||
        !count(b.outputs.size(), c + k, where + ": outputs of the body") ||
        !count(n.outputs.size(), c + k, where + ": outputs")) {
      return;
    }
    same(b.type(b.inputs[0]), {ElementType::i64, {}}, where + ": the body's iteration number");
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      if (n.inputs[i] == no_value) continue;
      TensorType want = g_.type(n.inputs[i]);
      if (i >= c && i < c + s) {
        if (want.shape.empty() || want.shape[0] != trips) {
          say(fmt::format("{}: scan input {} is {}, its dimension 0 must be the trip count {}", where, i - c,
                          to_string(want), trips));
          return;
        }
        want.shape.erase(want.shape.begin());
      }
      same(b.type(b.inputs[i + 1]), want, fmt::format("{}: body input {}", where, i + 1));
    }
    for (std::size_t i = 0; i < c + k; ++i) {
      TensorType made = b.type(b.outputs[i]);
      if (i < c) same(made, g_.type(n.inputs[i]), fmt::format("{}: carried value {}", where, i));
      if (i >= c) made.shape.insert(made.shape.begin(), trips);
      if (n.outputs[i] != no_value) same(g_.type(n.outputs[i]), made, fmt::format("{}: output {}", where, i));
    }
  }

  const Graph& g_;
  std::string path_;
  std::vector<bool> defined_;
  Findings findings_;
};

}  // namespace

Findings verify(const Graph& g) { return GraphVerifier(g, fmt::format("graph '{}'", g.name)).run(); }

template <class T>
void require_valid(const T& x, const std::string& what) {
  const Findings findings = verify(x);
  if (findings.empty()) return;
  std::string message = what + " is not valid";
  for (const Finding& f : findings) message += "\n  " + f.message;
  throw InternalError(message);
}
template void require_valid<Kernel>(const Kernel&, const std::string&);
template void require_valid<LibraryKernel>(const LibraryKernel&, const std::string&);
template void require_valid<Graph>(const Graph&, const std::string&);

}  // namespace pimento::ir
