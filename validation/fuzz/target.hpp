#pragma once
// One fuzzer is one file NAME_fuzz.cpp with one registration. libFuzzer drives it in the preset `fuzz`; the tests of
// every build feed it the files of corpus/NAME. A target lets two kinds of exceptions pass as answers: UserError and
// Negative. Any other one, and a promise that does not hold, is a fault of ours.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/support/document.hpp"

namespace pimento::fuzz {

/// Throws what is a fault. False: the input was refused.
using Feed = bool (*)(std::string_view bytes);
/// Another input that looks like this one, where mutating bytes alone does not lead far (checksums, nested lengths).
/// `blind` is libFuzzer's own mutation of bytes, up to a size.
using Blind = std::function<std::string(const std::string& bytes)>;
using Mutate = std::string (*)(const std::string& bytes, std::uint32_t seed, const Blind& blind);

struct Target {
  std::string name;  ///< that of its folder in corpus/
  Feed feed;
  Mutate mutate = nullptr;  ///< nullptr: bytes only
};
struct TargetRegistration {
  TargetRegistration(const char* name, Feed feed, Mutate mutate = nullptr);
};
#define FUZZ_TARGET(...) \
  static const ::pimento::fuzz::TargetRegistration PIMENTO_JOIN(fuzz_target_at_line_, __LINE__) { __VA_ARGS__ }

/// All targets, ordered by name.
const std::vector<Target>& targets();

/// Runs `ask`; a refusal that says nothing is a fault as well. False: it was refused.
bool answered(const std::function<void()>& ask);
/// InternalError with `what` unless `holds`.
void promise(bool holds, const char* what);

/// tiny-4 with memories so small that a simulation costs microseconds.
const isa::Chip& small_chip();

/// A folder of this process that goes when it ends; in memory where the system has such a place.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  /// Overwrites the file; its path.
  std::string write(const std::string& name, std::string_view bytes) const;

 private:
  std::string path_;
};

}  // namespace pimento::fuzz
