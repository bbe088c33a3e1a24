// Both sides of a condition nobody can decide. Every slot that changes inside a branch is recorded;
// the first side is undone before the second is taken, and what they leave is joined.

#include "python/interpreter.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gpulint::python {
namespace {

std::uint64_t slot_of(ObjectId object, TextId key) {
  return (std::uint64_t{object} << 32U) | std::uint64_t{key};
}

}  // namespace

/// Takes back all changes since `mark`; what they had made of each slot is handed back.
std::vector<Interpreter::Undone> Interpreter::undo(std::size_t mark) {
  std::vector<Undone> undone;
  std::unordered_set<std::uint64_t> slots;  // those in `undone`: a branch may change thousands
  while (changes_.size() > mark) {
    Change change = std::move(changes_.back());
    changes_.pop_back();
    const bool seen = !slots.insert(slot_of(change.object, change.key)).second;
    Object& object = objects_[change.object];
    if (change.key == kNone) {
      if (!seen) undone.push_back({change.object, kNone, true, {}, object.items});
      object.items = std::move(change.items);
      object.open = change.was_open;
      continue;
    }
    const auto at = std::find_if(object.entries.begin(), object.entries.end(),
                                 [&](const Entry& entry) { return entry.key == change.key; });
    if (at == object.entries.end()) continue;
    if (!seen) undone.push_back({change.object, change.key, true, at->value, {}});
    if (change.had) {
      at->value = change.old;
    } else {
      object.entries.erase(at);
    }
  }
  return undone;
}

void Interpreter::redo(const std::vector<Undone>& changes) {
  for (const Undone& change : changes) {
    if (change.key == kNone) {
      record(change.object, kNone);
      objects_[change.object].items = change.items;
    } else {
      set(change.object, change.key, change.value);
    }
  }
}

