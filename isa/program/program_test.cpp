#include "isa/program/program.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "isa/program/layout.hpp"
#include "isa/program/small_program.hpp"
#include "isa/support/error.hpp"
#include "isa/support/failing_disk.hpp"
#include "isa/support/hash.hpp"

using namespace pimento;
using namespace pimento::isa;

namespace {
namespace fs = std::filesystem;

/// A folder of its own that goes away.
struct Scratch {
  fs::path folder = fs::temp_directory_path() / ("pimento-program-test-" + std::to_string(::getpid()));
  Scratch() { fs::create_directories(folder); }
  ~Scratch() { fs::remove_all(folder); }
  std::string file(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }
};

std::string written(const Program& program) {
  FailingDisk disk(0);
  write_program(program, "a.pim", disk);
  return disk.files().at("a.pim");
}
Program read_bytes(const std::string& bytes) {
  auto owner = std::make_shared<const std::vector<char>>(bytes.begin(), bytes.end());
  return read_program(std::as_bytes(std::span(*owner)), owner, "a.pim");
}
std::string refusal(const std::string& bytes) {
  try {
    read_bytes(bytes);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
/// The same file with header, directory and section checksums made right again after a change.
std::string resealed(std::string bytes) {
  FileHeader header;
  Directory directory;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(&directory, bytes.data() + sizeof header, sizeof directory);
  for (DirectoryEntry& entry : directory)
    if (entry.offset <= bytes.size() && entry.bytes <= bytes.size() - entry.offset)
      entry.hash = hash64(bytes.data() + entry.offset, entry.bytes);
  header.checksum = directory_checksum(header, directory);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &directory, sizeof directory);
  return bytes;
}
template <class T>
std::string with(std::string bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}
DirectoryEntry entry_of(const std::string& bytes, Section section) {
  DirectoryEntry entry;
  std::memcpy(&entry, bytes.data() + sizeof(FileHeader) + static_cast<std::size_t>(section) * sizeof entry,
              sizeof entry);
  return entry;
}
}  // namespace

TEST_CASE("program: does what is written come back, and does writing it again give the same bytes?") {
  const Scratch scratch;
  const std::string bytes = written(small_program(load_chip("tiny-4")));
  const Program back = read_program(scratch.write("a.pim", bytes));
  CHECK(written(back) == bytes);
  CHECK(back.nodes[0] == "conv \"1\"");
  CHECK(back.cores[0].instructions.size() == 9);
  CHECK(print(back.cores[0].instructions.data[4]) == "mvm [A2]:i32, [A1]:u8, len 4, group 0");
  CHECK(back.tiles[1].real.data[31] == 31.0F / 3.0F);
  CHECK(back.global_constants[0].bytes.data[7] == 8);
  CHECK(back.inputs[0].bytes() == 12);
  CHECK(back.outputs[0].scale == 0.25);
}

TEST_CASE("program: do instructions and weights live in the mapped file, as long as somebody holds them?") {
  const Scratch scratch;
  Blob<Instruction> held;
  {
    const Program back = read_program(scratch.write("a.pim", written(small_program(load_chip("tiny-4")))));
    held = back.cores[0].instructions;
    CHECK(held.owner == back.tiles[0].weights.owner);
    CHECK(back.tiles[0].weights.data.data() == back.tiles[1].weights.data.data());  // shared in memory, stored once
  }
  CHECK(print(held.data[8]) == "halt");
  CHECK(reinterpret_cast<std::uintptr_t>(held.data.data()) % 64 == 0);
}

TEST_CASE("program: is an absent file, an empty one and a folder refused?") {
  const Scratch scratch;
  const auto said = [&](const std::string& path) {
    try {
      read_program(path);
    } catch (const UserError& e) {
      return std::string(e.what()).substr(scratch.folder.string().size() + 1);
    }
    return std::string("accepted");
  };
  CHECK(said(scratch.file("none.pim")) == "none.pim: cannot read: No such file or directory");
  CHECK(said(scratch.write("empty.pim", "")) == "empty.pim: section 'header' (byte 0x0): the file is empty");
  CHECK(said(scratch.write("short.pim", "PIMENTO")) ==
        "short.pim: section 'header' (byte 0x7): the file ends after 7 bytes, header and directory take 192");
  CHECK(said(scratch.folder.string() + "/").find("annot read") != std::string::npos);
}

TEST_CASE("program: is every truncation refused, and the last byte named?") {
  const std::string bytes = written(small_program(load_chip("tiny-4")));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string text = refusal(bytes.substr(0, size));
    CHECK_MESSAGE(text.starts_with("a.pim: section '"), text);
  }
  CHECK(refusal("") == "a.pim: section 'header' (byte 0x0): the file is empty");
  CHECK(refusal(bytes.substr(0, 100)) ==
        "a.pim: section 'header' (byte 0x64): the file ends after 100 bytes, header and directory take 192");
  CHECK(refusal(bytes.substr(0, 300)) ==
        "a.pim: section 'header' (byte 0x18): expected a file of " + std::to_string(bytes.size()) + " bytes, got 300");
}

