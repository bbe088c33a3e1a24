// Notes of what was run and looked at (reach.h).

#include "python/reach.h"

#include "python/interpreter.h"

#include <utility>

namespace gpulint::python {

std::uint8_t& Interpreter::mark_of(SyntaxId id) {
  const Module* module = frames_.back().module;
  if (module != marks_.module) {
    std::vector<std::uint8_t>& marks = reach_.marks[module];
    marks.resize(module->tree.size());
    marks_.module = module;
    marks_.marks = &marks;
  }
  return (*marks_.marks)[id];
}

void Interpreter::note_run(SyntaxId id) { mark_of(id) |= Reach::kRan; }

void Interpreter::note_left_out(SyntaxId id, bool by_config) {
  if (id == kNoSyntax || trying_ > 0) return;  // what a trial leaves out may run after all
  mark_of(id) |= static_cast<std::uint8_t>(Reach::kLeftOut | (by_config ? Reach::kByConfig : 0U));
}

/// Statements behind one that always leaves the block.
void Interpreter::note_rest_left_out(SyntaxId left_by) {
  for (SyntaxId at = node(left_by).next; at != kNoSyntax; at = node(at).next) note_left_out(at);
}

void Interpreter::note_value(const Value& value) {
  if (value.origin != Origin::given || !value.from.known()) return;
  if (looked_at_.insert(value.from).second) reach_.looked_at.push_back(value.from);
}

/// Whatever is below it may be looked at.
void Interpreter::note_whole(const Value& value, int depth) {
  constexpr int kDeepest = 16;
  note_value(value);
  if (!value.has_object() || value.kind == Kind::module || depth > kDeepest) return;
  for (const Entry& entry : objects_[value.ref].entries) note_whole(entry.value, depth + 1);
  for (const Value& item : objects_[value.ref].items) note_whole(item, depth + 1);
}

/// `name` is asked of `of` at `place`, as written in `literal`: what is known answers for itself.
void Interpreter::note_asked(const Value& of, TextId name, SyntaxId literal, SyntaxId place) {
  const bool is_mapping = of.kind == Kind::dict || of.kind == Kind::instance;
  if (name == kNone) {
    reach_.imports_unknown = reach_.imports_unknown || of.kind == Kind::module;
    return note_whole(of);
  }
  const Entry* entry = is_mapping ? find(of.ref, name) : nullptr;
  if (entry != nullptr) note_value(entry->value);
  if (entry != nullptr && entry->value.origin == Origin::given && place != kNoSyntax)
    reach_.asked.push_back({entry->value.from, frames_.back().module, node(place).begin});
  const bool answers =
      entry != nullptr || (is_mapping && !objects_[of.ref].open && objects_[of.ref].type == kNone);
  if (answers) return unsay(name, literal);
  const bool is_literal = literal != kNoSyntax && node(literal).kind == Syntax::string;
  if (!is_literal) ++said_[name];
}

/// Takes back what a string said where somebody known answered to it.
void Interpreter::unsay(TextId word, SyntaxId literal) {
  if (literal == kNoSyntax || node(literal).kind != Syntax::string) return;
  const auto said = said_.find(word);
  if (said != said_.end() && --said->second == 0) said_.erase(said);
}

void Interpreter::share(const Value& value) {
  mark(value, &Object::is_shared, 0);
  mark(value, &Object::is_handed_over, 0);
}

Reach Interpreter::take_reach() {
  marks_.module = nullptr;
  Reach made = std::exchange(reach_, {});
  for (const auto& [word, times] : said_) made.words.emplace(text(word));
  for (const Object& object : objects_) {
    if (!object.is_handed_over) continue;
    for (const Entry& entry : object.entries) {
      if (entry.value.from.known()) made.looked_at.push_back(entry.value.from);
    }
  }
  return made;
}

}  // namespace gpulint::python
