#pragma once
// What places and footprints of instructions are called in this room.
#include "isa/cost/footprint.hpp"

namespace pimento::sim {

using isa::cost::AddressRegisters;
using isa::cost::ByteRange;
using isa::cost::Conflict;
using isa::cost::Footprint;
using isa::cost::Place;
using isa::cost::Places;
using isa::cost::touched;
using isa::cost::Touched;

}  // namespace pimento::sim
