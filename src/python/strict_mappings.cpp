// Settings that take neither new keys nor values of another type (yacs): what laying a file over
// them refuses.

#include "base/text.h"
#include "python/interpreter.h"

#include <array>
#include <string_view>

namespace gpulint::python {
namespace {

constexpr int kDeepest = 32;

/// Such settings read text that is written like a value in Python as that value. False where that
/// may be so.
bool is_plain_text(std::string_view written) {
  const std::string_view whole = trim(written);
  if (whole.empty()) return false;
  if (whole.front() == '/' || whole.front() == '~' || whole.starts_with("./") ||
      whole.starts_with("../"))
    return true;
  // `17 + 2` was a number up to Python 3.6.
  const bool is_sum = whole.front() >= '0' && whole.front() <= '9' &&
                      whole.find_first_not_of("0123456789. +*") == whole.npos &&
                      whole.find_first_of("+*") != whole.npos;
  if (is_sum) return true;
  const bool is_word = is_name_part(whole.front()) && (whole.front() < '0' || whole.front() > '9');
  return is_word && whole.find_first_of("'\"") == whole.npos && whole != "None" &&
         whole != "True" && whole != "False";
}

}  // namespace

/// What a value is, in words; "" where it may be replaced by anything, or nobody knows.
std::string_view Interpreter::type_words(const Value& value) const {
  switch (value.kind) {
    case Kind::boolean:
      return "a bool";
    case Kind::integer:
      return "an int";
    case Kind::real:
      return "a float";
    case Kind::text: {
      const bool is_text = value.origin != Origin::given || is_plain_text(text(value.ref));
      return is_text ? "a str" : "";
    }
    case Kind::list:
    case Kind::tuple:
      return "a list";
    case Kind::dict:
      return "a section";
    default:
      return {};
  }
}

void Interpreter::refuse_overlaid(const Value& mapping, const Entry& over, SyntaxId at) {
  const Object& settings = objects_[mapping.ref];
  const SourceSpan stated = over.value.from;
  if (!settings.is_strict || settings.open || over.value.origin != Origin::given ||
      !stated.known() || at == kNoSyntax || !is_certain())
    return;
  const std::array<SourceSpan, 1> because = {stated};
  Refusal made;
  made.because = because;
  made.module = frames_.back().module;
  made.node = at;
  made.name = text(over.key);
  const Entry* old = find(mapping.ref, over.key);
  if (old == nullptr) {
    made.how = Refusal::How::unknown_key;
    return refuse(made);
  }
  const std::string_view wanted = type_words(old->value);
  made.how = Refusal::How::mistyped;
  made.callee = wanted;
  made.given = type_words(decoded(over.value));
  if (!wanted.empty() && !made.given.empty() && made.given != wanted) refuse(made);
}

void Interpreter::allow_new_keys(const Value& mapping, int depth) {
  if (mapping.kind != Kind::dict || depth > kDeepest) return;
  objects_[mapping.ref].is_strict = false;
  for (std::size_t i = 0; i < objects_[mapping.ref].entries.size(); ++i) {
    const Value inner = objects_[mapping.ref].entries[i].value;
    allow_new_keys(inner, depth + 1);
  }
}

}  // namespace gpulint::python
