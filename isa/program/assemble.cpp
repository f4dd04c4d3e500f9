// Text to program: the directives are one table of name and reader; whatever begins with a letter is an instruction.
// The result is well-formed text, not yet a verified program: that is verify_program's question, which knows the chip.
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>

#include "isa/instruction/text.hpp"
#include "isa/program/program.hpp"
#include "isa/support/counted.hpp"

namespace pimento::isa {
namespace {
constexpr std::int64_t high32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t low32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t unsigned32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t high64 = std::numeric_limits<std::int64_t>::max();
/// More data than this in one piece is a slip of the pen.
constexpr std::int64_t most_bytes = std::int64_t{1} << 32;

/// Bulk data on its way: the size was announced, and either the lines that fill it follow, or none and it is zeros.
/// What a text announces takes no memory before its data stand there.
struct Pending {
  int line = 0;
  std::size_t bytes_announced = 0, reals_announced = 0;  ///< both in bytes
  std::vector<std::uint8_t> bytes, reals;
  std::function<void(Blob<std::uint8_t>, Blob<float>)> deliver;
};

/// Zeros for all who need some: pages that nobody writes cost nothing.
template <class T>
Blob<T> zeros(std::size_t bytes) {
  static const std::shared_ptr<const void> pages = [] {
    void* const at = ::mmap(nullptr, most_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    return std::shared_ptr<const void>(at, [](void* mapped) { ::munmap(mapped, most_bytes); });
  }();
  return {pages, std::span(static_cast<const T*>(pages.get()), bytes / sizeof(T))};
}

class Assembler {
 public:
  explicit Assembler(const std::string& file) : file_(file) {}

  Program run(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      Scanner scanner(text.substr(0, end), file_, ++line_);
      one_line(scanner);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    deliver();
    close_core();
    return std::move(program_);
  }

 private:
  struct Directive {
    std::string_view name;
    void (Assembler::*read)(Scanner&);
  };
  static const std::vector<Directive>& directives();

  void one_line(Scanner& s) {
    if (s.at_end()) return;
    if (!s.accept('.')) {
      if (!in_core_) s.fail("an instruction before the first '.core'");
      deliver();
      records_.push_back(parse_instruction(s));
      return;
    }
    const std::string name(s.word());
    for (const Directive& each : directives())
      if (each.name == name) {
        (this->*each.read)(s);
        s.expect_end();
        return;
      }
    std::vector<std::string> names;
    for (const Directive& each : directives()) names.emplace_back(each.name);
    s.fail_at_word(fmt::format("unknown directive '.{}'{}", name, suggestion(name, names)));
  }

  void keyword(Scanner& s, std::string_view word) {
    if (s.peek_word() != word) s.fail(fmt::format("expected '{}'", word));
    s.word();
  }
  std::int64_t keyed(Scanner& s, std::string_view word, std::int64_t low, std::int64_t high) {
    keyword(s, word);
    return s.integer(low, high, word);
  }
  std::int32_t keyed32(Scanner& s, std::string_view word) {
    return static_cast<std::int32_t>(keyed(s, word, low32, high32));
  }
  ElementType type(Scanner& s) {
    const std::string name(s.word());
    const auto found = parse_element_type(name);
    if (!found) s.fail_at_word(fmt::format("unknown element type '{}'", name));
    return *found;
  }
  CoreProgram& core(Scanner& s) {
    if (!in_core_) s.fail_at_word("this directive belongs to a '.core'");
    return program_.cores.back();
  }

  template <std::string Program::*field>
  void set_text(Scanner& s) {
    program_.*field = s.quoted("text");
  }
  template <std::string Program::*field>
  void add_text(Scanner& s) {
    program_.*field += s.quoted("text");
  }
  template <std::vector<std::string> Program::*field>
  void add_entry(Scanner& s) {
    (program_.*field).push_back(s.quoted("text"));
  }

  void numerics(Scanner& s) {
    const std::string name(s.word());
    const auto found = parse_numerics(name);
    if (!found) s.fail_at_word(fmt::format("unknown numerics '{}'; known: quantised, exact, f32", name));
    program_.numerics = *found;
  }
  void fingerprints(Scanner& s) {
    program_.chip.legality = s.unsigned_integer("legality fingerprint");
    program_.chip.cost = s.unsigned_integer("cost fingerprint");
    program_.chip.physics = s.unsigned_integer("physics fingerprint");
  }
  void global_memory_used(Scanner& s) { program_.global_memory_used = s.integer(0, high64, "bytes"); }
  void core_set(Scanner& s) {
    auto& set = program_.core_sets.emplace_back();
    while (!s.at_end()) set.push_back(static_cast<CoreId>(s.integer(0, unsigned32, "core")));
  }

  template <std::vector<Port> Program::*field>
  void port(Scanner& s) {
    Port& p = (program_.*field).emplace_back();
    p.name = s.quoted("name");
    p.model_type = type(s);
    keyword(s, "shape");
    s.expect('[');
    while (!s.accept(']')) p.shape.push_back(s.integer(-high64, high64, "extent"));
    keyword(s, "layout");
    s.expect('[');
    while (!s.accept(']')) p.layout.push_back(static_cast<std::int32_t>(s.integer(low32, high32, "dimension")));
    keyword(s, "type");
    p.type = type(s);
    keyword(s, "scale");
    p.scale = s.real64("scale");
    p.zero_point = keyed32(s, "zero");
    p.address = keyed(s, "address", -high64, high64);
  }

  /// "type i8 bytes 12 reals 3"; the lines of data may follow.
  template <class Owner, class Deliver>
  void announce(Scanner& s, Owner& owner, Deliver give) {
    deliver();
    keyword(s, "type");
    owner.type = type(s);
    Pending data;
    data.line = line_;
    data.bytes_announced = static_cast<std::size_t>(keyed(s, "bytes", 0, most_bytes));
    data.reals_announced = static_cast<std::size_t>(keyed(s, "reals", 0, most_bytes / 4)) * sizeof(float);
    data.deliver = give;
    pending_ = std::move(data);
  }
  void deliver() {
    if (!pending_.deliver) return;
    pending_.deliver(blob<std::uint8_t>(pending_.bytes, pending_.bytes_announced),
                     blob<float>(pending_.reals, pending_.reals_announced));
    pending_ = {};
  }
  template <class T>
  Blob<T> blob(const std::vector<std::uint8_t>& given, std::size_t announced) const {
    if (announced == 0) return {};
    if (given.empty()) return zeros<T>(announced);
    if (given.size() != announced)
      throw UserError({.file = file_, .line = pending_.line},
                      fmt::format("{} of data instead of the {} announced", counted(given.size(), "byte"), announced));
    std::vector<T> values(announced / sizeof(T));
    std::memcpy(values.data(), given.data(), announced);
    return Blob<T>::own(std::move(values));
  }
  void fill(Scanner& s, std::vector<std::uint8_t>& to, std::size_t announced) {
    if (!pending_.deliver) s.fail_at_word("data before the tile or constant that it belongs to");
    const std::string_view digits = s.rest();
    if (digits.size() % 2 != 0) s.fail("expected two hexadecimal digits a byte");
    if (digits.size() / 2 > announced - to.size())
      s.fail(fmt::format("{} bytes of data, {} were announced", to.size() + digits.size() / 2, announced));
    const auto digit = [&](char c) {
      if (c >= '0' && c <= '9') return c - '0';
      if (c >= 'a' && c <= 'f') return c - 'a' + 10;
      s.fail(fmt::format("expected hexadecimal digits, got '{}'", c));
    };
    for (std::size_t k = 0; k < digits.size(); k += 2)
      to.push_back(static_cast<std::uint8_t>(digit(digits[k]) * 16 + digit(digits[k + 1])));
  }
  void bytes(Scanner& s) { fill(s, pending_.bytes, pending_.bytes_announced); }
  void reals(Scanner& s) { fill(s, pending_.reals, pending_.reals_announced); }

  void tile(Scanner& s) {
    deliver();
    const std::size_t index = program_.tiles.size();
    Tile& t = program_.tiles.emplace_back();
    t.rows = keyed32(s, "rows");
    t.cols = keyed32(s, "cols");
    t.crossbar_rows = keyed32(s, "crossbars");
    t.crossbar_cols = static_cast<std::int32_t>(s.integer(low32, high32, "crossbars"));
    announce(s, t, [this, index](auto weights, auto real) {
      program_.tiles[index].weights = weights;
      program_.tiles[index].real = real;
    });
  }
  void global_constant(Scanner& s) {
    deliver();
    const std::size_t index = program_.global_constants.size();
    GlobalConstant& c = program_.global_constants.emplace_back();
    c.address = keyed(s, "address", -high64, high64);
    announce(s, c, [this, index](auto data, auto real) {
      program_.global_constants[index].bytes = data;
      program_.global_constants[index].real = real;
    });
  }
  void constant(Scanner& s) {
    deliver();
    const std::size_t index = core(s).constants.size();
    Constant& c = core(s).constants.emplace_back();
    c.address = keyed32(s, "address");
    announce(s, c, [this, index](auto data, auto real) {
      program_.cores.back().constants[index].bytes = data;
      program_.cores.back().constants[index].real = real;
    });
  }

  void open_core(Scanner& s) {
    deliver();
    close_core();
    const auto next = static_cast<std::int64_t>(program_.cores.size());
    const std::int64_t number = s.integer(0, unsigned32, "core");
    if (number != next)
      s.fail(fmt::format("expected core {}, got {}: cores stand in order, without gaps", next, number));
    program_.cores.emplace_back();
    in_core_ = true;
  }
  void close_core() {
    if (in_core_ && !records_.empty()) program_.cores.back().instructions = Blob<Instruction>::own(std::move(records_));
    records_ = {};
  }
  void images(Scanner& s) { program_.images = s.integer(1, high64, "images"); }
  void local_memory_used(Scanner& s) { core(s).local_memory_used = s.integer(0, high64, "bytes"); }
  void group(Scanner& s) {
    Group& g = core(s).groups.emplace_back();
    g.crossbar_rows = keyed32(s, "crossbars");
    g.crossbar_cols = static_cast<std::int32_t>(s.integer(low32, high32, "crossbars"));
    keyword(s, "tile");
    if (s.peek_word() == "none")
      s.word();
    else
      g.tile = static_cast<std::uint32_t>(s.integer(0, unsigned32 - 1, "tile"));
  }
  void range(Scanner& s) {
    NodeRange& r = core(s).nodes.emplace_back();
    r.begin = static_cast<std::uint32_t>(s.integer(0, unsigned32, "begin"));
    r.end = static_cast<std::uint32_t>(s.integer(0, unsigned32, "end"));
    r.node = static_cast<std::uint32_t>(keyed(s, "node", 0, unsigned32));
  }

  std::string file_;
  int line_ = 0;
  Program program_;
  bool in_core_ = false;
  std::vector<Instruction> records_;
  Pending pending_;
};

const std::vector<Assembler::Directive>& Assembler::directives() {
  static const std::vector<Directive> all{
      {"producer", &Assembler::set_text<&Program::producer>},
      {"model", &Assembler::set_text<&Program::model>},
      {"model_fingerprint", &Assembler::set_text<&Program::model_fingerprint>},
      {"numerics", &Assembler::numerics},
      {"chip", &Assembler::set_text<&Program::chip_name>},
      {"fingerprints", &Assembler::fingerprints},
      {"chip_yaml", &Assembler::add_text<&Program::chip_yaml>},
      {"cost_key", &Assembler::add_entry<&Program::schedule_cost_keys>},
      {"settings", &Assembler::add_text<&Program::settings_json>},
      {"global_memory_used", &Assembler::global_memory_used},
      {"images", &Assembler::images},
      {"node", &Assembler::add_entry<&Program::nodes>},
      {"core_set", &Assembler::core_set},
      {"input", &Assembler::port<&Program::inputs>},
      {"output", &Assembler::port<&Program::outputs>},
      {"tile", &Assembler::tile},
      {"global_constant", &Assembler::global_constant},
      {"bytes", &Assembler::bytes},
      {"reals", &Assembler::reals},
      {"core", &Assembler::open_core},
      {"local_memory_used", &Assembler::local_memory_used},
      {"group", &Assembler::group},
      {"constant", &Assembler::constant},
      {"range", &Assembler::range},
  };
  return all;
}
}  // namespace

Program assemble(const std::string& text, const std::string& file) { return Assembler(file).run(text); }

}  // namespace pimento::isa
