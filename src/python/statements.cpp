#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>

namespace gpulint::python {

Interpreter::Flow Interpreter::block(SyntaxId id) {
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    const Flow flow = statement(at);
    if (flow != Flow::normal) {
      note_rest_left_out(at);
      return flow;
    }
  }
  return Flow::normal;
}

// One switch over all statements.
Interpreter::Flow Interpreter::statement(SyntaxId id) {
  if (!step() || nesting_ > limits_.max_nesting) return Flow::returned;
  note_run(id);
  frames_.back().at = id;
  const SyntaxNode& at = node(id);
  switch (at.kind) {
    case Syntax::block:
      return block(id);
    case Syntax::expression: {
      if (node(at.first).kind == Syntax::string) return Flow::normal;  // prose
      const Value value = eval(at.first);
      if (raises_in_attempt()) return Flow::raised;
      const bool leaves = value.kind == Kind::external && text(value.ref).starts_with("sys.exit(");
      const bool fails = leaves && text(value.ref) == running::kFails;
      if (fails) refuse_statement(id, Refusal::How::raises);
      may_have_ended_ = may_have_ended_ || (leaves && !fails);
      return leaves ? Flow::raised : Flow::normal;
    }
    case Syntax::assign: {
      SyntaxId last = at.first;
      while (node(last).next != kNoSyntax) last = node(last).next;
      targets_.push_back(source(at.first));
      const Value value = eval(last);
      targets_.pop_back();
      if (raises_in_attempt()) return Flow::raised;
      note_counting(at.first, last);
      for (SyntaxId target = at.first; target != last; target = node(target).next) {
        assign(target, value);
      }
      return Flow::normal;
    }
    case Syntax::annotated:
      annotated(id);
      return Flow::normal;
    case Syntax::augmented:
      augmented(id);
      return Flow::normal;
    case Syntax::returns: {
      const Value value = at.first == kNoSyntax ? Value{.kind = Kind::none} : eval(at.first);
      if (raises_in_attempt()) return Flow::raised;
      frames_.back().returns.push_back(value);
      note_leaving();
      return Flow::returned;
    }
    case Syntax::branch:
      return branch(id);
    case Syntax::for_loop:
      return for_loop(id);
    case Syntax::while_loop:
      return while_loop(id);
    case Syntax::with:
      return with(id);
    case Syntax::attempt:
      return attempt(id);
    case Syntax::match:
      return match(id);
    case Syntax::function:
      define_function(id);
      return Flow::normal;
    case Syntax::class_type:
      define_class(id);
      return Flow::normal;
    case Syntax::import:
      import_names(id);
      return Flow::normal;
    case Syntax::import_from:
      import_from(id);
      return Flow::normal;
    case Syntax::break_loop:
      note_leaving();
      return Flow::broke;
    case Syntax::continue_loop:
      note_leaving();
      return Flow::continued;
    case Syntax::raise:
      if (at.first != kNoSyntax) eval(at.first);
      refuse_statement(id, Refusal::How::raises);
      return Flow::raised;
    case Syntax::assertion:
      refuse_assertion(id);
      return Flow::normal;
    case Syntax::remove:
      remove(at.first);
      return Flow::normal;
    case Syntax::global:
      for (SyntaxId name = at.first; name != kNoSyntax; name = node(name).next) {
        frames_.back().globals.push_back(intern(tree().text(name)));
      }
      return Flow::normal;
    default:
      return Flow::normal;
  }
}

/// `step % n == 0`: what happens below happens every n steps.
Guard Interpreter::guard_of(SyntaxId condition) {
  const SyntaxNode& at = node(condition);
  if (at.kind == Syntax::binary && at.op == static_cast<std::uint8_t>(Operator::modulo)) {
    return {eval(tree().child(condition, 1)), true, true};
  }
  const bool looks_inside =
      at.kind == Syntax::compare || at.kind == Syntax::boolean || at.kind == Syntax::unary;
  if (!looks_inside) return {};
  const auto is = [&at](Operator op) { return at.op == static_cast<std::uint8_t>(op); };
  for (SyntaxId part = at.first; part != kNoSyntax; part = node(part).next) {
    Guard found = guard_of(part);
    if (!found.is_modulo) continue;
    if (at.kind == Syntax::compare)
      found.leaves_one = is(Operator::not_equal) || is(Operator::greater);
    if (at.kind == Syntax::unary && is(Operator::logical_not)) found.leaves_one = !found.leaves_one;
    return found;
  }
  return {};
}

