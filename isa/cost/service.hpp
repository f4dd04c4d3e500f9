#pragma once
// What a channel of the global memory takes to serve.
#include "isa/cost/rows.hpp"

namespace pimento::isa::cost {

/// One request, at least 1; memory clock: each access its latency, and what its accesses find open.
Cycles service_cycles(const Chip& chip, std::int64_t accesses, bool is_store, const RowAccesses& rows);
/// Of bytes without a gap, in time, where others have used the banks in between.
Femtoseconds expected_service(const Chip& chip, Bytes bytes, bool is_store);

}  // namespace pimento::isa::cost
