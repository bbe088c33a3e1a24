#include "code/skipped_calls.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

using python::Syntax;
using python::SyntaxId;
using python::SyntaxTree;

/// What a part that does not run holds.
struct LeftOut {
  std::vector<SyntaxId> calls;
  std::map<std::string, std::string, std::less<>> imported;  // names, and what they would stand for
};

/// `from peft import LoraConfig as Config`.
void note_imported(const SyntaxTree& tree, SyntaxId statement, LeftOut& found) {
  if (tree.node(statement).op != 0) return;  // of the project
  const std::string module = std::string(tree.text(statement)) + ".";
  for (SyntaxId alias = tree.node(statement).first; alias != python::kNoSyntax;
       alias = tree.node(alias).next) {
    const SyntaxId bound = tree.node(alias).first;
    const std::string_view name = tree.text(alias);
    found.imported.insert_or_assign(
        std::string(bound == python::kNoSyntax ? name : tree.text(bound)),
        module + std::string(name));
  }
}

LeftOut left_out_below(const SyntaxTree& tree, SyntaxId top) {
  LeftOut found;
  std::vector<SyntaxId> open = {top};
  while (!open.empty()) {
    const SyntaxId at = open.back();
    open.pop_back();
    // The bases of a class stand in a call without a function.
    const bool has_bases = tree.node(at).kind == Syntax::class_type;
    if (tree.node(at).kind == Syntax::call) found.calls.push_back(at);
    if (tree.node(at).kind == Syntax::import_from) note_imported(tree, at, found);
    for (SyntaxId part = has_bases ? tree.child(at, 1) : tree.node(at).first;
         part != python::kNoSyntax; part = tree.node(part).next)
      open.push_back(part);
  }
  return found;
}

/// With the imports that do not run either.
std::string name_of(python::Interpreter& in, const SyntaxTree& tree, SyntaxId function,
                    const LeftOut& part) {
  std::string attributes;
  SyntaxId at = function;
  for (; tree.node(at).kind == Syntax::attribute; at = tree.node(at).first)
    attributes.insert(0, "." + std::string(tree.text(at)));
  if (const python::SyntaxNode& node = tree.node(at); node.kind == Syntax::name) {
    const auto found =
        part.imported.find(tree.source().substr(node.begin, node.end - node.begin));
    if (found != part.imported.end()) return found->second + attributes;
  }
  return in.dotted_name(function);
}

/// By its dotted name, or as a method of something nobody knows.
const ConsumingCall* known_call(const ConsumerIndex& consumers, const std::string& name) {
  if (const ConsumingCall* known = consumers.call(name)) return known;
  return consumers.call(std::string_view(name).substr(name.rfind('.')));
}

}  // namespace

void SkippedCalls::left_out(python::Interpreter& in, const python::Skipped& part,
                            const ConsumerIndex& consumers) {
  if (part.module->is_library || !looked_at_.emplace(part.module, part.node).second) return;
  const SyntaxTree& tree = part.module->tree;
  const LeftOut found = left_out_below(tree, part.node);
  for (const SyntaxId call : found.calls) {
    if (tree.node(call).first == python::kNoSyntax) continue;
    const std::string name = name_of(in, tree, tree.node(call).first, found);
    if (name.find('.') == std::string::npos || name.ends_with('.')) continue;
    const ConsumingCall* known = known_call(consumers, name);
    if (known != nullptr && consumers.makes_optimizer(name)) note_passed(tree, call, *known);
    if (known != nullptr && !known->skipped.empty()) add(part, call, *known);
  }
}

/// `AdamW(parameters, weight_decay=cfg.decay)` beside an optimizer that is made without.
void SkippedCalls::note_passed(const SyntaxTree& tree, SyntaxId call,
                               const ConsumingCall& known) {
  for (SyntaxId part = tree.node(call).first; part != python::kNoSyntax;
       part = tree.node(part).next) {
    if (tree.node(part).kind != Syntax::keyword) continue;
    for (const ConsumedArgument& argument : known.arguments) {
      if (argument.name == tree.text(part)) passed_.insert(argument.fact);
    }
  }
}

void SkippedCalls::settle(std::vector<SeenFact>& seen) const {
  for (SeenFact& each : seen) {
    if (each.is_of_optimizer && each.fact.known && passed_.count(each.fact.fact) != 0)
      each.fact.fills = false;
  }
}

void SkippedCalls::add(const python::Skipped& part, SyntaxId call, const ConsumingCall& known) {
  const python::SyntaxNode& node = part.module->tree.node(call);
  const python::Value& condition = part.condition;
  for (const auto& [fact, value] : known.skipped) {
    SeenFact& seen = seen_.emplace_back();
    seen.fact.fact = fact;
    seen.fact.value = value;
    seen.fact.call = {part.module->file, node.begin, node.end};
    seen.fact.from_config = condition.origin == python::Origin::given && condition.from.known();
    seen.fact.span = condition.from.known() ? condition.from : seen.fact.call;
    seen.fact.source = known.source;
    seen.fact.fills = true;
    seen.sides.assign(part.sides.begin(), part.sides.end());
    seen.skipped = &known;
  }
}

std::vector<SeenFact> SkippedCalls::facts() const {
  std::vector<SeenFact> facts;
  for (const SeenFact& each : seen_) {
    if (made_.count(each.skipped) == 0) facts.push_back(each);
  }
  return facts;
}

void SkippedCalls::made(const ConsumingCall& known, std::span<const python::Side> sides) {
  made_[&known].emplace(sides.begin(), sides.end());
}

std::vector<std::string> SkippedCalls::doubts(bool is_any) const {
  const auto is_on_one_side = [](const std::set<Sides>& all) {
    return std::all_of(all.begin(), all.end(), [&](Sides sides) {
      if (sides.empty()) return false;
      sides.back().second = !sides.back().second;
      return all.count(sides) == 0;
    });
  };
  std::set<std::string> names;
  for (const auto& [call, sides] : made_) {
    if (!is_any && !is_on_one_side(sides)) continue;
    for (const auto& [fact, value] : call->skipped) names.insert(fact);
  }
  return {names.begin(), names.end()};
}

void SkippedCalls::add_doubts(std::vector<SeenFact>& seen) const {
  for (const std::string& name : doubts(false)) {
    const bool is_spoken_of = std::any_of(
        seen.begin(), seen.end(), [&](const SeenFact& each) { return each.fact.fact == name; });
    if (is_spoken_of) continue;
    SeenFact& made = seen.emplace_back();
    made.fact.fact = name;
    made.fact.fills = true;
    made.fact.known = false;
  }
}

}  // namespace gpulint
