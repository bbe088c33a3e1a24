// Loops: run item by item where the items are known, else once for all rounds.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::python {

std::optional<std::vector<Value>> Interpreter::items_of(const Value& value) {
  const bool has_items =
      value.kind == Kind::list || value.kind == Kind::tuple || value.kind == Kind::set;
  const bool is_sequence = value.kind == Kind::instance && objects_[value.ref].is_sequence;
  if (has_items || is_sequence) {
    const Object& list = objects_[value.ref];
    const bool is_long = list.items.size() > limits_.max_items;
    const bool is_of_network = is_sequence || building_ > 0 || (is_long && holds_parameters(value));
    const std::size_t most = is_of_network ? limits_.max_built_items : limits_.max_items;
    if (list.open || list.items.size() > most) return std::nullopt;
    return list.items;
  }
  if (value.kind == Kind::type && has_base(value.ref, Behaviour::enumeration, 0))
    return members_of(value.ref);
  if (value.kind == Kind::text && value.integer != kOpened) {
    std::vector<Value> letters;
    const std::string word(text(value.ref));
    if (word.size() > limits_.max_items) return std::nullopt;
    for (std::size_t at = 0, end = 0; at < word.size(); at = end) {
      end = at + 1;  // a letter may be several bytes of UTF-8
      while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U) ++end;
      letters.push_back(make_text(word.substr(at, end - at)));
    }
    return letters;
  }
  if (value.kind == Kind::dict) {
    const Object& dict = objects_[value.ref];
    if (dict.open || dict.entries.size() > limits_.max_items) return std::nullopt;
    std::vector<Value> keys;
    for (const Entry& entry : dict.entries) keys.push_back(key_value(value, entry));
    return keys;
  }
  return std::nullopt;
}

/// `for line in f`: an opened file is its lines, where they are known.
Value Interpreter::lines_in(const Value& over) {
  const bool is_file = over.kind == Kind::text && over.integer == kOpened;
  return is_file ? host_.lines(*this, over).value_or(over) : over;
}

Interpreter::Flow Interpreter::for_loop(SyntaxId id) {
  host_.loop_began();
  const Flow flow = rounds_of(id);
  host_.loop_ended();
  return flow;
}

Interpreter::Flow Interpreter::rounds_of(SyntaxId id) {
  const SyntaxId target = node(id).first;
  const SyntaxId iterable = node(target).next;
  const SyntaxId body = node(iterable).next;
  const SyntaxId otherwise = node(body).next;
  const Value over = eval(iterable);
  const Value counted = report_loop(target, iterable, id);
  report_limit(body, id);
  std::optional<std::vector<Value>> items = items_of(lines_in(over));
  Flow flow = Flow::normal;
  if (!items) note_whole(over);
  if (!items) report_frozen(iterable, body);
  if (!items && (building_ > 0 || holds_parameters(over))) return part_of_loop(target, over, body);
  // A matrix of numbers that a layer works out is none of its parameters, however long that takes.
  if (items && building_ > 0 && items->size() > 1 && only_fills(body)) items->resize(1);
  if (items) {
    const PartsApart apart(*this, over);
    rounds_.push_back(round_over(iterable, counted));
    for (const Value& item : *items) {
      assign(target, item);
      flow = round(body);
      if (flow == Flow::returned || flow == Flow::raised || flow == Flow::broke || truncated_)
        break;
    }
    rounds_.pop_back();
    if (flow == Flow::returned || flow == Flow::raised || truncated_) return flow;
  } else {
    forget_counters(body);
    assign_some(target, over);
    rounds_.push_back(round_over(iterable, counted));
    ++loops_;
    endless_.push_back(static_cast<ObjectId>(objects_.size()));
    ++doubts_;
    flow = round(body);
    --doubts_;
    endless_.pop_back();
    --loops_;
    rounds_.pop_back();
    if (flow == Flow::returned || flow == Flow::raised) flow = Flow::normal;  // in one round
  }
  if (otherwise != kNoSyntax && flow != Flow::broke) return block(otherwise);
  return Flow::normal;
}

