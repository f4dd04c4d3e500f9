#include <doctest/doctest.h>

#include "isa/chip/chip_for_tests.hpp"
#include "isa/chip/node.hpp"

using namespace pimento;
using namespace pimento::isa;
namespace {
std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}
}  // namespace

TEST_CASE("yaml: do Windows line ends, a byte-order mark and blank lines load the same chip?") {
  std::string windows = "\xef\xbb\xbf";
  for (const char c : least_chip) windows += c == '\n' ? std::string("\r\n\r\n") : std::string(1, c);
  CHECK(parse_chip(windows, "c.yaml").yaml == parse_chip(least_chip, "c.yaml").yaml);
  CHECK(parse_chip(least_chip + "\n \t\n# end\t\n", "c.yaml").yaml == parse_chip(least_chip, "c.yaml").yaml);
}

TEST_CASE("yaml: is the place right after a byte-order mark and Windows line ends?") {
  CHECK(complaint("\xef\xbb\xbf\r\nnme: x\r\n") == "c.yaml:2:1: unknown key 'nme' at top level; nearest: 'name'");
}

TEST_CASE("yaml: what do texts that are no chip answer?") {
  CHECK(complaint("") == "c.yaml: empty, expected a chip description");
  CHECK(complaint("\n\n# nothing\n") == "c.yaml: empty, expected a chip description");
  CHECK(complaint("\xef\xbb\xbf") == "c.yaml: empty, expected a chip description");
  CHECK(complaint("~\n") == "c.yaml: empty, expected a chip description");
  CHECK(complaint(changed("  crossbars: 8", "\tcrossbars: 8")) ==
        "c.yaml:6:1: expected spaces as indentation, got a tab");
  CHECK(complaint(std::string("name: a\0b", 9)) == "c.yaml:1:8: expected UTF-8 text, got byte 0x00");
  CHECK(complaint(std::string("\xff\xfen\0a\0", 6)) == "c.yaml:1:4: expected UTF-8 text, got byte 0x00");
  CHECK(complaint(least_chip + "---\nname: second\n") == "c.yaml:27:1: expected one document, got a second one");
}

TEST_CASE("yaml: what do duplicates, anchors, aliases and tags answer?") {
  CHECK(complaint(changed("    cols: 64", "    rows: 64\n    cols: 64")) ==
        "c.yaml:11:5: duplicate key 'rows', first given at line 10");
  CHECK(complaint("core: {}\nname: x\ncore: {}\n") == "c.yaml:3:1: duplicate key 'core', first given at line 1");
  CHECK(complaint(changed("rows: 128", "rows: &r 128")) == "c.yaml:10:11: an anchor ('&name') is not accepted here");
  CHECK(complaint(changed("rows: 128", "rows: *r")) ==
        "c.yaml:10:11: not readable as YAML: the referenced anchor is not defined");
  CHECK(complaint(changed("rows: 128", "rows: !!int 128")) ==
        "c.yaml:10:11: the tag 'tag:yaml.org,2002:int' is not accepted here");
}

TEST_CASE("yaml: does broken or hostile text end in one error with a place?") {
  CHECK(complaint(changed("rows: 128", "rows: [128")).starts_with("c.yaml:11:"));
  CHECK(complaint("name: \"open\n").starts_with("c.yaml:"));
  CHECK(complaint("name: x: y\n").starts_with("c.yaml:1:8: not readable as YAML: "));
  CHECK(complaint("%YAML 9.9\n---\nname: x\n").starts_with("c.yaml:"));
  CHECK(complaint(repeated("[", 17) + repeated("]", 17)) == "c.yaml:1:17: nested deeper than 16 levels");
  CHECK(complaint(repeated("[", 100'000)).ends_with(": nested deeper than 16 levels"));
  CHECK(complaint(repeated("{a: ", 100'000)).ends_with(": nested deeper than 16 levels"));
  CHECK(complaint(repeated("x", 17 << 20)) == "c.yaml: larger than 16 MiB");
  CHECK(complaint(": \n- :\n?").starts_with("c.yaml:"));
}

TEST_CASE("yaml: is every prefix and a change of every byte of a chip refused cleanly or loaded?") {
  const std::string bytes("\0\t\n :-[]{}#&*!|>'\"%@`,?~\x80\xff", 26);
  int loaded = 0;
  for (std::size_t i = 0; i < least_chip.size(); ++i) {
    complaint(least_chip.substr(0, i));    // any exception but UserError fails the test
    for (std::size_t k = 0; k < 6; ++k) {  // six of them at each position, in turn
      std::string text = least_chip;
      text[i] = bytes[(6 * i + k) % bytes.size()];
      loaded += complaint(text).empty() ? 1 : 0;
    }
  }
  CHECK(loaded > 0);
}

TEST_CASE("yaml: does a quoted text read back to the same bytes?") {
  std::string all;
  for (int c = 1; c < 127; ++c) all += static_cast<char>(c);
  const std::string text = "a: " + quoted(all + "\xc3\xa9") + "\n";
  CHECK(parse_yaml(text, "f", "x").find("a")->text == all + "\xc3\xa9");
}
