#pragma once
// What cannot be compiled, collected over the whole model, so that one import tells all of it.
#include <string>
#include <vector>

namespace pimento::frontend {

class Problems {
 public:
  /// `text` names its place: "node 'detect/nms' (NonMaxSuppression): the output's shape depends on data".
  void add(std::string text);
  bool empty() const { return texts_.empty(); }
  /// UserError if there is any: one stands on the file's line, several stand below a count, one a line.
  void raise(const std::string& file) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace pimento::frontend
