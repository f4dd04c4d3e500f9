#include <fmt/format.h>

#include <map>

#include "compiler/ops/entries.hpp"

namespace pimento::ops {

namespace {

using ir::Slot;
using ir::SlotKind;

/// Joins the kernels of a group's nodes: values that stay inside become temporaries.
class GroupKernels {
 public:
  explicit GroupKernels(const ir::Graph& body) : body_(body) {
    for (std::size_t i = 0; i < body.inputs.size(); ++i) bind(body.inputs[i], {SlotKind::input, static_cast<int>(i)});
    for (std::size_t i = 0; i < body.outputs.size(); ++i)
      if (made_here(body.outputs[i])) bind(body.outputs[i], {SlotKind::output, static_cast<int>(i)});
  }
  ir::KernelSequence take() {
    for (const auto& node : body_.nodes) append(node);
    for (std::size_t i = 0; i < body_.outputs.size(); ++i) {
      const Slot target{SlotKind::output, static_cast<int>(i)};
      if (const auto source = slot(body_.outputs[i]); !(source == target))
        copy(body_.type(body_.outputs[i]), source, target);
    }
    return std::move(result_);
  }

 private:
  bool made_here(ir::ValueId v) const { return !slots_.contains(v) && !body_.is_constant(v); }
  void bind(ir::ValueId v, Slot s) { slots_.emplace(v, s); }
  Slot slot(ir::ValueId v) {
    if (const auto it = slots_.find(v); it != slots_.end()) return it->second;
    Slot s{SlotKind::temporary, static_cast<int>(result_.temporaries.size())};
    if (const auto& content = body_.value(v).constant) {
      s = {SlotKind::constant, static_cast<int>(result_.constants.size())};
      result_.constants.push_back(*content);
    } else {
      result_.temporaries.push_back(body_.type(v));
    }
    bind(v, s);
    return s;
  }
  void append(const ir::Node& node) {
    auto inner = kernels_of(body_, node);
    const auto temporaries = static_cast<int>(result_.temporaries.size());
    result_.temporaries.insert(result_.temporaries.end(), inner.temporaries.begin(), inner.temporaries.end());
    const auto constants = static_cast<int>(result_.constants.size());
    result_.constants.insert(result_.constants.end(), inner.constants.begin(), inner.constants.end());
    for (auto& call : inner.calls) {
      for (auto& s : call.slots) {
        const auto at = static_cast<std::size_t>(s.index);
        switch (s.kind) {
          case SlotKind::input:
            s = slot(node.inputs[at]);
            break;
          case SlotKind::output:
            s = slot(node.outputs[at]);
            break;
          case SlotKind::temporary:
            s.index += temporaries;
            break;
          case SlotKind::constant:
            s.index += constants;
            break;
        }
      }
      result_.calls.push_back(std::move(call));
    }
  }
  void copy(const TensorType& type, Slot source, Slot target) {
    ir::KernelBuilder k("copy");
    const auto at = k.parallel_axes("d", type.shape);
    const auto from = k.input("X", type);
    const auto to = k.output("Y", type);
    k.write(to, at, from.at(at));
    result_.calls.push_back({k.build(), {source, target}});
  }

  const ir::Graph& body_;
  std::map<ir::ValueId, Slot> slots_;
  ir::KernelSequence result_;
};

}  // namespace

ir::KernelSequence kernels_of(const ir::Graph& g, const ir::Node& node) {
  PIMENTO_CHECK(node.op != "loop", fmt::format("node '{}': a loop is structure and has no kernels", node.source));
  if (node.body) return GroupKernels(*node.body).take();
  infer_or_throw(g, node);
  const OpDef& op = *find(node.op);
  PIMENTO_CHECK(static_cast<bool>(op.kernels), fmt::format("operator '{}' never stands in a graph", op.name));
  const Call call(op, g, node);
  Sequence sequence(call);
  op.kernels(call, sequence);
  return sequence.take();
}

bool is_foldable(const ir::Graph& g, const ir::Node& node) {
  if (node.op == "loop") return false;
  for (const auto& call : kernels_of(g, node).calls)
    for (const auto& slot : call.slots)
      if (slot.kind == SlotKind::input && !g.is_constant(node.inputs[static_cast<std::size_t>(slot.index)]))
        return false;
  return true;
}

}  // namespace pimento::ops
