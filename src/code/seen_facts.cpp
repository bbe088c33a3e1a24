#include "code/seen_facts.h"

#include "base/text.h"
#include "code/call_text.h"
#include "code/drawn_curve.h"
#include "code/other_arguments.h"
#include "code/parameter_groups.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

using python::Argument;
using python::Call;
using python::Interpreter;
using python::Kind;
using python::Value;

constexpr std::string_view kAbsentValue = "absent";
constexpr std::string_view kRate = "learning_rate";

bool is_set(const Value& value) { return value.is_number() && value.number() != 0; }

class CallReader {
 public:
  CallReader(const Interpreter& in, const Call& call, const ConsumingCall& known,
             const Around* before)
      : in_(in), call_(call), known_(known), before_(before) {}

  /// Keys of a dict, and of those in it.
  std::vector<SeenFact> read_config(std::string_view dialect, const Value& config) && {
    add_keys(dialect, config, {}, 0);
    return std::move(made_);
  }

  std::vector<SeenFact> read() && {
    if (is_off()) return {};
    role_ = known_.feeds_a_loop ? loader_role(in_, call_) : LoaderRole::training;
    for (const auto& [fact, value] : known_.states) {
      SeenFact& seen = add(fact);
      seen.fact.value = value;
      seen.fact.from_config = call_.chosen.origin == python::Origin::given &&
                              call_.chosen.from.known();
      seen.fact.span = seen.fact.from_config ? call_.chosen.from : seen.fact.call;
      seen.fact.is_of_part =
          std::any_of(known_.skipped.begin(), known_.skipped.end(),
                      [&](const auto& left_out) { return left_out.first == fact; });
    }
    std::string_view done;  // a fact that an argument before decided
    for (const ConsumedArgument& argument : known_.arguments) {
      if (!argument.fact.empty() && argument.fact == done) continue;
      if (take_items(argument)) continue;
      if (take(argument)) done = argument.fact;
    }
    if (!known_.every.empty()) read_guards();
    if (!known_.dialect.empty()) read_keys();
    return std::move(made_);
  }

 private:
  /// `autocast(enabled=False)` around a few lines says nothing of the whole, nor does
  /// `autocast(enabled=cfg.fp16_val)` of the training.
  bool is_off() const {
    if (known_.off_by.empty()) return false;
    const int position = position_in(known_, known_.off_by);
    const Argument* given = argument_of(in_, call_, known_.off_by, position);
    if (given == nullptr) return false;
    if (role_of_name(argument_text(call_, given)) == LoaderRole::evaluation) return true;
    if (in_.truth(given->value) != std::optional(false)) return false;
    const SourceSpan call = call_span(call_);
    const SourceSpan& from = given->value.from;
    return from.file == call.file && from.begin > call.begin && from.end <= call.end;
  }

  /// A curve that is drawn in some rounds of the loop, after a warm-up, is drawn.
  SeenFact& add(std::string_view fact) {
    SeenFact& seen = made_.emplace_back();
    seen.fact.fact = fact;
    seen.fact.span = seen.fact.call = call_span(call_);
    seen.fact.source = known_.source;
    std::copy_if(call_.sides.begin(), call_.sides.end(), std::back_inserter(seen.sides),
                 [&](const python::Side& side) { return known_.within.empty() || !side.varies; });
    seen.fact.taken_by = call_text(call_);
    seen.role = role_;
    return seen;
  }

  static void note_place(SeenFact& seen, const Value& value) {
    seen.fact.span = value.from.known() ? value.from : seen.fact.call;
    seen.fact.from_config = value.origin == python::Origin::given && value.from.known();
    seen.fact.computed = value.computed;
  }

  std::string_view fact_of(const ConsumedArgument& argument) const {
    return role_ == LoaderRole::evaluation ? argument.evaluation_fact : argument.fact;
  }

  /// True for a list whose items each state a fact.
  bool take_items(const ConsumedArgument& argument) {
    if (argument.items.empty() || role_ == LoaderRole::evaluation) return false;
    const Argument* given = argument_of(in_, call_, argument.name, argument.position);
    if (given == nullptr) return false;
    bool all = false;
    const std::vector<Value> items = in_.known_items(given->value, all);
    if (!all) return false;
    const bool is_other = items.size() == argument.or_items.size();
    const std::vector<std::string>& facts = is_other ? argument.or_items : argument.items;
    for (std::size_t i = 0; items.size() == facts.size() && i < items.size(); ++i)
      state(argument, facts[i], items[i], call_text(call_, argument.name, *given));
    return true;
  }

