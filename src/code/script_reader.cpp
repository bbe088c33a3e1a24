#include "code/script_reader.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/absences.h"
#include "code/call_text.h"
#include "code/code_gaps.h"
#include "code/drawn_curve.h"
#include "code/following_host.h"
#include "code/key_reads.h"
#include "code/key_words.h"
#include "code/named_file.h"
#include "code/network_name.h"
#include "code/placed_samples.h"
#include "code/resized_later.h"
#include "code/script_choice.h"
#include "code/script_runs.h"
#include "code/script_start.h"
#include "code/word_parts.h"
#include "code/written_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <utility>

namespace gpulint {
namespace {

using python::Interpreter;
using python::Kind;
using python::Value;

constexpr std::string_view kBackward = "backward";

/// Runs one script with the config at hand.
class ScriptReader final : public FollowingHost {
 public:
  using FollowingHost::FollowingHost;

  ScriptRun run() {
    if (const python::Module* main = module(script_.path)) run(*main);
    return std::move(made_);
  }

  ScriptHabits habits() {
    ScriptRun made = run();
    return {asked_, asked_again_, made.stopped, made.has_switch, std::move(made.seen)};
  }

  const python::Module* module(const std::string& path) override {
    const bool is_new = made_.modules.count(path) == 0;
    const python::Module* found = ConfigHost::module(path);
    if (found != nullptr && is_new && request_.code->trains_on_graphs(*found))
      notes_.step.has_graphs();
    return found;
  }
  python::Behaviour behaviour(std::string_view name) override {
    return request_.code->consumers().behaviour(name);
  }
  std::span<const python::Module* const> described(std::string_view prefix) override {
    const ConsumerIndex& consumers = request_.code->consumers();
    if (setting_.looks_only && !consumers.takes_config(prefix)) return {};
    return consumers.described(prefix);
  }

  /// What a program does without the config that is asked about is nobody's estimate.
  bool follows() override {
    return !notes_.samples.is_running() && may_follow() && is_asked_about();
  }
  void lost(std::string_view what, SourceSpan place) override {
    if (notes_.samples.is_running()) return;
    const std::size_t dot = what.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? what : what.substr(dot + 1);
    const bool shows = contains(request_.code->consumers().scripts().shows, last);
    if (!shows && last != kBackward) notes_.step.lost(what, place);
  }
  void loop_began() override { notes_.step.loop_began(); }
  void loop_ended() override { notes_.step.loop_ended(); }
  void passed(std::string_view name) override {
    if (name.ends_with(kBackward)) notes_.step.ended();
  }

  void unfollowed(std::int64_t cause) override {
    if (!setting_.looks_only) notes_.note_unfollowed(cause);
  }

  bool makes_optimizer(std::string_view name) override {
    return request_.code->consumers().makes_optimizer(name);
  }
  bool counts_in_networks(std::string_view name) override {
    const ConsumerIndex& consumers = request_.code->consumers();
    return consumers.makes_optimizer(name) || consumers.call(name) != nullptr ||
           consumers.behaviour(name) == python::Behaviour::loads_network;
  }
  std::string_view optimizer_of_class(std::string_view name) override {
    return request_.code->consumers().optimizer_of_class(name);
  }

  void trains_all(Interpreter& in, const Value& network,
                  std::span<const python::Side> sides) override {
    if (!setting_.looks_only) notes_.trained.handed_to_trainer(in, network, sides);
  }

  void called(Interpreter& in, const python::Call& call) override {
    const ConsumerIndex& consumers = request_.code->consumers();
    if (notes_.samples.is_running()) return notes_.samples.called(in, call, consumers);
    if (!setting_.looks_only) notes_.samples.given(in, call, consumers);
    if (call.in_network && !consumers.counts_in_networks(call.name)) {
      if (!setting_.looks_only) notes_.loaded.hold(in, call, consumers);
      return;
    }
    note_handed_on(in, call);
    note_call(in, call);
    const ConsumingCall* known = consumers.call(call.name);
    const std::string_view last = call.name.substr(call.name.rfind('.') + 1);
    // `model.train()` beside a loop of the project's own turns dropout on, and trains nothing.
    const bool is_mode = notes_.backward.known() && !call.is_own && call.arguments.empty() &&
                         last != call.name && (known == nullptr || known->dialect.empty());
    const bool trains = !consumers.precedes(call.name).empty() ||
                        (contains(consumers.scripts().training_names, last) && !is_mode);
    const bool prepares = consumers.makes_optimizer(call.name) ||
                          (known != nullptr && !known->dialect.empty());
    if (trains || prepares) notes_.loop.goes_on(made_.seen.size(), trains);
  }

