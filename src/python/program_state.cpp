#include "python/program_state.h"

#include <cstddef>

namespace gpulint::python {

TextId ProgramState::intern(std::string_view text) { return texts_.intern(text); }

Value ProgramState::make_text(std::string_view text, SourceSpan from, Origin origin) {
  Value made;
  made.kind = Kind::text;
  made.ref = intern(text);
  made.from = from;
  made.origin = origin;
  return made;
}

std::string_view ProgramState::code_of(const Value& function) const {
  const Value* made = &function;
  if (made->kind == Kind::method) made = &methods_[made->ref].function;
  if (made->kind != Kind::function) return {};
  const Function& found = functions_[made->ref];
  const SyntaxNode& at = found.module->tree.node(found.node);
  return found.module->tree.source().substr(at.begin, at.end - at.begin);
}

std::string_view ProgramState::running_code() const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->function == kNone) continue;
    Value running;
    running.kind = Kind::function;
    running.ref = frame->function;
    return code_of(running);
  }
  return {};
}

ObjectId ProgramState::new_object() {
  if (building_ > 0) {
    if (++built_objects_ > limits_.max_built_objects) build_stopped_ = true;
  } else if (objects_.size() - built_objects_ >= limits_.max_objects) {
    truncated_ = true;
  }
  objects_.emplace_back();
  return static_cast<ObjectId>(objects_.size() - 1);
}

Value ProgramState::make_object(Kind kind) {
  Value made;
  made.kind = kind;
  made.origin = Origin::code;
  made.ref = new_object();
  return made;
}

const Entry* ProgramState::find(ObjectId object, TextId key) const {
  for (const Entry& entry : objects_[object].entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

void ProgramState::set(ObjectId object, TextId key, const Value& value, SourceSpan key_span) {
  record(object, key);
  for (Entry& entry : objects_[object].entries) {
    if (entry.key != key) continue;
    entry.value = value;
    if (key_span.known()) entry.key_span = key_span;
    return;
  }
  objects_[object].entries.push_back({key, key_span, value});
}

void ProgramState::append(ObjectId list, const Value& value) {
  constexpr std::size_t kMostItems = 20'000;
  record(list, kNone);
  if (objects_[list].items.size() >= kMostItems) {
    objects_[list].open = true;
    return;
  }
  objects_[list].items.push_back(value);
}

void ProgramState::record(ObjectId object, TextId key) {
  if ((sides_.empty() && trying_ == 0) || is_built(object)) return;
  Change change;
  change.object = object;
  change.key = key;
  change.was_open = objects_[object].open;
  if (key == kNone) {
    constexpr std::size_t kMostRecorded = 512;  // copied once for each change
    if (objects_[object].items.size() > kMostRecorded) return;
    change.items = objects_[object].items;
  } else if (const Entry* entry = find(object, key)) {
    change.had = true;
    change.old = entry->value;
  }
  changes_.push_back(std::move(change));
}

}  // namespace gpulint::python