  /// True when the argument decides its fact.
  bool take(const ConsumedArgument& argument) {
    const std::string_view fact = fact_of(argument);
    if (fact.empty()) return false;
    if (argument.is_member) return take_member(argument, fact);
    const Argument* given = argument_of(in_, call_, argument.name, argument.position);
    const bool is_given = given != nullptr && given->value.kind != Kind::none;
    if (is_given && argument.default_fills && !known_.dialect.empty()) return true;  // as a key
    const InGroups groups =
        in_groups(in_, call_, argument.name, is_given ? &given->value : nullptr);
    if (groups.value != nullptr) return state(argument, fact, *groups.value, call_text(call_));
    const Value* elsewhere = is_given ? nullptr : of_another(in_, call_, known_, argument);
    if (elsewhere != nullptr) return state(argument, fact, *elsewhere, call_text(call_));
    if (given != nullptr && !is_given && !argument.none_of.empty() &&
        given->value.origin != python::Origin::nobody)
      return state(argument, fact, of_batches(in_, call_, argument), call_text(call_));
    if (!is_given) return given != nullptr || !call_.open ? leave_out(argument, fact) : false;
    if (!argument.in_code.empty()) return take_by_code(argument, fact, *given);
    if (given->value.kind == Kind::share && !argument.shared.empty())
      state_shared(argument, *given);
    const std::string text = call_text(call_, argument.name, *given);
    if (const auto share = share_of_another(in_, call_, argument, *given)) {
      SeenFact& seen = add(argument.share);
      seen.fact.value = fmt::format("{:.4g}", *share);
      seen.fact.computed = true;
      seen.fact.taken_by = text;
      return true;
    }
    // All processes are on one machine.
    if (given->value.counts_machine() && !argument.of_machine.empty())
      add(argument.of_machine).fact.value = "1";
    // `weight_decay=0` beside groups that bring their own, `lr=0` where a wrapper sets each step's
    // rate.
    const bool is_zero = argument.default_fills && number_in(in_, given->value) == 0.0;
    const bool is_set_later = is_zero && (fact == kRate || may_get_groups());
    const bool is_open = groups.state || is_set_later;
    return state(argument, fact, is_open ? Value{} : given->value, text);
  }

  /// `LambdaLR(optimizer, lr_lambda)`: the function says in its code which schedule it is.
  bool take_by_code(const ConsumedArgument& argument, std::string_view fact,
                    const Argument& given) {
    const std::string_view code = in_.code_of(given.value);
    const auto stands = [&](const ValueMapping& each) {
      return code.find(each.native) != std::string_view::npos;
    };
    const auto found = std::find_if(argument.in_code.begin(), argument.in_code.end(), stands);
    SeenFact& seen = add(fact);
    seen.fact.argument = &argument;
    seen.fact.known =
        found != argument.in_code.end() && found->canonical && !asks_about_settings(code);
    if (seen.fact.known) seen.fact.value = *found->canonical;
    seen.fact.taken_by = call_text(call_, argument.name, given);
    return true;
  }

  /// `create_optimizer(args, model)`: what `args` holds by this name.
  bool take_member(const ConsumedArgument& argument, std::string_view fact) {
    const Argument* holder = argument_of(in_, call_, {}, argument.position);
    const bool holds = holder != nullptr &&
                       (holder->value.kind == Kind::dict || holder->value.kind == Kind::instance);
    const Value* held = holds ? member_of(in_, holder->value, argument.name) : nullptr;
    return held != nullptr && state(argument, fact, *held, call_text(call_));
  }

