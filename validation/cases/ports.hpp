#pragma once
// Between a model's tensors and what stands in a port of the program: the port's physical order, element type and
// scale.
#include "compiler/ir/tensor.hpp"
#include "isa/program/program.hpp"
#include "simulator/chip/simulate.hpp"

namespace pimento::validation {

/// "f32[1,3,224,224]", as the model's user sees the port.
ir::TensorType port_type(const isa::Port& port);
/// Stored = real / scale + zero point, rounded half to even and saturated; `real` holds the numbers themselves.
/// UserError when type or shape differ from the port's.
sim::PortData encode(const isa::Port& port, const ir::Tensor& tensor);
/// Real = scale * (stored - zero point), or the shadow where the run kept one, in logical order and the model's type.
ir::Tensor decode(const isa::Port& port, const sim::OutputData& data);
/// Position in the port's memory (in elements) of an element of the model's tensor (row-major).
std::int64_t physical_position(const isa::Port& port, std::int64_t logical);
/// UserError when there are too many or one has another type than its port.
void check_inputs(const std::vector<isa::Port>& ports, const std::vector<ir::Tensor>& given);
/// One tensor per port: those given, then seeded standard normal values (zeros for integers). Tells `note` which are
/// made up. UserError as check_inputs.
std::vector<ir::Tensor> complete_inputs(const std::vector<isa::Port>& ports, std::vector<ir::Tensor> given,
                                        std::uint64_t seed, const std::function<void(const std::string&)>& note);

}  // namespace pimento::validation
