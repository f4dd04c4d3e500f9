#pragma once
// What the pictures of a chip share: cores as squares in rows, as a mesh has them.
#include <string>

#include "isa/chip/chip.hpp"

namespace pimento::cli::svg {

inline constexpr int square = 72, gap = 8, margin = 16, line = 18;

/// Text of an element or attribute.
std::string escaped(const std::string& text);
/// Of a layer: neighbouring ones get hues far apart.
std::string colour(std::size_t node);
/// Of a grid network as it stands; of any other, nearly square.
int columns_of(const isa::Chip& chip);
/// Upper left corner of a core.
struct Corner {
  int x = 0, y = 0;
};
Corner corner(int core, int columns);
/// The whole picture; `body` is what stands on the white ground under the title.
std::string document(int width, int height, const std::string& title, const std::string& body);

}  // namespace pimento::cli::svg
