// What a config names by `_target_`, built with the keys beside it.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gpulint::python {
namespace {

constexpr std::string_view kTarget = "_target_";  // of Hydra: what is built with the keys beside it
constexpr int kDeepestConfig = 16;                // levels of lists and sections in one another

/// Whether something is to be built in a list or a section, however deep.
bool holds_target(const Interpreter& in, TextId target, const Value& value, int depth) {
  if ((value.kind != Kind::dict && value.kind != Kind::list) || depth > kDeepestConfig)
    return false;
  if (value.kind == Kind::dict && in.find(value.ref, target) != nullptr) return true;
  const Object& object = in.object(value.ref);
  const auto is_one = [&](const Value& part) { return holds_target(in, target, part, depth + 1); };
  return std::any_of(object.items.begin(), object.items.end(), is_one) ||
         std::any_of(object.entries.begin(), object.entries.end(),
                     [&](const Entry& entry) { return is_one(entry.value); });
}

}  // namespace

/// `_target_` of a config with its other keys as arguments, later ones of the call over them. A
/// list is built item by item.
Value Interpreter::instantiate(Arguments& arguments, SyntaxId at) {
  const Value config = arguments.list.empty() ? Value{} : arguments.list.front().value;
  if (config.kind == Kind::list) return instantiated(config, at, 0);
  if (config.kind != Kind::dict) return {};
  const auto switched = [&](std::string_view word) {  // by the call, else by the config
    const Argument* stated = argument(arguments, kByName, word, *this);
    const Entry* entry = find(config.ref, intern(word));
    if (stated != nullptr) return truth(stated->value);
    return entry == nullptr ? std::optional<bool>() : truth(entry->value);
  };
  const Entry* target = find(config.ref, intern(kTarget));
  ObjectId named = config.ref;  // its entries are the arguments
  const Entry* params = find(config.ref, intern("params"));
  const bool is_old = target == nullptr && params != nullptr && params->value.kind == Kind::dict;
  for (const char* word : {"class", "cls", "target"}) {  // as Hydra wrote it before `_target_`
    if (is_old && target == nullptr) target = find(config.ref, intern(word));
  }
  if (is_old) named = params->value.ref;
  if (target == nullptr && !is_old) return instantiated(config, at, 0);
  if (target == nullptr || target->value.kind != Kind::text) return {};
  const std::string name(text(target->value.ref));
  note_whole(config);  // all of it is given to what is built
  const bool builds_parts = switched("_recursive_") != std::optional(false);
  Arguments passed;
  passed.open = objects_[named].open || arguments.open;
  const std::vector<Entry> entries = objects_[named].entries;
  for (const Entry& entry : entries) {
    // What the call gives by name takes the place of a part, which is not built at all.
    const bool is_given = argument(arguments, kByName, text(entry.key), *this) != nullptr;
    if (text(entry.key).starts_with('_') || is_given) continue;
    passed.list.push_back(
        {entry.key, builds_parts ? instantiated(entry.value, at, 0) : entry.value, kNoSyntax});
  }
  for (std::size_t i = 1; i < arguments.list.size(); ++i) {
    const Argument& each = arguments.list[i];
    if (each.name == kNone || !text(each.name).starts_with('_')) passed.list.push_back(each);
  }
  if (name.find('.') == std::string::npos) return {};
  const Value callee = dotted_target(name);
  if (switched("_partial_") == std::optional(true)) {
    Arguments all;
    all.list.push_back({kNone, callee, kNoSyntax});
    all.list.insert(all.list.end(), passed.list.begin(), passed.list.end());
    return partial_of(all);
  }
  return call(callee, std::move(passed), at);
}

/// What a config names inside another is built first, in lists and sections as well.
Value Interpreter::instantiated(const Value& value, SyntaxId at, int depth) {
  if (depth > kDeepestConfig || !holds_target(*this, intern(kTarget), value, depth) || !step())
    return value;
  if (value.kind == Kind::dict && find(value.ref, intern(kTarget)) != nullptr) {
    Arguments alone;
    alone.list.push_back({kNone, value, kNoSyntax});
    return instantiate(alone, at);
  }
  const Value made = make_object(value.kind);
  const Object parts = objects_[value.ref];
  objects_[made.ref].open = parts.open;
  for (const Value& item : parts.items) {
    const Value built = instantiated(item, at, depth + 1);
    objects_[made.ref].items.push_back(built);
  }
  for (const Entry& entry : parts.entries)
    set(made.ref, entry.key, instantiated(entry.value, at, depth + 1), entry.key_span);
  return made;
}

}  // namespace gpulint::python
