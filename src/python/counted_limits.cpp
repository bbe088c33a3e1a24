// Training that ends inside its loops, when a counter reaches its limit:
// `if step >= args.max_steps: break`.

#include "python/interpreter.h"

#include <string_view>

namespace gpulint::python {
namespace {

bool is_loop(Syntax kind) { return kind == Syntax::for_loop || kind == Syntax::while_loop; }

/// Of these the statements run wherever the body of the loop does.
bool always_runs(Syntax kind) {
  return kind == Syntax::with || kind == Syntax::attempt || kind == Syntax::block;
}

}  // namespace

/// How statements of a loop's body change `counter`.
Interpreter::Counting Interpreter::counting_of(std::string_view counter, SyntaxId body) const {
  Counting made;
  for (SyntaxId at = node(body).first; at != kNoSyntax; at = node(at).next) {
    const Syntax kind = node(at).kind;
    const bool assigns = kind == Syntax::augmented || kind == Syntax::assign;
    if (assigns && source(node(at).first) == counter) {
      const SyntaxId value = node(node(at).first).next;
      const bool adds = kind == Syntax::augmented || node(value).kind == Syntax::binary;
      made.changes = true;
      made.goes_up = made.goes_up || adds;
      made.starts_again = made.starts_again || !adds;
    }
    const bool is_condition = kind == Syntax::branch || kind == Syntax::handler;
    if (!is_condition && !is_loop(kind) && !always_runs(kind)) continue;
    const Counting inside = counting_of(counter, at);
    made.changes = made.changes || inside.changes;
    made.changes_inside = made.changes_inside || inside.changes_inside ||
                          (inside.changes && is_loop(kind));
    made.goes_up = made.goes_up || (inside.goes_up && !is_condition);
    made.starts_again = made.starts_again || inside.starts_again;
  }
  return made;
}

/// It ends a loop around it: `break` or `return`.
bool Interpreter::leaves_loops(SyntaxId block) const {
  for (SyntaxId at = node(block).first; at != kNoSyntax; at = node(at).next) {
    const Syntax kind = node(at).kind;
    if (kind == Syntax::break_loop || kind == Syntax::returns) return true;
  }
  return false;
}

/// The `if` in a loop's body that ends it when a counter is high enough.
SyntaxId Interpreter::limit_in(SyntaxId body) const {
  for (SyntaxId at = node(body).first; at != kNoSyntax; at = node(at).next) {
    const Syntax kind = node(at).kind;
    if (kind == Syntax::branch) {
      const SyntaxNode& condition = node(node(at).first);
      const auto is = [&](Operator op) { return condition.op == static_cast<std::uint8_t>(op); };
      const bool compares = condition.kind == Syntax::compare &&
                            (is(Operator::greater) || is(Operator::greater_equal) ||
                             is(Operator::equal)) &&
                            node(node(condition.first).next).next == kNoSyntax;
      const Syntax counter = compares ? node(condition.first).kind : Syntax::block;
      if ((counter == Syntax::name || counter == Syntax::attribute) &&
          leaves_loops(node(node(at).first).next))
        return at;
    }
    const SyntaxId found = is_loop(kind) || always_runs(kind) ? limit_in(at) : kNoSyntax;
    if (found != kNoSyntax) return found;
  }
  return kNoSyntax;
}

/// `id`: the loop, which is entered next. Of one that counts its own rounds the limit stands in a
/// loop inside it.
void Interpreter::report_limit(SyntaxId body, SyntaxId id) {
  const SyntaxId limit = silent_ == 0 && building_ == 0 ? limit_in(body) : kNoSyntax;
  if (limit == kNoSyntax) return;
  const SyntaxNode& condition = node(node(limit).first);
  const Counting counting = counting_of(source(condition.first), body);
  const bool is_counted = node(id).kind == Syntax::for_loop;
  if (!counting.goes_up || counting.starts_again || (is_counted && !counting.changes_inside))
    return;
  Loop loop;
  loop.target = source(condition.first);
  loop.end = source(node(condition.first).next);
  loop.start = make_integer(0);
  loop.stop = eval(node(condition.first).next);
  if (!loop.stop.is_number() || loop.stop.number() <= 0) return;
  loop.counter = counting.counter();
  loop.sides = sides_;
  loop.module = frames_.back().module;
  loop.node = id;
  loop.number = entered_;
  if (trying_ == 0) host_.looped(*this, loop);
}

}  // namespace gpulint::python