  void skipped(Interpreter& in, const python::Skipped& part) override {
    if (setting_.looks_only || in.in_library_call() || notes_.samples.is_running()) return;
    notes_.skipped.left_out(in, part, request_.code->consumers());
  }

  void looped(Interpreter&, const python::Loop& loop) override {
    if (notes_.samples.is_running()) return;
    const CountingLoop* counts = request_.code->consumers().loop(loop.target, loop.end);
    const std::string_view fact = counts != nullptr ? counts->fact : CountedRounds::kEpochs;
    const bool counts_epochs = fact == CountedRounds::kEpochs;
    const bool has_extra_round = counts_epochs && CountedRounds::has_extra_round(loop);
    SeenFact made = CountedRounds::fact_of(loop, fact);
    if (counts == nullptr) return notes_.rounds.counted(loop, std::move(made));
    // What `while step < n` counts goes up where it is stepped, in a loop inside perhaps.
    const bool counts_rounds = loop.module->tree.node(loop.node).kind == python::Syntax::for_loop;
    if (made.fact.fact == "max_steps" && counts_rounds)
      notes_.loop.counts_steps(made_.seen.size(), loop.number);
    if (counts_epochs) notes_.loop.counts_epochs(made_.seen.size(), loop.number, has_extra_round);
    made_.seen.push_back(std::move(made));
  }

 private:
  /// What a call states, and what it is to others.
  void note_call(Interpreter& in, const python::Call& call) {
    const ConsumerIndex& consumers = request_.code->consumers();
    if (const std::string_view name = consumers.precedes(call.name); !name.empty()) {
      notes_.around[name] = around(call);
      if (call.node != python::kNoSyntax) notes_.backward = begin_of(call);
      notes_.loop.went_backward(call.sides);
      notes_.trained.went_backward();
      if (auto rounds = notes_.rounds.around(in, call.rounds, consumers)) {
        if (rounds->fact.fact == CountedRounds::kSteps) notes_.loop.makes_steps(made_.seen.size());
        made_.seen.push_back(std::move(*rounds));
      }
    }
    notes_.loaded.saved(in, call);
    notes_.trainers.called(call, consumers);
    notes_.frozen.called(in, call);
    notes_.frozen.stated(call, notes_.loaded.called(in, call, consumers));
    const ConsumingCall* known = consumers.call(call.name);
    if (known == nullptr && !setting_.looks_only) notes_.trained.maybe_optimized(in, call);
    if (known == nullptr || call.node == python::kNoSyntax) return;
    if (!known->within.empty() && !has_any_part(in.running_code(), known->within)) return;
    notes_.skipped.made(*known, call.sides);
    notes_.splits_batches = notes_.splits_batches || (known->splits_batches && call.sides.empty());
    if (!known->dialect.empty() && known->skipped.empty()) {
      notes_.has_trainer = true;
      notes_.trainers.made(call);
      notes_.loop.went_backward(call.sides);
    }
    if (!known->receivers.empty() && !has_any_part(to_lower(call.receiver), known->receivers))
      return;
    const Around* before = nullptr;
    for (const std::string& name : known->after) {
      if (const auto at = notes_.around.find(name); at != notes_.around.end()) before = &at->second;
    }
    Around outside;  // a loop inside a batch goes over parts of it, which are no batches
    if (before != nullptr && has_batches(in, call.rounds, consumers)) {
      outside.sides = before->sides;
      before = &outside;
    }
    std::vector<SeenFact> stated = facts_of(in, call, *known, before);
    state_drawn_schedules(in, call, *known, stated);
    leave_out_resized(call, stated, made_.seen);
    notes_.frozen.stated(call, stated);
    if (call.module->path == script_.path && is_unused(call, request_.code->acting(*call.module)))
      return;
    if (call.module->is_library) std::erase_if(stated, is_of_library_alone);
    std::move(stated.begin(), stated.end(), std::back_inserter(made_.seen));
    if (!setting_.looks_only) read_given_configs(in, call, *known);
    const bool optimizes = consumers.makes_optimizer(call.name);
    const std::vector<std::string_view> names = in.running();
    const bool is_hook = !names.empty() && contains(consumers.scripts().optimizer_hooks, names[0]);
    made_.makes_optimizer = made_.makes_optimizer || optimizes;
    if (optimizes && (is_hook || !known->dialect.empty())) {  // or a trainer that makes its own
      notes_.fitted_at = begin_of(call);
      if (call.module->is_library) notes_.fitted_at = {module(script_.path)->file, 0, 0};
    }
    if (!known->every.empty() && !call.rounds.empty()) notes_.loop.stepped(call.rounds);
    if (optimizes && !setting_.looks_only) notes_.trained.optimized(in, call);
  }

