#include "python/causes.h"

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>

namespace gpulint::python {

/// What describes a library is nobody's to mend: its callers are named instead.
std::int64_t Interpreter::here(SyntaxId id) const {
  const Module& module = *frames_.back().module;
  if (module.is_library || module.file == kNoFile || id == kNoSyntax) return kNoCause;
  return cause_at(module.file, id);
}

/// The value, with a cause where it is unknown and has none yet.
Value Interpreter::because(Value value, std::int64_t cause) {
  if (!value.known() && value.integer == kNoCause) value.integer = cause;
  return value;
}

/// Of an attribute of something nobody knows, why that is unknown.
std::int64_t Interpreter::cause_of(const Value& value) const {
  if (!value.known()) return value.integer;
  if (value.kind == Kind::method && !methods_[value.ref].function.known())
    return cause_of(methods_[value.ref].self);
  const bool may_lack = value.kind == Kind::list ||
                        (value.kind == Kind::instance && objects_[value.ref].part == Part::none);
  return may_lack ? objects_[value.ref].cause : kNoCause;
}

/// It may have parts that nobody sees.
void Interpreter::open_network(ObjectId network, std::int64_t cause) {
  Object& object = objects_[network];
  object.open = true;
  if (object.cause == kNoCause) object.cause = cause;
}

std::optional<Gap> Interpreter::gap(std::int64_t cause) const {
  if (cause == kNoCause) return std::nullopt;
  const CauseParts parts = parts_of(cause);
  const auto module = std::find_if(modules_.begin(), modules_.end(), [&](const auto& each) {
    return each.first->file == parts.file;
  });
  if (module == modules_.end() || parts.node >= module->first->tree.size()) return std::nullopt;
  const SyntaxNode& at = module->first->tree.node(parts.node);
  std::optional<Gap> made = gap_at({parts.file, at.begin, at.end});
  if (made) made->decides = parts.decides;
  return made;
}

std::optional<Gap> Interpreter::gap_at(SourceSpan place) const {
  constexpr std::size_t kMostCode = 70;
  const auto module = std::find_if(modules_.begin(), modules_.end(), [&](const auto& each) {
    return each.first->file == place.file;
  });
  if (!place.known() || module == modules_.end()) return std::nullopt;
  const std::string_view source = module->first->tree.source();
  if (place.end > source.size() || place.begin > place.end) return std::nullopt;
  std::string_view text = source.substr(place.begin, place.end - place.begin);
  const std::size_t line = text.find('\n');
  const bool is_cut = line != text.npos || text.size() > kMostCode;
  text = text.substr(0, std::min(line, kMostCode));
  return Gap{place, std::string(trim(text)) + (is_cut ? " ..." : ""), false};
}

}  // namespace gpulint::python
