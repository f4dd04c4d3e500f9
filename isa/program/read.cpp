// Reading trusts no byte: every place and count is checked against what is there before it is used, so a hostile file
// gives one UserError that names section and byte. What the instructions say is verify_program's question.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "isa/program/contents.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"
#include "isa/support/hash.hpp"

namespace pimento::isa {
namespace {
[[noreturn]] void refuse(const std::string& file, std::string_view section, std::uint64_t byte,
                         const std::string& message) {
  throw UserError(
      {.file = file, .line = 0, .column = 0, .node = fmt::format("section '{}' (byte 0x{:x})", section, byte)},
      message);
}

struct OpenFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string name;
  Directory directory{};
  std::uint64_t images = 0;
  const std::byte* at(std::uint64_t offset) const { return bytes.data() + offset; }
};

template <class T>
T copy(const std::byte* from) {
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  return value;
}

void check_gap(const OpenFile& file, std::string_view section, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t at = begin; at < end; ++at)
    if (*file.at(at) != std::byte{0}) refuse(file.name, section, at, "expected zeros before the section");
}

void check_directory(const OpenFile& file, std::uint64_t file_bytes) {
  std::uint64_t end = first_section;
  for (std::size_t s = 0; s < section_count; ++s) {
    const DirectoryEntry& entry = file.directory[s];
    const std::string_view name = to_string(static_cast<Section>(s));
    const std::uint64_t byte = sizeof(FileHeader) + s * sizeof(DirectoryEntry);
    const auto fault = [&](const std::string& message) {
      refuse(file.name, "directory", byte, fmt::format("section '{}': {}", name, message));
    };
    if (entry.kind != s || entry.reserved != 0) fault(fmt::format("expected kind {}, got {}", s, entry.kind));
    if (entry.offset % section_alignment != 0)
      fault(fmt::format("begins at byte 0x{:x}, which is no multiple of {}", entry.offset, section_alignment));
    if (entry.offset < end)
      fault(fmt::format("begins at byte 0x{:x}, before the end of what stands before it, byte 0x{:x}", entry.offset,
                        end));
    if (entry.offset > file_bytes || entry.bytes > file_bytes - entry.offset)
      fault(fmt::format("{} bytes at byte 0x{:x} end outside the file of {} bytes", entry.bytes, entry.offset,
                        file_bytes));
    if (entry.offset != aligned(end))
      fault(fmt::format("expected to begin at byte 0x{:x}, got 0x{:x}", aligned(end), entry.offset));
    check_gap(file, name, end, entry.offset);
    if (hash64(file.at(entry.offset), entry.bytes) != entry.hash)
      refuse(file.name, name, entry.offset,
             fmt::format("checksum of its {} bytes does not match the directory", entry.bytes));
    end = entry.offset + entry.bytes;
  }
  if (end != file_bytes)
    refuse(file.name, "file", end, fmt::format("{} bytes follow the last section", file_bytes - end));
}

OpenFile open(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& path) {
  PIMENTO_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) == 0,
                "program bytes are not aligned");
  OpenFile file{bytes, std::move(owner), path};
  const std::uint64_t size = bytes.size();
  const FileHeader wanted;
  const std::uint64_t magic_bytes = std::min<std::uint64_t>(size, wanted.magic.size());
  if (size == 0) refuse(path, "header", 0, "the file is empty");
  if (std::memcmp(bytes.data(), wanted.magic.data(), magic_bytes) != 0)
    refuse(path, "header", 0, "this is not a Pimento program");
  if (size < first_section)
    refuse(path, "header", size,
           fmt::format("the file ends after {} bytes, header and directory take {}", size, first_section));
  const auto header = copy<FileHeader>(file.at(0));
  if (header.version != program_format_version && header.version != stream_format_version)
    refuse(path, "header", offsetof(FileHeader, version),
           fmt::format("program format {}, this build reads formats {} and {}; compile the model again", header.version,
                       program_format_version, stream_format_version));
  if (header.sections != section_count)
    refuse(path, "header", offsetof(FileHeader, sections),
           fmt::format("expected {} sections, got {}", section_count, header.sections));
  file.directory = copy<Directory>(file.at(sizeof(FileHeader)));
  file.images = header.images;
  if (const auto expected = format_version_of(header.images == 0 ? 1 : static_cast<std::int64_t>(header.images));
      header.version != expected)
    refuse(
        path, "header", offsetof(FileHeader, version),
        fmt::format("program format {} with {}, expected format {}; compile the model again", header.version,
                    counted(static_cast<std::int64_t>(std::max<std::uint64_t>(1, header.images)), "image"), expected));
  if (directory_checksum(header, file.directory) != header.checksum)
    refuse(path, "header", offsetof(FileHeader, checksum), "checksum of header and directory does not match");
  if (header.file_bytes != size)
    refuse(path, "header", offsetof(FileHeader, file_bytes),
           fmt::format("expected a file of {} bytes, got {}", header.file_bytes, size));
  check_directory(file, size);
  return file;
}