TEST_CASE("program: is a flipped bit in any byte noticed?") {
  const std::string bytes = written(small_program(load_chip("tiny-4")));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    const std::string text = refusal(changed);
    CHECK_MESSAGE(text.starts_with("a.pim: section '"), "byte " << at << ": " << text);
  }
}

TEST_CASE("program: does a hostile byte under valid checksums stay without harm?") {
  const Chip chip = load_chip("tiny-4");
  const std::string bytes = written(small_program(chip));
  int accepted = 0, refused = 0;
  for (std::size_t at = sizeof(FileHeader); at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        const Program program = read_bytes(resealed(changed));
        for (const CoreProgram& core : program.cores)
          for (const Instruction& i : core.instructions.data) CHECK_FALSE(print(i).empty());
        verify_program(program, chip, "a.pim");
        ++accepted;
      } catch (const UserError&) {
        ++refused;
      }
    }
  }
  CHECK(accepted > 100);  // weights, names and the like may hold anything
  CHECK(refused > 1000);
}

TEST_CASE("program: what does each kind of broken file say?") {
  const std::string bytes = written(small_program(load_chip("tiny-4")));
  CHECK(refusal("{\"a\": 1}") == "a.pim: section 'header' (byte 0x0): this is not a Pimento program");
  CHECK(refusal(with(bytes, 8, std::uint32_t{7})) ==
        "a.pim: section 'header' (byte 0x8): program format 7, this build reads formats 1 and 2; compile the model "
        "again");
  CHECK(
      refusal(with(bytes, 8, std::uint32_t{2})) ==
      "a.pim: section 'header' (byte 0x8): program format 2 with 1 image, expected format 1; compile the model again");
  CHECK(
      refusal(with(bytes, offsetof(FileHeader, images), std::uint64_t{3})) ==
      "a.pim: section 'header' (byte 0x8): program format 1 with 3 images, expected format 2; compile the model again");
  CHECK(refusal(with(bytes, 12, std::uint32_t{5})) == "a.pim: section 'header' (byte 0xc): expected 4 sections, got 5");
  CHECK(refusal(with(bytes, 16, std::uint64_t{5})) ==
        "a.pim: section 'header' (byte 0x10): checksum of header and directory does not match");
  CHECK(refusal(with(bytes, 200, char{77})) ==
        "a.pim: section 'instructions' (byte 0xc0): checksum of its 832 bytes does not match the directory");
  // the directory's second entry stands at 64 + 32: kind, reserved, offset (+8), bytes (+16)
  CHECK(refusal(resealed(with(bytes, 96, std::uint32_t{9}))) ==
        "a.pim: section 'directory' (byte 0x60): section 'data': expected kind 1, got 9");
  CHECK(refusal(resealed(with(bytes, 104, std::uint64_t{256}))) ==
        "a.pim: section 'directory' (byte 0x60): section 'data': begins at byte 0x100, before the end of what stands "
        "before it, byte 0x400");
  CHECK(refusal(resealed(with(bytes, 104, std::uint64_t{1025}))) ==
        "a.pim: section 'directory' (byte 0x60): section 'data': begins at byte 0x401, which is no multiple of 64");
  CHECK(refusal(resealed(with(bytes, 104, std::uint64_t{1088}))) ==
        "a.pim: section 'directory' (byte 0x60): section 'data': expected to begin at byte 0x400, got 0x440");
  CHECK(refusal(resealed(with(bytes, 112, ~std::uint64_t{0})))
            .ends_with("end outside the file of " + std::to_string(bytes.size()) + " bytes"));
  const DirectoryEntry contents = entry_of(bytes, Section::contents);
  // the first word of the contents is the length of the producer's name
  CHECK(refusal(resealed(with(bytes, contents.offset, std::uint64_t{1} << 40))) ==
        "a.pim: section 'contents' (byte 0x" +
            hex(contents.offset).substr(hex(contents.offset).find_first_not_of('0')) +
            "): producer: expected 1099511627776 entries, " + std::to_string(contents.bytes - 8) + " bytes are left");
}

