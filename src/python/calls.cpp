#include "python/interpreter.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace gpulint::python {

Value Interpreter::call_node(SyntaxId id) {
  const SyntaxId function = node(id).first;
  Value callee;
  const bool is_super = node(function).kind == Syntax::attribute &&
                        node(node(function).first).kind == Syntax::call &&
                        source(node(node(function).first).first) == "super";
  if (is_super) {
    callee = super_of(intern(tree().text(function)), class_of_super(node(function).first));
  } else {
    const SyntaxId outer = std::exchange(callee_, function);
    callee = eval(function);
    callee_ = outer;
  }
  // What is worked out inside the arguments is assigned to nothing.
  targets_.push_back({});
  Arguments taken = arguments(node(function).next);
  targets_.pop_back();
  if (is_super && callee.kind == Kind::external) {
    const std::vector<Entry>& locals = objects_[frames_.back().scope].entries;
    const Value self = locals.empty() ? Value{} : locals.front().value;
    if (self.kind == Kind::dict) return dict_method(self, "update", taken).value_or(Value{});
    report(text(callee.ref), taken, id, {});
    return {};
  }
  Value made = call(callee, std::move(taken), id);
  if (!made.from.known() && made.origin == Origin::code && made.has_object()) made.from = span(id);
  return made;
}

/// `super(Base, self)` in a class that derives from it: the class whose bases are meant; kNone: the
/// one whose method runs.
std::uint32_t Interpreter::class_of_super(SyntaxId call) {
  const std::uint32_t function = frames_.back().function;
  const SyntaxId named = node(node(call).first).next;
  if (named == kNoSyntax || function == kNone || functions_[function].type == kNone) return kNone;
  const Syntax kind = node(named).kind;
  if (kind != Syntax::name && kind != Syntax::attribute) return kNone;
  const Value meant = eval(named);
  const bool is_above =
      meant.kind == Kind::type && derives(functions_[function].type, meant.ref, 0);
  return is_above ? meant.ref : kNone;
}

Value Interpreter::call(const Value& callee, Arguments arguments, SyntaxId at) {
  if (starts_command(callee, arguments)) return start_command(callee, at);
  switch (callee.kind) {
    case Kind::function:
      return call_function(callee.ref, nullptr, std::move(arguments));
    case Kind::type:
      return construct(callee.ref, std::move(arguments), at);
    case Kind::external:
      return call_external(callee, arguments, at);
    case Kind::method:
      return call_method(methods_[callee.ref], arguments, at);
    case Kind::instance: {
      const std::uint32_t type = objects_[callee.ref].type;
      const Value* caller = type == kNone ? nullptr : own_method(type, intern("__call__"), 0);
      if (caller == nullptr && host_.follows() && is_network(callee)) {
        const Value* forward = own_method(type, intern("forward"), 0);
        if (forward != nullptr && forward->kind == Kind::function)
          return follow(callee, Value(*forward), std::move(arguments));
      }
      if (caller == nullptr || caller->kind != Kind::function) {
        const bool is_of_library = type != kNone && types_[type].module->is_library &&
                                   !frames_.back().module->is_library && !is_network(callee);
        if (is_of_library && !is_tensor(callee))
          report(library_name(type) + ".__call__", arguments, at, {});
        lose(class_name(callee), arguments);
        const bool is_plain = is_tensor(callee);  // what such a class makes has no sizes
        return is_plain ? data_from("()", arguments).value_or(Value{}) : Value{};
      }
      return call_function(caller->ref, &callee, std::move(arguments));
    }
    default:
      lose("a function", arguments);
      if (silent_ == 0 && trying_ == 0) host_.unfollowed(callee.integer);
      for (const Argument& each : arguments.list) share(each.value);
      return {};
  }
}

