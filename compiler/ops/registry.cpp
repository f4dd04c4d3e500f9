#include "compiler/ops/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "compiler/ops/define.hpp"
#include "compiler/ops/entries.hpp"

namespace pimento::ops {

namespace {

struct KnownForm {
  const OpDef* op;
  const OnnxForm* form;
};
struct Entries {
  std::map<std::string, std::unique_ptr<const OpDef>, std::less<>> ops;
  /// By ONNX domain and name; ordered by the operators' names, since registrations come in any order.
  std::map<std::string, std::map<std::string, std::vector<KnownForm>, std::less<>>, std::less<>> forms;
  std::map<std::string, Refusal, std::less<>> refusals;  // by "domain:name"
  std::vector<std::string> twice;
};
Entries& entries() {
  static Entries the_entries;
  return the_entries;
}
const Entries& checked_entries() {
  const auto& e = entries();
  if (!e.twice.empty()) throw InternalError(fmt::format("operator '{}' is registered twice", e.twice.front()));
  return e;
}
std::string_view plain_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }
std::string key(std::string_view domain, std::string_view name) { return fmt::format("{}:{}", domain, name); }

}  // namespace

Registration::Registration(OpDef op) {
  auto& e = entries();
  const std::string name = op.name;
  const auto [entry, fresh] = e.ops.emplace(name, std::make_unique<const OpDef>(std::move(op)));
  if (!fresh) {
    e.twice.push_back(name);
    return;
  }
  for (const OnnxForm& form : entry->second->onnx) {
    auto& known = e.forms[form.domain][form.name];
    const auto after = [](const std::string& op_name, const KnownForm& k) { return op_name < k.op->name; };
    known.insert(std::upper_bound(known.begin(), known.end(), name, after), {entry->second.get(), &form});
  }
}
Registration::Registration(Refusal refusal) {
  auto& e = entries();
  auto name = key(refusal.domain, refusal.name);
  if (!e.refusals.emplace(name, std::move(refusal)).second) e.twice.push_back(name);
}

std::vector<Refusal> refusals() {
  std::vector<Refusal> result;
  for (const auto& [name, refusal] : checked_entries().refusals) result.push_back(refusal);
  return result;
}

std::vector<std::string> take_repeated_names() { return std::exchange(entries().twice, {}); }

const OpDef* find(std::string_view graph_name) {
  const auto& ops = checked_entries().ops;
  const auto it = ops.find(graph_name);
  return it == ops.end() ? nullptr : it->second.get();
}

std::vector<const OpDef*> all() {
  std::vector<const OpDef*> result;
  for (const auto& [name, op] : checked_entries().ops) result.push_back(op.get());
  return result;
}

OnnxMatch find_onnx(std::string_view domain, std::string_view onnx_name, int opset) {
  domain = plain_domain(domain);
  const auto& e = checked_entries();
  const auto in_domain = e.forms.find(domain);
  std::string versions;
  if (in_domain != e.forms.end())
    if (const auto known = in_domain->second.find(onnx_name); known != in_domain->second.end())
      for (const auto& [op, form] : known->second) {
        if (form->since <= opset && (form->until == 0 || opset <= form->until)) return {op, form, ""};
        versions += fmt::format("{}{}", versions.empty() ? "" : ", ", form->since);
        if (form->until != 0) versions += fmt::format("-{}", form->until);
      }
  if (!versions.empty()) return {nullptr, nullptr, fmt::format("known in opset {}, not in opset {}", versions, opset)};
  if (const auto it = e.refusals.find(key(domain, onnx_name)); it != e.refusals.end())
    return {nullptr, nullptr, it->second.reason};
  std::vector<std::string> names;
  if (in_domain != e.forms.end())
    for (const auto& [name, known] : in_domain->second) names.push_back(name);
  const auto near = nearest(onnx_name, names);
  return {nullptr, nullptr, near.empty() ? "unknown operator" : fmt::format("unknown operator; nearest: '{}'", near)};
}

}  // namespace pimento::ops
