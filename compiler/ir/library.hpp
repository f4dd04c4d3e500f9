#pragma once
// The few operators that are no loop nest (sort/TopK, NonMaxSuppression, Det, Unique) are library kernels: a declared
// access summary, an interpreter, and in each backend one code template found by `name`. Kinds are registered by name,
// so that text can be parsed; the summary is all that layer 1 may assume.
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/kernel.hpp"

namespace pimento::ir {

/// An attribute of a node or library kernel.
using Attribute =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, Tensor>;
/// Ordered by name, so equal attributes print and hash alike.
using Attributes = std::map<std::string, Attribute, std::less<>>;

struct LibraryKernel {
  std::string name;  ///< a registered kind: "topk"
  Attributes attributes;
  std::vector<Operand> operands;  ///< inputs first, then outputs
};

struct LibraryKind {
  std::string name;
  std::string summary;  ///< one sentence
  /// Which dimensions of input `input` an output element needs whole; on the others an output range needs the same
  /// range.
  std::function<std::vector<int>(const LibraryKernel&, int input)> whole_dimensions;
  /// Empty when the kernel is well formed, else the reason.
  std::function<std::string(const LibraryKernel&)> check;
  /// Output tensors, in operand order, from the input tensors.
  std::function<std::vector<Tensor>(const LibraryKernel&, const std::vector<Tensor>& inputs)> interpret;
};
/// Registers a kind; a second one of the same name is an InternalError. Call through a static initialiser:
/// `[[maybe_unused]] const bool registered = register_library_kind({...});`
bool register_library_kind(LibraryKind kind);
/// The kind, or UserError with the nearest name.
const LibraryKind& library_kind(std::string_view name);
std::vector<std::string> library_kind_names();

using AnyKernel = std::variant<Kernel, LibraryKernel>;
const std::string& name_of(const AnyKernel& k);
const std::vector<Operand>& operands_of(const AnyKernel& k);

/// Where an operand of a kernel call lives.
enum class SlotKind : std::uint8_t { input, output, temporary, constant };
struct Slot {
  SlotKind kind = SlotKind::input;
  int index = 0;  ///< of the node's inputs or outputs, or of the sequence's temporaries or constants
  bool operator==(const Slot&) const = default;
};
struct KernelCall {
  AnyKernel kernel;
  std::vector<Slot> slots;  ///< one per operand; sizes agree in element count and type
};
/// What a graph node means: kernels in order, with the temporaries that pass between them. Softmax is three kernels.
struct KernelSequence {
  std::vector<KernelCall> calls;
  std::vector<TensorType> temporaries;
  std::vector<Tensor> constants;
};

}  // namespace pimento::ir
