#include "compiler/frontend/export.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>

#include "compiler/frontend/spelling.hpp"
#include "compiler/frontend/tensor_proto.hpp"
#include "isa/support/file.hpp"

namespace pimento::frontend {
namespace {
constexpr int export_ir_version = 8;

/// A name for every value: its label where it is free, else the label and its number.
class ValueNames {
 public:
  explicit ValueNames(const ir::Graph& graph) {
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
      const auto& label = graph.values[v].name;
      names_.push_back(fresh(label.empty() ? fmt::format("value_{}", v) : label));
    }
  }
  const std::string& of(ir::ValueId v) const { return names_[ir::to_index(v)]; }
  std::string fresh(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

 private:
  std::vector<std::string> names_;
  std::set<std::string> taken_;
};

void add_value(onnx::ValueInfoProto& info, const std::string& name, const ir::TensorType& type) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_type(type.type));
  tensor.mutable_shape();
  for (const auto d : type.shape) tensor.mutable_shape()->add_dim()->set_dim_value(d);
}

void add_attribute(onnx::NodeProto& node, const std::string& name, const ir::Attribute& value) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  struct Writer {
    onnx::AttributeProto& a;
    void operator()(std::int64_t v) const { a.set_type(onnx::AttributeProto::INT), a.set_i(v); }
    void operator()(double v) const { a.set_type(onnx::AttributeProto::FLOAT), a.set_f(static_cast<float>(v)); }
    void operator()(const std::string& v) const { a.set_type(onnx::AttributeProto::STRING), a.set_s(v); }
    void operator()(const std::vector<std::int64_t>& v) const {
      a.set_type(onnx::AttributeProto::INTS);
      for (const auto x : v) a.add_ints(x);
    }
    void operator()(const std::vector<double>& v) const {
      a.set_type(onnx::AttributeProto::FLOATS);
      for (const auto x : v) a.add_floats(static_cast<float>(x));
    }
    void operator()(const ir::Tensor& v) const {
      a.set_type(onnx::AttributeProto::TENSOR);
      *a.mutable_t() = to_proto(v, "");
    }
  };
  std::visit(Writer{a}, value);
}

onnx::ModelProto model_of(const ir::Graph& graph) {
  if (!graph.states.empty()) throw UserError("a graph with state values cannot be written as ONNX");
  onnx::ModelProto model;
  model.set_ir_version(export_ir_version);
  model.set_producer_name("pimento");
  model.set_producer_version(PIMENTO_VERSION);
  for (const auto& [key, value] : graph.metadata) {
    auto& property = *model.add_metadata_props();
    property.set_key(key);
    property.set_value(value);
  }
  auto& out = *model.mutable_graph();
  out.set_name(graph.name.empty() ? "graph" : graph.name);
  ValueNames names(graph);
  for (const auto v : graph.inputs) add_value(*out.add_input(), names.of(v), graph.type(v));
  for (const auto v : graph.outputs) add_value(*out.add_output(), names.of(v), graph.type(v));

  const Names naming{[&](ir::ValueId v) { return names.of(v); },
                     [&](const std::string& hint, const ir::Tensor& content) {
                       const auto name = names.fresh(hint);
                       *out.add_initializer() = to_proto(content, name);
                       return name;
                     }};
  int opset = usual_export_opset;
  std::map<std::string, int> opset_of_domain;
  std::vector<bool> is_read(graph.values.size(), false);
  for (const auto& node : graph.nodes) {
    for (const auto v : node.inputs)
      if (v != ir::no_value) is_read[ir::to_index(v)] = true;
    const auto spelt = spell(graph, node, naming);
    if (!spelt.domain.empty())
      opset_of_domain[spelt.domain] = std::max(opset_of_domain[spelt.domain], spelt.since);
    else if (spelt.since > opset)
      opset = newest_export_opset;
    auto& proto = *out.add_node();
    proto.set_op_type(spelt.op_type);
    proto.set_name(node.source);
    if (!spelt.domain.empty()) proto.set_domain(spelt.domain);
    for (const auto& name : spelt.inputs) proto.add_input(name);
    for (const auto v : node.outputs) proto.add_output(v == ir::no_value ? "" : names.of(v));
    for (const auto& [name, value] : spelt.attributes) add_attribute(proto, name, value);
  }
  model.add_opset_import()->set_version(opset);
  for (const auto& [domain, version] : opset_of_domain) {
    auto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  for (const auto v : graph.outputs) is_read[ir::to_index(v)] = true;
  for (std::size_t v = 0; v < graph.values.size(); ++v)
    if (is_read[v] && graph.values[v].constant)
      *out.add_initializer() = to_proto(*graph.values[v].constant, names.of(ir::ValueId{static_cast<std::int32_t>(v)}));
  return model;
}

/// Lets protobuf write into our file without a copy of the whole. Its streams flush in destructors, so nothing may be
/// thrown through them: a failure waits here.
class Stream : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit Stream(Output& output) : output_(output) {}
  bool Write(const void* buffer, int size) override {
    if (failure_) return false;
    try {
      output_.write(buffer, static_cast<std::size_t>(size));
    } catch (...) {
      failure_ = std::current_exception();
    }
    return failure_ == nullptr;
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Output& output_;
  std::exception_ptr failure_;
};
}  // namespace

void export_onnx(const ir::Graph& graph, const std::string& path) {
  const auto model = model_of(graph);
  if (model.ByteSizeLong() > INT_MAX)
    throw UserError({.file = path},
                    fmt::format("the model needs {} bytes, protobuf's limit is 2 GiB", model.ByteSizeLong()));
  write_atomically(path, [&](Output& output) {
    Stream stream(output);
    google::protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream);
    {
      google::protobuf::io::CodedOutputStream coded(&adaptor);
      coded.SetSerializationDeterministic(true);
      model.SerializeWithCachedSizes(&coded);
    }
    adaptor.Flush();
    stream.rethrow();
  });
}

}  // namespace pimento::frontend
