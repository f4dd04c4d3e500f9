#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/drivers/pim/emit/parts.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {

std::string port_name(const std::string& value, std::int64_t image, std::int64_t images) {
  return images == 1 ? value : fmt::format("{}[{}]", value, image);
}

std::vector<std::int64_t> region_addresses(const Steps& steps, const Spatial& spatial, const isa::Chip& chip,
                                           Bytes& top) {
  const Bytes width = std::max<Bytes>(chip.global_memory.width, 1);
  std::vector<std::int64_t> addresses;
  for (const SpillRegion& region : steps.regions) {
    addresses.push_back(top);
    const Bytes bytes = region.box.elements() * size_of(spatial.values[index_of(region.value)].type);
    top = (top + bytes + width - 1) / width * width;
  }
  return addresses;
}

std::int64_t make_ports(const EmitInput& input, isa::Program& program, std::vector<std::int64_t>& address_of,
                        std::vector<std::int64_t>& region_address) {
  const ir::Graph& graph = input.context.graph;
  const auto& memory = input.context.chip.global_memory;
  const Bytes width = std::max<Bytes>(memory.width, 1);
  address_of.assign(input.spatial.values.size(), -1);
  Bytes top = 0;
  const auto add = [&](ir::ValueId v, std::vector<isa::Port>& ports, bool is_input) {
    const auto at = std::find_if(input.spatial.values.begin(), input.spatial.values.end(), [&](const SpatialValue& s) {
      return s.port == v && (s.role == ValueRole::input) == is_input;
    });
    PIMENTO_CHECK(at != input.spatial.values.end(), fmt::format("'{}' stands on no port", graph.value(v).name));
    const auto id = static_cast<std::size_t>(at - input.spatial.values.begin());
    isa::Port port;
    port.name = graph.value(v).name;
    port.model_type = graph.type(v).type;
    port.shape = graph.type(v).shape;
    port.layout = at->port_order;
    port.type = at->type;
    port.scale = at->scale;
    if (address_of[id] < 0) {
      address_of[id] = top;
      top = (top + port.bytes() + width - 1) / width * width;
    }
    port.address = address_of[id];
    ports.push_back(std::move(port));
  };
  for (const ir::ValueId v : graph.inputs) add(v, program.inputs, true);
  for (const ir::ValueId v : graph.outputs) add(v, program.outputs, false);
  region_address = region_addresses(input.steps, input.spatial, input.context.chip, top);
  const std::int64_t images = program.images = input.steps.images;
  program.global_memory_used = images * top;
  // a walk over the images has 32 bits, and so has an address
  const bool short_walks = images > 1 || !input.steps.regions.empty();
  const Bytes room = short_walks ? std::min<Bytes>(memory.capacity, std::int64_t{1} << 31) : memory.capacity;
  if (program.global_memory_used > room) {
    throw NoRoom(
        fmt::format("chip '{}': inputs{} outputs{} take {} B of global memory, {} can be addressed on the chip",
                    input.context.chip.name, input.steps.regions.empty() ? " and" : ",",
                    input.steps.regions.empty() ? "" : " and what is spilled", program.global_memory_used, room));
  }
  for (std::vector<isa::Port>* ports : {&program.inputs, &program.outputs}) {
    const std::vector<isa::Port> one = std::exchange(*ports, {});
    for (std::int64_t image = 0; image < images; ++image)
      for (isa::Port port : one) {
        port.name = port_name(port.name, image, images);
        port.address += image * top;
        ports->push_back(std::move(port));
      }
  }
  return top;
}

}  // namespace pimento::pim