/// The body of a loop once; guards of what follows in a round end with it.
Interpreter::Flow Interpreter::round(SyntaxId body) {
  const std::size_t guards = guards_.size();
  const Flow flow = block(body);
  guards_.resize(std::min(guards, guards_.size()));
  return flow;
}

/// `for p in encoder.parameters(): p.requires_grad = False` of a network nobody knows.
void Interpreter::report_frozen(SyntaxId iterable, SyntaxId body) {
  constexpr std::string_view kOfNetwork = ".parameters";
  if (node(iterable).kind != Syntax::call) return;
  std::string_view network = source(node(iterable).first);
  const SyntaxId only = node(body).first;
  if (only == kNoSyntax || node(only).next != kNoSyntax) return;  // and something else
  std::string what(trim(source(only)));
  std::erase(what, ' ');
  const bool freezes =
      what.ends_with(".requires_grad=False") || what.ends_with(".requires_grad_(False)");
  if (!network.ends_with(kOfNetwork) || !freezes) return;
  network.remove_suffix(kOfNetwork.size());
  Arguments arguments;
  arguments.list.push_back({kNone, Value{.kind = Kind::boolean}, kNoSyntax});
  report(".requires_grad_", arguments, iterable, network);
}

/// What a round has of items nobody knows: one like those that are known, where there are any.
void Interpreter::assign_some(SyntaxId target, const Value& over) {
  const Value* some = some_item(over);
  if (some == nullptr || over.kind != Kind::list)
    return assign(target, because(varying({entered_}), cause_of(over)));
  const Value item = *some;
  assign(target, item);
}

/// An unknown value that differs from round to round.
Value Interpreter::varying(Varying how) {
  constexpr std::size_t kMost = 100'000;
  if (building_ > 0 || varying_.size() >= kMost) return {};
  varying_.push_back(how);
  return Value{.ref = static_cast<std::uint32_t>(varying_.size())};
}

const Interpreter::Varying* Interpreter::varying_of(const Value& value) const {
  const bool varies = !value.known() && value.ref > 0 && value.ref <= varying_.size();
  return varies ? &varying_[value.ref - 1] : nullptr;
}

/// What an operation makes of values of which one differs from round to round: another that does.
Value Interpreter::still_varying(Operator op, const Value& a, const Value& b) {
  const Varying* of_a = varying_of(a);
  const Varying* of_b = varying_of(b);
  if (of_a == nullptr && of_b == nullptr) return {};
  const bool is_a = of_b == nullptr || (of_a != nullptr && of_a->loop >= of_b->loop);
  const Varying of = is_a ? *of_a : *of_b;
  if (is_a && op == Operator::modulo && b.known())
    return varying({of.loop, Varying::Form::every, b});
  if (is_a && op == Operator::floor_divide && b.is_number())
    return b.number() == 1 ? a : varying({of.loop, Varying::Form::steps, b});
  return Value{.ref = is_a ? a.ref : b.ref};
}

/// `0.5 ** epoch`, and `0.1 ** (epoch // 30)`.
void Interpreter::report_power(const Value& base, const Value& exponent, SyntaxId at) {
  const Varying* varying = varying_of(exponent);
  if (varying == nullptr || !base.is_number() || base.number() <= 0 || base.number() >= 1) return;
  const bool is_stepped = varying->form == Varying::Form::steps;
  report(is_stepped ? running::kStepwisePower : running::kPower, {}, at, {});
}

/// `for i, batch in enumerate(tqdm(self.loader))` goes over `self.loader`.
Round Interpreter::round_over(SyntaxId iterable, const Value& times) {
  constexpr int kMostWrappers = 3;
  Round made{entered_++, times};
  for (int i = 0; i < kMostWrappers && node(iterable).kind == Syntax::call; ++i) {
    const SyntaxId first = node(node(iterable).first).next;
    if (first == kNoSyntax || node(first).kind == Syntax::keyword) break;
    // A loader that is made where it is used is gone over itself, not what it is made of.
    if (to_lower(source(node(iterable).first)).find("loader") != std::string::npos) break;
    iterable = first;
  }
  made.text = source(iterable);
  const bool is_plain =
      node(iterable).kind == Syntax::name || node(iterable).kind == Syntax::attribute;
  if (is_plain) made.over = eval(iterable);
  return made;
}

