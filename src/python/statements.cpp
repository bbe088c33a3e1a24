#include "python/interpreter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint::python {

Interpreter::Flow Interpreter::block(SyntaxId id) {
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    const Flow flow = statement(at);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

// One switch over all statements.
Interpreter::Flow Interpreter::statement(SyntaxId id) {
  if (!step() || nesting_ > limits_.max_nesting) return Flow::returned;
  const SyntaxNode& at = node(id);
  switch (at.kind) {
    case Syntax::block:
      return block(id);
    case Syntax::expression: {
      const Value value = eval(at.first);
      const bool leaves = value.kind == Kind::external && text(value.ref) == "sys.exit()";
      return leaves ? Flow::raised : Flow::normal;
    }
    case Syntax::assign: {
      SyntaxId last = at.first;
      while (node(last).next != kNoSyntax) last = node(last).next;
      targets_.push_back(source(at.first));
      const Value value = eval(last);
      targets_.pop_back();
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
      frames_.back().returns.push_back(value);
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
      return Flow::broke;
    case Syntax::continue_loop:
      return Flow::continued;
    case Syntax::raise:
      if (at.first != kNoSyntax) eval(at.first);
      return Flow::raised;
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

void Interpreter::remove(SyntaxId target) {
  if (target == kNoSyntax) return;
  Value of;
  TextId key = kNone;
  if (node(target).kind == Syntax::name) {
    of.kind = Kind::module;
    of.ref = frames_.back().scope;
    key = intern(tree().text(target));
  } else if (node(target).kind == Syntax::attribute) {
    of = eval(node(target).first);
    key = intern(tree().text(target));
  } else if (node(target).kind == Syntax::subscript) {
    of = eval(node(target).first);
    key = key_of(eval(tree().child(target, 1)));
  }
  if (!of.has_object() || key == kNone || find(of.ref, key) == nullptr) return;
  if (undecided_ > 0) {
    set(of.ref, key, {});
    return;
  }
  std::erase_if(objects_[of.ref].entries, [&](const Entry& entry) { return entry.key == key; });
}

/// `step % n == 0`: what happens below happens every n steps.
Guard Interpreter::guard_of(SyntaxId condition) {
  const SyntaxNode& at = node(condition);
  if (at.kind == Syntax::binary && at.op == static_cast<std::uint8_t>(Operator::modulo)) {
    return {eval(tree().child(condition, 1)), true};
  }
  const bool looks_inside =
      at.kind == Syntax::compare || at.kind == Syntax::boolean || at.kind == Syntax::unary;
  if (!looks_inside) return {};
  for (SyntaxId part = at.first; part != kNoSyntax; part = node(part).next) {
    Guard found = guard_of(part);
    if (found.is_modulo) return found;
  }
  return {};
}

Interpreter::Flow Interpreter::branch(SyntaxId id) {
  const SyntaxId condition = node(id).first;
  const SyntaxId then = node(condition).next;
  const SyntaxId otherwise = node(then).next;
  const std::optional<bool> decided = truth(eval(condition));
  const Guard guard = guard_of(condition);
  if (decided && !guard.is_modulo) {
    if (*decided) return block(then);
    return otherwise == kNoSyntax ? Flow::normal : statement(otherwise);
  }
  guards_.push_back(guard);
  const Flow flow = both(then, otherwise);
  guards_.pop_back();
  return flow;
}

std::optional<std::vector<Value>> Interpreter::items_of(const Value& value) {
  const bool has_items =
      value.kind == Kind::list || value.kind == Kind::tuple || value.kind == Kind::set;
  if (has_items) {
    const Object& list = objects_[value.ref];
    if (list.open || list.items.size() > limits_.max_items) return std::nullopt;
    return list.items;
  }
  if (value.kind == Kind::dict) {
    const Object& dict = objects_[value.ref];
    if (dict.open || dict.entries.size() > limits_.max_items) return std::nullopt;
    std::vector<Value> keys;
    for (const Entry& entry : dict.entries) {
      keys.push_back(make_text(texts_[entry.key], entry.key_span));
    }
    return keys;
  }
  return std::nullopt;
}

Interpreter::Flow Interpreter::for_loop(SyntaxId id) {
  const SyntaxId target = node(id).first;
  const SyntaxId iterable = node(target).next;
  const SyntaxId body = node(iterable).next;
  const SyntaxId otherwise = node(body).next;
  const Value over = eval(iterable);
  report_loop(target, iterable, id);
  std::optional<std::vector<Value>> items = items_of(over);
  Flow flow = Flow::normal;
  if (items) {
    for (const Value& item : *items) {
      assign(target, item);
      flow = block(body);
      if (flow == Flow::returned || flow == Flow::raised || truncated_) return flow;
      if (flow == Flow::broke) break;
    }
  } else {
    forget_counters(body);
    assign(target, {});
    ++loops_;
    flow = block(body);
    --loops_;
    if (flow == Flow::returned || flow == Flow::raised) flow = Flow::normal;  // in one round
  }
  if (otherwise != kNoSyntax && flow != Flow::broke) return block(otherwise);
  return Flow::normal;
}

/// The range a loop counts over, also inside tqdm(…) and enumerate(…).
void Interpreter::report_loop(SyntaxId target, SyntaxId iterable, SyntaxId id) {
  constexpr int kMostWrappers = 3;
  for (int i = 0; i < kMostWrappers; ++i) {
    if (node(iterable).kind != Syntax::call) return;
    const SyntaxId function = node(iterable).first;
    const SyntaxId first = node(function).next;
    if (first == kNoSyntax || node(first).kind == Syntax::keyword) return;
    const std::string_view name = source(function);
    if (name != "range" && !name.ends_with("trange")) {
      iterable = first;
      continue;
    }
    const SyntaxId second = node(first).next;
    const bool has_start = second != kNoSyntax && node(second).kind != Syntax::keyword;
    Loop loop;
    loop.target = source(target);
    loop.start = has_start ? eval(first) : make_integer(0);
    loop.stop = eval(has_start ? second : first);
    loop.certain = undecided_ == 0;
    loop.module = frames_.back().module;
    loop.node = id;
    host_.looped(*this, loop);
    return;
  }
}

void Interpreter::report_while(SyntaxId condition, SyntaxId id) {
  const SyntaxNode& at = node(condition);
  const bool is_below =
      at.kind == Syntax::compare && (at.op == static_cast<std::uint8_t>(Operator::less) ||
                                     at.op == static_cast<std::uint8_t>(Operator::less_equal));
  if (!is_below) return;
  Loop loop;
  loop.target = source(at.first);
  loop.start = make_integer(0);
  loop.stop = eval(node(at.first).next);
  loop.certain = undecided_ == 0 && at.op == static_cast<std::uint8_t>(Operator::less);
  loop.module = frames_.back().module;
  loop.node = id;
  host_.looped(*this, loop);
}

Interpreter::Flow Interpreter::while_loop(SyntaxId id) {
  const SyntaxId condition = node(id).first;
  const SyntaxId body = node(condition).next;
  if (truth(eval(condition)) == std::optional<bool>(false)) return Flow::normal;
  report_while(condition, id);
  forget_counters(body);
  ++loops_;
  block(body);
  --loops_;
  return Flow::normal;
}

Interpreter::Flow Interpreter::with(SyntaxId id) {
  SyntaxId at = node(id).first;
  for (; at != kNoSyntax && node(at).kind == Syntax::with_item; at = node(at).next) {
    const SyntaxId value = node(at).first;
    const SyntaxId target = node(value).next;
    const Value entered = eval(value);
    if (target != kNoSyntax) assign(target, entered);
  }
  return at == kNoSyntax ? Flow::normal : block(at);
}

Interpreter::Flow Interpreter::attempt(SyntaxId id) {
  const SyntaxId body = node(id).first;
  Flow flow = block(body);
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

/// Each case may be the one.
Interpreter::Flow Interpreter::match(SyntaxId id) {
  eval(node(id).first);
  for (SyntaxId at = node(node(id).first).next; at != kNoSyntax; at = node(at).next) {
    both(node(at).first, kNoSyntax);
  }
  return Flow::normal;
}

void Interpreter::assign(SyntaxId target, const Value& value) {
  switch (node(target).kind) {
    case Syntax::name:
      assign_name(intern(tree().text(target)), value, span(target));
      return;
    case Syntax::attribute: {
      const Value of = eval(node(target).first);
      SourceSpan name = span(target);
      const auto size = static_cast<std::uint32_t>(tree().text(target).size());
      name.begin = name.end - size;
      if (of.has_object()) set(of.ref, intern(tree().text(target)), value, name);
      if (of.kind == Kind::type) {
        set(types_[of.ref].scope, intern(tree().text(target)), value, name);
      }
      return;
    }
    case Syntax::subscript: {
      const Value of = eval(node(target).first);
      const Value index = eval(tree().child(target, 1));
      if (of.kind == Kind::list) {
        const auto at = static_cast<std::size_t>(index.integer);
        record(of.ref, kNone);
        if (index.kind == Kind::integer && at < objects_[of.ref].items.size()) {
          objects_[of.ref].items[at] = value;
        } else {
          objects_[of.ref].open = true;
        }
      } else if (of.has_object()) {
        const TextId key = key_of(index);
        if (key != kNone) set(of.ref, key, value, span(tree().child(target, 1)));
        if (key == kNone) objects_[of.ref].open = true;
      }
      return;
    }
    case Syntax::tuple:
    case Syntax::list:
      unpack(target, value);
      return;
    case Syntax::star:
      assign(node(target).first, {});
      return;
    default:
      return;
  }
}

void Interpreter::unpack(SyntaxId targets, const Value& value) {
  const auto items = items_of(value);
  std::size_t count = 0;
  bool has_star = false;
  for (SyntaxId at = node(targets).first; at != kNoSyntax; at = node(at).next) {
    ++count;
    has_star = has_star || node(at).kind == Syntax::star;
  }
  const bool fits = items && items->size() == count && !has_star;
  std::size_t i = 0;
  for (SyntaxId at = node(targets).first; at != kNoSyntax; at = node(at).next) {
    assign(at, fits ? (*items)[i] : Value{});
    ++i;
  }
}

void Interpreter::annotated(SyntaxId id) {
  const SyntaxId target = node(id).first;
  const SyntaxId value = tree().child(id, 2);
  if (value == kNoSyntax) return;
  targets_.push_back(source(target));
  const Value worth = eval(value);
  targets_.pop_back();
  assign(target, worth);
}

void Interpreter::augmented(SyntaxId id) {
  const SyntaxId target = node(id).first;
  const Value before = eval(target);
  const Value by = eval(node(target).next);
  const bool extends = before.kind == Kind::list && node(id).op == static_cast<int>(Operator::add);
  if (extends) {
    const auto items = items_of(by);
    if (!items) objects_[before.ref].open = true;
    if (items) {
      for (const Value& item : *items) append(before.ref, item);
    }
    return;
  }
  assign(target, binary(static_cast<Operator>(node(id).op), before, by, span(id)));
}

namespace {

/// Does a function's body hold a `yield` of its own?
bool yields(const SyntaxTree& tree, SyntaxId id, int depth) {
  constexpr int kDeepest = 60;
  if (depth > kDeepest) return false;
  for (SyntaxId at = tree.node(id).first; at != kNoSyntax; at = tree.node(at).next) {
    const Syntax kind = tree.node(at).kind;
    if (kind == Syntax::yield) return true;
    const bool is_own = kind == Syntax::function || kind == Syntax::lambda ||
                        kind == Syntax::class_type || kind == Syntax::call;
    if (!is_own && yields(tree, at, depth + 1)) return true;
  }
  return false;
}

}  // namespace

void Interpreter::define_function(SyntaxId id) {
  Function function;
  function.module = frames_.back().module;
  function.node = id;
  function.scope = frames_.back().scope;
  const SyntaxId body = tree().child(id, 1);
  function.generates = yields(tree(), body, 0);
  bool is_unknown = false;
  for (SyntaxId at = node(body).next; at != kNoSyntax; at = node(at).next) {
    const SyntaxId value = node(at).first;
    const bool called = node(value).kind == Syntax::call;
    const Value decorator = eval(called ? node(value).first : value);
    const std::string_view name = text_of(decorator);
    if (name == "staticmethod") function.call = Function::Call::is_static;
    if (name == "classmethod") function.call = Function::Call::is_class;
    if (name == "property" || name.ends_with("cached_property"))
      function.call = Function::Call::property;
    if (decorator.kind == Kind::external && host_.behaviour(name) == Behaviour::entry) {
      function.takes_config = true;
      if (called) function.entry = arguments(node(node(value).first).next).list;
    }
    is_unknown = is_unknown || source(value).ends_with(".setter");
  }
  if (is_unknown) return;
  Value value;
  value.kind = Kind::function;
  value.ref = static_cast<std::uint32_t>(functions_.size());
  functions_.push_back(std::move(function));
  assign_name(intern(tree().text(id)), value, span(id));
}

void Interpreter::define_class(SyntaxId id) {
  const auto index = static_cast<std::uint32_t>(types_.size());
  const SyntaxId bases = node(id).first;
  const SyntaxId body = node(bases).next;
  types_.emplace_back();
  Type made;
  made.module = frames_.back().module;
  made.node = id;
  for (SyntaxId base = node(bases).first; base != kNoSyntax; base = node(base).next) {
    if (node(base).kind == Syntax::keyword || node(base).kind == Syntax::double_star) continue;
    const bool is_generic = node(base).kind == Syntax::subscript;
    Value value = eval(is_generic ? node(base).first : base);
    if (value.kind == Kind::external) {
      const Behaviour how = host_.behaviour(text(value.ref));
      if (how == Behaviour::fields || how == Behaviour::coerced_fields) made.fields = how;
    }
    made.bases.push_back(std::move(value));
  }
  for (SyntaxId at = node(body).next; at != kNoSyntax; at = node(at).next) {
    const SyntaxId value = node(at).first;
    const Value decorator = eval(node(value).kind == Syntax::call ? node(value).first : value);
    const Behaviour how =
        decorator.kind == Kind::external ? host_.behaviour(text(decorator.ref)) : Behaviour::none;
    if (how == Behaviour::fields || how == Behaviour::coerced_fields) made.fields = how;
  }
  made.scope = new_object();
  objects_[made.scope].parent = frames_.back().scope;
  types_[index] = made;
  Frame frame;
  frame.module = frames_.back().module;
  frame.scope = made.scope;
  frame.module_scope = frames_.back().module_scope;
  frame.function = kNone;
  const std::size_t functions = functions_.size();
  frames_.push_back(std::move(frame));
  block(body);
  frames_.pop_back();
  for (const Entry& entry : objects_[made.scope].entries) {  // methods see the scope around
    if (entry.value.kind != Kind::function || entry.value.ref < functions) continue;
    functions_[entry.value.ref].type = index;
    functions_[entry.value.ref].scope = objects_[made.scope].parent;
  }
  Value value;
  value.kind = Kind::type;
  value.ref = index;
  assign_name(intern(tree().text(id)), value, span(id));
}

}  // namespace gpulint::python
