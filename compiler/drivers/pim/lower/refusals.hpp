#pragma once
// What this backend has no instruction sequence for, and how it says so: every node of a model that cannot be lowered
// is named in one message.
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "isa/chip/chip.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {

/// Thrown by instruction selection for one compute. `reason` stands without chip and node, for lists.
class NoSequence : public UserError {
 public:
  explicit NoSequence(const std::string& reason) : UserError(reason), reason_(reason) {}
  NoSequence(const std::string& chip, const std::string& node, const std::string& reason);
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

struct Refused {
  std::string node, op, reason;
};
/// The nodes that their kernels alone rule out, before ranges, layouts and values are known. What depends on those is
/// found by graph-to-spatial, which collects as well.
std::vector<Refused> refused_nodes(const ir::Graph& graph);
/// Names all of them.
class CannotLower : public UserError {
 public:
  CannotLower(const isa::Chip& chip, std::vector<Refused> nodes);
  const std::vector<Refused>& nodes() const { return nodes_; }

 private:
  std::vector<Refused> nodes_;
};
/// Throws CannotLower when there are any.
void refuse(const std::vector<Refused>& nodes, const isa::Chip& chip);

/// How far an operator can be lowered, for OP_MATRIX.md: "yes", "partly: ...", "no: ...".
std::string support_of(const std::string& graph_op);

}  // namespace pimento::pim