  static Around around(const python::Call& call) {
    Around made{{call.rounds.begin(), call.rounds.end()}, {call.sides.begin(), call.sides.end()}};
    for (const python::Guard& guard : call.guards)
      if (const auto side = call.side_of(guard); side && guard.is_rest) made.sides.push_back(*side);
    return made;
  }

  static SourceSpan begin_of(const python::Call& call) {
    const std::uint32_t begin = call.module->tree.node(call.node).begin;
    return {call.module->file, begin, begin};
  }

  void run(const python::Module& main) {
    std::vector<std::string> search = {std::string(parent_path(script_.path)), root_prefix()};
    search.push_back(search.back().empty() ? "src" : join_path(search.back(), "src"));
    python::InterpreterLimits limits;
    if (setting_.notes_reads) limits.max_build_steps = 20'000;  // a layer of each kind will do
    const std::shared_ptr<const ScriptStart> start = kept_start();
    Interpreter in(*this, start != nullptr ? start->program
                                           : python::ProgramMemory(std::move(search), limits));
    if (start == nullptr) {
      in.begin(main, true);
    } else {
      made_ = start->made;
      notes_ = start->notes;
    }
    for (bool more = true; more;) more = run_statement(in, start != nullptr);
    if (main.text.find("__main__") == main.text.npos) in.start_by_entry_point(main);
    made_.truncated = in.truncated();
    made_.steps = in.steps();
    made_.stopped = in.stopped();
    made_.goes_backward = notes_.backward.known();
    if (!setting_.looks_only && !made_.truncated) notes_.samples.run(in, made_.seen);
    const python::Reach reach = setting_.looks_only ? python::Reach{} : in.take_reach();
    if (made_.loads_config && !made_.truncated && !setting_.looks_only)
      note_reads(request_, reach, notes_.unpacked, setting_.notes_reads, made_);
    notes_.loaded.leave_out_saved(made_.seen);
    const std::size_t stated = made_.seen.size();
    if (!setting_.looks_only) {
      notes_.trained.leave_out(made_.lacking);
      notes_.trained.finish(in);
      std::vector<SeenFact> counted = notes_.trained.facts(in);
      if (counted.empty()) made_.built = notes_.trained.facts_of_built(in);
      if (follows() && !made_.truncated) follow(in, counted);
      made_.doubts = notes_.skipped.doubts(true);
      made_.gaps = gaps_of(in, notes_, counted, made_.followed, *request_.code);
      if (notes_.trained.networks(in).empty()) notes_.loaded.state(made_.seen);
      if (auto own = notes_.trained.own_network(in, counted)) made_.seen.push_back(std::move(*own));
      auto name = network_name(request_, in, notes_.trained.networks(in), reach, made_.loaded,
                               notes_.loaded);
      if (name) made_.seen.push_back(std::move(*name));
      for (SeenFact& each : counted) made_.seen.push_back(std::move(each));
    }
    if (notes_.splits_batches) state_whole_batches(made_.seen);
    if (!setting_.looks_only) doubt_written_rates(request_, made_.modules, made_.seen);
    notes_.loop.settle(made_.seen, stated, made_.lacking);
    notes_.trainers.settle(made_.seen);
    if (setting_.looks_only || made_.truncated || made_.modules.size() >= kMostModules) return;
    // Where no loop and no trainer was reached, what lies behind the script may make the call.
    if (notes_.backward.known() || notes_.has_trainer) {
      for (SeenFact& each : notes_.skipped.facts()) made_.seen.push_back(std::move(each));
    }
    const SourceSpan trained_at = notes_.backward.known() ? notes_.backward : notes_.fitted_at;
    if (trained_at.known()) {
      add_absent_facts(request_, made_.modules, reach, trained_at, made_.seen);
      add_placed_samples(request_, made_.modules, made_.seen);
    }
    notes_.frozen.settle(made_.seen);
    notes_.skipped.settle(made_.seen);
    notes_.skipped.add_doubts(made_.seen);
  }

  ScriptStarts::Kind kind() {
    return setting_.notes_reads ? ScriptStarts::Kind::notes_reads
           : may_follow()       ? ScriptStarts::Kind::follows
                                : ScriptStarts::Kind::counts;
  }

  bool may_follow() const {
    return !setting_.looks_only && !setting_.counts_only && setting_.knows_options &&
           request_.code->follows_networks();
  }
  bool is_asked_about() const { return made_.loads_config || script_.path == request_.script; }

  std::shared_ptr<const ScriptStart> kept_start() {
    return setting_.looks_only ? nullptr : script_.profile->starts->of(kind());
  }

