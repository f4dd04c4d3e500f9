#pragma once
// Generated documents: a table that a program reads is also the page that a person reads. Whoever owns the table
// registers its page beside it; `pimento docs --write` writes the pages and `pimento docs --check` refuses stale ones.
#include <string>
#include <vector>

namespace pimento {

struct Document {
  std::string path;       ///< from the source root, "isa/instruction/ISA.md"
  std::string (*text)();  ///< the page without its first line, which says that it is generated
};

struct DocumentRegistration {
  DocumentRegistration(const std::string& path, std::string (*text)());
};

/// All pages, ordered by path; InternalError when a path was registered twice.
const std::vector<Document>& documents();
/// The first line of every generated page.
extern const char* const generated_mark;
/// The page as it stands in its file: the mark, an empty line, the text, one newline at the end.
std::string page(const Document& document);

/// Registers one page, at namespace scope of a .cpp: DOCUMENT("isa/instruction/ISA.md", instruction_page);
#define PIMENTO_JOIN_INNER(a, b) a##b
#define PIMENTO_JOIN(a, b) PIMENTO_JOIN_INNER(a, b)
#define DOCUMENT(...) \
  static const ::pimento::DocumentRegistration PIMENTO_JOIN(document_at_line_, __LINE__) { __VA_ARGS__ }

}  // namespace pimento
