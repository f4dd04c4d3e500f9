#include <fmt/format.h>

#include <set>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/kernel_run.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {

KernelRun bind_tensors(const Kernel& k, const std::vector<Tensor>& inputs) {
  KernelRun run{k, {}, {}};
  std::size_t next = 0;
  for (const Operand& o : k.operands) {
    run.strides.push_back(row_major_strides(o.type.shape));
    if (o.role == OperandRole::output) {
      run.tensors.push_back(Tensor::zeros(o.type));
      continue;
    }
    PIMENTO_CHECK(next < inputs.size(), fmt::format("kernel '{}': no tensor for input '{}'", k.name, o.name));
    const Tensor& t = inputs[next++];
    PIMENTO_CHECK(!t.empty_handle() && t.element_type() == o.type.type && t.elements() == o.type.elements(),
                  fmt::format("kernel '{}': input '{}' is {}, its tensor {}", k.name, o.name, to_string(o.type),
                              t.empty_handle() ? "absent" : to_string(t.type())));
    run.tensors.push_back(t.reshaped(o.type.shape));
  }
  PIMENTO_CHECK(next == inputs.size(), fmt::format("kernel '{}': {} inputs, {} tensors", k.name, next, inputs.size()));
  std::set<int> begun;
  for (const Output& o : k.outputs) {
    if (o.starts_from < 0 || !begun.insert(o.operand).second) continue;
    run.tensors[static_cast<std::size_t>(o.operand)] = run.tensors[static_cast<std::size_t>(o.starts_from)];
  }
  for (std::size_t i = 0; i < k.operands.size(); ++i) {
    if (k.operands[i].role == OperandRole::output) run.tensors[i].mutable_bytes();  // unshared before the first write
  }
  return run;
}

std::vector<Tensor> results(KernelRun&& run) {
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < run.tensors.size(); ++i) {
    if (run.kernel.operands[i].role == OperandRole::output) outputs.push_back(std::move(run.tensors[i]));
  }
  return outputs;
}

void index_error(const Kernel& k, int operand, std::size_t dimension, std::int64_t index) {
  const Operand& o = k.operands[static_cast<std::size_t>(operand)];
  throw UserError(fmt::format("kernel '{}': index {} of dimension {} of '{}', which has extent {}: {}", k.name, index,
                              dimension, o.name, o.type.shape[dimension], to_string(o.type)));
}
void table_error(const Kernel& k, std::int64_t index, std::int64_t size) {
  throw UserError(fmt::format("kernel '{}': index {} into a table of {} elements", k.name, index, size));
}

BinaryOp operator_of(Combiner combiner) {
  switch (combiner) {
    case Combiner::add:
      return BinaryOp::add;
    case Combiner::mul:
      return BinaryOp::mul;
    case Combiner::max:
      return BinaryOp::max;
    case Combiner::min:
      return BinaryOp::min;
    case Combiner::logical_and:
      return BinaryOp::bit_and;
    case Combiner::logical_or:
      return BinaryOp::bit_or;
    case Combiner::merge:
      break;
  }
  throw InternalError("a merge is an expression, not an operator");
}
BinaryOp operator_of(WriteRule rule) {
  switch (rule) {
    case WriteRule::add:
      return BinaryOp::add;
    case WriteRule::mul:
      return BinaryOp::mul;
    case WriteRule::max:
      return BinaryOp::max;
    case WriteRule::min:
      return BinaryOp::min;
    case WriteRule::assign:
      break;
  }
  throw InternalError("an assignment has no operator");
}

std::vector<Tensor> interpret(const Kernel& k, const std::vector<Tensor>& inputs, Path path) {
  KernelRun run = bind_tensors(k, inputs);
  if (path == Path::plain) {
    run_plain(run);
  } else if (path == Path::blocked || !run_contraction(run)) {
    run_blocked(run);
  }
  return results(std::move(run));
}

std::vector<Tensor> interpret(const LibraryKernel& k, const std::vector<Tensor>& inputs) {
  return library_kind(k.name).interpret(k, inputs);
}

std::vector<Tensor> interpret(const AnyKernel& k, const std::vector<Tensor>& inputs) {
  return std::visit([&](const auto& x) { return interpret(x, inputs); }, k);
}

std::vector<Tensor> interpret(const KernelSequence& s, const std::vector<Tensor>& inputs,
                              const std::vector<TensorType>& outputs) {
  std::vector<Tensor> made(outputs.size()), temporaries(s.temporaries.size());
  const auto slot_name = [](Slot slot) {
    static constexpr const char* names[] = {"input", "output", "temporary", "constant"};
    return fmt::format("{} {}", names[static_cast<std::size_t>(slot.kind)], slot.index);
  };
  for (const KernelCall& call : s.calls) {
    const auto& operands = operands_of(call.kernel);
    PIMENTO_CHECK(
        call.slots.size() == operands.size(),
        fmt::format("kernel '{}': {} operands, {} slots", name_of(call.kernel), operands.size(), call.slots.size()));
    std::vector<Tensor> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].role == OperandRole::output) continue;
      const Slot slot = call.slots[i];
      const auto& source = slot.kind == SlotKind::input       ? inputs
                           : slot.kind == SlotKind::output    ? made
                           : slot.kind == SlotKind::temporary ? temporaries
                                                              : s.constants;
      const auto index = static_cast<std::size_t>(slot.index);
      PIMENTO_CHECK(index < source.size() && !source[index].empty_handle(),
                    fmt::format("kernel '{}': operand '{}' reads {}, which has no content", name_of(call.kernel),
                                operands[i].name, slot_name(slot)));
      arguments.push_back(source[index].reshaped(operands[i].type.shape));
    }
    std::vector<Tensor> produced = interpret(call.kernel, arguments);
    std::size_t next = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].role != OperandRole::output) continue;
      const Slot slot = call.slots[i];
      const auto index = static_cast<std::size_t>(slot.index);
      if (slot.kind == SlotKind::output) {
        PIMENTO_CHECK(index < made.size() && produced[next].element_type() == outputs[index].type,
                      fmt::format("kernel '{}': operand '{}' does not fit {}", name_of(call.kernel), operands[i].name,
                                  slot_name(slot)));
        made[index] = produced[next].reshaped(outputs[index].shape);
      } else {
        PIMENTO_CHECK(slot.kind == SlotKind::temporary && index < temporaries.size(),
                      fmt::format("kernel '{}': operand '{}' writes {}", name_of(call.kernel), operands[i].name,
                                  slot_name(slot)));
        temporaries[index] = produced[next].reshaped(s.temporaries[index].shape);
      }
      ++next;
    }
  }
  return made;
}

}  // namespace pimento::ir