/// Of what a loop goes over, some is known and some may not be: that is one more round, which may
/// not happen.
Interpreter::Flow Interpreter::part_of_loop(SyntaxId target, const Value& over, SyntaxId body) {
  bool all = false;
  for (const Value& item : known_items(over, all)) {
    assign(target, item);
    const Flow flow = round(body);
    if (flow == Flow::returned || flow == Flow::raised) return flow;
    if (flow == Flow::broke || !step()) break;
  }
  assign(target, {});
  return both(body, kNoSyntax);
}

/// A list of parameters, or of pairs of names and parameters.
bool Interpreter::holds_parameters(const Value& value) const {
  bool all = false;
  const std::vector<Value> items =
      value.kind == Kind::list ? known_items(value, all) : std::vector<Value>{};
  if (items.empty()) return false;
  Value first = items.front();
  if (first.kind == Kind::tuple && objects_[first.ref].items.size() == 2)
    first = objects_[first.ref].items.back();
  return first.kind == Kind::instance && objects_[first.ref].part != Part::none;
}

/// Loops that do nothing but set items of tensors: `distances[i][j] = abs(i - j)`.
bool Interpreter::only_fills(SyntaxId body) {
  for (SyntaxId at = node(body).first; at != kNoSyntax; at = node(at).next) {
    const SyntaxId first = node(at).first;
    if (node(at).kind == Syntax::for_loop) {
      const SyntaxId inner = node(node(first).next).next;
      if (node(inner).next != kNoSyntax || !only_fills(inner)) return false;
      continue;
    }
    if (node(at).kind != Syntax::assign || node(node(first).next).next != kNoSyntax) return false;
    SyntaxId of = first;
    while (node(of).kind == Syntax::subscript) of = node(of).first;
    const bool is_name = node(of).kind == Syntax::name || node(of).kind == Syntax::attribute;
    if (of == first || !is_name) return false;
    const Value filled = eval(of);
    if (filled.kind != Kind::instance || objects_[filled.ref].part != Part::tensor) return false;
  }
  return true;
}

/// `epochs + 1`.
bool Interpreter::adds_one(SyntaxId id) {
  if (node(id).kind != Syntax::binary || node(id).op != static_cast<std::uint8_t>(Operator::add))
    return false;
  return source(node(node(id).first).next) == "1";
}

void Interpreter::note_counting(SyntaxId target, SyntaxId value) {
  if (node(target).kind != Syntax::name || node(value).kind != Syntax::call) return;
  const TextId name = intern(tree().text(target));
  std::vector<std::pair<TextId, SyntaxId>>& counting = frames_.back().counting;
  const SyntaxId first = node(node(value).first).next;  // `bar = tqdm(bar)` counts as before
  const bool is_wrapped = first != kNoSyntax && node(first).kind == Syntax::name &&
                          tree().text(first) == tree().text(target);
  if (is_wrapped) return;
  std::erase_if(counting, [&](const auto& each) { return each.first == name; });
  if (source(value).find("range(") != std::string_view::npos) counting.emplace_back(name, value);
}