Value Interpreter::call_function(std::uint32_t index, const Value* self, Arguments arguments) {
  const Function function = functions_[index];
  const bool builds = building_ > 0;
  const int most_recursion = builds ? 40 : 12;  // a config's sections are some levels deep
  const auto running = std::count_if(frames_.begin(), frames_.end(), [&](const Frame& frame) {
    return frame.function != kNone && functions_[frame.function].node == function.node &&
           functions_[frame.function].module == function.module;
  });
  const bool is_library = function.module->is_library;
  const int most = limits_.max_depth + (builds || is_library ? limits_.max_build_depth : 0);
  const bool too_deep = frames_.size() > static_cast<std::size_t>(most);
  // What calls itself in a case that nobody can decide may do so for ever.
  constexpr int kMostOpenRecursion = 3;
  const bool has_no_end =
      !builds && doubts_ > frames_.back().doubts && running > kMostOpenRecursion;
  const bool is_lazy = function.generates && is_library;
  if (too_deep || running > most_recursion || has_no_end || is_lazy || !step()) {
    lose(function.module->tree.text(function.node), arguments);
    for (const Argument& each : arguments.list) share(each.value);
    return {};
  }
  const SyntaxTree& code = function.module->tree;
  Frame frame = frame_of(index);
  if (function.takes_config && arguments.list.empty()) {
    const SyntaxNode& own = code.node(function.node);
    asked_at_ = {function.module->file, own.begin, own.end};
    if (auto config = host_.entry_config(*this, function.entry)) {
      mark_attributes(*config);
      arguments.list.push_back({kNone, *config, kNoSyntax});
    } else {
      arguments.open = true;
    }
  }
  frames_.push_back(std::move(frame));
  const ObjectId scope = frames_.back().scope;
  building_ += is_library ? 1 : 0;
  detached_ += function.detaches ? 1 : 0;
  bind(function, code.node(function.node).first, scope, self, arguments);
  const std::string_view target = targets_.empty() ? std::string_view{} : targets_.back();
  targets_.push_back(target);
  const int nesting = nesting_;
  nesting_ = nesting + 4;
  doubts_ += function.generates ? 1 : 0;  // it runs as far as somebody asks for items
  const Value items = function.generates ? make_object(Kind::list) : Value{};
  frames_.back().yielded = items.ref;
  frames_.back().sides = sides_.size();
  frames_.back().loops = loops_;
  const std::int64_t cause = std::exchange(cause_, kNoCause);  // of the caller's expression
  Value result = run_body(function);
  cause_ = cause;
  doubts_ -= function.generates ? 1 : 0;
  if (function.generates) {
    const bool is_whole = !objects_[items.ref].open && !frames_.back().may_have_left;
    result = is_whole ? items : Value{};
  }
  nesting_ = nesting;
  building_ -= is_library ? 1 : 0;
  detached_ -= function.detaches ? 1 : 0;
  targets_.pop_back();
  frames_.pop_back();
  return result;
}

/// `yield value`, or `yield from values`: items of what the running generator makes, as long as
/// nothing around them is open.
void Interpreter::note_yielded(const Value& value, bool hands_on) {
  const Frame& frame = frames_.back();
  const ObjectId list = frame.yielded;
  if (list == kNone || list >= objects_.size()) return;
  const auto items = hands_on ? items_of(value) : std::optional(std::vector<Value>{value});
  const bool is_certain = sides_.size() == frame.sides && loops_ == frame.loops;
  if (!items || !is_certain) {
    record(list, kNone);
    objects_[list].open = true;
    return;
  }
  for (const Value& item : *items) append(list, item);
}

/// With a scope of its own, in which nothing is bound yet.
Interpreter::Frame Interpreter::frame_of(std::uint32_t index) {
  const Function function = functions_[index];
  Frame frame;
  frame.module = function.module;
  frame.scope = new_object();
  frame.function = index;
  frame.doubts = doubts_;
  frame.reasons = reasons_.size();
  frame.module_scope = modules_.count(function.module) != 0 ? modules_.at(function.module) : 0;
  objects_[frame.scope].parent = function.scope;
  return frame;
}

