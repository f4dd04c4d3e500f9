#include "isa/chip/node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace pimento::isa {
namespace {

constexpr std::size_t deepest = 16;
constexpr std::size_t largest = std::size_t{16} << 20;

Place place_of(const std::string& file, const YAML::Mark& mark) {
  if (mark.line < 0) return {file, 0, 0, ""};
  return {file, mark.line + 1, mark.column + 1, ""};
}

/// Builds the tree from the parser's events; `open_` holds the collections that have not ended.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::string file) : file_(std::move(file)) {}
  Node take() { return std::move(root_); }
  bool empty() const { return root_.kind == Node::Kind::nothing; }

  void OnDocumentStart(const YAML::Mark& mark) override { root_.place = place_of(file_, mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(mark, "", anchor, Node::Kind::nothing));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "an alias ('*name') is not accepted here; write the value");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(mark, tag, anchor, Node::Kind::scalar);
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(make(mark, tag, anchor, Node::Kind::sequence));
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(make(mark, tag, anchor, Node::Kind::mapping));
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    Node node;
    Node key;
    bool has_key = false;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) const {
    throw UserError(place_of(file_, mark), message);
  }
  Node make(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) const {
    if (anchor != 0) refuse(mark, "an anchor ('&name') is not accepted here");
    if (!tag.empty() && tag != "?" && tag != "!") refuse(mark, fmt::format("the tag '{}' is not accepted here", tag));
    Node node;
    node.kind = kind;
    node.place = place_of(file_, mark);
    return node;
  }
  void start(Node node) {
    if (open_.size() >= deepest) throw UserError(node.place, fmt::format("nested deeper than {} levels", deepest));
    open_.push_back({std::move(node), {}, false});
  }
  void end() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }
  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& top = open_.back();
    if (top.node.kind == Node::Kind::sequence) {
      top.node.items.push_back(std::move(node));
    } else if (!top.has_key) {
      if (node.kind != Node::Kind::scalar)
        throw UserError(node.place, fmt::format("expected a key, got {}", shown(node)));
      if (const Node* first = top.node.find(node.text))
        throw UserError(node.place,
                        fmt::format("duplicate key '{}', first given at line {}", node.text, first->place.line));
      top.key = std::move(node);
      top.has_key = true;
    } else {
      if (node.kind == Node::Kind::nothing) node.place = top.key.place;  // the parser notices it one token later
      top.node.entries.push_back({std::move(top.key), std::move(node)});
      top.has_key = false;
    }
  }

  std::string file_;
  Node root_;
  std::vector<Open> open_;
};

/// What the YAML library would accept silently or describe badly.
void check_bytes(std::string_view text, const std::string& file) {
  int line = 1;
  std::size_t start = 0;
  if (text.size() > largest) throw UserError(Place{file, 0, 0, ""}, "larger than 16 MiB");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const int column = static_cast<int>(i - start) + 1;
    if (c == '\n') {
      ++line;
      start = i + 1;
    } else if ((c < 0x20 && c != '\t' && c != '\r') || c == 0x7f) {
      throw UserError(Place{file, line, column, ""}, fmt::format("expected UTF-8 text, got byte 0x{:02x}", c));
    } else if (c == '\t' && text.substr(start, i - start).find_first_not_of(' ') == std::string_view::npos &&
               text.find_first_not_of(" \t", i) != std::string_view::npos &&
               std::string_view("\r\n").find(text[text.find_first_not_of(" \t", i)]) == std::string_view::npos) {
      throw UserError(Place{file, line, column, ""}, "expected spaces as indentation, got a tab");
    }
  }
}

}  // namespace

const Node* Node::find(const std::string& key) const {
  for (const auto& [name, value] : entries)
    if (name.text == key) return &value;
  return nullptr;
}

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::nothing:
      return "nothing";
    case Node::Kind::scalar:
      return node.text.size() <= 60 ? "'" + node.text + "'" : "'" + node.text.substr(0, 57) + "...'";
    case Node::Kind::sequence:
      return "a sequence";
    case Node::Kind::mapping:
      return "a mapping";
  }
  return "";
}

Node parse_yaml(const std::string& text, const std::string& file_name, const std::string& what) {
  std::string_view bytes = text;
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  check_bytes(bytes, file_name);
  Builder builder(file_name);
  try {
    std::istringstream stream{std::string(bytes)};
    stream.exceptions(std::ios::badbit);  // else a failing allocation looks like the end
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || builder.empty())
      throw UserError(Place{file_name, 0, 0, ""}, fmt::format("empty, expected {}", what));
    Node root = builder.take();
    Builder second(file_name);
    if (parser.HandleNextDocument(second))
      throw UserError(second.take().place, "expected one document, got a second one");
    return root;
  } catch (const YAML::Exception& error) {
    throw UserError(place_of(file_name, error.mark), "not readable as YAML: " + error.msg);
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (byte < 0x20)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + "\"";
}

}  // namespace pimento::isa
