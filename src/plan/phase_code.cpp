#include "plan/phase_code.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

bool is_inside(SourceSpan part, SourceSpan whole) {
  return part.file == whole.file && part.begin >= whole.begin && part.end <= whole.end;
}

bool takes_from(const std::vector<CodeFact>& facts, SourceSpan section) {
  return std::any_of(facts.begin(), facts.end(), [&](const CodeFact& fact) {
    return fact.from_config && is_inside(fact.span, section);
  });
}

}  // namespace

CodeReading code_of_section(const CodeReading& code, const Document& document, NodeId section,
                            std::span<const NodeId> others) {
  std::vector<std::vector<CodeFact>> own;
  for (const std::vector<CodeFact>& script : code.by_script) {
    const bool is_shared = std::any_of(others.begin(), others.end(), [&](NodeId other) {
      return other != section && takes_from(script, document.span(other));
    });
    if (!is_shared && takes_from(script, document.span(section))) own.push_back(script);
  }
  CodeReading reading;
  reading.facts = agreed_by_all(own);
  return reading;
}

}  // namespace gpulint