  bool run_statement(Interpreter& in, bool is_from_start) {
    if (is_from_start || setting_.looks_only || !is_alike_) return in.advance();
    ScriptStarts& starts = *script_.profile->starts;
    const python::SyntaxId statement = in.next();
    if (statement != python::kNoSyntax && statement == starts.wanted_at(kind()) &&
        request_.code->takes_room(in.memory().size()))
      starts.keep(kind(), {in.memory(), made_, notes_});
    const bool has_more = in.advance();
    if (!is_alike_) starts.ended_at(kind(), statement);
    return has_more;
  }

  /// The step of the networks that are trained. Where nothing was seen to call one, nobody knows
  /// what it is given: a part of the batch, perhaps.
  void follow(Interpreter& in, const std::vector<SeenFact>& counted) {
    const std::vector<Value> networks = notes_.trained.networks(in);
    if (networks.empty() || counted.empty()) return;
    const auto is_used = [&](const Value& network) {
      return in.holds(network, notes_.step.layers());
    };
    if (std::none_of(networks.begin(), networks.end(), is_used)) return;
    std::vector<std::string> missing;
    for (const Value& network : networks) {
      if (!is_used(network))
        missing.push_back(std::string(in.class_name(network)) + ", which nothing was seen to call");
    }
    const auto frozen = [&](python::ObjectId layer) { return in.is_frozen(layer); };
    const auto place = [this](SourceSpan span) { return request_.code->place_of(span); };
    const CodeFact& parameters = counted.front().fact;
    const auto number = [](const CodeFact& fact) {
      std::int64_t count = 0;
      std::from_chars(fact.value.data(), fact.value.data() + fact.value.size(), count);
      return count;
    };
    FollowedStep::Counts counts{number(parameters), number(parameters)};
    if (counted.size() > 1) counts.trained = number(counted.back().fact);
    TrainedNetworks::Beside beside = notes_.trained.beside(
        in, notes_.step.layers_beside(), !notes_.step.loses_beside());
    counts.of_copies = beside.of_copies;
    made_.followed = notes_.step.program(frozen, counts, place);
    if (!made_.followed) return;
    for (std::string& name : beside.names)
      missing.push_back(std::move(name) + ", which is called and not trained");
    if (parameters.at_least && !notes_.trained.is_whole_as_called(in))
      missing.push_back("a part of the network that nobody can count");
    made_.followed->missing.insert(made_.followed->missing.end(), missing.begin(), missing.end());
    made_.followed->name = in.class_name(networks.front());
    made_.followed->place = place(parameters.span);
  }

  /// Configs that a call is given beside its arguments: DeepSpeed's, as a dict or as a file's path.
  void read_given_configs(Interpreter& in, const python::Call& call, const ConsumingCall& known) {
    for (const ConsumedArgument& argument : known.arguments) {
      const python::Argument* given = argument_of(in, call, argument.name, argument.position);
      if (argument.keys_of.empty() || given == nullptr) continue;
      notes_.trained.handed_to_engine(in, call);
      std::optional<Value> config = given->value;
      if (config->kind == Kind::text) {
        is_alike_ = false;
        const std::string path = named_file(request_, script_.path, in.text_of(*config));
        config = path.empty() || path == own_path() ? std::nullopt : other(in, path);
      }
      if (!config) continue;
      for (SeenFact& each : facts_of_keys(in, call, known, argument.keys_of, *config))
        made_.seen.push_back(std::move(each));
    }
  }

  /// A mapping of the config that leaves the project as a whole: who gets it may read any key.
  void note_handed_on(Interpreter& in, const python::Call& call) {
    const std::string_view last = call.name.substr(call.name.rfind('.') + 1);
    if (contains(request_.code->consumers().scripts().shows, last)) return;
    for (const python::Argument& each : call.arguments) {
      in.share(each.value);
      if (call.is_own) continue;
      const bool is_unpacked = each.node == python::kNoSyntax;  // of a mapping behind `**`
      const bool is_of_config = each.value.origin == python::Origin::given &&
                                (is_unpacked || each.value.kind == Kind::dict);
      if (is_of_config && each.value.from.known()) made_.handed_on.push_back(each.value.from);
      if (is_unpacked && each.value.from.known()) notes_.unpacked.push_back(each.value.from);
    }
  }

  std::string root_prefix() const { return request_.root == "." ? "" : request_.root; }
};

}  // namespace

ScriptRun read_script(const CodeRequest& request, const Script& script,
                      const ScriptSetting& setting) {
  return ScriptReader(request, script, setting).run();
}

ScriptHabits habits_of(const CodeRequest& request, const Script& script,
                       const ScriptSetting& setting) {
  return ScriptReader(request, script, setting).habits();
}

}  // namespace gpulint
