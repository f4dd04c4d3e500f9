#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "isa/program/contents.hpp"
#include "isa/support/file.hpp"
#include "isa/support/hash.hpp"

namespace pimento::isa {

std::uint64_t directory_checksum(FileHeader header, const Directory& directory) {
  header.checksum = 0;
  return Hasher().add(&header, sizeof header).add(&directory, sizeof directory).value();
}

namespace {
/// Pieces of one section, each at a multiple of 64. What is shared in memory is stored once; instructions are not
/// shared, so that a byte can be told from a core.
struct Pieces {
  struct Piece {
    const void* data;
    std::uint64_t bytes;
  };
  std::uint64_t bytes = 0;
  std::vector<Piece> pieces;
  std::map<std::pair<const void*, std::uint64_t>, std::uint64_t> known;  // looked up only, never walked

  std::uint64_t append(const void* data, std::uint64_t size) {
    if (size == 0) return 0;
    const std::uint64_t begin = aligned(bytes);
    bytes = begin + size;
    pieces.push_back({data, size});
    return begin;
  }
  std::uint64_t share(const void* data, std::uint64_t size) {
    if (const auto found = known.find({data, size}); found != known.end()) return found->second;
    return known[{data, size}] = append(data, size);
  }
  /// Calls sink(data, size) over the section's bytes, gaps included.
  template <class Sink>
  void each(Sink sink) const {
    constexpr std::array<char, section_alignment> zeros{};
    std::uint64_t at = 0;
    for (const Piece& piece : pieces) {
      const std::uint64_t begin = aligned(at);
      sink(zeros.data(), begin - at);
      sink(piece.data, piece.bytes);
      at = begin + piece.bytes;
    }
  }
};

class Writer {
 public:
  template <class T>
  void number(std::string_view, const T& value) {
    append(&value, sizeof value);
  }
  template <class E>
  void choice(std::string_view, const E& value, int) {
    append(&value, sizeof value);
  }
  void text(std::string_view, const std::string& value) {
    number("", static_cast<std::uint64_t>(value.size()));
    append(value.data(), value.size());
  }
  template <class T, class F>
  void list(std::string_view, const std::vector<T>& values, F each) {
    number("", static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) each(value);
  }
  template <class T>
  void piece(std::string_view, const Blob<T>& blob, Section section) {
    Pieces& pieces = sections[static_cast<std::size_t>(section)];
    number("", section == Section::instructions ? pieces.append(blob.data.data(), blob.data.size_bytes())
                                                : pieces.share(blob.data.data(), blob.data.size_bytes()));
    number("", static_cast<std::uint64_t>(blob.data.size_bytes()));
  }

  std::array<Pieces, section_count> sections{};
  std::string bytes;

 private:
  void append(const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); }
};
}  // namespace

std::uint32_t node_of(const CoreProgram& core, std::uint32_t instruction) {
  const auto after = std::upper_bound(core.nodes.begin(), core.nodes.end(), instruction,
                                      [](std::uint32_t i, const NodeRange& range) { return i < range.begin; });
  if (after == core.nodes.begin() || instruction >= std::prev(after)->end) return no_node;
  return std::prev(after)->node;
}

Bytes global_memory_extent(const Program& program) {
  Bytes end = program.global_memory_used;
  for (const auto* ports : {&program.inputs, &program.outputs})
    for (const Port& port : *ports) end = std::max(end, port.address + port.bytes());
  for (const GlobalConstant& c : program.global_constants)
    end = std::max(end, c.address + static_cast<Bytes>(c.bytes.size()));
  return end;
}

Bytes Port::bytes() const {
  Bytes elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements * size_of(type);
}

void write_program(const Program& program, const std::string& path) { write_program(program, path, real_disk()); }

void write_program(const Program& program, const std::string& path, Disk& disk) {
  Writer writer;
  describe(writer, program);
  writer.sections[static_cast<std::size_t>(Section::contents)].append(writer.bytes.data(), writer.bytes.size());
  FileHeader header;
  header.version = format_version_of(program.images);
  header.images = program.images == 1 ? 0 : static_cast<std::uint64_t>(program.images);
  Directory directory{};
  std::uint64_t at = first_section;
  for (std::size_t s = 0; s < section_count; ++s) {
    const Pieces& section = writer.sections[s];
    Hasher hasher;
    section.each([&](const void* data, std::uint64_t size) { hasher.add(data, size); });
    directory[s] = {static_cast<std::uint32_t>(s), 0, at, section.bytes, hasher.value()};
    at = s + 1 == section_count ? at + section.bytes : aligned(at + section.bytes);
  }
  header.file_bytes = at;
  header.checksum = directory_checksum(header, directory);
  write_atomically(
      path,
      [&](Output& out) {
        out.write(&header, sizeof header);
        out.write(&directory, sizeof directory);
        for (const Pieces& section : writer.sections) {
          out.align(section_alignment);
          section.each([&](const void* data, std::uint64_t size) { out.write(data, size); });
        }
      },
      disk);
}

}  // namespace pimento::isa
