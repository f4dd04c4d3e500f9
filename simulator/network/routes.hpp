#pragma once
// The resources of a mesh and the way through them. Routers stand row-major; a message goes along x first, then along
// y. Each router owns four outgoing links; each core has an ejection port at its router, each memory channel an
// injection and an ejection port. Run-ahead and lock-step share this description, not the machinery that uses it.
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "simulator/network/network.hpp"

namespace pimento::sim {

using Resource = std::uint32_t;

class MeshRoutes {
 public:
  explicit MeshRoutes(const isa::Chip& chip);

  std::uint32_t router_of(Endpoint endpoint) const;
  bool is_core(Endpoint endpoint) const { return endpoint < cores_; }
  Resource count() const;
  Resource ejection(Endpoint endpoint) const;
  /// Of a memory channel.
  Resource injection(Endpoint channel) const;
  bool is_link(Resource resource) const { return resource < routers_ * 4; }
  std::string name(Resource resource) const;

  /// Destinations that leave a router through the same resource, in the order of the resources.
  struct Branch {
    Resource resource;
    std::uint32_t next_router;           ///< behind a link
    std::vector<Endpoint> destinations;  ///< of an ejection port: one
  };
  std::vector<Branch> branches(std::uint32_t router, const std::vector<Endpoint>& destinations) const;
  /// The same for one destination, without a list. `next` is unchanged at an ejection port.
  Resource step(std::uint32_t router, Endpoint destination, std::uint32_t& next) const;

 private:
  std::uint32_t width_, routers_, cores_, channels_;
  std::vector<CoreId> attached_;
};

}  // namespace pimento::sim