Value Interpreter::joined(const Value& a, const Value& b, int depth) {
  const bool is_same_number = a.integer == b.integer || !a.known();  // a cause is no number
  if (a.kind == b.kind && a.ref == b.ref && is_same_number && a.real == b.real) {
    if (a.from == b.from) return a;
    return a.origin == Origin::given ? a : b;
  }
  if (equal(a, b) == std::optional<bool>(true)) return a;
  if (a.kind == Kind::devices && b.kind == Kind::devices) return Value{.kind = Kind::devices};
  // A machine without a GPU is one device.
  for (const auto& [count, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (count.kind != Kind::devices || !other.is_number()) continue;
    Value made = count;
    if (other.number() != 1) made.ref = 0;  // it may be of several machines
    return made;
  }
  if (is_followed(a) && is_followed(b)) {  // either may be meant, where they are as large
    const TensorId one = objects_[a.ref].tensor;
    const TensorId other = objects_[b.ref].tensor;
    const auto of_a = host_.sizes_of(one);
    const auto of_b = host_.sizes_of(other);
    if (of_a && of_b) return of_a == of_b ? a : Value{};
    // Of data that nobody knows the layer that reads it will tell the sizes, or has told those of
    // one of them (`if x.size(1) == 1: x = x.repeat(1, 3, 1, 1)`).
    const auto rows_of = [this](TensorId tensor, const std::optional<std::vector<Lanes>>& sizes) {
      const bool is_data = sizes && !sizes->empty() && !host_.needs_gradient(tensor);
      return is_data ? std::optional(sizes->front()) : host_.open_rows(tensor);
    };
    const auto rows = rows_of(one, of_a);
    const auto other_rows = rows_of(other, of_b);
    const bool is_either = one == other || (rows && rows == other_rows);
    if (is_either) return of_b ? b : a;
    if (of_a || of_b || !rows || !other_rows) return Value{};
    // A sample by itself is made a batch of one (`if x.dim() == 1: x = x.unsqueeze(0)`).
    const auto is_one = [](const Lanes& count) {
      return std::all_of(count.begin(), count.end(), [](double each) { return each == 1; });
    };
    return is_one(*rows) ? b : is_one(*other_rows) ? a : Value{};
  }
  if (wraps(a, b)) return a;
  if (wraps(b, a)) return b;
  if (is_moved(a, b)) return a;
  if (is_moved(b, a)) return b;
  if (a.kind != b.kind) return {};
  if (a.kind != Kind::instance) return joined_objects(a, b, depth);
  const Value made = joined_instances(a, b, depth);
  return made.known() || !is_network(a) || !is_network(b) ? made : either_of(a, b);
}

/// What a library has under one name, at its top in some releases and further below in others:
/// `transformers.AdamW` and `transformers.optimization.AdamW`.
bool Interpreter::is_moved(const Value& top, const Value& below) const {
  const auto name_of = [this](const Value& value) {
    if (value.kind == Kind::external) return std::string(text(value.ref));
    const bool is_of_library = value.kind == Kind::type && types_[value.ref].module->is_library;
    return is_of_library ? library_name(value.ref) : std::string();
  };
  const std::string one = name_of(top);
  const std::string other = name_of(below);
  const std::size_t dot = one.find('.');
  return dot != one.npos && dot == one.rfind('.') && other.size() > one.size() &&
         other.starts_with(one.substr(0, dot + 1)) && other.ends_with(one.substr(dot));
}

/// What the parameters of a network take at least, in numbers: each with its gradient and two more
/// that most optimizers keep of it, unless it is frozen.
double Interpreter::least_cost(const Value& network) {
  constexpr double kOfTrained = 4;
  double sum = 0;
  for (const ObjectId each : parameters_of(network).objects) {
    const auto elements = static_cast<double>(std::max<std::int64_t>(0, objects_[each].elements));
    sum += elements * (is_frozen(each) ? 1 : kOfTrained);
  }
  return sum;
}

/// One of two networks, and nobody knows which: it has the parameters of the smaller one at least.
/// Calls of it are not followed.
Value Interpreter::either_of(const Value& a, const Value& b) {
  const Value type = described(intern("torch.nn.Module"));
  if (type.kind != Kind::type) return {};
  const Value& smaller = least_cost(a) <= least_cost(b) ? a : b;
  const Value made = make_object(Kind::instance);
  objects_[made.ref].type = type.ref;
  objects_[made.ref].part = Part::network;
  set(made.ref, intern(running::kEither), smaller);
  const std::vector<Entry> entries = objects_[a.ref].entries;
  for (const Entry& entry : entries) {  // widths and names that both agree on
    const Entry* other = find(b.ref, entry.key);
    const bool is_plain = entry.value.kind == Kind::text || entry.value.is_number();
    if (is_plain && other != nullptr && equal(entry.value, other->value) == std::optional(true))
      set(made.ref, entry.key, entry.value, entry.key_span);
  }
  open_network(made.ref, joining_);
  return made;
}

/// Whether two networks are built alike: either may be meant then.
bool Interpreter::are_alike(const Value& a, const Value& b, int& budget) const {
  if (--budget < 0 || a.kind != b.kind) return false;
  const bool is_listed = a.kind == Kind::list || a.kind == Kind::tuple || a.kind == Kind::dict ||
                         a.kind == Kind::instance;
  if (!a.known() || (is_listed && a.ref == b.ref)) return true;
  if (a.kind == Kind::method) return true;  // of what it is one is compared by itself
  if (!is_listed) {
    return (a.ref == b.ref && a.integer == b.integer && a.real == b.real) ||
           equal(a, b) == std::optional<bool>(true);
  }
  const Object& one = objects_[a.ref];
  const Object& other = objects_[b.ref];
  const bool is_same_kind = one.type == other.type && one.part == other.part &&
                            one.made_by == other.made_by && one.elements == other.elements;
  if (!is_same_kind || one.entries.size() != other.entries.size() ||
      one.items.size() != other.items.size())
    return false;
  for (std::size_t i = 0; i < one.items.size(); ++i)
    if (!are_alike(one.items[i], other.items[i], budget)) return false;
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    if (one.entries[i].key != other.entries[i].key) return false;
    if (!are_alike(one.entries[i].value, other.entries[i].value, budget)) return false;
  }
  return true;
}

