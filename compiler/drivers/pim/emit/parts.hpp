#pragma once
// What a program holds besides instructions: weight tiles in array groups, and ports in global memory.
#include "compiler/drivers/pim/emit/plan.hpp"
#include "isa/program/program.hpp"

namespace pimento::pim {

/// The contents of every weight tile, by index into Spatial::tiles: rounded to integers of the column's scale, or real.
std::vector<isa::Tile> make_tiles(const EmitInput& input);
/// Array groups of the cores, in class order, round by round; `group_of`: by ClassId, the index within its core.
void make_groups(const EmitInput& input, isa::Program& program, std::vector<GroupId>& group_of);

/// Inputs, outputs and what is spilled one after another in global memory, image after image; `address_of`: by
/// SpatialValueId, of image 0, -1 for what stands on no port; `region_address`: by SpillRegion. Returns the bytes from
/// one image to the next.
std::int64_t make_ports(const EmitInput& input, isa::Program& program, std::vector<std::int64_t>& address_of,
                        std::vector<std::int64_t>& region_address);
/// Where what is spilled stands behind the ports, which end at `top`; `top` becomes the end of it all.
std::vector<std::int64_t> region_addresses(const Steps& steps, const Spatial& spatial, const isa::Chip& chip,
                                           Bytes& top);
/// "x", in a stream of several images "x[3]".
std::string port_name(const std::string& value, std::int64_t image, std::int64_t images);

/// The weights that are written while the program runs, in global memory behind the ports; `address_of`: by tile, -1
/// where it is never written.
void make_later_weights(const EmitInput& input, isa::Program& program, std::vector<std::int64_t>& address_of);

}  // namespace pimento::pim
