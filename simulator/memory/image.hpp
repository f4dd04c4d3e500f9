#pragma once
// The bytes of one memory and, beside them, what the options ask to carry along: in exact numerics a float for each
// byte address (the real value of the element that begins there), and the instruction that made each byte. Pages that
// nobody touches cost nothing.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::sim {

/// core + 1 in the high half, instruction in the low half; 0: nobody.
using WriterId = std::uint64_t;
constexpr WriterId writer_id(CoreId core, std::uint32_t instruction) {
  return (static_cast<WriterId>(core) + 1) << 32 | instruction;
}

/// What a memory carries beside its bytes.
struct Carries {
  bool shadows = false, writers = false;
};

/// Bytes on their way: what a load, a store or a message takes along.
struct Payload {
  std::vector<std::uint8_t> bytes;
  std::vector<float> shadows;
  std::vector<WriterId> writers;
};

struct Unmap {
  std::size_t mapped = 0;
  void operator()(void* p) const;
};

class Image {
 public:
  Image() = default;
  Image(Bytes size, Carries carries);

  Bytes size() const { return size_; }
  Carries carries() const { return carries_; }
  std::uint8_t* bytes(std::int64_t address) { return bytes_.get() + address; }
  const std::uint8_t* bytes(std::int64_t address) const { return bytes_.get() + address; }
  float* shadows(std::int64_t address) { return shadows_.get() + address; }
  const float* shadows(std::int64_t address) const { return shadows_.get() + address; }
  WriterId* writers(std::int64_t address) { return writers_.get() + address; }

  /// Appends [address, address + bytes) to the payload.
  void read(std::int64_t address, Bytes bytes, Payload& out) const;
  /// Writes payload bytes [offset, offset + bytes) to `address`.
  void write(std::int64_t address, Bytes bytes, const Payload& payload, std::size_t offset);
  /// Elements as a program file holds them; without real values the shadows are the stored numbers themselves.
  void place(std::int64_t address, ElementType type, std::span<const std::uint8_t> bytes, std::span<const float> real);

 private:
  template <class T>
  using Zeros = std::unique_ptr<T, Unmap>;
  template <class T>
  static Zeros<T> zeros(Bytes count);

  Bytes size_ = 0;
  Carries carries_;
  Zeros<std::uint8_t> bytes_;
  Zeros<float> shadows_;
  Zeros<WriterId> writers_;
};

/// The number that an element's bytes stand for.
double stored_number(ElementType type, const std::uint8_t* bytes);

}  // namespace pimento::sim
