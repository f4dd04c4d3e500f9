#include <fmt/format.h>

#include <limits>

#include "isa/peers/load.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace {

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const Operation& each : operations()) names.emplace_back(each.name);
  return names;
}
std::vector<std::string> key_names() {
  std::vector<std::string> names{"op", "offset"};
  for (int n = 0; n < field_count; ++n) names.emplace_back(to_string(static_cast<Field>(n)));
  return names;
}

/// One core's list, and what messages say about where the reader stands in it.
class CoreList {
 public:
  CoreList(JsonReader& reader, const Chip& chip, CoreId core)
      : reader_(reader), core_(core), translator_(chip, core, [this](const std::string& m) { refuse(m); }) {
    reader_.where = [](const void* list) { return static_cast<const CoreList*>(list)->where(); };
    reader_.where_of = this;
  }
  ~CoreList() { reader_.where = nullptr; }
  CoreList(const CoreList&) = delete;
  CoreList& operator=(const CoreList&) = delete;

  CoreTranslator&& read() {
    bool first = true;
    reader_.expect('[');
    while (reader_.next_item(first)) {
      reader_.peek();
      byte_ = reader_.byte();
      translator_.add(instruction(), byte_);
    }
    return std::move(translator_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw UserError(
        Place{.file = reader_.path(), .line = reader_.line(), .node = place_text(core_, translator_.count(), byte_)},
        message);
  }
  std::string where() const { return fmt::format("core {}, instruction {}", core_, translator_.count()); }

  PeerInstruction instruction() {
    PeerInstruction made;
    bool has_operation = false, has_offset = false, first = true;
    std::string_view key;
    reader_.expect('{');
    while (reader_.next_key(first, key)) {
      if (key == "op") {
        if (has_operation) reader_.fail("key 'op' stands twice");
        const std::string_view name = reader_.text();
        const Operation* const found = find_operation(name);
        if (found == nullptr)
          reader_.fail(fmt::format("unknown operation '{}'{}", name, suggestion(name, operation_names())));
        made.op = found->op;
        has_operation = true;
      } else if (key == "offset") {
        if (has_offset) reader_.fail("key 'offset' stands twice");
        has_offset = true;
        offset(made);
      } else if (const Field* const field = find_field(key)) {
        if (made.has(*field)) reader_.fail(fmt::format("key '{}' stands twice", to_string(*field)));
        *field == Field::imm ? immediate(made) : made.set(*field, reader_.whole32());
      } else {
        reader_.fail(fmt::format("unknown key '{}'{}", key, suggestion(key, key_names())));
      }
    }
    if (!has_operation) reader_.fail("key 'op' is missing");
    return made;
  }

  void immediate(PeerInstruction& made) {
    const Number n = reader_.number();
    if (!(n.real >= -2147483648.0 && n.real <= 2147483647.0))
      reader_.fail(fmt::format("imm: expected a number of 32 bits, got {}", n.real));
    made.set(Field::imm, static_cast<std::int32_t>(n.real));
    made.imm = n.real;
  }

  void offset(PeerInstruction& made) {
    bool first = true;
    std::string_view key;
    reader_.expect('{');
    while (reader_.next_key(first, key)) {
      const Field* const field = find_field(key);
      if (field == nullptr || (*field != Field::offset_value && *field != Field::offset_select))
        reader_.fail(
            fmt::format("unknown key '{}' in 'offset'{}", key, suggestion(key, {"offset_value", "offset_select"})));
      if (made.has(*field)) reader_.fail(fmt::format("key '{}' stands twice", to_string(*field)));
      made.set(*field, reader_.whole32());
    }
  }

  JsonReader& reader_;
  CoreId core_;
  std::int64_t byte_ = 0;  ///< where the instruction begins
  CoreTranslator translator_;
};

}  // namespace

Program load_json(const std::string& path, Assembly& assembly, const Chip& chip, std::vector<std::string>& warnings) {
  JsonReader reader(path);
  std::optional<Config> config;
  bool first = true;
  std::string_view key;
  reader.expect('{');
  while (reader.next_key(first, key)) {
    if (key == "config") {
      if (config) reader.fail("key 'config' stands twice");
      config = read_config(reader, chip, warnings);
      continue;
    }
    const auto core = core_number(key, "core");
    if (!core) reader.fail(fmt::format("unknown key '{}'{}", key, suggestion(key, {"config", "core0"})));
    if (assembly.has_core(*core)) reader.fail(fmt::format("core {} stands twice", *core));
    CoreList list(reader, chip, *core);
    assembly.add_core(*core, list.read(), path);
  }
  reader.expect_end();
  if (!config) reader.fail("key 'config' is missing");
  return assembly.finish(*config);
}

}  // namespace pimento::isa::peers
