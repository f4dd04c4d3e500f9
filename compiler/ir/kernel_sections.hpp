#pragma once
// The expressions of a kernel by the place in its meaning (kernel.hpp) where they are evaluated.
#include "compiler/ir/kernel.hpp"

namespace pimento::ir {

enum class Section : std::uint8_t {
  initial,  ///< State::initial: once per parallel point
  body,     ///< Accumulator::body and guard: per reduction point
  merge,    ///< Accumulator::merge: per reduction point, after the bodies
  finish,   ///< outputs and State::next: once per carried point
};

/// Calls f(expression, section) for every expression of the kernel that is present.
template <class F>
void for_each_expr(const Kernel& k, const F& f) {
  const auto call = [&](const Expr& e, Section s) {
    if (e) f(e, s);
  };
  for (const State& s : k.states) call(s.initial, Section::initial);
  for (const Accumulator& a : k.accumulators) {
    call(a.body, Section::body);
    call(a.guard, Section::body);
    call(a.merge, Section::merge);
  }
  for (const Output& o : k.outputs) {
    for (const Expr& e : o.map) call(e, Section::finish);
    call(o.value, Section::finish);
    call(o.guard, Section::finish);
  }
  for (const State& s : k.states) call(s.next, Section::finish);
}

}  // namespace pimento::ir