TEST_CASE("program: what do contents say that point to the wrong place?") {
  const std::string bytes = written(small_program(load_chip("tiny-4")));
  const DirectoryEntry contents = entry_of(bytes, Section::contents);
  const auto said = [&](std::size_t at, const auto& value) {
    const std::string text = refusal(resealed(with(bytes, at, value)));
    return text.substr(text.find("): ") + 3);
  };
  // three texts of 8 bytes of length each: 'pimento test', 'small.onnx', 16 digits
  const std::size_t numerics = contents.offset + 8 + 12 + 8 + 10 + 8 + 16;
  CHECK(said(numerics, std::uint8_t{9}) == "numerics: expected a code below 3, got 9");
  // core 0's instructions: offset 0, 9 records of 64 bytes
  const std::array<std::uint64_t, 2> piece{0, 576};
  const std::size_t at =
      bytes.find(std::string(reinterpret_cast<const char*>(piece.data()), sizeof piece), contents.offset);
  REQUIRE(at != std::string::npos);
  CHECK(said(at + 8, std::uint64_t{577}) == "instructions: 577 bytes at 0x0 are no whole elements of 64 bytes");
  CHECK(said(at, std::uint64_t{32}) == "instructions: 576 bytes at 0x20 are no whole elements of 64 bytes");
  CHECK(said(at, std::uint64_t{4096}) == "instructions: 576 bytes at 0x1000 of section 'instructions', which has 832");
  CHECK(said(at + 8, std::uint64_t{64}) == "core 1: expected to begin at byte 0x100, got 0x300");
  CHECK(said(at, std::uint64_t{64}) == "core 0: expected to begin at byte 0xc0, got 0x100");
  // eight bytes more in the section than its fields take
  std::string longer =
      with(bytes + std::string(8, '\0'), sizeof(FileHeader) + 3 * sizeof(DirectoryEntry) + 16, contents.bytes + 8);
  longer = with(longer, 24, std::uint64_t{longer.size()});
  CHECK(refusal(resealed(longer)).ends_with("8 bytes are left over"));
  // between the sections 'data' and 'shadows' there are zeros
  const DirectoryEntry data = entry_of(bytes, Section::data);
  CHECK(refusal(with(bytes, data.offset + data.bytes, char{1})).ends_with("expected zeros before the section"));
}

TEST_CASE("program: does a failed write leave nothing behind?") {
  const Program program = small_program(load_chip("tiny-4"));
  for (int n = 1;; ++n) {
    FailingDisk disk(n);
    std::string text;
    try {
      write_program(program, "a.pim", disk);
    } catch (const UserError& e) {
      text = e.what();
    }
    if (!disk.has_failed()) {
      CHECK(text.empty());
      CHECK(disk.exists("a.pim"));
      CHECK(n > 3);
      break;
    }
    CHECK(text.starts_with("a.pim: "));
    CHECK_FALSE(disk.exists("a.pim"));
  }
}
