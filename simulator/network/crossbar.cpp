// A crossbar switch: one link into each core, which all others share. It has no other bottleneck: a message waits only
// for messages to the same core.
#include <fmt/format.h>

#include "simulator/network/routes.hpp"

namespace pimento::sim {
namespace {

class Switch final : public Routes {
 public:
  explicit Switch(const isa::Chip& chip)
      : Routes(chip, static_cast<std::uint32_t>(chip.cores), static_cast<Resource>(chip.cores)) {}

 private:
  Resource leave(std::uint32_t /*router*/, std::uint32_t to, std::uint32_t& next) const override { return next = to; }
  std::string link_name(Resource link) const override { return fmt::format("crossbar ->{}", link); }
};

const bool registered = register_routed<Switch>("crossbar", "a link into each core, which all others share");

}  // namespace
}  // namespace pimento::sim