/// What a function returns, all its `return`s joined, with its frame open.
Value Interpreter::run_body(const Function& function) {
  const SyntaxTree& code = function.module->tree;
  const SyntaxId body = code.child(function.node, 1);
  if (code.node(function.node).kind == Syntax::lambda) return eval(body);
  Value result{.kind = Kind::none};
  const Flow flow = block(body);
  std::vector<Value>& returns = frames_.back().returns;
  // It may have returned before, on one side of a condition that nobody can decide.
  // Somebody does ask for the first item of a generator.
  const int own_doubts = (function.generates ? 1 : 0) + (trying_ > 0 ? 1 : 0);
  stopped_ = stopped_ || (flow == Flow::raised && doubts_ == own_doubts && returns.empty());
  if (flow == Flow::raised && returns.empty()) return {};
  if (flow == Flow::normal && !returns.empty()) returns.push_back(result);
  if (!returns.empty()) result = returns.front();
  for (std::size_t i = 1; i < returns.size(); ++i)
    result = because(joined(result, returns[i]), frames_.back().parted);
  return truncated_ || (building_ > 0 && build_stopped_) ? Value{} : result;
}

Value Interpreter::call_method(const Method& bound, Arguments& arguments, SyntaxId at) {
  const Method method = bound;
  Arguments all{method.given, arguments.open};
  all.list.insert(all.list.end(), arguments.list.begin(), arguments.list.end());
  if (method.name == kNone) return call(method.function, std::move(all), at);  // partial
  const Behaviour of_mapping = method.self.kind == Kind::dict
                                   ? host_.behaviour("." + std::string(text(method.name)))
                                   : Behaviour::none;
  if (of_mapping == Behaviour::allow_new) {
    allow_new_keys(method.self, 0);
    return Value{.kind = Kind::none};
  }
  if (of_mapping == Behaviour::merge_method) {
    Value over = argument_value(all, 0, "");
    if (over.kind != Kind::dict) {
      if (at != kNoSyntax) asked_at_ = span(at);
      over = host_.load(*this, over, {}).value_or(Value{});
    }
    lay_over(method.self, over, at, 0);
    return Value{.kind = Kind::none};
  }
  if (method.function.kind == Kind::function) {
    if (is_own_optimizer(method.self)) report(method_name(method), all, at, receiver_of(method));
    // `transformers.BertModel.from_pretrained` of a project.
    const bool is_of_library = method.self.kind == Kind::type &&
                               types_[method.self.ref].module->is_library &&
                               !frames_.back().module->is_library &&
                               makes_networks(*functions_[method.function.ref].module);
    if (is_of_library) return make_of_library(method, all, at);
    // `Net.from_pretrained(name)`: what a project's class has of one of a library.
    const std::uint32_t maker = functions_[method.function.ref].type;
    const bool is_inherited = method.self.kind == Kind::type && maker != kNone &&
                              !types_[method.self.ref].module->is_library &&
                              types_[maker].module->is_library;
    if (is_inherited) {
      const std::string of = library_name(library_base(method.self.ref, maker, 0));
      report(of + "." + std::string(text(method.name)), all, at, {});
    }
    // `model.to(device)`: what a library's class does with a project's network.
    const bool is_of_network = is_network(method.self) && !frames_.back().module->is_library &&
                               functions_[method.function.ref].module->is_library;
    if (is_of_network) report("." + std::string(text(method.name)), all, at, "network");
    const std::uint32_t type =
        method.self.kind == Kind::instance ? objects_[method.self.ref].type : kNone;
    const bool is_other = type != kNone && !is_network(method.self) && !is_tensor(method.self);
    const bool is_of_library_object = is_other && !frames_.back().module->is_library &&
                                      functions_[method.function.ref].module->is_library;
    if (is_of_library_object)
      report(library_name(type) + "." + std::string(text(method.name)), all, at, {});
    if (stands_for_forward(method, all))
      return follow(method.self, method.function, std::move(all));
    return call_function(method.function.ref, &method.self, std::move(all));
  }
  if (method.function.known()) return call(method.function, std::move(all), at);
  if (add_command(method, all)) return {.kind = Kind::none};
  const std::string_view name = text(method.name);
  if (auto known = method_of(method.self, name, all, at)) return *known;
  if (auto made = arithmetic_method(method.self, name, all)) return *made;
  std::optional<Value> data;
  if (is_followed(method.self)) {
    Arguments of_self;
    of_self.list.push_back({kNone, method.self, kNoSyntax});
    if (!is_open_tensor(method.self)) lose(name, of_self);
    data = data_from(name, of_self);
  } else if (!takes_form(name)) {
    lose(name, all);
  }
  if (method.self.kind == Kind::dict) share(method.self);
  // Of a class of networks: it may change which parts there are.
  if (is_network(method.self)) open_network(method.self.ref, here(at));
  const TextId whole = intern(method_name(method));
  const Behaviour how = host_.behaviour(text(whole));
  if (how == Behaviour::load || how == Behaviour::load_attributes)
    return behave(how, external(text(whole)), all, at);
  if (how == Behaviour::spawn) return spawn(all, at, text(whole));
  if (how == Behaviour::submit) return submit(all, at, text(whole));
  report(text(whole), all, at, receiver_of(method));
  if (silent_ == 0 && trying_ == 0)
    host_.unfollowed(method.self.known() ? here(at) : cause_of(method.self));
  const bool made_outside =
      method.self.kind == Kind::instance && objects_[method.self.ref].made_by != kNone;
  if (made_outside) {
    if (auto known = described_call(whole, all, at)) return *known;
  }
  return data.value_or(Value{});
}

