#pragma once
// Stage spatial-to-pim: the operations of every compute.
#include "compiler/drivers/pim/lower/select.hpp"

namespace pimento::pim {

using Operations = std::vector<Selected>;  ///< by ComputeId

Operations spatial_to_pim(const SelectContext& context, const Spatial& spatial);
/// "" or the first broken rule: every operand lies inside a box that the compute reads or writes, inside its temporary
/// or its constant; results go to the written box or a temporary; nothing reads a temporary that nobody wrote; an MVM
/// uses a tile of the compute's class; loops nest no deeper than the chip's; the result is written.
std::string verify(const Operations& operations, const SelectContext& context, const Spatial& spatial);
/// "" or the first compute whose operations are not those that would be selected for it alone.
std::string verify_moved(const Operations& operations, const SelectContext& context, const Spatial& spatial);
std::string print(const Operations& operations, const Spatial& spatial);

}  // namespace pimento::pim
