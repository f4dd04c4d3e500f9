#include "isa/cost/ways.hpp"

#include <algorithm>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa::cost {

TreeRows::TreeRows(const Chip& chip) : arity_(static_cast<std::uint32_t>(std::max(chip.network.tree_arity, 2))) {
  for (auto below = static_cast<std::uint32_t>(chip.cores); first_.size() == 1 || below > 1;) {
    below = (below + arity_ - 1) / arity_;
    first_.push_back(first_.back() + below);
  }
}

std::uint32_t TreeRows::row_of(std::uint32_t router) const {
  return static_cast<std::uint32_t>(std::upper_bound(first_.begin(), first_.end(), router) - first_.begin()) - 1;
}

std::uint32_t TreeRows::above(std::uint32_t router) const {
  const std::uint32_t row = row_of(router);
  return first_[row + 1] + (router - first_[row]) / arity_;
}

std::uint32_t TreeRows::leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const {
  std::uint32_t child = to, parent = to;
  for (const std::uint32_t row = row_of(router); row_of(parent) < row;) child = parent, parent = above(parent);
  next = parent == router ? child : above(router);
  return parent == router ? 2 * child + 1 : 2 * router;
}

bool Ways::knows(const Chip& chip) {
  const std::string& t = chip.network.topology;
  return t == "mesh" || t == "torus" || t == "ring" || t == "tree" || t == "crossbar";
}

Ways::Ways(const Chip& chip)
    : chip_(chip),
      cores_(static_cast<std::uint32_t>(chip.cores)),
      channels_(static_cast<std::uint32_t>(std::max(chip.global_memory.channels, 1))) {
  const Network& n = chip.network;
  if (n.topology == "crossbar") {
    links_ = cores_;
  } else if (n.topology == "ring") {
    width_ = cores_ / static_cast<std::uint32_t>(std::max(n.cores_per_router, 1));
    links_ = 2 * width_;
  } else if (n.topology == "tree") {
    tree_ = TreeRows(chip);
    links_ = 2 * tree_.routers();
  } else {
    PIMENTO_CHECK(knows(chip), "chip '" + chip.name + "': no ways through the topology '" + n.topology + "'");
    width_ = static_cast<std::uint32_t>(n.width);
    height_ = static_cast<std::uint32_t>(n.height);
    links_ = 4 * width_ * height_;
  }
}

std::uint32_t Ways::router_of(std::uint32_t position) const {
  const auto& attached = chip_.global_memory.attached_to;
  if (position >= cores_) position = attached.empty() ? 0 : attached[(position - cores_) % attached.size()];
  return cost::router_of(chip_, position);
}

std::uint32_t Ways::leave(std::uint32_t router, std::uint32_t to, std::uint32_t& next) const {
  const std::string& topology = chip_.network.topology;
  if (topology == "crossbar") return next = to;
  if (topology == "tree") return tree_.leave(router, to, next);
  const bool is_ring = topology == "ring", is_mesh = topology == "mesh";
  const std::uint32_t x = router % width_, y = router / width_, to_x = to % width_, to_y = to / width_;
  const bool in_row = x != to_x;
  const std::uint32_t here = in_row ? x : y, there = in_row ? to_x : to_y, size = in_row ? width_ : height_;
  const bool upwards = is_mesh ? there > here : rises(here, there, size);
  const std::uint32_t place = (here + (upwards ? 1 : size - 1)) % size;
  next = in_row ? y * width_ + place : place * width_ + x;
  return is_ring ? 2 * router + (upwards ? 0U : 1U) : 4 * router + (in_row ? 0U : 2U) + (upwards ? 0U : 1U);
}

std::vector<std::uint32_t> Ways::between(std::uint32_t source, std::uint32_t destination) const {
  std::vector<std::uint32_t> held;
  if (source >= cores_) held.push_back(links_ + source + channels_);
  const std::uint32_t to = router_of(destination);
  for (std::uint32_t router = router_of(source); router != to;) held.push_back(leave(router, to, router));
  held.push_back(links_ + destination);
  return held;
}

}  // namespace pimento::isa::cost
