#pragma once
// One row per key of the chip file. A row knows how to set its field from text and to print it, so loading, checking,
// the canonical dump, the reference page and the fingerprints are all loops over the table and cannot disagree.
// Rows are made by the describe() functions of keys.cpp, one per struct of chip.hpp, in the order of its fields.
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/support/quantity.hpp"

namespace pimento::isa {

/// What a value of a key may be: a quantity in a range, one of some words, or free text.
struct Kind {
  Dimension dimension = Dimension::count;
  std::int64_t low = 0, high = 0;      ///< of whole dimensions
  double real_low = 0, real_high = 0;  ///< of the others
  std::string clock;                   ///< of cycles: the clock's name
  std::vector<std::string> words;      ///< of a choice
  bool is_text = false;
  bool is_part = false;
  std::string range;  ///< for the reference page: "1 .. 65536"
};
Kind count(std::int64_t low, std::int64_t high);
Kind cycles(const std::string& clock, std::int64_t low = 0);
/// Any dimension, with both ends as text: in(Dimension::time, "100 ps", "1 ms").
Kind in(Dimension dimension, const std::string& low, const std::string& high);
Kind choice(std::vector<std::string> words);
Kind flag();
Kind free_text();
Kind part();

/// Why a text was not taken: the item of a list, and "expected ..., got ..."; empty when it was.
struct Refusal {
  std::size_t item = 0;
  std::string message;
};

struct Key {
  enum class Form { scalar, list, table };
  std::string path;
  Kind kind;
  KeyClass key_class = KeyClass::legality;
  std::string meaning;
  Form form = Form::scalar;
  bool is_required = false;
  bool is_label = false;     ///< name and description: part of no fingerprint
  bool is_option = false;    ///< at its default the machine has nothing of it: no source, part of no fingerprint
  std::string default_text;  ///< "" when required
  std::function<bool(const Chip&)> applies = [](const Chip&) { return true; };
  std::string applies_when;  ///< "with network.topology mesh"; empty: always
  std::function<Refusal(Chip&, const std::vector<std::string>&)> set_items;
  std::function<std::string(const Chip&)> text;  ///< canonical, as YAML; "unknown" when nobody gave it

  Key& required() {
    is_required = true;
    default_text.clear();
    return *this;
  }
  Key& label() {
    is_label = true;
    return *this;
  }
  Key& option() {
    is_option = true;
    return *this;
  }
  Key& defaults_to(const std::string& what) {
    default_text = what;
    return *this;
  }
  Key& only(std::string when, std::function<bool(const Chip&)> condition) {
    applies_when = std::move(when);
    applies = std::move(condition);
    return *this;
  }
};

/// The table, in the order of the canonical dump: the keys of a section stand together, before its sub-sections.
const std::vector<Key>& key_table();
/// Throws UserError with the nearest key.
const Key& key_at(const std::string& path);
/// "core.crossbar" of "core.crossbar.rows"; "" at top level.
std::string section_of(const std::string& path);
/// "a whole number in 1 .. 65536", "one of: mesh, table", "true or false".
std::string expectation(const Key& key);

/// Reads one text into a field, or says "expected ..., got ...". Overloads exist for the field types of chip.hpp.
std::string read(const Kind& kind, const std::string& text, std::int64_t& whole);
std::string read(const Kind& kind, const std::string& text, double& real);
std::string read(const Kind& kind, const std::string& text, bool& flag);
std::string read(const Kind& kind, const std::string& text, std::string& words);
std::string read(const Kind& kind, const std::string& text, Clock& clock);
std::string read(const Kind& kind, const std::string& text, ElementType& type);
std::string read(const Kind& kind, const std::string& text, int& whole);
std::string read(const Kind& kind, const std::string& text, CoreId& core);
std::string read(const Kind& kind, const std::string& text, Part& part);
/// Index of a word among the kind's.
std::string read_word(const Kind& kind, const std::string& text, std::size_t& index);

std::string print(const Kind& kind, std::int64_t whole);
std::string print(const Kind& kind, double real);
std::string print(const Kind& kind, bool flag);
std::string print(const Kind& kind, const std::string& words);
std::string print(const Kind& kind, const Clock& clock);
std::string print(const Kind& kind, ElementType type);
std::string print(const Kind& kind, const Part& part);
inline std::string print(const Kind& kind, int whole) { return print(kind, std::int64_t{whole}); }
inline std::string print(const Kind& kind, CoreId core) { return print(kind, std::int64_t{core}); }

template <class E>
requires std::is_enum_v<E> std::string read(const Kind& kind, const std::string& text, E& value) {
  std::size_t index = 0;
  std::string error = read_word(kind, text, index);
  if (error.empty()) value = static_cast<E>(index);
  return error;
}
template <class E>
requires std::is_enum_v<E> std::string print(const Kind& kind, E value) {
  return kind.words.at(static_cast<std::size_t>(value));
}

template <class T>
std::string read(const Kind& kind, const std::string& text, std::optional<T>& value) {
  value.reset();
  return text == "unknown" ? std::string() : read(kind, text, value.emplace());
}
template <class T>
std::string print(const Kind& kind, const std::optional<T>& value) {
  return value ? print(kind, *value) : "unknown";
}

template <class T>
std::string print(const Kind& kind, const std::vector<T>& values) {
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + print(kind, value);
  return "[" + list + "]";
}

/// Where the rows of one struct go: `at` leads from the chip to it.
template <class S>
class Section {
 public:
  Section(std::vector<Key>& rows, std::string prefix, std::function<S&(Chip&)> at)
      : rows_(rows), prefix_(std::move(prefix)), at_(std::move(at)) {}

