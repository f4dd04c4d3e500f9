// Reading a usage text, and a command line against it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "cli/commands/registry.hpp"

namespace pimento::cli {
namespace {

bool ends_with_dots(const std::string& word) { return word.ends_with("..."); }
std::string without_dots(const std::string& word) {
  return ends_with_dots(word) ? word.substr(0, word.size() - 3) : word;
}
/// "--kind", or "-o" for an option of one letter.
std::string spelled(const Parameter& p) { return p.option ? (p.name.size() == 1 ? "-" : "--") + p.name : p.name; }
bool is_short(const std::string& word) {
  return word.size() == 2 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]));
}
bool is_option(const std::string& word) { return is_short(word) || (word.size() > 2 && word.starts_with("--")); }

/// Takes '[' and ']' off a word and counts them into `depth`.
std::string unbracketed(std::string word, bool& opens, bool& closes) {
  opens = word.starts_with('[');
  if (opens) word.erase(0, 1);
  const bool dots_outside = word.ends_with("]...");
  if (dots_outside) word.erase(word.size() - 4, 1);  // "VALUE]..." becomes "VALUE..."
  closes = dots_outside || word.ends_with(']');
  if (!dots_outside && closes) word.pop_back();
  return word;
}

template <class Number>
Number number(const std::string& name, const std::string& text, const char* kind) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc::result_out_of_range && end == text.data() + text.size())
    throw UserError("--" + name + ": expected " + kind + ", got '" + text + "', which is out of range");
  if (fault != std::errc{} || end != text.data() + text.size())
    throw UserError("--" + name + ": expected " + kind + ", got '" + text + "'");
  return value;
}

}  // namespace

std::vector<Parameter> parse_usage(const std::string& usage) {
  std::vector<Parameter> parameters;
  std::istringstream words(usage);
  words.exceptions(std::ios::badbit);  // else a failing allocation looks like the end
  bool inside = false;                 // between '[' and ']'
  bool value_may_follow = false;       // after an option's name
  for (std::string word; words >> word;) {
    bool opens = false;
    bool closes = false;
    word = unbracketed(word, opens, closes);
    PIMENTO_CHECK(!word.empty() && !(opens && inside), fmt::format("usage '{}' cannot be read at '{}'", usage, word));
    inside = inside || opens;
    const bool repeated = ends_with_dots(word);
    word = without_dots(word);
    if (value_may_follow && !opens && !is_option(word)) {
      parameters.back().value = word;
      parameters.back().repeated = repeated;
      value_may_follow = false;
    } else {
      const bool option = is_option(word);
      const std::string name = option ? word.substr(word.find_first_not_of('-')) : word;
      parameters.push_back({name, "", option, !inside, repeated});
      value_may_follow = option && !closes;
    }
    if (closes) {
      PIMENTO_CHECK(inside, "usage '" + usage + "' closes a bracket that is not open");
      inside = value_may_follow = false;
    }
  }
  PIMENTO_CHECK(!inside, "usage '" + usage + "' leaves a bracket open");
  return parameters;
}

Arguments::Arguments(std::vector<Parameter> declared, const std::vector<std::string>& words)
    : declared_(std::move(declared)) {
  std::vector<std::string> options;
  std::vector<const Parameter*> positionals;
  for (const Parameter& p : declared_) {
    if (p.option) options.push_back(spelled(p));
    if (!p.option) positionals.push_back(&p);
  }
  std::size_t position = 0;
  bool options_end = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!options_end && word == "--") {
      options_end = true;
    } else if (!options_end && is_option(word)) {
      const std::size_t equals = word.find('=');
      const std::string spelling = word.substr(0, equals);
      const auto found = std::find_if(declared_.begin(), declared_.end(),
                                      [&](const Parameter& p) { return p.option && spelled(p) == spelling; });
      if (found == declared_.end())
        throw UserError("unknown option '" + spelling + "'" +
                        (options.empty() ? "; there are none" : suggestion(spelling, options)));
      auto& values = values_[found->name];
      if (!values.empty() && !found->repeated) throw UserError("option '" + spelling + "' is given twice");
      if (found->value.empty()) {
        if (equals != std::string::npos)
          throw UserError("option '" + spelling + "' takes no value, got '" + word.substr(equals + 1) + "'");
        values.emplace_back();
      } else if (equals != std::string::npos) {
        values.push_back(word.substr(equals + 1));
      } else if (i + 1 < words.size() && !is_option(words[i + 1])) {
        values.push_back(words[++i]);
      } else {
        throw UserError("option '" + spelling + "': expected " + found->value + " after it");
      }
    } else if (!options_end && word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]))) {
      throw UserError("unknown option '" + word + "'" +
                      (options.empty() ? "; there are none" : suggestion(word, options)));
    } else if (position < positionals.size()) {
      values_[positionals[position]->name].push_back(word);
      if (!positionals[position]->repeated) ++position;
    } else {
      throw UserError("unexpected argument '" + word + "'; expected " + std::to_string(positionals.size()) +
                      (positionals.size() == 1 ? " argument" : " arguments"));
    }
  }
  for (const Parameter& p : declared_)
    for (const std::string& value : all(p.name))
      if (value.empty() && !(p.option && p.value.empty()))
        throw UserError(p.option ? spelled(p) + ": expected " + p.value + ", got nothing"
                                 : "expected " + p.name + ", got an empty argument");
  for (const Parameter& p : declared_)
    if (p.required && !given(p.name)) throw UserError("missing " + spelled(p) + (p.value.empty() ? "" : " " + p.value));
}

