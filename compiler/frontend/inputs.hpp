#pragma once
// Static types of the model's inputs: dimension overrides, the batch rule, and a refusal that says which option to
// give. Internal to the frontend: it includes ONNX headers.
#include <onnx/onnx_pb.h>

#include <optional>
#include <set>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/problems.hpp"

namespace pimento::frontend {

class InputTypes {
 public:
  InputTypes(const ImportOptions& options, Problems& problems) : options_(options), problems_(problems) {}

  /// The static type of one input; nothing when it has none, and then the reason is among the problems. A dynamic
  /// dimension takes its override, or the extent of the tensor at hand; the batch (first of two or more dimensions, or
  /// a name with "batch") else becomes 1.
  std::optional<ir::TensorType> resolve(const onnx::ValueInfoProto& input);
  /// Empty when a tensor of type `given` may be the input's content; a dynamic dimension takes any extent.
  static std::string mismatch(const onnx::ValueInfoProto& input, const ir::TensorType& given);
  /// After all inputs: overrides that no input has are problems.
  void check_all_used();

 private:
  std::optional<std::int64_t> extent(const onnx::ValueInfoProto& input, int axis, int rank);
  const ImportOptions& options_;
  Problems& problems_;
  std::set<std::string> known_;  ///< names that an override may have
  std::set<std::string> noted_;
  std::size_t resolved_ = 0;  ///< inputs asked for so far
};

}  // namespace pimento::frontend
