#include "compiler/ops/matrix.hpp"

#include <fmt/format.h>

#include <map>

#include "compiler/ops/entries.hpp"

namespace pimento::ops {

namespace {

std::map<std::string, MatrixColumn>& columns() {
  static std::map<std::string, MatrixColumn> all;
  return all;
}

std::string opsets(const OnnxForm& form) {
  if (form.until == 0) return fmt::format("{}+", form.since);
  return form.until == form.since ? std::to_string(form.since) : fmt::format("{}-{}", form.since, form.until);
}

/// A bar would end the table's cell.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string operands(const OpDef& op) {
  std::string result;
  for (const auto& spec : op.inputs) {
    if (!result.empty()) result += ", ";
    result += spec.name;
    if (spec.variadic) result += "...";
    if (spec.optional) result += "?";
    if (!spec.as_first) result += fmt::format(" ({})", describe(spec.types));
  }
  return result;
}

std::string attributes(const OpDef& op) {
  std::string result;
  for (const auto& spec : op.attributes)
    result += fmt::format("{}`{}` {}", result.empty() ? "" : "; ", spec.name, describe(spec));
  return result;
}

}  // namespace

bool register_matrix_column(const MatrixColumn& column) {
  columns()[column.title] = column;
  return true;
}

std::string op_matrix() {
  std::string titles, rule;
  for (const auto& [title, column] : columns()) {
    titles += title + " | ";
    rule += " --- |";
  }
  std::string page = fmt::format(
      "# ONNX operators\n\nEvery operator of the registry. In a graph each has one canonical form, whatever the opset "
      "it came in (up to {}): axes counted from 0, explicit pads, attribute-like inputs as attributes. Double is "
      "computed as f32.\n\n| ONNX | opsets | in graphs | {}operands | attributes | meaning |\n| --- | --- | --- |{} "
      "--- | "
      "--- | --- |\n",
      newest_opset, titles, rule);
  std::map<std::string, std::map<std::string, std::pair<std::string, const OpDef*>>> rows;  // ONNX name, graph name
  for (const OpDef* op : all()) {
    for (const auto& form : op->onnx) {
      auto& [versions, entry] = rows[form.domain.empty() ? form.name : form.domain + "." + form.name][op->name];
      versions += (versions.empty() ? "" : ", ") + opsets(form);
      entry = op;
    }
  }
  for (const auto& [onnx, forms] : rows)
    for (const auto& [graph_name, form] : forms) {
      page += fmt::format("| {} | {} | `{}` | ", onnx, form.first, graph_name);
      for (const auto& [title, column] : columns()) page += escaped(column.text(graph_name)) + " | ";
      page += fmt::format("{} | {} | {} |\n", operands(*form.second), attributes(*form.second),
                          escaped(form.second->summary));
    }
  page +=
      "\n## Structure\n\nNot operators: the frontend turns them into graphs.\n\n| ONNX | becomes |\n| --- | --- |\n"
      "| If | the branch that a condition known at compile time chooses |\n"
      "| Loop, Scan | a graph loop with carried values |\n"
      "| RNN, GRU, LSTM | a graph loop over the steps |\n"
      "| functions of the model | their nodes |\n";
  page += "\n## Refused\n\n| ONNX | reason |\n| --- | --- |\n";
  for (const auto& r : refusals())
    page += fmt::format("| {} | {} |\n", r.domain.empty() ? r.name : r.domain + "." + r.name, r.reason);
  return page;
}

DOCUMENT("compiler/ops/OP_MATRIX.md", op_matrix);

}  // namespace pimento::ops
