// Unknown numbers that are a known multiple of another one: `int(0.1 * total)` is a tenth of
// `total`, however large that is. Such a value has the factor in `real`, and in `from` the
// expression of the other number: the same text means the same.

#include "python/interpreter.h"

#include <optional>
#include <string_view>
#include <utility>

namespace gpulint::python {

/// `made` is the unknown result of the operation `id`.
Value Interpreter::in_proportion(Value made, Operator op, const Value& left, const Value& right,
                                 SyntaxId id) const {
  const bool multiplies = op == Operator::multiply;
  if (building_ > 0 || (!multiplies && op != Operator::divide)) return made;
  SyntaxId base = node(id).first;
  const Value* unknown = &left;
  const Value* number = &right;
  if (multiplies && left.is_number()) {
    base = node(base).next;
    std::swap(unknown, number);
  }
  if (unknown->known() || !number->is_number() || number->number() == 0) return made;
  const double factor = multiplies ? number->number() : 1 / number->number();
  const bool is_multiple = unknown->real != 0;
  made.real = is_multiple ? unknown->real * factor : factor;
  made.from = is_multiple ? unknown->from : span(base);
  return made;
}

/// What `part` is of `whole`, the value of the expression at `whole_at`.
std::optional<double> Interpreter::share_of(const Value& part, const Value& whole,
                                            SyntaxId whole_at) const {
  if (part.known() || whole.known() || part.real == 0 || whole_at == kNoSyntax) return std::nullopt;
  const bool is_multiple = whole.real != 0;
  const SourceSpan of_whole = is_multiple ? whole.from : span(whole_at);
  if (of_whole.file != part.from.file) return std::nullopt;
  for (const auto& [module, scope] : modules_) {
    if (module->file != of_whole.file) continue;
    const auto text_at = [&, text = std::string_view(module->text)](const SourceSpan& at) {
      return text.substr(at.begin, at.end - at.begin);
    };
    if (text_at(of_whole) != text_at(part.from)) return std::nullopt;
    return part.real / (is_multiple ? whole.real : 1);
  }
  return std::nullopt;
}

}  // namespace gpulint::python
