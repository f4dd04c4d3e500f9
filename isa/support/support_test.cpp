#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "isa/support/error.hpp"
#include "isa/support/failing_disk.hpp"
#include "isa/support/file.hpp"
#include "isa/support/hash.hpp"
#include "isa/support/quantity.hpp"

using namespace pimento;
namespace {

std::string scratch(const std::string& name) {
  const auto folder = std::filesystem::temp_directory_path() / ("pimento_support_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}
std::string error_of(const char* text, Dimension dimension) { return parse_quantity(text, dimension).error; }

}  // namespace

TEST_CASE("quantity: are units exact?") {
  CHECK(parse_quantity("30 ns", Dimension::time).whole == 30'000'000);
  CHECK(parse_quantity("1.5ps", Dimension::time).whole == 1'500);
  CHECK(parse_quantity("64 KiB", Dimension::bytes).whole == 65'536);
  CHECK(parse_quantity("1.5 KiB", Dimension::bytes).whole == 1'536);
  CHECK(parse_quantity("1 cycle", Dimension::cycles).whole == 1);
  CHECK(parse_quantity("1 GHz", Dimension::clock).whole == 1'000'000);
  CHECK(parse_quantity("1.28 GHz", Dimension::clock).whole == 781'250);
  CHECK(parse_quantity("3 GHz", Dimension::clock).whole == 333'333);    // 333333.3 rounds down
  CHECK(parse_quantity("1.5 GHz", Dimension::clock).whole == 666'667);  // 666666.6 rounds up
  CHECK(parse_quantity("1e3", Dimension::count).whole == 1000);
  CHECK(parse_quantity("-7", Dimension::count).whole == -7);
  CHECK(parse_quantity("43.97 nJ", Dimension::energy).real == 43970.0);
  CHECK(parse_quantity("0.3906 pJ", Dimension::energy).real == 0.3906);
  CHECK(parse_quantity("2 W", Dimension::power).real == 2000.0);
  CHECK(parse_quantity("0 pJ", Dimension::energy).real == 0.0);
}

TEST_CASE("quantity: what does each wrong text answer?") {
  CHECK(error_of("30", Dimension::time) ==
        "expected a time with unit (fs, ps, ns, us, ms, s), got '30', which has no unit");
  CHECK(error_of("30 Ns", Dimension::time) ==
        "expected a time with unit (fs, ps, ns, us, ms, s), got '30 Ns'; nearest unit: 'ns'");
  CHECK(error_of("64 KB", Dimension::bytes) ==
        "expected a size with unit (B, KiB, MiB, GiB, TiB), got '64 KB'; nearest unit: 'KiB'");
  CHECK(error_of("0.3 fs", Dimension::time) ==
        "expected a time with unit (fs, ps, ns, us, ms, s), got '0.3 fs', which is not a whole number of fs");
  CHECK(error_of("9999999999 s", Dimension::time) ==
        "expected a time with unit (fs, ps, ns, us, ms, s), got '9999999999 s', which is too large");
  CHECK(error_of("99999999999999999999999999", Dimension::count) ==
        "expected a whole number without unit, got '99999999999999999999999999'");
  CHECK(error_of("1e30", Dimension::count) == "expected a whole number without unit, got '1e30', which is too large");
  CHECK(error_of("1e999 pJ", Dimension::energy) ==
        "expected an energy with unit (fJ, pJ, nJ, uJ, mJ, J), got '1e999 pJ'");
  CHECK(error_of("1.5", Dimension::count) == "expected a whole number without unit, got '1.5', which is not whole");
  CHECK(error_of("3 rows", Dimension::count) == "expected a whole number without unit, got '3 rows'");
  CHECK(error_of("nan pJ", Dimension::energy) == "expected an energy with unit (fJ, pJ, nJ, uJ, mJ, J), got 'nan pJ'");
  CHECK(error_of("0 GHz", Dimension::clock) ==
        "expected a frequency (Hz, kHz, MHz, GHz) or a period (fs, ps, ns, us), got '0 GHz', whose period is out of "
        "range");
  CHECK(error_of("", Dimension::cycles) == "expected a number of cycles ('10 cycles'), got ''");
}

TEST_CASE("quantity: is what no double holds refused in every unit, rather than taken as 0?") {
  for (const Dimension d :
       {Dimension::energy, Dimension::power, Dimension::area, Dimension::voltage, Dimension::ratio}) {
    const std::string unit = d == Dimension::energy    ? " J"
                             : d == Dimension::power   ? " W"
                             : d == Dimension::area    ? " cm2"
                             : d == Dimension::voltage ? " V"
                                                       : "";
    for (const char* number : {"1e400", "1e320", "1e309", "-1e400"}) {
      CAPTURE(number + unit);
      CHECK(error_of((number + unit).c_str(), d).ends_with(", which is too large"));
    }
    for (const char* number : {"1e-400", "-1e-400", "0.00001e-395"}) {
      CAPTURE(number + unit);
      CHECK(error_of((number + unit).c_str(), d).ends_with(", which is too small"));
    }
    CHECK(parse_quantity("0e-400" + unit, d).ok());
  }
  CHECK(error_of("1e297 J", Dimension::energy).ends_with(", which is too large"));  // 1e309 pJ
  CHECK(parse_quantity("1e-310", Dimension::ratio).real == 1e-310);                 // subnormal, but there
}

TEST_CASE("quantity: does the canonical text read back?") {
  for (const std::int64_t fs :
       {0LL, 1LL, 999LL, 1'000LL, 30'000'000LL, 781'250LL, 333'333LL, 5'000'000'000'000'000LL}) {
    for (const Dimension d :
         {Dimension::time, Dimension::clock, Dimension::bytes, Dimension::cycles, Dimension::count}) {
      CAPTURE(format_quantity(fs, d));
      const Quantity q = parse_quantity(format_quantity(fs, d), d);
      CHECK(q.whole == (q.ok() ? fs : -1));
    }
  }
  for (const double pj : {0.0, 0.1, 1.5625, 43970.0, 1e-9, 3.3e20, 1.0 / 3.0})
    CHECK(parse_quantity(format_quantity(pj, Dimension::energy), Dimension::energy).real == pj);
  CHECK(format_quantity(std::int64_t{30'000'000}, Dimension::time) == "30 ns");
  CHECK(format_quantity(std::int64_t{65'536}, Dimension::bytes) == "64 KiB");
  CHECK(format_quantity(1.67, Dimension::energy) == "1.67 pJ");
}

TEST_CASE("hash: does the value depend on how the bytes are cut?") {
  const std::string text = "core.crossbar.rows=128\ncore.crossbar.cols=128\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Hasher hasher;
    hasher.add(text.substr(0, cut)).add(text.substr(cut));
    CHECK(hasher.value() == hash64(text));
    CHECK(hasher.hex128() == hash128_hex(text));
  }
  CHECK(hash64("") != hash64("a"));
  CHECK(hex(0xabcU) == "0000000000000abc");
}

TEST_CASE("file: does a failed write leave nothing behind, whichever operation fails?") {
  int n = 1;
  for (;; ++n) {
    FailingDisk disk(n);
    const std::string message = message_of([&] {
      write_atomically(
          "a.pim",
          [](Output& out) {
            for (int i = 0; i < 3; ++i) out.write(std::string(200'000, 'x'));
          },
          disk);
    });
    CHECK(disk.still_open() == 0);
    if (!disk.has_failed()) {
      CHECK(disk.files().at("a.pim") == std::string(600'000, 'x'));
      CHECK(disk.files().size() == 1);
      break;
    }
    CAPTURE(n);
    CHECK(message.starts_with("a.pim: write failed at byte "));
    CHECK(message.ends_with(": No space left on device"));
    CHECK(disk.files().empty());
  }
  CHECK(n == 8);  // resolve, open, two writes, sync, close, rename can fail; the eighth run succeeds
}

TEST_CASE("file: is the old content kept when the writer itself fails?") {
  const std::string path = scratch("kept.txt");
  write_atomically(path, "old");
  CHECK_THROWS_AS(write_atomically(path,
                                   [](Output& out) {
                                     out.write("new");
                                     throw Negative("no");
                                   }),
                  Negative);
  CHECK(read_file(path) == "old");
  int entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()))
    entries += entry.path().string().starts_with(path) ? 1 : 0;
  CHECK(entries == 1);
}

TEST_CASE("file: are links followed and devices written in place?") {
  const std::string path = scratch("target.txt"), link = scratch("link.txt");
  write_atomically(path, "one");
  std::filesystem::remove(link);
  std::filesystem::create_symlink(path, link);
  write_atomically(link, "two");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(path) == "two");
  write_atomically("/dev/null", "gone");
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("file: what do unreadable files answer?") {
  const std::string absent = scratch("absent"), folder = scratch("folder");
  std::filesystem::create_directories(folder);
  CHECK(message_of([&] { read_file(absent); }) == absent + ": cannot read: No such file or directory");
  CHECK(message_of([&] { MappedFile{absent}; }) == absent + ": cannot read: No such file or directory");
  CHECK(message_of([&] { read_file(folder); }) == folder + ": cannot read: Is a directory");
  CHECK(message_of([&] { MappedFile{folder}; }) == folder + ": cannot read: Is a directory");
  CHECK(message_of([&] { write_atomically(folder, "x"); }) == folder + ": write failed at byte 0: Is a directory");
}

TEST_CASE("file: does a mapping show the bytes, also of an empty file, and survive a move?") {
  const std::string path = scratch("mapped.bin");
  write_atomically(path, [](Output& out) {
    out.put(std::uint32_t{0x04030201});
    out.align(8);
    out.write("tail");
  });
  MappedFile file(path);
  CHECK(file.text() == std::string_view("\1\2\3\4\0\0\0\0tail", 12));
  const MappedFile moved = std::move(file);
  CHECK(moved.size() == 12);
  write_atomically(path, "");
  CHECK(MappedFile(path).size() == 0);
  CHECK(moved.size() == 12);
}

TEST_CASE("nearest: is what is offered near, whatever its capitals, and is each known name said once?") {
  const std::vector<std::string> commands{"run", "zoo", "docs", "compile", "Cos", "Relu"};
  CHECK(nearest("RUN", commands) == "run");
  CHECK(nearest("rnu", commands) == "run");
  CHECK(nearest("dosc", commands) == "docs");
  CHECK(nearest("Rleu", commands) == "Relu");
  CHECK(nearest("relu", commands) == "Relu");
  CHECK(nearest("comiple", commands) == "compile");
  CHECK(nearest("cmpil", commands).empty());  // two letters of five missing
  CHECK(nearest("foo", commands).empty());
  CHECK(nearest("Foo", commands).empty());
  CHECK(nearest("", commands).empty());
  CHECK(nearest("--rn", {"--run"}) == "--run");
  CHECK(nearest("--o", {"-o"}) == "-o");
  CHECK(nearest("b", {"B", "b"}) == "b");
  CHECK(suggestion("foo", {"a", "b", "a", "a"}) == "; known: a, b");
}
