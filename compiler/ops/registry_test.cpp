#include "compiler/ops/registry.hpp"

#include <doctest/doctest.h>

#include "compiler/ops/entries.hpp"

using namespace pimento;

TEST_CASE("registry: does every entry describe itself?") {
  CHECK(ops::all().size() > 50);
  for (const auto* op : ops::all()) {
    CAPTURE(op->name);
    CHECK(ops::find(op->name) == op);
    CHECK_FALSE(op->summary.empty());
    CHECK(static_cast<bool>(op->infer));
    CHECK_FALSE(op->outputs.empty());
    for (const auto& form : op->onnx) CHECK(ops::find_onnx(form.domain, form.name, form.since).op == op);
  }
}

TEST_CASE("registry: what is said of an unknown operator, of a wrong opset, and of both spellings of the domain?") {
  CHECK(ops::find("no_such_operator") == nullptr);
  CHECK(ops::find_onnx("", "Convv", 13).refusal == "unknown operator; nearest: 'Conv'");
  CHECK(ops::find_onnx("", "LessOrEqual", 9).refusal == "known in opset 12, not in opset 9");
  CHECK(ops::find_onnx("ai.onnx", "Conv", 13).op == ops::find("conv"));
  CHECK(ops::find_onnx("com.acme", "Conv", 13).refusal == "unknown operator");
}

TEST_CASE("registry: is an operator's name free of its backends?") {
  for (const auto* op : ops::all())
    for (const char* backend : {"cuda", "ptx", "wgsl", "spirv", "crossbar", "pim"})
      CHECK(op->name.find(backend) == std::string::npos);
}