/// What the description makes, beside what the call says; where that is unknown, an object of the
/// library.
Value Interpreter::make_of_library(const Method& method, Arguments& arguments, SyntaxId at) {
  Value callee;
  callee.kind = Kind::external;
  callee.ref = intern(library_name(method.self.ref) + "." + std::string(text(method.name)));
  const auto made = call_described(method, arguments, at);
  if (!made || !made->known()) return call_external(callee, arguments, at);
  report(text(callee.ref), arguments, at, {});
  return *made;
}

/// "torch.optim.Adam.step"; ".step" of an object nobody knows.
std::string Interpreter::method_name(const Method& method) const {
  const bool made_outside =
      method.self.kind == Kind::instance && objects_[method.self.ref].made_by != kNone;
  const std::string owner =
      made_outside ? std::string(text(objects_[method.self.ref].made_by)) : std::string();
  return owner + "." + std::string(text(method.name));
}

std::string_view Interpreter::receiver_of(const Method& method) const {
  return method.module == frames_.back().module ? source(method.receiver) : std::string_view();
}

void Interpreter::report(std::string_view name, const Arguments& arguments, SyntaxId at,
                         std::string_view receiver, bool is_own) {
  if (host_.follows()) host_.passed(name);
  const bool is_in_network = silent_ > 0 && constructing_ > 0 && !frames_.back().module->is_library;
  if (silent_ > 0 && !(is_in_network && host_.counts_in_networks(name))) return;
  Call call;
  call.name = name;
  call.target = targets_.size() < 1 ? std::string_view{} : targets_.back();
  call.receiver = receiver;
  call.arguments = arguments.list;
  call.open = arguments.open;
  call.sides = sides_;
  call.is_own = is_own;
  call.in_loop = loops_ > 0;
  call.is_listed = listed_in_ == frames_.size();
  call.in_network = is_in_network;
  call.chosen = chosen_;
  call.rounds = rounds_;
  call.guards = guards_;
  call.module = frames_.back().module;
  call.node = at;
  // A text that is evaluated has no place; the call that does has.
  std::vector<Argument> unplaced;
  if (!evaluating_.empty() && call.module == evaluated_.back().get()) {
    std::tie(call.module, call.node) = evaluating_.back();
    unplaced = arguments.list;
    for (Argument& each : unplaced) each.node = kNoSyntax;
    call.arguments = unplaced;
  }
  host_.called(*this, call);
}

}  // namespace gpulint::python