const Parameter& Arguments::declared(const std::string& name) const {
  for (const Parameter& p : declared_)
    if (p.name == name) return p;
  throw InternalError("the command asks for '" + name + "', which its usage does not declare");
}

bool Arguments::declares(const std::string& name) const {
  return std::any_of(declared_.begin(), declared_.end(), [&](const Parameter& p) { return p.name == name; });
}

bool Arguments::given(const std::string& name) const { return !all(name).empty(); }

const std::vector<std::string>& Arguments::all(const std::string& name) const {
  static const std::vector<std::string> none;
  declared(name);
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

const std::string& Arguments::text(const std::string& name) const {
  const auto& values = all(name);
  PIMENTO_CHECK(!values.empty(), "the command needs '" + name + "', which its usage makes optional");
  return values.front();
}

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  return optional_text(name).value_or(otherwise);
}

std::optional<std::string> Arguments::optional_text(const std::string& name) const {
  const auto& values = all(name);
  return values.empty() ? std::nullopt : std::optional<std::string>(values.front());
}

std::filesystem::path Arguments::input_file(const std::string& name) const {
  std::filesystem::path file = path(name);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) throw UserError({.file = file.string()}, "no such file");
  if (std::filesystem::is_directory(file, ignored))
    throw UserError({.file = file.string()}, "expected a file, got a folder");
  if (!std::ifstream(file, std::ios::binary)) throw UserError({.file = file.string()}, "cannot be read");
  return file;
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t otherwise, std::int64_t low,
                                std::int64_t high) const {
  const auto given_text = optional_text(name);
  if (!given_text) return otherwise;
  const auto value = number<std::int64_t>(name, *given_text, "a whole number");
  if (value < low || value > high)
    throw UserError("--" + name + ": expected " + std::to_string(low) + " .. " + std::to_string(high) + ", got " +
                    *given_text);
  return value;
}

double Arguments::real(const std::string& name, double otherwise) const {
  const auto given_text = optional_text(name);
  if (!given_text) return otherwise;
  const auto value = number<double>(name, *given_text, "a number");
  if (!std::isfinite(value)) throw UserError("--" + name + ": expected a finite number, got " + *given_text);
  return value;
}

std::string Arguments::choice(const std::string& name, const std::vector<std::string>& choices) const {
  std::string value = text(name, choices.front());
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw UserError("--" + name + ": unknown value '" + value + "'" + suggestion(value, choices));
  return value;
}

std::vector<std::pair<std::string, std::string>> Arguments::pairs(const std::string& name) const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& word : all(name)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UserError(fmt::format("--{}: expected NAME=VALUE, got '{}'", name, word));
    for (const auto& [before, value] : result)
      if (before == word.substr(0, equals))
        throw UserError(fmt::format("--{} {}: '{}' is given twice, before as '{}'", name, word, before, value));
    result.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return result;
}

void refuse_in_vain(const Arguments& a, const std::string& option, bool in_vain, const std::string& needs) {
  if (in_vain && a.given(option)) throw UserError(fmt::format("--{}: it has no effect; expected {}", option, needs));
}

}  // namespace pimento::cli
