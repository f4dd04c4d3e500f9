#pragma once
// YAML as a strict tree: mappings, sequences and scalars with their places. What a chip file has no use for (anchors,
// aliases, tags, several documents, duplicate keys, tabs as indentation) is refused here, by place, and no exception of
// the YAML library gets past this file.
#include <string>
#include <vector>

#include "isa/support/error.hpp"

namespace pimento::isa {

struct Entry;

struct Node {
  enum class Kind { nothing, scalar, sequence, mapping };
  Kind kind = Kind::nothing;
  std::string text;            ///< of a scalar
  std::vector<Node> items;     ///< of a sequence
  std::vector<Entry> entries;  ///< of a mapping, in the file's order; every key is a scalar
  Place place;

  const Node* find(const std::string& key) const;
};
struct Entry {
  Node key, value;
};
/// "nothing", "'12'", "a sequence", "a mapping": how a message shows what stands there.
std::string shown(const Node& node);

/// `what` names the expected content in messages about an empty file: "a chip description".
Node parse_yaml(const std::string& text, const std::string& file_name, const std::string& what);

/// Double-quoted YAML, read back to the same bytes.
std::string quoted(const std::string& text);

}  // namespace pimento::isa
