#include "validation/cases/ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/pipeline/calibrate.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/error.hpp"
#include "isa/support/math.hpp"

namespace pimento::validation {
namespace {

/// Position in the port's memory of every element, by logical position.
std::vector<std::int64_t> physical_positions(const isa::Port& port) {
  const std::size_t rank = port.shape.size();
  std::vector<std::int64_t> stride(rank, 1);  // in memory, by logical dimension
  std::int64_t step = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto d = static_cast<std::size_t>(port.layout[i]);
    stride[d] = step;
    step *= port.shape[d];
  }
  std::vector<std::int64_t> at(rank, 0);
  std::vector<std::int64_t> positions(static_cast<std::size_t>(step));
  std::int64_t physical = 0;
  for (std::int64_t& position : positions) {
    position = physical;
    for (std::size_t d = rank; d-- > 0;) {
      physical += stride[d];
      if (++at[d] < port.shape[d]) break;
      physical -= stride[d] * port.shape[d];
      at[d] = 0;
    }
  }
  return positions;
}

std::pair<double, double> limits(ElementType type) {
  const int bits = 8 * size_of(type);
  if (is_signed(type)) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0.0, std::ldexp(1.0, bits) - 1};
}

}  // namespace

ir::TensorType port_type(const isa::Port& port) { return {port.model_type, port.shape}; }

sim::PortData encode(const isa::Port& port, const ir::Tensor& tensor) {
  check_inputs({port}, {tensor});
  ir::Tensor stored = ir::Tensor::zeros({port.type, port.shape});
  sim::PortData data;
  data.real.resize(static_cast<std::size_t>(tensor.elements()));
  const auto [low, high] = limits(port.type);
  const std::vector<std::int64_t> positions = physical_positions(port);
  for (std::int64_t logical = 0; logical < tensor.elements(); ++logical) {
    const std::int64_t physical = positions[static_cast<std::size_t>(logical)];
    const double real = tensor.at(logical).as_double();
    if (!is_float(port.type) && !std::isfinite(real))
      throw UserError(fmt::format("input '{}': element {} is {}; on this chip it is an integer of {} bits and a scale",
                                  port.name, logical, real, 8 * size_of(port.type)));
    double code = real;
    if (!is_float(port.type)) code = std::clamp(math::round_half_even(real / port.scale) + port.zero_point, low, high);
    stored.set(physical, is_float(port.type) ? ir::Scalar::of_real(port.type, code)
                                             : ir::Scalar::of(port.type, static_cast<std::int64_t>(code)));
    data.real[static_cast<std::size_t>(physical)] = static_cast<float>(real);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(stored.bytes());
  data.bytes.assign(bytes, bytes + stored.type().bytes());
  return data;
}

ir::Tensor decode(const isa::Port& port, const sim::OutputData& data) {
  const ir::Tensor stored = ir::Tensor::copy({port.type, port.shape}, std::as_bytes(std::span(data.bytes)));
  ir::Tensor result = ir::Tensor::zeros(port_type(port));
  const std::vector<std::int64_t> positions = physical_positions(port);
  for (std::int64_t logical = 0; logical < result.elements(); ++logical) {
    const std::int64_t physical = positions[static_cast<std::size_t>(logical)];
    double real = 0;
    if (!data.real.empty())
      real = static_cast<double>(data.real[static_cast<std::size_t>(physical)]);
    else if (is_float(port.type))
      real = stored.at(physical).as_double();
    else
      real = port.scale * static_cast<double>(stored.at(physical).integer - port.zero_point);
    result.set(logical, is_float(port.model_type)
                            ? ir::Scalar::of_real(port.model_type, real)
                            : ir::Scalar::of(port.model_type, static_cast<std::int64_t>(math::round_half_even(real))));
  }
  return result;
}

std::int64_t physical_position(const isa::Port& port, std::int64_t logical) {
  return physical_positions(port).at(static_cast<std::size_t>(logical));
}

void check_inputs(const std::vector<isa::Port>& ports, const std::vector<ir::Tensor>& given) {
  if (given.size() > ports.size())
    throw UserError(
        fmt::format("expected at most {}, as the model has, got {}", counted(ports.size(), "input"), given.size()));
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].type() != port_type(ports[i]))
      throw UserError(fmt::format("input '{}': expected {}, got {}", ports[i].name, ir::to_string(port_type(ports[i])),
                                  ir::to_string(given[i].type())));
}

std::vector<ir::Tensor> complete_inputs(const std::vector<isa::Port>& ports, std::vector<ir::Tensor> given,
                                        std::uint64_t seed, const std::function<void(const std::string&)>& note) {
  check_inputs(ports, given);
  for (std::size_t i = given.size(); i < ports.size(); ++i) {
    given.push_back(seeded_normal(port_type(ports[i]), seed + i));
    if (note)
      note(fmt::format("input '{}': no file, {} (splitmix64, seed {})", ports[i].name,
                       is_float(ports[i].model_type) ? "seeded standard normal values" : "zeros", seed + i));
  }
  return given;
}

}  // namespace pimento::validation