  template <class T>
  Key& key(const std::string& name, T S::*field, Kind kind, KeyClass key_class, const std::string& meaning) {
    Key row = start(name, std::move(kind), key_class, meaning);
    row.set_items = [at = at_, field, k = row.kind](Chip& chip, const std::vector<std::string>& items) {
      return Refusal{0, read(k, items.at(0), at(chip).*field)};
    };
    row.text = printer(field, row);
    return finish(std::move(row));
  }

  template <class T>
  Key& list(const std::string& name, std::vector<T> S::*field, Kind kind, KeyClass key_class,
            const std::string& meaning) {
    Key row = start(name, std::move(kind), key_class, meaning);
    row.form = Key::Form::list;
    row.set_items = [at = at_, field, k = row.kind](Chip& chip, const std::vector<std::string>& items) {
      std::vector<T>& values = at(chip).*field;
      values.clear();
      for (const std::string& item : items) {
        T value{};
        if (std::string error = read(k, item, value); !error.empty()) return Refusal{values.size(), std::move(error)};
        values.push_back(value);
      }
      return Refusal{};
    };
    row.text = printer(field, row);
    return finish(std::move(row));
  }

  /// A key whose field needs more than its own text; the loader sets it.
  Key& special(const std::string& name, Key::Form form, Kind kind, KeyClass key_class, const std::string& meaning,
               std::function<std::string(const Chip&)> printed) {
    Key row = start(name, std::move(kind), key_class, meaning);
    row.form = form;
    row.text = std::move(printed);
    return finish(std::move(row));
  }

  template <class T>
  void section(const std::string& name, T S::*field) {
    Section<T> inside(rows_, prefix_ + name + ".", [at = at_, field](Chip& chip) -> T& { return at(chip).*field; });
    describe(inside);
  }

 private:
  Key start(const std::string& name, Kind kind, KeyClass key_class, const std::string& meaning) const {
    Key row;
    row.path = prefix_ + name;
    row.kind = std::move(kind);
    row.key_class = key_class;
    row.meaning = meaning;
    return row;
  }
  template <class T>
  std::function<std::string(const Chip&)> printer(T S::*field, const Key& row) const {
    return [at = at_, field, k = row.kind, path = row.path](const Chip& chip) {
      if (const auto given = chip.as_given.find(path); given != chip.as_given.end()) return given->second;
      return print(k, at(const_cast<Chip&>(chip)).*field);  // `at` only leads to the field; nothing is written
    };
  }
  Key& finish(Key row) {
    row.default_text = row.text(Chip{});
    rows_.push_back(std::move(row));
    return rows_.back();
  }
  std::vector<Key>& rows_;
  std::string prefix_;
  std::function<S&(Chip&)> at_;
};

void describe(Section<ScalarUnit>& s);
void describe(Section<VectorUnit>& s);
void describe(Section<LocalMemory>& s);
void describe(Section<Adc>& s);
void describe(Section<Nonideal>& s);
void describe(Section<Crossbar>& s);
void describe(Section<ArrayGroup>& s);
void describe(Section<Supply>& s);
void describe(Section<Core>& s);
void describe(Section<Network>& s);
void describe(Section<GlobalMemory>& s);
void describe(Section<ChipNumerics>& s);
void describe(Section<Rules>& s);
void describe(Section<StaticPower>& s);
void describe(Section<Area>& s);
void describe(Section<Chip>& s);

}  // namespace pimento::isa
