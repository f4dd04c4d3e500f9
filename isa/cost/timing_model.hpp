#pragma once
// The version of the rules of time. Raise it in the change that makes a program take other cycles on the same chip, in
// the simulator or in a cost formula: cycles of two versions are never compared (compiler/proof), both programs are run
// again in the newer one instead.
namespace pimento::isa::cost {

inline constexpr int timing_model = 2;

}  // namespace pimento::isa::cost
