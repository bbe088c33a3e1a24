// What ends a program for certain: a `raise` or an `assert` that values of the config lead to, a
// key the config does not have, an argument nobody takes. Certain is a path that was decided
// condition by condition: nothing around it is left open, nothing before it may have left the
// function or the program, and no handler waits for what is raised.

#include "python/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {
namespace {

constexpr int kDeepestMarked = 16;

bool is_special_name(std::string_view name) { return name.starts_with("__"); }

/// What a config lacks or has too much can be mended, and what comes then be told too.
bool can_go_on(const Refusal& refusal) {
  return refusal.how != Refusal::How::raises && refusal.how != Refusal::How::asserts;
}

bool is_same(const Refusal& a, const Refusal& b) {
  return a.how == b.how && a.node == b.node && a.module == b.module && a.name == b.name;
}

}  // namespace

bool Interpreter::is_certain() const {
  const int around = trials_.empty() ? 0 : trials_.back().doubts;
  const bool has_ended = refused_ || std::any_of(trials_.begin(), trials_.end(),
                                                 [](const Trial& each) { return each.ended; });
  const bool is_open =
      doubts_ > around || has_ended || may_have_ended_ || truncated_ || build_stopped_;
  if (is_open || frames_.empty() || library_calls_ > 0 || frames_.back().module->is_library)
    return false;
  return std::none_of(frames_.begin(), frames_.end(),
                      [](const Frame& frame) { return frame.may_have_left; });
}

Interpreter::Trial Interpreter::take_trial() {
  Trial made = std::move(trials_.back());
  trials_.pop_back();
  for (const ObjectId each : made.shared) objects_[each].is_shared = false;
  return made;
}

/// What either side gave away is given away.
void Interpreter::share_of_both(const Trial& a, const Trial& b) {
  for (const Trial* side : {&a, &b}) {
    for (const ObjectId each : side->shared) {
      objects_[each].is_shared = true;
      if (!trials_.empty()) trials_.back().shared.push_back(each);
    }
  }
}

/// What is met on one side of an open condition waits for the other side.
void Interpreter::refuse(Refusal made) {
  made.is_of_one_side = !trials_.empty();
  made.sides = sides_;
  if (!host_.refused(made)) return;
  if (trials_.empty()) {
    refused_ = !can_go_on(made);
    return;
  }
  Trial& side = trials_.back();
  side.ended = !can_go_on(made);
  const bool is_known =
      std::any_of(side.refusals.begin(), side.refusals.end(),
                  [&](const Trial::Met& each) { return is_same(each.refusal, made); });
  if (!is_known) side.refusals.push_back({made, {made.because.begin(), made.because.end()}});
}

/// Whichever side a condition takes, the program ends: with what both meet, or else with what one
/// does.
void Interpreter::refuse_where_both_do(const Trial& a, const Trial& b) {
  const auto meets = [](const Trial& side, const Trial::Met& met) {
    return std::any_of(side.refusals.begin(), side.refusals.end(),
                       [&](const Trial::Met& each) { return is_same(each.refusal, met.refusal); });
  };
  const Trial& first = a.refusals.empty() ? b : a;
  const bool is_shared = std::any_of(a.refusals.begin(), a.refusals.end(),
                                     [&](const Trial::Met& each) { return meets(b, each); });
  for (const Trial::Met& each : first.refusals) {
    if (!is_certain()) return;
    if (is_shared && !meets(b, each)) continue;
    Refusal made = each.refusal;
    made.because = each.because;
    refuse(made);
    if (!is_shared) return;
  }
}

/// A `return`, `break` or `continue` that may not happen: what follows may not either.
void Interpreter::note_leaving() {
  Frame& frame = frames_.back();
  frame.may_have_left = frame.may_have_left || doubts_ > frame.doubts;
}

/// A condition's value, and what the config states of what it reads.
Value Interpreter::decide(SyntaxId condition, std::vector<SourceSpan>& stated) {
  std::vector<SourceSpan>* const around = std::exchange(stated_, &stated);
  const bool was_guessed = std::exchange(is_guessed_, false);
  const Value value = eval(condition);
  // Of what nobody can decide both sides are taken: nothing is guessed.
  if (is_guessed_ && truth(value)) frames_.back().may_have_left = true;
  was_guessed_ = is_guessed_;
  is_guessed_ = is_guessed_ || was_guessed;
  stated_ = around;
  if (around != nullptr) around->insert(around->end(), stated.begin(), stated.end());
  return value;
}

/// Counts where all conditions of the function around it read the config: what raises whatever it
/// is called with (an abstract method) may have been reached by mistake.
void Interpreter::refuse_statement(SyntaxId id, Refusal::How how) {
  if (!is_certain()) return;
  const auto own = reasons_.begin() + static_cast<std::ptrdiff_t>(frames_.back().reasons);
  if (own >= reasons_.end() ||
      std::any_of(own, reasons_.end(), [](const auto& r) { return r.empty(); }))
    return;
  Refusal made;
  made.how = how;
  made.because = reasons_.back();
  made.module = frames_.back().module;
  made.node = id;
  refuse(made);
}

