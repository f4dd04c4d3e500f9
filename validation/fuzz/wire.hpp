#pragma once
// Mutations of protobuf messages without their schema: the nested fields of the wire format are taken apart, one is
// changed, dropped, doubled or replaced by another one of its number, and all lengths are made right again.
#include <cstdint>
#include <string>

#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {

/// Bytes that are no message are mutated blindly; so is one message of eight.
std::string mutate_message(const std::string& bytes, std::uint32_t seed, const Blind& blind);

}  // namespace pimento::fuzz