/// The range a loop counts over, also inside tqdm(…) and enumerate(…): its number of rounds.
Value Interpreter::report_loop(SyntaxId target, SyntaxId iterable, SyntaxId id) {
  constexpr int kMostWrappers = 3;
  if (node(iterable).kind == Syntax::name) {
    const TextId name = intern(tree().text(iterable));
    for (const auto& [counting, value] : frames_.back().counting) {
      if (counting == name) iterable = value;
    }
  }
  for (int i = 0; i < kMostWrappers; ++i) {
    if (node(iterable).kind != Syntax::call) return {};
    const SyntaxId function = node(iterable).first;
    const SyntaxId first = node(function).next;
    if (first == kNoSyntax || node(first).kind == Syntax::keyword) return {};
    const std::string_view name = source(function);
    if (name != "range" && name != "xrange" && !name.ends_with("trange")) {
      iterable = first;
      continue;
    }
    const SyntaxId second = node(first).next;
    const bool has_start = second != kNoSyntax && node(second).kind != Syntax::keyword;
    Loop loop;
    loop.target = source(target);
    const SyntaxId stop = has_start ? second : first;
    loop.start = has_start ? eval(first) : make_integer(0);
    loop.end = source(stop);
    loop.stop = eval(stop);
    loop.adds_one = adds_one(stop);
    // `range(start, epochs + 1)` of a run that may be resumed counts from 1.
    if (!loop.start.known() && loop.adds_one) loop.start = make_integer(1);
    loop.sides = sides_;
    loop.module = frames_.back().module;
    loop.node = id;
    loop.number = entered_;
    if (silent_ == 0 && trying_ == 0) host_.looped(*this, loop);
    if (!has_start) return loop.stop;
    const bool counts_from_one = loop.start.kind == Kind::integer && loop.start.integer == 1;
    if (loop.adds_one && counts_from_one) return eval(node(stop).first);
    return loop.start.is_number() && loop.stop.is_number()
               ? binary(Operator::subtract, loop.stop, loop.start, {})
               : Value{};
  }
  return {};
}

void Interpreter::report_while(SyntaxId condition, SyntaxId id) {
  const SyntaxNode& at = node(condition);
  const bool is_below =
      at.kind == Syntax::compare && (at.op == static_cast<std::uint8_t>(Operator::less) ||
                                     at.op == static_cast<std::uint8_t>(Operator::less_equal));
  const SyntaxId body = node(condition).next;
  if (!is_below) return report_limit(body, id);
  Loop loop;
  loop.target = source(at.first);
  loop.end = source(node(at.first).next);
  loop.start = make_integer(0);
  loop.stop = eval(node(at.first).next);
  loop.counts = at.op == static_cast<std::uint8_t>(Operator::less);
  loop.counter = counting_of(loop.target, body).counter();
  loop.sides = sides_;
  loop.module = frames_.back().module;
  loop.node = id;
  loop.number = entered_;
  if (silent_ == 0 && trying_ == 0) host_.looped(*this, loop);
}

/// `while todo:` or `while len(todo) > 0:` of a list whose items are known: as long as it has any.
bool Interpreter::empties_a_list(SyntaxId condition) {
  SyntaxId at = condition;
  if (node(at).kind == Syntax::compare) {
    const bool counts = node(node(at).first).kind == Syntax::call &&
                        node(node(node(at).first).next).kind == Syntax::number;
    if (!counts) return false;
    at = node(at).first;
  }
  if (node(at).kind == Syntax::call) {
    if (source(node(at).first) != "len") return false;
    at = node(node(at).first).next;
  }
  if (at == kNoSyntax || node(at).kind != Syntax::name) return false;
  const Value list = eval(at);
  return list.kind == Kind::list && !objects_[list.ref].open;
}

Interpreter::Flow Interpreter::while_loop(SyntaxId id) {
  const SyntaxId condition = node(id).first;
  const SyntaxId body = node(condition).next;
  if (truth(eval(condition)) == std::optional<bool>(false)) return Flow::normal;
  report_while(condition, id);
  if (building_ > 0 || empties_a_list(condition)) {
    const std::size_t most = building_ > 0 ? limits_.max_built_items : limits_.max_items;
    for (std::size_t i = 0; i < most; ++i) {
      const std::optional<bool> goes_on = truth(eval(condition));
      if (!goes_on || build_stopped_) return both(body, kNoSyntax);
      if (!*goes_on) return Flow::normal;
      const Flow flow = round(body);
      if (flow == Flow::returned || flow == Flow::raised) return flow;
      if (flow == Flow::broke) return Flow::normal;
    }
    return building_ > 0 ? Flow::normal : both(body, kNoSyntax);
  }
  forget_counters(body);
  rounds_.push_back({entered_++, {}});
  ++loops_;
  endless_.push_back(static_cast<ObjectId>(objects_.size()));
  ++doubts_;
  round(body);
  --doubts_;
  endless_.pop_back();
  --loops_;
  rounds_.pop_back();
  return Flow::normal;
}

}  // namespace gpulint::python