  bool leave_out(const ConsumedArgument& argument, std::string_view fact) {
    if (argument.otherwise.empty()) return false;
    if (!argument.with.empty()) {
      const int position = position_in(known_, argument.with);
      const Argument* other = argument_of(in_, call_, argument.with, position);
      if (other == nullptr || !is_set(other->value)) return false;
    }
    bool is_alone = true;
    for (const std::string_view word : split(argument.without, ' ')) {
      const Argument* other = argument_of(in_, call_, word, position_in(known_, word));
      if (other == nullptr || other->value.kind == Kind::none) continue;
      if (is_made_outside(other->value)) return false;  // where that is made, it is stated
      is_alone = false;
    }
    SeenFact& seen = add(fact);
    // Groups that other code made may bring their own `weight_decay` and `lr`.
    const bool is_own = fact != kRate && states_fact(known_, "optimizer");
    const bool takes_samples = known_.feeds_a_loop;  // a list of dicts may be what it loads
    const bool is_in_groups = !takes_samples &&
                              (is_own ? in_groups(in_, call_, argument.name, nullptr).state
                                      : groups_state_more(in_, call_));
    const bool is_left_to_groups = is_in_groups || (argument.default_fills && may_get_groups());
    seen.fact.known = is_alone && !is_left_to_groups;
    seen.fact.value = argument.otherwise;
    seen.fact.fills = argument.default_fills;
    seen.fact.span = switch_.known() ? switch_ : seen.fact.call;
    seen.fact.from_config = switch_.known();
    seen.is_default = true;
    seen.is_of_optimizer = states_fact(known_, "optimizer");
    seen.is_left_to_trainer = argument.default_fills && !known_.dialect.empty();
    return true;
  }

  /// What a trainer is given first is no parameters: `TrainingArguments(output_dir)`.
  bool may_get_groups() const { return known_.dialect.empty() && may_have_groups(in_, call_); }

  bool is_made_outside(const Value& value) const {
    return value.kind == Kind::instance && in_.object(value.ref).made_by != python::kNone;
  }

  bool state(const ConsumedArgument& argument, std::string_view fact, const Value& value,
             std::string taken_by) {
    const auto text = native_text(in_, in_steps(fact, value));
    std::optional<std::string> canonical = text ? by_table(argument, *text) : std::nullopt;
    if (canonical && *canonical == kAbsentValue) {
      if (value.origin == python::Origin::given) switch_ = value.from;
      return false;
    }
    SeenFact& seen = add(fact);
    seen.fact.argument = &argument;
    seen.fact.known = canonical.has_value();
    seen.fact.value = canonical.value_or("");
    seen.fact.taken_by = std::move(taken_by);
    note_place(seen, value);
    if (value.kind == Kind::scaled) seen.for_each_rank = value.real;
    return true;
  }

  /// A number for all GPUs, of which the call gets each one's part.
  void state_shared(const ConsumedArgument& argument, const Argument& given) {
    const Value& value = given.value;
    if (role_ == LoaderRole::evaluation) return;
    SeenFact& seen = add(argument.shared);
    seen.fact.value = fmt::format("{}", value.real);
    seen.fact.taken_by = call_text(call_, argument.name, given);
    seen.fact.span = value.from.known() ? value.from : seen.fact.call;
    seen.fact.from_config = value.origin == python::Origin::given && value.from.known();
    seen.is_shared = true;
  }

  /// As a key's transform takes it: items of a list are joined by commas, and one alone stays in
  /// one: `devices=[3]` is one device.
  std::optional<std::string> key_text(const Value& value) const {
    bool all = false;
    const std::vector<Value> items = in_.known_items(value, all);
    if (!all || items.empty()) return native_text(in_, value);
    std::string joined;
    for (const Value& item : items) {
      const auto text = native_text(in_, item);
      if (!text) return std::nullopt;
      joined += (joined.empty() ? "" : ",") + *text;
    }
    if (items.size() == 1) return "[" + joined + "]";
    return joined;
  }

  /// Arguments that are called like keys of a dialect.
  void read_keys() {
    for (const Argument& each : call_.arguments) {
      if (each.name == python::kNone) continue;
      if (each.value.kind == Kind::none) continue;
      const auto text = key_text(each.value);
      const std::string name(in_.text(each.name));
      const std::string path = known_.under.empty() ? name : known_.under + "." + name;
      if (each.value.kind == Kind::dict) {
        add_keys(known_.dialect, each.value, path + ".", 0);
        continue;
      }
      SeenFact& seen = add(path);
      seen.fact.dialect = known_.dialect;
      seen.fact.is_of_part = !known_.skipped.empty();
      seen.fact.known = text.has_value();
      seen.fact.value = text.value_or("");
      seen.fact.taken_by = call_text(call_, name, each);
      note_place(seen, each.value);
    }
  }