/// Two instances of one class, made on either side: of a plain one, what they agree
/// on is known; of two networks that are built alike, the first is meant.
Value Interpreter::joined_instances(const Value& a, const Value& b, int depth) {
  constexpr int kDeepest = 8;
  constexpr int kMostParts = 20'000;
  const Object one = objects_[a.ref];
  const std::uint32_t type = one.type;
  // Of a library that nobody describes: what makes it is known, and what it was given.
  const bool is_of_library = type == kNone && one.made_by != kNone;
  const bool is_alike = type == objects_[b.ref].type && one.made_by == objects_[b.ref].made_by;
  if ((type == kNone && !is_of_library) || !is_alike || depth == kDeepest) return {};
  int budget = kMostParts;
  if (are_alike(a, b, budget)) return a;
  if (one.part != Part::none || objects_[b.ref].part != Part::none) return {};
  const Value made = make_object(Kind::instance);
  objects_[made.ref].type = type;
  objects_[made.ref].made_by = one.made_by;
  objects_[made.ref].cause = one.cause;
  objects_[made.ref].open = true;
  for (const Entry& entry : one.entries) {
    const Entry* other = find(b.ref, entry.key);
    const Value both =
        other == nullptr ? Value{} : joined(entry.value, Value(other->value), depth + 1);
    set(made.ref, entry.key, both, entry.key_span);
  }
  return made;
}

/// A network, and the same one in what a library says passes all calls on, such as a module that
/// splits its batch among the devices there are.
bool Interpreter::wraps(const Value& outer, const Value& inner) const {
  if (!is_network(outer) || !is_network(inner)) return false;
  const std::uint32_t type = objects_[outer.ref].type;
  const std::optional<TextId> known = texts_.find("__wraps__");
  if (type == kNone || !known) return false;
  if (own_method(type, *known, 0) == nullptr) return false;
  const std::vector<Entry>& entries = objects_[outer.ref].entries;
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.value.kind == Kind::instance && entry.value.ref == inner.ref;
  });
}

/// Two containers of one kind, such as a config and a copy that something was laid over: what they
/// agree on is known. Either may be meant, so nobody knows what else the result holds.
Value Interpreter::joined_objects(const Value& a, const Value& b, int depth) {
  constexpr int kDeepest = 8;
  constexpr std::size_t kMostEntries = 256;
  const bool is_list = a.kind == Kind::list || a.kind == Kind::tuple;
  if ((!is_list && a.kind != Kind::dict) || depth == kDeepest) return {};
  const std::vector<Entry> entries = objects_[a.ref].entries;
  const std::vector<Value> items = objects_[a.ref].items;
  const std::vector<Value> others = objects_[b.ref].items;
  const bool is_open = objects_[a.ref].open || objects_[b.ref].open;
  if (entries.size() > kMostEntries || items.size() > kMostEntries) return {};
  if (is_list && (is_open || items.size() != others.size())) return {};
  Value made = make_object(a.kind);
  made.from = a.from;
  made.origin = a.origin;
  for (std::size_t i = 0; is_list && i < items.size(); ++i)
    append(made.ref, joined(items[i], others[i], depth + 1));
  for (const Entry& entry : entries) {
    const Entry* other = find(b.ref, entry.key);
    const Value both =
        other == nullptr ? Value{} : joined(entry.value, Value(other->value), depth + 1);
    set(made.ref, entry.key, both, entry.key_span);
  }
  if (is_list) return made;
  objects_[made.ref].has_number_keys = objects_[a.ref].has_number_keys;
  objects_[made.ref].open = true;
  objects_[made.ref].is_shared = objects_[a.ref].is_shared || objects_[b.ref].is_shared;
  return made;
}

/// A scope around that of the running function has the name too, or may have it.
bool Interpreter::is_bound_outside(TextId name) const {
  for (ObjectId scope = objects_[frames_.back().scope].parent; scope != kNone;
       scope = objects_[scope].parent) {
    if (objects_[scope].open || find(scope, name) != nullptr) return true;
  }
  return false;
}

