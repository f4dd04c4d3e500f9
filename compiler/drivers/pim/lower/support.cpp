// How far each operator can be lowered: the PIM column of OP_MATRIX.md. What is not listed is lowered in every form
// that ONNX's node suite has; compiler/pipeline/support_test.cpp holds each line against that suite.
#include <map>

#include "compiler/drivers/pim/lower/refusals.hpp"
#include "compiler/ops/matrix.hpp"

namespace pimento::pim {
namespace {

const std::map<std::string, std::string>& exceptions() {
  static const std::map<std::string, std::string> all{
      {"bitwise_and", "not tried: no case"},
      {"bitwise_not", "not tried: no case"},
      {"bitwise_or", "not tried: no case"},
      {"bitwise_xor", "not tried: no case"},
      {"constant", "not tried: a constant before it gets here"},
      {"det", "no: a library kernel"},
      {"dynamic_quantize_linear", "no: its outputs read one another"},
      {"eye_like", "not tried: a constant before it gets here"},
      {"fill", "not tried: a constant before it gets here"},
      {"gather_nd", "partly: one index that depends on data, no more"},
      {"gelu", "not tried: no case"},
      {"global_lp_pool", "not tried: no case"},
      {"grid_sample", "no: several indices that depend on data"},
      {"group_norm", "not tried: no case"},
      {"loop", "no: a loop over a graph"},
      {"lp_normalization", "not tried: no case"},
      {"lp_pool", "not tried: no case"},
      {"max_roi_pool", "not tried: no case"},
      {"max_unpool", "no: it writes where data say"},
      {"mish", "not tried: no case"},
      {"range", "not tried: a constant before it gets here"},
      {"roi_align", "no: several indices that depend on data"},
      {"scatter_elements", "no: a scatter"},
      {"scatter_nd", "no: a scatter"},
      {"shape", "not tried: a constant before it gets here"},
      {"signal_window", "not tried: a constant before it gets here"},
      {"top_k", "no: a library kernel"},
  };
  return all;
}

const bool registered = ops::register_matrix_column({"PIM", support_of});

}  // namespace

std::string support_of(const std::string& graph_op) {
  const auto found = exceptions().find(graph_op);
  return found == exceptions().end() ? "yes" : found->second;
}

}  // namespace pimento::pim
