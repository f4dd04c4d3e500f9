#pragma once
// The resources of a network of routers and the ways through it, a file per topology. Resources are numbered: the
// directed links, an ejection port for each core and each memory channel, an injection port for each channel. Run-ahead
// and lock-step share this description, not the machinery that uses it.
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "simulator/network/network.hpp"

namespace pimento::sim {

using Resource = std::uint32_t;

class Routes {
 public:
  virtual ~Routes() = default;

  std::uint32_t router_of(Endpoint endpoint) const { return router_of_[endpoint]; }
  bool is_core(Endpoint endpoint) const { return endpoint < cores_; }
  Endpoint endpoints() const { return cores_ + channels_; }
  Resource count() const { return links_ + cores_ + 2 * channels_; }
  Resource links() const { return links_; }
  bool is_link(Resource resource) const { return resource < links_; }
  Resource ejection(Endpoint endpoint) const { return links_ + endpoint; }
  /// Of a memory channel.
  Resource injection(Endpoint channel) const { return links_ + channel + channels_; }
  std::string name(Resource resource) const;

  /// What leads from a router to a destination: a link, or its ejection port. `next` becomes the router behind a link
  /// and is unchanged at an ejection port.
  Resource step(std::uint32_t router, Endpoint destination, std::uint32_t& next) const {
    const std::uint32_t to = router_of(destination);
    return to == router ? ejection(destination) : leave(router, to, next);
  }

  /// Destinations that leave a router through the same resource, in the order of the resources.
  struct Branch {
    Resource resource;
    std::uint32_t next_router;           ///< behind a link
    std::vector<Endpoint> destinations;  ///< of an ejection port: one
  };
  std::vector<Branch> branches(std::uint32_t router, const std::vector<Endpoint>& destinations) const;

  /// A link and the router behind it.
  struct Way {
    Resource link;
    std::uint32_t next;
  };
  /// Flit level: the links by which a message from router `source` to router `to` may leave `router`; no cycle of waits
  /// can come of taking any of them.
  virtual void ways(std::uint32_t source, std::uint32_t router, std::uint32_t to, std::vector<Way>& found) const;
  /// Flit level: into how many classes the virtual channels of a link fall, and to which one a message belongs that
  /// leaves `router` for router `to` over `link`. Messages in a class wait for no cycle of others.
  virtual int channel_classes() const { return 1; }
  virtual int channel_class(std::uint32_t /*router*/, std::uint32_t /*to*/, Resource /*link*/) const { return 0; }

 protected:
  /// Throws UserError when a core has no router.
  Routes(const isa::Chip& chip, std::uint32_t routers, Resource links);
  virtual Resource leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const = 0;
  virtual std::string link_name(Resource link) const = 0;

 private:
  Resource links_;
  std::uint32_t cores_, channels_;
  std::vector<std::uint32_t> router_of_;
};

/// A mesh or a torus: routers row-major, each with four outgoing links: right, left, down, up.
class Grid : public Routes {
 protected:
  explicit Grid(const isa::Chip& chip);
  Way beside(std::uint32_t router, std::uint32_t direction) const;
  std::string link_name(Resource link) const override;
  std::uint32_t x(std::uint32_t router) const { return router % width_; }
  std::uint32_t y(std::uint32_t router) const { return router / width_; }

  std::string topology_;
  std::uint32_t width_, height_;
};

/// For a topology's file: its name in the chip file and one line about it.
template <class Topology>
bool register_routed(std::string_view name, std::string_view text) {
  return register_topology(
      {name, text, [](const isa::Chip& chip) -> std::unique_ptr<Routes> { return std::make_unique<Topology>(chip); }});
}

}  // namespace pimento::sim