class Reader {
 public:
  explicit Reader(const OpenFile& file)
      : file_(file),
        begin_(entry(Section::contents).offset),
        at_(begin_),
        end_(begin_ + entry(Section::contents).bytes) {}

  template <class T>
  void number(std::string_view what, T& value) {
    static_assert(std::is_arithmetic_v<T>);
    value = copy<T>(take(what, sizeof(T)));
  }
  template <class E>
  void choice(std::string_view what, E& value, int count) {
    const auto code = copy<std::underlying_type_t<E>>(take(what, sizeof(E)));
    if (static_cast<int>(code) >= count)
      fault(sizeof(E), fmt::format("{}: expected a code below {}, got {}", what, count, code));
    value = static_cast<E>(code);
  }
  void text(std::string_view what, std::string& value) {
    const std::uint64_t size = length(what);
    value.assign(reinterpret_cast<const char*>(take(what, size)), size);
  }
  /// An entry takes a byte at least, so a count is never larger than what is left.
  template <class T, class F>
  void list(std::string_view what, std::vector<T>& values, F each) {
    values.resize(length(what));
    for (T& value : values) each(value);
  }
  template <class T>
  void piece(std::string_view what, Blob<T>& blob, Section section) {
    std::uint64_t offset = 0, bytes = 0;
    number(what, offset);
    number(what, bytes);
    if (bytes == 0) return;
    const DirectoryEntry& home = entry(section);
    if (offset > home.bytes || bytes > home.bytes - offset)
      fault(16, fmt::format("{}: {} bytes at 0x{:x} of section '{}', which has {}", what, bytes, offset,
                            to_string(section), home.bytes));
    if (offset % section_alignment != 0 || bytes % sizeof(T) != 0)
      fault(16,
            fmt::format("{}: {} bytes at 0x{:x} are no whole elements of {} bytes", what, bytes, offset, sizeof(T)));
    blob = {file_.owner, std::span(reinterpret_cast<const T*>(file_.at(home.offset + offset)), bytes / sizeof(T))};
  }
  void finish() {
    if (at_ != end_) fault(0, fmt::format("{} bytes are left over", end_ - at_));
  }

 private:
  const DirectoryEntry& entry(Section section) const { return file_.directory[static_cast<std::size_t>(section)]; }
  [[noreturn]] void fault(std::uint64_t back, const std::string& message) const {
    refuse(file_.name, "contents", at_ - back, message);
  }
  std::uint64_t length(std::string_view what) {
    std::uint64_t count = 0;
    number(what, count);
    if (count > end_ - at_)
      fault(sizeof count, fmt::format("{}: expected {} entries, {} bytes are left", what, count, end_ - at_));
    return count;
  }
  const std::byte* take(std::string_view what, std::uint64_t bytes) {
    if (bytes > end_ - at_) fault(0, fmt::format("{}: expected {} bytes, {} are left", what, bytes, end_ - at_));
    const std::byte* here = file_.at(at_);
    at_ += bytes;
    return here;
  }

  const OpenFile& file_;
  std::uint64_t begin_, at_, end_;
};

/// Instructions are told from their byte (instruction_byte): they stand core after core, without gaps.
void check_order(const OpenFile& file, const Program& program) {
  const DirectoryEntry& home = file.directory[static_cast<std::size_t>(Section::instructions)];
  std::uint64_t next = home.offset;
  for (std::size_t core = 0; core < program.cores.size(); ++core) {
    const auto& records = program.cores[core].instructions.data;
    if (records.empty()) continue;
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(records.data()) - file.at(0));
    if (at != next)
      refuse(file.name, "instructions", at,
             fmt::format("core {}: expected to begin at byte 0x{:x}, got 0x{:x}", core, next, at));
    next += records.size_bytes();
  }
  if (next != home.offset + home.bytes) refuse(file.name, "instructions", next, "instructions that belong to no core");
}
}  // namespace

Program read_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name) {
  const OpenFile file = open(bytes, std::move(owner), name);
  Program program;
  Reader reader(file);
  describe(reader, program);
  reader.finish();
  const std::uint64_t most = std::max(program.inputs.size(), program.outputs.size());
  if (file.images > std::max<std::uint64_t>(1, most))
    refuse(file.name, "header", offsetof(FileHeader, images),
           fmt::format("{} images, but at most {} inputs or outputs", file.images, most));
  if (file.images > 0) program.images = static_cast<std::int64_t>(file.images);
  check_order(file, program);
  return program;
}

Program read_program(const std::string& path) {
  const auto mapped = std::make_shared<const MappedFile>(path);
  return read_program(mapped->bytes(), mapped, path);
}

}  // namespace pimento::isa
