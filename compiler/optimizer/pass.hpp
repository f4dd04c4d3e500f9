#pragma once
// A pass: one file in passes/, one registration.
//
//   PASS("dead-code")
//       .summary("removes nodes whose values nobody reads")
//       .precondition("none of the node's outputs is read or leaves the graph")
//       .place(70, "after everything that redirects readers")
//       .run(dead_code);
//
// The manager verifies, dumps what changed and times; a pass does none of that. It rewrites one graph and never looks
// into the bodies of loops: the manager hands it those as well.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "isa/support/document.hpp"

namespace pimento::optimizer {

struct Pass {
  std::string name;
  std::string summary;
  std::string precondition;
  int position = 0;                                ///< place in the pipeline; passes run in ascending order
  std::string reason;                              ///< why it stands there
  std::int64_t (*function)(ir::Graph&) = nullptr;  ///< returns how many places it changed
};

class PassBuilder {
 public:
  explicit PassBuilder(const std::string& name) { pass_.name = name; }
  PassBuilder& summary(const std::string& text) {
    pass_.summary = text;
    return *this;
  }
  PassBuilder& precondition(const std::string& text) {
    pass_.precondition = text;
    return *this;
  }
  PassBuilder& place(int position, const std::string& reason) {
    pass_.position = position;
    pass_.reason = reason;
    return *this;
  }
  /// Ends the registration.
  bool run(std::int64_t (*function)(ir::Graph&));

 private:
  Pass pass_;
};
#define PASS(name) \
  [[maybe_unused]] static const bool PIMENTO_JOIN(pass_at_line_, __LINE__) = ::pimento::optimizer::PassBuilder(name)

struct Applied {
  std::int64_t changed = 0, kept_back = 0;
};
/// The pass on the graph and on the bodies of its loops; a result that would cost more is dropped whole. `cost`: the
/// graph's, once it is known.
Applied apply_guarded(const Pass& pass, ir::Graph& graph, std::optional<std::int64_t>& cost);
/// Every pass in pipeline order; InternalError when two share a name or a position.
const std::vector<Pass>& passes();

}  // namespace pimento::optimizer
