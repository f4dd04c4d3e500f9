#include "validation/fuzz/wire.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace pimento::fuzz {
namespace {

constexpr int deepest = 12;
constexpr std::uint64_t largest_number = 32;  // of a field: ONNX has none above
enum Wire : unsigned { varint = 0, eight_bytes = 1, counted = 2, four_bytes = 5 };

struct Field;
using Message = std::vector<Field>;
struct Field {
  std::uint64_t number = 0;
  unsigned wire = varint;
  std::uint64_t value = 0;  ///< varint
  std::string bytes;        ///< the other kinds, unless there are fields inside
  Message inside;
};

std::optional<std::uint64_t> take_varint(std::string_view& from) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

std::optional<Message> parsed(std::string_view from, int depth) {
  Message message;
  while (!from.empty()) {
    const auto tag = take_varint(from);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > largest_number) return std::nullopt;
    Field field;
    field.number = *tag >> 3;
    field.wire = static_cast<unsigned>(*tag & 7);
    std::uint64_t size = 0;
    if (field.wire == varint || field.wire == counted) {
      const auto value = take_varint(from);
      if (!value) return std::nullopt;
      (field.wire == varint ? field.value : size) = *value;
    } else if (field.wire == eight_bytes || field.wire == four_bytes) {
      size = field.wire == eight_bytes ? 8 : 4;
    } else {
      return std::nullopt;
    }
    if (size > from.size()) return std::nullopt;
    field.bytes = from.substr(0, size);
    from.remove_prefix(size);
    if (field.wire == counted && depth < deepest && !field.bytes.empty())
      if (auto inside = parsed(field.bytes, depth + 1)) field.inside = std::move(*inside);
    message.push_back(std::move(field));
  }
  return message;
}

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>((value & 0x7f) | 0x80));
  to.push_back(static_cast<char>(value));
}

std::string serialised(const Message& message) {
  std::string text;
  for (const Field& field : message) {
    put_varint(text, field.number << 3 | field.wire);
    if (field.wire == varint) {
      put_varint(text, field.value);
      continue;
    }
    const std::string bytes = field.inside.empty() ? field.bytes : serialised(field.inside);
    if (field.wire == counted) put_varint(text, bytes.size());
    text += bytes;
  }
  return text;
}

/// splitmix64: the same mutation for the same seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((*this)() % bound); }

 private:
  std::uint64_t state_;
};

struct Spot {
  Message* message;
  std::size_t index;
  Field& field() const { return (*message)[index]; }
};
void collect(Message& message, std::vector<Spot>& spots) {
  for (std::size_t k = 0; k < message.size(); ++k) {
    spots.push_back({&message, k});
    collect(message[k].inside, spots);
  }
}

std::uint64_t other_number(std::uint64_t value, Dice& dice) {
  static constexpr std::array<std::uint64_t, 12> edges{0,
                                                       1,
                                                       2,
                                                       3,
                                                       7,
                                                       16,
                                                       0x7fffffffU,
                                                       0x80000000U,
                                                       std::uint64_t{1} << 40,
                                                       0x7fffffffffffffffU,
                                                       ~std::uint64_t{0},
                                                       ~std::uint64_t{1}};
  switch (dice.below(4)) {
    case 0:
      return edges[dice.below(edges.size())];
    case 1:
      return value + 1;
    case 2:
      return value - 1;
    default:
      return value ^ std::uint64_t{1} << dice.below(64);
  }
}

void change(const std::vector<Spot>& spots, Dice& dice, const Blind& blind) {
  const Spot spot = spots[dice.below(spots.size())];
  const auto twins = [&] {
    std::vector<Field> found;
    for (const Spot& s : spots)
      if (s.field().number == spot.field().number && s.field().wire == spot.field().wire) found.push_back(s.field());
    return found;
  };
  auto& message = *spot.message;
  const auto at = message.begin() + static_cast<std::ptrdiff_t>(spot.index);
  switch (dice.below(8)) {
    case 0:
      message.erase(at);
      return;
    case 1:
      message.insert(at, Field(*at));
      return;
    case 2: {
      auto all = twins();
      message.insert(at, std::move(all[dice.below(all.size())]));
      return;
    }
    case 3:
      std::swap(*at, message[dice.below(message.size())]);
      return;
    case 4:
    case 5: {
      auto all = twins();
      *at = std::move(all[dice.below(all.size())]);
      return;
    }
    default:
      break;
  }
  if (at->wire == varint) {
    at->value = other_number(at->value, dice);
  } else if (at->inside.empty()) {
    const std::size_t size = at->bytes.size();
    at->bytes = blind(at->bytes);
    if (at->wire != counted || dice.below(2) == 0) at->bytes.resize(size, '\0');
  }
}

}  // namespace

std::string mutate_message(const std::string& bytes, std::uint32_t seed, const Blind& blind) {
  Dice dice(seed);
  auto message = parsed(bytes, 0);
  if (!message || message->empty() || dice.below(8) == 0) return blind(bytes);
  for (std::size_t n = 1 + dice.below(3); n > 0; --n) {
    std::vector<Spot> spots;
    collect(*message, spots);
    if (!spots.empty()) change(spots, dice, blind);
  }
  return serialised(*message);
}

}  // namespace pimento::fuzz
