#include "code/consumer_index.h"

#include "base/text.h"
#include "python/behaviour_names.h"
#include "python/parser.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

using python::Behaviour;

constexpr std::string_view kStep = ".step";

/// Of one that any optimizer extends only the arguments are known.
bool states_optimizer(const ConsumingCall& call) {
  return std::any_of(call.states.begin(), call.states.end(),
                     [](const auto& stated) { return stated.first == "optimizer"; }) ||
         std::any_of(call.arguments.begin(), call.arguments.end(), [](const auto& each) {
           return each.fact == "optimizer" || each.fact == "weight_decay";
         });
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// "max_epoch" of `args.max_epoch + 1`, of `cfg["max_epoch"]`, of `int(max_epoch)`; "" where other
/// names stand in it too.
std::string_view last_name(std::string_view text) {
  std::string_view last;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_around = end < text.size() && (text[end] == '.' || text[end] == '[');
    const bool is_cast = word == "int" && end < text.size() && text[end] == '(';
    const bool is_number = !word.empty() && word.front() >= '0' && word.front() <= '9';
    if (!word.empty() && !is_around && !is_cast && !is_number) {
      if (!last.empty()) return {};
      last = word;
    }
    at = end + (end == at ? 1 : 0);
  }
  return last;
}

}  // namespace

ConsumerIndex::ConsumerIndex(std::span<const Consumers* const> all) {
  for (const Consumers* each : all) {
    for (const ConsumingCall& call : each->calls) {
      for (const std::string& name : call.names) calls_.emplace(name, &call);
      if (states_optimizer(call)) add_optimizer(call);
      if (!call.every.empty() && call.receivers.empty()) step_ = &call;
      preceding_.insert(call.after.begin(), call.after.end());
    }
    for (const CountingLoop& loop : each->loops) loops_.push_back(&loop);
    for (const AbsentWords& absent : each->absent) absent_.push_back(&absent);
    for (const auto& [name, list] : ScriptMarks::lists())
      append(scripts_.*list, each->scripts.*list);
    for (const ActingFunctions& acting : each->functions) {
      Behaviour how = Behaviour::none;
      for (const auto& [name, behaviour] : python::kBehaviourNames) {
        if (name == acting.behaviour) how = behaviour;
      }
      for (const std::string& name : acting.names) {
        const std::string_view text = name;
        if (text.starts_with("*.")) {
          endings_.emplace_back(text.substr(2), how);
        } else if (text.ends_with(".*")) {
          beginnings_.emplace_back(text.substr(0, text.size() - 1), how);
        } else {
          behaviours_.emplace(text, how);
        }
      }
    }
    for (const DescribedModule& described : each->described) {
      python::Module* module = modules_.emplace_back(std::make_unique<Described>(described)).get();
      for (const std::string& name : described.names) {
        const std::string_view text = name;
        if (text.ends_with(".*")) {
          described_below_.emplace_back(text.substr(0, text.size() - 1), DescribedModules{module});
        } else {
          described_[text].push_back(module);
        }
      }
    }
  }
}

std::span<const python::Module* const> ConsumerIndex::parsed(const DescribedModules& modules) {
  for (python::Module* module : modules) {
    auto& described = static_cast<Described&>(*module);
    std::call_once(described.once, [&] {
      described.path = described.source.names.front();
      described.text = described.source.code;
      described.tree = python::parse(described.text);
      described.is_library = true;
    });
  }
  return modules;
}

std::span<const python::Module* const> ConsumerIndex::described(std::string_view prefix) const {
  if (const auto at = described_.find(prefix); at != described_.end()) return parsed(at->second);
  for (const auto& [beginning, modules] : described_below_) {
    if (prefix.starts_with(beginning)) return parsed(modules);
  }
  return {};
}

bool ConsumerIndex::takes_config(std::string_view prefix) const {
  const auto at = described_.find(prefix);
  return at != described_.end() &&
         std::any_of(at->second.begin(), at->second.end(), [](const python::Module* module) {
           return static_cast<const Described*>(module)->source.takes_config;
         });
}

bool ConsumerIndex::knows_library(std::string_view name) const {
  const auto is_of_it = [&](const auto& each) {
    return each.first.size() > name.size() && each.first.starts_with(name) &&
           each.first[name.size()] == '.';
  };
  return std::any_of(calls_.begin(), calls_.end(), is_of_it) ||
         std::any_of(behaviours_.begin(), behaviours_.end(), is_of_it) ||
         std::any_of(beginnings_.begin(), beginnings_.end(), is_of_it) ||
         std::any_of(described_.begin(), described_.end(), is_of_it) ||
         std::any_of(described_below_.begin(), described_below_.end(), is_of_it);
}

const ConsumerIndex& SharedConsumers::get() const {
  std::call_once(once_, [&] { index_.emplace(catalog_.all_described<Consumers>()); });
  return *index_;
}

Behaviour ConsumerIndex::behaviour(std::string_view name) const {
  if (const auto found = behaviours_.find(name); found != behaviours_.end()) return found->second;
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  for (const auto& [ending, how] : endings_) {
    if (ending == last) return how;
  }
  std::size_t longest = 0;
  Behaviour found = Behaviour::none;
  for (const auto& [beginning, how] : beginnings_) {
    if (beginning.size() <= longest || !name.starts_with(beginning)) continue;
    longest = beginning.size();
    found = how;
  }
  return found;
}

const ConsumingCall* ConsumerIndex::call(std::string_view name) const {
  const auto found = calls_.find(name);
  if (found != calls_.end()) return found->second;
  const bool is_step =
      name.ends_with(kStep) && makes_optimizer(name.substr(0, name.size() - kStep.size()));
  if (is_step) return step_;
  // Of an object whose class nobody describes, as of one that nobody knows. An optimizer alone
  // steps weights.
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return nullptr;
  const auto method = calls_.find(name.substr(dot));
  const bool is_described = calls_.find(name.substr(0, dot)) != calls_.end();
  return method == calls_.end() || is_described || !method->second->every.empty() ? nullptr
                                                                                 : method->second;
}

void ConsumerIndex::add_optimizer(const ConsumingCall& call) {
  optimizers_.insert(call.names.begin(), call.names.end());
  if (call.states.empty()) return;
  for (const std::string_view name : call.names)
    optimizer_classes_.emplace(name.substr(name.rfind('.') + 1), name);
}

bool ConsumerIndex::counts_in_networks(std::string_view name) const {
  const ConsumingCall* known = call(name);
  return makes_optimizer(name) ||
         (known != nullptr && (known->splits_batches || states_fact(*known, "adapter")));
}

std::string_view ConsumerIndex::optimizer_of_class(std::string_view name) const {
  const auto found = optimizer_classes_.find(name);
  return found == optimizer_classes_.end() ? std::string_view() : found->second;
}

std::string_view ConsumerIndex::precedes(std::string_view name) const {
  for (const std::string_view each : preceding_) {
    if (name.ends_with(each)) return each;
  }
  return {};
}

const CountingLoop* ConsumerIndex::loop(std::string_view counter, std::string_view end) const {
  const auto is_one_of = [](const std::vector<std::string>& patterns, std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& each) { return glob_match(each, name); });
  };
  const std::string name = to_lower(counter);
  const std::string last = to_lower(last_name(end));
  for (const CountingLoop* loop : loops_) {
    if (is_one_of(loop->counters, name)) return loop;
  }
  for (const CountingLoop* loop : loops_) {
    if (!last.empty() && is_one_of(loop->ends, last)) return loop;
  }
  return nullptr;
}

}  // namespace gpulint
