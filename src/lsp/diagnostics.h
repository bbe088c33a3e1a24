#pragma once

#include "lsp/checks.h"
#include "lsp/documents.h"

#include <map>
#include <string>

namespace gpulint::lsp {

/// What a client can show of a finding.
struct DiagnosticStyle {
  Units units = Units::utf16;
  bool related = false;  // places beside the one it points at
};

/// The text of a file as a check saw it, with its lines.
struct SeenText {
  std::string text;
  LineIndex lines;
};

/// Findings of a check, and what is wrong with the settings it read, as the protocol's diagnostics
/// by path. Every document it names has a list, be it empty.
std::map<std::string, Json> diagnostics_of(const LintResult& result, const SessionView& view,
                                           const Documents& documents,
                                           const DiagnosticStyle& style);

/// Adds what an Error says of its file, which may be several mistakes, each at its place.
void add_diagnostics(Json& list, const Error& error, const FileReader& files, Units units);

/// The bytes of a span on its first line: a whole section underlined says less.
SourceSpan on_first_line(const SourceText& source, SourceSpan span);

/// A span of a result's file as a range; nullopt where its text is not at hand.
std::optional<Json> range_of(const LintResult& result, SourceSpan span, Units units);

}  // namespace gpulint::lsp