  void add_keys(std::string_view dialect, const Value& config, const std::string& above,
                int depth) {
    constexpr int kMostNesting = 8;
    if (config.kind != Kind::dict || depth > kMostNesting) return;
    for (const python::Entry& entry : in_.object(config.ref).entries) {
      const std::string path = above + std::string(in_.text(entry.key));
      if (entry.value.kind == Kind::dict) add_keys(dialect, entry.value, path + ".", depth + 1);
      bool all = false;  // of a list of sections the first one counts, as in a file
      const std::vector<Value> items = in_.known_items(entry.value, all);
      if (all && !items.empty()) add_keys(dialect, items.front(), path + ".*.", depth + 1);
      const auto text = native_text(in_, entry.value);
      if (!text || entry.value.kind == Kind::none) continue;
      SeenFact& seen = add(path);
      seen.fact.dialect = dialect;
      seen.fact.value = *text;
      note_place(seen, entry.value);
    }
  }

  /// How often the calls before it are made for each of it, in a loop it is not in. nullopt: once.
  std::optional<Value> repeated() const {
    if (before_ == nullptr) return std::nullopt;
    const auto [own, others] = std::mismatch(
        call_.rounds.begin(), call_.rounds.end(), before_->rounds.begin(), before_->rounds.end(),
        [](const auto& a, const auto& b) { return a.loop == b.loop; });
    const bool shares_none = own == call_.rounds.begin() && own != call_.rounds.end();
    if (others == before_->rounds.end() || shares_none) return std::nullopt;
    return others + 1 == before_->rounds.end() ? before_->rounds.back().times : Value{};
  }

  /// What it is made after stands on the same side of a condition.
  bool is_around_before(const std::optional<python::Side>& side) const {
    return before_ != nullptr && side &&
           std::find(before_->sides.begin(), before_->sides.end(), *side) != before_->sides.end();
  }

  /// `if step % n == 0: optimizer.step()`; with nothing before it, each round is a step.
  void read_guards() {
    if (!call_.in_loop) return;
    const python::Guard* found = nullptr;
    std::size_t others = 0;
    for (const python::Guard& guard : call_.guards) {
      const std::optional<python::Side> side = call_.side_of(guard);
      if (is_around_before(side)) continue;
      if (guard.is_modulo) found = &guard;
      // One around the loops decides whether there is a training, not how often it steps.
      others += guard.is_modulo || guard.loops == 0 ? 0U : 1U;
    }
    if (found == nullptr && others > 0) return;  // who knows when
    SeenFact& seen = add(known_.every);
    seen.sides.clear();
    seen.fact.value = "1";
    const std::optional<Value> rounds = repeated();
    if (found == nullptr && !rounds) return;
    const Value times = found == nullptr ? *rounds : rounds ? Value{} : found->divisor;
    const bool is_shared = times.kind == Kind::share;  // `steps //= world_size`
    if (is_shared) seen.fact.fact = kAccumulationOfAllRanks;
    const auto text =
        is_shared ? std::optional(fmt::format("{}", times.real)) : native_text(in_, times);
    if (found != nullptr) seen.paced_by = call_.side_of(*found);
    // On the other side it is made in all rounds but every n-th.
    const bool is_left_out = seen.paced_by && seen.paced_by->second != found->leaves_one;
    seen.fact.known = text.has_value() && !is_left_out;
    seen.fact.value = text.value_or("");
    note_place(seen, times);
  }

  const Interpreter& in_;
  const Call& call_;
  const ConsumingCall& known_;
  const Around* before_;
  LoaderRole role_ = LoaderRole::training;
  std::vector<SeenFact> made_;
  SourceSpan switch_ = {};  // of the config: what turned the fact's default on
};

}  // namespace

std::vector<SeenFact> facts_of(const Interpreter& in, const Call& call, const ConsumingCall& known,
                               const Around* before) {
  return CallReader(in, call, known, before).read();
}

std::vector<SeenFact> facts_of_keys(const Interpreter& in, const Call& call,
                                    const ConsumingCall& known, std::string_view dialect,
                                    const Value& config) {
  return CallReader(in, call, known, nullptr).read_config(dialect, config);
}

}  // namespace gpulint