void Interpreter::refuse_assertion(SyntaxId id) {
  SyntaxId condition = node(id).first;
  if (condition == kNoSyntax) return;
  // `assert a, "text"` is read as a tuple; one in parentheses begins before its first item.
  const bool is_pair = node(condition).kind == Syntax::tuple &&
                       node(node(condition).first).begin == node(condition).begin;
  if (is_pair) condition = node(condition).first;
  note_dimensions(condition, Operator::equal);
  std::vector<SourceSpan> stated;
  if (truth(decide(condition, stated)) != std::optional<bool>(false)) return;
  reasons_.push_back(std::move(stated));
  refuse_statement(id, Refusal::How::asserts);
  reasons_.pop_back();
}

void Interpreter::refuse_missing(const Value& of, TextId key, SyntaxId at, bool is_attribute) {
  const bool is_of_config = of.origin == Origin::given && of.from.known();
  if (!is_of_config || has_schemas_ || key == kNone || at == callee_ || !is_certain()) return;
  const Object& object = objects_[of.ref];
  const bool may_have_it = object.open || object.is_shared || object.type != kNone ||
                           object.made_by != kNone || find(of.ref, key) != nullptr;
  if (may_have_it || is_special_name(text(key)) || (is_attribute && !object.has_attributes)) return;
  Refusal made;
  made.how = Refusal::How::lacks;
  made.name = text(key);
  made.because = {&of.from, 1};
  made.module = frames_.back().module;
  made.node = at;
  refuse(made);
}

/// `args.name` without `--name`.
void Interpreter::note_absent_option(const Value& of, TextId name, SyntaxId at) {
  const Object& object = objects_[of.ref];
  if (!object.is_options || object.open || object.is_shared || at == callee_ ||
      find(of.ref, name) != nullptr || text(name).starts_with('_') || !trials_.empty() ||
      !is_certain())
    return;
  host_.lacks_option(text(name), *frames_.back().module, at);
}

/// `f(**config)` with a key that `f` does not take.
void Interpreter::refuse_surplus(const Function& function, const Arguments& arguments) {
  if (function.module->is_library || !is_certain()) return;
  const SyntaxTree& code = function.module->tree;
  if (code.node(code.child(function.node, 1)).next != kNoSyntax)
    return;  // decorators may take more
  std::vector<std::string_view> taken;
  for (SyntaxId at = code.node(code.node(function.node).first).first; at != kNoSyntax;
       at = code.node(at).next) {
    if (static_cast<Parameter>(code.node(at).op) == Parameter::keyword_rest) return;
    taken.push_back(code.text(at));
  }
  for (const Argument& each : arguments.list) {
    const bool is_unpacked = each.name != kNone && each.node == kNoSyntax;
    const bool is_of_config = each.value.origin == Origin::given && each.value.from.known();
    if (!is_unpacked || !is_of_config) continue;
    if (std::find(taken.begin(), taken.end(), text(each.name)) != taken.end()) continue;
    const std::string_view own = code.text(function.node);
    const bool constructs = own == "__init__" && function.type != kNone;
    Refusal made;
    made.how = Refusal::How::takes_no;
    made.name = text(each.name);
    made.callee = constructs ? code.text(types_[function.type].node) : own;
    made.because = {&each.value.from, 1};
    made.module = function.module;
    made.node = function.node;
    refuse(made);
    return;
  }
}

/// A parser of classes takes no key that none of them has.
void Interpreter::refuse_unknown_fields(const std::vector<Value>& types,
                                        const std::vector<Value>& made, const Value& config) {
  if (config.kind != Kind::dict || objects_[config.ref].open || !is_certain()) return;
  const auto is_closed = [this](const Value& each) {
    return each.has_object() && !objects_[each.ref].open;
  };
  const bool are_own = std::all_of(types.begin(), types.end(),
                                   [](const Value& type) { return type.kind == Kind::type; });
  if (!are_own || types.empty() || !std::all_of(made.begin(), made.end(), is_closed)) return;
  for (const Entry& entry : objects_[config.ref].entries) {
    const bool is_taken = std::any_of(made.begin(), made.end(), [&](const Value& each) {
      return find(each.ref, entry.key) != nullptr;
    });
    if (is_taken || entry.value.origin != Origin::given || !entry.value.from.known()) continue;
    const Type& first = types_[types.front().ref];
    Refusal refusal;
    refusal.how = Refusal::How::takes_no;
    refusal.name = text(entry.key);
    refusal.callee = first.module->tree.text(first.node);
    refusal.because = {&entry.value.from, 1};
    refusal.module = first.module;
    refusal.node = first.node;
    refuse(refusal);
    return;
  }
}

void Interpreter::mark(const Value& value, bool Object::*flag, int depth) {
  if (!value.has_object() || value.kind == Kind::module || depth > kDeepestMarked) return;
  Object& object = objects_[value.ref];
  if (object.*flag) return;
  object.*flag = true;
  if (flag == &Object::is_shared && !trials_.empty()) trials_.back().shared.push_back(value.ref);
  for (const Entry& entry : object.entries) mark(entry.value, flag, depth + 1);
  for (const Value& item : object.items) mark(item, flag, depth + 1);
}

}  // namespace gpulint::python
