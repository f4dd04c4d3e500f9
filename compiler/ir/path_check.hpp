#pragma once
// For tests: runs a kernel on every path of the interpreter and requires the same bits.
#include <doctest/doctest.h>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/verify.hpp"

namespace pimento::ir {

inline std::vector<Tensor> on_all_paths(const Kernel& k, const std::vector<Tensor>& inputs) {
  const auto plain = interpret(k, inputs, Path::plain);
  const auto blocked = interpret(k, inputs, Path::blocked);
  const auto automatic = interpret(k, inputs, Path::automatic);
  CAPTURE(k.name);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(blocked[i] == plain[i]);
    CHECK(automatic[i] == plain[i]);
  }
  return plain;
}

}  // namespace pimento::ir
