#pragma once
// The record of the directory form: 20 bytes, little-endian, whose four numbers mean something else for each kind of
// operation.
#include <cstdint>
#include <string_view>

#include "isa/peers/operations.hpp"

namespace pimento::isa::peers {

inline constexpr std::string_view magic = "PIMB";
inline constexpr std::uint32_t binary_version = 1;
inline constexpr std::size_t header_bytes = 12, record_bytes = 20;

struct Record {
  std::uint8_t opcode = 0, rd = 0, rs1 = 0, flags = 0;
  std::int32_t first = 0;   ///< rs2, imm, core, mbiw
  std::int32_t second = 0;  ///< offset_select, relu, ibiw, event_register
  std::int32_t third = 0;   ///< offset_value, group, obiw, wait_value
  std::int32_t fourth = 0;  ///< len, size
};
static_assert(sizeof(Record) == record_bytes);

/// The fields that the operation keeps in the record; numbers for which it has no field are kept as `strange` ones, so
/// that a value other than 0 is refused.
PeerInstruction unpack(const Record& record, const Operation& operation);
Record pack(const PeerInstruction& peer);

}  // namespace pimento::isa::peers
