#pragma once
// How near a name is to another: an edit changes, adds or drops a letter; capitals and small letters are one, and
// neighbours that changed places are half an edit. The dashes before an option's letters do not count.
#include <string>
#include <string_view>
#include <vector>

namespace pimento {

/// Without dashes in front.
std::string_view letters_of(std::string_view option);

/// Whether both have one first letter, or one has the other's as its second.
bool begin_alike(std::string_view a, std::string_view b);

/// The candidate within `half_edits` of `name`, the nearest first, then the one whose capitals agree, then the earlier;
/// "" when there is none.
std::string nearest_within(std::string_view name, const std::vector<std::string>& candidates, std::size_t half_edits);

}  // namespace pimento
