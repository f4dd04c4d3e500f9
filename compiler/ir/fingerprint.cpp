#include "compiler/ir/fingerprint.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <cstring>
#include <type_traits>

namespace pimento::ir {
namespace {

/// Little-endian bytes; lists and texts carry their length, so no two values write the same bytes.
class Canonical {
 public:
  std::vector<std::byte> take() { return std::move(bytes_); }

  void number(std::int64_t v) {
    for (int i = 0; i < 8; ++i)
      bytes_.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(v) >> (8 * i)) & 0xff));
  }
  void small(int v) { bytes_.push_back(static_cast<std::byte>(v)); }
  void text(std::string_view s) {
    number(static_cast<std::int64_t>(s.size()));
    for (const char c : s) bytes_.push_back(static_cast<std::byte>(c));
  }
  template <class T>
  void tag(T v) {
    small(static_cast<int>(v));
  }
  void type(const TensorType& t) {
    tag(t.type);
    numbers(t.shape);
  }
  void numbers(const std::vector<std::int64_t>& v) {
    number(static_cast<std::int64_t>(v.size()));
    for (const auto x : v) number(x);
  }
  void scalar(const Scalar& s) {
    tag(s.type);
    number(is_float(s.type) ? static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(s.real)) : s.integer);
  }
  void tensor(const Tensor& t) {
    type(t.type());
    const Fingerprint f = fingerprint(t.byte_span());
    number(static_cast<std::int64_t>(f.high));
    number(static_cast<std::int64_t>(f.low));
  }

  void expr(const Expr& e) {
    if (!e) return small(255);
    small(static_cast<int>(e.node().any.index()));
    tag(e.type());
    std::visit([this](const auto& x) { payload(x); }, e.node().any);
    const auto c = children(e);
    number(static_cast<std::int64_t>(c.size()));
    for (const Expr& child : c) expr(child);
  }

  void operand(const Operand& o) {
    type(o.type);
    tag(o.role);
  }

  void kernel(const Kernel& k) {
    list(k.axes, [this](const KernelAxis& a) {
      number(a.extent);
      tag(a.kind);
    });
    list(k.operands, [this](const Operand& o) { operand(o); });
    list(k.accumulators, [this](const Accumulator& a) {
      tag(a.type);
      tag(a.combiner);
      scalar(a.initial);
      expr(a.body);
      expr(a.guard);
      expr(a.merge);
    });
    list(k.states, [this](const State& s) {
      tag(s.type);
      expr(s.initial);
      expr(s.next);
    });
    list(k.outputs, [this](const Output& o) {
      number(o.operand);
      list(o.map, [this](const Expr& e) { expr(e); });
      expr(o.value);
      expr(o.guard);
      tag(o.rule);
      tag(o.out_of_range);
      number(o.starts_from);
    });
  }

  void attributes(const Attributes& all) {
    number(static_cast<std::int64_t>(all.size()));
    for (const auto& [name, value] : all) {
      text(name);
      small(static_cast<int>(value.index()));
      std::visit([this](const auto& v) { attribute(v); }, value);
    }
  }

  void named_kernel(const LibraryKernel& k) {
    text(k.name);  // the kind is what it means
    attributes(k.attributes);
    list(k.operands, [this](const Operand& o) { operand(o); });
  }

  void graph(const Graph& g) {
    std::vector<std::int64_t> number_of(g.values.size(), -1);
    std::int64_t next = 0;
    const auto mention = [&](ValueId v) {
      if (v == no_value) return number(-1);
      std::int64_t& n = number_of[to_index(v)];
      const bool first = n < 0;
      if (first) n = next++;
      number(n);
      if (!first) return;
      type(g.type(v));
      small(g.value(v).constant ? 1 : 0);
      if (g.value(v).constant) tensor(*g.value(v).constant);
    };
    list(g.inputs, mention);
    number(static_cast<std::int64_t>(g.states.size()));
    for (const GraphState& s : g.states) {
      mention(s.current);
      small(s.initial ? 1 : 0);
      if (s.initial) tensor(*s.initial);
    }
    list(g.nodes, [&](const Node& n) {
      text(n.op);
      attributes(n.attributes);
      list(n.inputs, mention);
      list(n.outputs, mention);
      small(n.body != nullptr ? 1 : 0);
      if (n.body) graph(*n.body);
    });
    list(g.outputs, mention);
    for (const GraphState& s : g.states) mention(s.next);
  }

 private:
  template <class T, class F>
  void list(const std::vector<T>& items, const F& f) {
    number(static_cast<std::int64_t>(items.size()));
    for (const T& item : items) f(item);
  }

  void payload(const Const& x) { scalar(x.value); }
  void payload(const Axis& x) { number(x.axis); }
  void payload(const Load& x) {
    number(x.operand);
    tag(x.rule);
    scalar(x.outside);
  }
  void payload(const Lookup& x) { tensor(x.table); }
  void payload(const Unary& x) { tag(x.op); }
  void payload(const Binary& x) { tag(x.op); }
  void payload(const Select&) {}
  void payload(const Cast& x) { tag(x.to); }
  void payload(const Carried& x) { number(x.state); }
  void payload(const Accumulated& x) { number(x.accumulator); }
  void payload(const Incoming& x) { number(x.accumulator); }

  void attribute(std::int64_t v) { number(v); }
  void attribute(double v) { number(std::bit_cast<std::int64_t>(v)); }
  void attribute(const std::string& v) { text(v); }
  void attribute(const std::vector<std::int64_t>& v) { numbers(v); }
  void attribute(const std::vector<double>& v) {
    list(v, [this](double x) { attribute(x); });
  }
  void attribute(const Tensor& t) { tensor(t); }

  std::vector<std::byte> bytes_;
};

}  // namespace

std::string to_string(const Fingerprint& f) { return fmt::format("{:016x}{:016x}", f.high, f.low); }

std::vector<std::byte> canonical_bytes(const Expr& e) {
  Canonical c;
  c.expr(e);
  return c.take();
}
std::vector<std::byte> canonical_bytes(const Kernel& k) {
  Canonical c;
  c.kernel(k);
  return c.take();
}
std::vector<std::byte> canonical_bytes(const LibraryKernel& k) {
  Canonical c;
  c.named_kernel(k);
  return c.take();
}
std::vector<std::byte> canonical_bytes(const Graph& g) {
  Canonical c;
  c.graph(g);
  return c.take();
}

Fingerprint fingerprint(std::span<const std::byte> bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.high64, h.low64};
}
Fingerprint fingerprint(const Tensor& t) {
  Canonical c;
  c.tensor(t);
  return fingerprint(std::span<const std::byte>(c.take()));
}
Fingerprint fingerprint(const Expr& e) { return fingerprint(std::span<const std::byte>(canonical_bytes(e))); }
Fingerprint fingerprint(const Kernel& k) { return fingerprint(std::span<const std::byte>(canonical_bytes(k))); }
Fingerprint fingerprint(const LibraryKernel& k) { return fingerprint(std::span<const std::byte>(canonical_bytes(k))); }
Fingerprint fingerprint(const Graph& g) { return fingerprint(std::span<const std::byte>(canonical_bytes(g))); }

}  // namespace pimento::ir