/// `if step % n: continue`: what follows in the round is on the other side.
bool Interpreter::goes_on(SyntaxId block) const {
  SyntaxId last = node(block).first;
  while (last != kNoSyntax && node(last).next != kNoSyntax) last = node(last).next;
  return last != kNoSyntax && node(last).kind == Syntax::continue_loop;
}

void Interpreter::skip(SyntaxId left_out, const Value& condition) {
  if (left_out == kNoSyntax || silent_ > 0 || building_ > 0 || trying_ > 0) return;
  host_.skipped(*this, {condition, sides_, frames_.back().module, left_out});
}

Interpreter::Flow Interpreter::branch(SyntaxId id) {
  const SyntaxId condition = node(id).first;
  const SyntaxId then = node(condition).next;
  const SyntaxId otherwise = node(then).next;
  if (following_ > 0 && otherwise == kNoSyntax && only_raises(then))
    note_dimensions(condition, Operator::not_equal);
  std::vector<SourceSpan> stated;
  const Value value = decide(condition, stated);
  const bool was_guessed = was_guessed_;
  const std::optional<bool> decided = truth(value);
  Guard guard = guard_of(condition);
  const Varying* varying = varying_of(value);
  if (varying != nullptr && varying->form == Varying::Form::every)
    guard = {varying->divisor, true, guard.leaves_one};
  // `step % n` of a loop that is run once for all its rounds; a network has no such steps.
  const bool counts_rounds = guard.is_modulo && !rounds_.empty() && building_ == 0;
  if (decided && !counts_rounds) {
    skip(*decided ? otherwise : then, value);
    if (!was_guessed) note_left_out(*decided ? otherwise : then, value.origin == Origin::given);
    if (!*decided && otherwise == kNoSyntax) return Flow::normal;
    reasons_.push_back(std::move(stated));
    const Flow flow = *decided ? block(then) : statement(otherwise);
    reasons_.pop_back();
    return flow;
  }
  guard.loops = rounds_.size();
  guard.decision = decisions_;
  guards_.push_back(guard);
  const Flow flow = both(then, otherwise, value);
  guards_.pop_back();
  guard.is_rest = true;
  if (guard.is_modulo && otherwise == kNoSyntax && goes_on(then)) guards_.push_back(guard);
  return flow;
}

Interpreter::Flow Interpreter::with(SyntaxId id) {
  SyntaxId at = node(id).first;
  int detached = 0;
  for (; at != kNoSyntax && node(at).kind == Syntax::with_item; at = node(at).next) {
    const SyntaxId value = node(at).first;
    const SyntaxId target = node(value).next;
    const Value entered = eval(value);
    detached += detaches(entered) ? 1 : 0;
    if (target != kNoSyntax) assign(target, entered);
  }
  detached_ += detached;
  const Flow flow = at == kNoSyntax ? Flow::normal : block(at);
  detached_ -= detached;
  return flow;
}

/// `try: return int("auto")`: goes on in the handler. Elsewhere it is left to rules over facts.
bool Interpreter::raises_in_attempt() {
  return std::exchange(converted_no_number_, false) && frames_.back().attempts > 0;
}

/// `try: path.relative_to(root)`, `except ValueError: return False`: the call is made to see whether
/// it raises, which nobody knows.
bool Interpreter::asks_by_raising(SyntaxId body, SyntaxId handler) const {
  const SyntaxId only = node(body).first;
  const bool is_one_call = only != kNoSyntax && node(only).next == kNoSyntax &&
                           node(only).kind == Syntax::expression &&
                           node(node(only).first).kind == Syntax::call;
  if (!is_one_call) return false;
  const SyntaxId first = node(node(handler).first).first;
  return first != kNoSyntax && node(first).kind == Syntax::returns;
}

