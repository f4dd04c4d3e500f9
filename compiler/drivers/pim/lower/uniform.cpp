// Conditions on axes alone (padding, concatenation, guards) never reach the chip: the domain is cut where they change.
#include <optional>

#include "compiler/drivers/pim/lower/constants.hpp"

namespace pimento::pim {
namespace {
using ir::Expr;

struct Cut {
  std::size_t axis = 0;
  std::int64_t at = 0;  ///< first index of the second part
};

class Resolver {
 public:
  Resolver(const Constants& constants, const Domain& domain) : constants_(constants), domain_(domain) {}
  const std::optional<Cut>& cut() const { return cut_; }

  Expr resolve(const Expr& e) {
    if (cut_ || constants_.known(e)) return e;
    if (const auto found = memo_.find(e.identity()); found != memo_.end()) return found->second;
    Expr result = rebuild(e);
    memo_.emplace(e.identity(), result);
    return result;
  }
  /// The condition's value over the domain; on a change the cut is noted.
  bool uniform(const std::function<bool(const Point&)>& holds, const std::vector<bool>& used) {
    std::vector<std::size_t> varying;
    Point point(domain_.size());
    for (std::size_t i = 0; i < domain_.size(); ++i) {
      point[i] = domain_[i].begin;
      if (used[i] && domain_[i].size() > 1) varying.push_back(i);
    }
    const bool first = holds(point);
    while (true) {
      std::size_t level = varying.size();
      for (; level > 0; --level) {
        const std::size_t axis = varying[level - 1];
        if (++point[axis] < domain_[axis].end) break;
        point[axis] = domain_[axis].begin;
      }
      if (level == 0) return first;
      if (holds(point) == first) continue;
      if (varying.size() == 1) {
        cut_ = Cut{varying[0], point[varying[0]]};
      } else {  // several axes: the shortest is taken apart
        std::size_t best = varying[0];
        for (const std::size_t axis : varying) {
          if (domain_[axis].size() < domain_[best].size()) best = axis;
        }
        cut_ = Cut{best, domain_[best].begin + 1};
      }
      return first;
    }
  }
  bool uniform(const Expr& condition) {
    std::vector<bool> used(domain_.size());
    constants_.mark_axes(condition, used);
    return uniform([&](const Point& p) { return constants_.at(condition, p).integer != 0; }, used);
  }

 private:
  Expr rebuild(const Expr& e) {
    if (const auto* x = e.as<ir::Load>()) return load(e, *x);
    if (const auto* x = e.as<ir::Select>()) {
      if (constants_.known(x->condition)) {
        const bool first = uniform(x->condition);
        return cut_ ? e : resolve(first ? x->a : x->b);
      }
      return ir::Select::make(resolve(x->condition), resolve(x->a), resolve(x->b));
    }
    if (const auto* x = e.as<ir::Unary>()) return ir::Unary::make(x->op, resolve(x->a));
    if (const auto* x = e.as<ir::Binary>()) return ir::Binary::make(x->op, resolve(x->a), resolve(x->b));
    if (const auto* x = e.as<ir::Cast>()) return ir::Cast::make(x->to, resolve(x->a));
    return e;
  }
  Expr load(const Expr& e, const ir::Load& load) {
    if (load.rule != ir::OutOfRange::value) return e;
    const auto& shape = constants_.kernel().operands[static_cast<std::size_t>(load.operand)].type.shape;
    for (std::size_t d = 0; d < load.indices.size(); ++d) {
      const Expr& index = load.indices[d];
      const ir::Range inside{0, shape[d]};
      if (!constants_.known(index)) continue;
      const ir::Range reach = ir::interval(index, domain_);
      if (reach.begin >= inside.begin && reach.end <= inside.end) continue;
      std::vector<bool> used(domain_.size());
      constants_.mark_axes(index, used);
      const bool in = uniform(
          [&](const Point& p) {
            const std::int64_t i = constants_.at(index, p).integer;
            return i >= inside.begin && i < inside.end;
          },
          used);
      if (cut_) return e;
      if (!in) return ir::Const::make(load.outside);
    }
    return e;
  }
  const Constants& constants_;
  const Domain& domain_;
  std::optional<Cut> cut_;
  std::map<const void*, Expr> memo_;
};
}  // namespace

std::optional<Expr> where_uniform(const Constants& constants, const Expr& e, const Expr& guard, const Domain& domain) {
  Resolver resolver(constants, domain);
  if (guard && (!constants.known(guard) || !resolver.uniform(guard))) return {};
  const Expr resolved = resolver.cut() ? e : resolver.resolve(e);
  return resolver.cut() ? std::nullopt : std::optional(resolved);
}

void for_uniform(const Constants& constants, const Expr& e, const Expr& guard, const Domain& domain,
                 const std::function<void(const Expr&, const Domain&)>& visit) {
  if (ir::is_empty(domain)) return;
  Resolver resolver(constants, domain);
  bool inside = true;
  if (guard && constants.known(guard)) inside = resolver.uniform(guard);
  Expr resolved = e;
  if (!resolver.cut() && inside) resolved = resolver.resolve(e);
  if (const auto& cut = resolver.cut()) {
    Domain first = domain, second = domain;
    first[cut->axis].end = cut->at;
    second[cut->axis].begin = cut->at;
    for_uniform(constants, e, guard, first, visit);
    for_uniform(constants, e, guard, second, visit);
    return;
  }
  if (inside) visit(resolved, domain);
}

}  // namespace pimento::pim