/// `a` and `b` are what two sides made of the slots; a slot only one of them touched has its old
/// value on the other.
void Interpreter::join(const std::vector<Undone>& a, const std::vector<Undone>& b,
                       std::int64_t cause) {
  using Slots = std::unordered_map<std::uint64_t, const Undone*>;
  const auto slots_of = [](const std::vector<Undone>& changes) {
    Slots slots;
    for (const Undone& each : changes) slots.emplace(slot_of(each.object, each.key), &each);
    return slots;
  };
  const auto merge = [this, cause](const Undone& change, const Slots& others, bool both) {
    const auto found = others.find(slot_of(change.object, change.key));
    const Undone* other = found == others.end() ? nullptr : found->second;
    if (!both && other != nullptr) return;
    if (change.key == kNone) {
      record(change.object, kNone);
      open_network(change.object, cause);
      return;
    }
    const Entry* current = find(change.object, change.key);
    const bool there = other != nullptr || current != nullptr;
    const Value value = other != nullptr     ? other->value
                        : current != nullptr ? current->value
                                             : Value{};
    // A name of this function that only one side binds: whoever reads it came by that side.
    const bool is_local = change.object == frames_.back().scope && !is_bound_outside(change.key);
    const Value merged = there      ? joined(change.value, value)
                         : is_local ? change.value
                                    : Value{};
    set(change.object, change.key, because(merged, cause));
  };
  const Slots of_a = slots_of(a);
  const Slots of_b = slots_of(b);
  const std::int64_t outer = std::exchange(joining_, cause);
  for (const Undone& change : a) merge(change, of_b, true);
  for (const Undone& change : b) merge(change, of_a, false);
  joining_ = outer;
}

Interpreter::Flow Interpreter::both(SyntaxId then, SyntaxId otherwise,
                                    const Value& condition) {
  constexpr std::size_t kMostUndecided = 12;  // beyond, only the first side is looked at
  const Varying* varying = varying_of(condition);
  sides_.push_back({decisions_++, false, varying == nullptr ? 0 : varying->loop + 1});
  ++doubts_;
  const std::size_t mark = changes_.size();
  const ObjectId fresh = std::exchange(fresh_, static_cast<ObjectId>(objects_.size()));
  trials_.push_back({doubts_});
  const Flow first = block(then);
  const Trial one = take_trial();
  std::vector<Undone> of_first = undo(mark);
  Flow second = Flow::normal;
  Trial other;
  std::vector<Undone> of_second;
  if (otherwise != kNoSyntax && sides_.size() <= kMostUndecided) {
    sides_.back().second = true;
    fresh_ = static_cast<ObjectId>(objects_.size());
    trials_.push_back({doubts_});
    second = statement(otherwise);
    other = take_trial();
    of_second = undo(mark);
  }
  sides_.pop_back();
  --doubts_;
  fresh_ = fresh;
  if (one.fails(first == Flow::raised) && other.fails(second == Flow::raised))
    refuse_where_both_do(one, other);
  share_of_both(one, other);
  const std::int64_t cause = as_condition(cause_of(condition));
  const bool leaves = first != Flow::normal || second != Flow::normal;
  if (leaves && frames_.back().parted == kNoCause) frames_.back().parted = cause;
  if (first != Flow::normal && second != Flow::normal) {
    redo(first == Flow::raised ? of_second : of_first);
    return first == Flow::raised ? second : first;
  }
  if (first != Flow::normal) {
    redo(of_second);
  } else if (second != Flow::normal) {
    redo(of_first);
  } else {
    join(of_first, of_second, cause);
  }
  return Flow::normal;
}

/// Names that a loop's body counts with are unknown in it: it is run once for all rounds.
void Interpreter::forget_counters(SyntaxId body) {
  for (SyntaxId at = node(body).first; at != kNoSyntax; at = node(at).next) {
    if (!step()) return;
    switch (node(at).kind) {
      case Syntax::augmented: {
        const SyntaxId target = node(at).first;
        if (node(target).kind == Syntax::name) {
          assign_name(intern(tree().text(target)), varying({entered_}), {});
        } else if (node(target).kind == Syntax::attribute) {
          const Value of = eval(node(target).first);
          if (of.has_object()) set(of.ref, intern(tree().text(target)), varying({entered_}));
        }
        break;
      }
      case Syntax::branch:
      case Syntax::for_loop:
      case Syntax::while_loop:
      case Syntax::with:
      case Syntax::attempt:
      case Syntax::handler:
      case Syntax::block:
        forget_counters(at);
        break;
      default:
        break;
    }
  }
}

}  // namespace gpulint::python