Interpreter::Flow Interpreter::attempt(SyntaxId id) {
  const SyntaxId body = node(id).first;
  const SyntaxId handler = node(body).next;
  const bool is_handled = handler != kNoSyntax && node(handler).op == 0;
  doubts_ += is_handled ? 1 : 0;
  frames_.back().attempts += is_handled ? 1 : 0;
  Flow flow = block(body);
  frames_.back().attempts -= is_handled ? 1 : 0;
  doubts_ -= is_handled ? 1 : 0;
  if (is_handled && flow == Flow::normal && asks_by_raising(body, handler))
    frames_.back().returns.emplace_back();
  bool handled = false;
  for (SyntaxId at = node(body).next; at != kNoSyntax; at = node(at).next) {
    const bool runs = node(at).op == 0   ? flow == Flow::raised && !handled
                      : node(at).op == 1 ? flow == Flow::normal && !handled
                                         : true;
    if (!runs) continue;
    if (!tree().text(at).empty()) assign_name(intern(tree().text(at)), {}, {});
    const Flow of_handler = block(node(at).first);
    if (node(at).op == 0) handled = true;
    if (node(at).op != 2 || of_handler != Flow::normal) flow = of_handler;
  }
  return flow;
}

/// A text, a number, a word of Python or a dotted name; unknown where a pattern is of another kind.
Value Interpreter::pattern_value(std::string_view pattern) {
  const bool begins = pattern.starts_with('"') || pattern.starts_with('\'');
  const bool is_quoted = begins && pattern.size() > 1 &&
                         pattern.find(pattern.front(), 1) == pattern.size() - 1;
  if (is_quoted) return make_text(pattern.substr(1, pattern.size() - 2));
  const bool is_whole = !pattern.empty() && pattern.size() < 10 &&
                        std::all_of(pattern.begin(), pattern.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
  if (is_whole) return make_integer(std::stoll(std::string(pattern)));
  if (pattern == "None") return {.kind = Kind::none};
  if (pattern == "True" || pattern == "False") return make_bool(pattern == "True");
  return pattern.find('.') == pattern.npos ? Value{} : named(pattern);
}

/// `case "adam" | "adamw"`, `case Kind.adam`, `case _`: whether the subject is one of these;
/// nullopt: it is a pattern of another kind, or nobody knows the subject.
std::optional<bool> Interpreter::is_case(SyntaxId id, const Value& subject) {
  constexpr std::size_t kWord = std::string_view("case").size();
  const SyntaxNode& body = node(node(id).first);
  std::string_view pattern = tree().source().substr(node(id).begin, body.begin - node(id).begin);
  pattern = trim(pattern.substr(std::min(kWord, pattern.size())));
  const std::size_t end = pattern.rfind(':');
  pattern = trim(pattern.substr(0, end));
  bool all_known = subject.known();
  for (std::string_view each : split(pattern, '|')) {
    each = trim(each);
    if (each == "_") return true;
    const Value wanted = pattern_value(each);
    const auto same = wanted.known() ? equal(subject, wanted) : std::nullopt;
    if (same == std::optional<bool>(true)) return true;
    all_known = all_known && same.has_value();
  }
  return all_known ? std::optional<bool>(false) : std::nullopt;
}

/// Each case may be the one that nobody can decide.
Interpreter::Flow Interpreter::match(SyntaxId id) {
  const Value subject = eval(node(id).first);
  bool may_be_another = false;
  for (SyntaxId at = node(node(id).first).next; at != kNoSyntax; at = node(at).next) {
    const std::optional<bool> taken = is_case(at, subject);
    const SyntaxId body = node(at).first;
    if (taken == std::optional<bool>(false)) {
      skip(body, subject);
      note_left_out(body);
    } else if (taken && !may_be_another) {
      for (SyntaxId rest = node(at).next; rest != kNoSyntax; rest = node(rest).next)
        note_left_out(rest);
      return block(body);
    } else {
      both(body, kNoSyntax);
      may_be_another = true;
    }
  }
  return Flow::normal;
}

}  // namespace gpulint::python
