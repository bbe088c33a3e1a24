#include "base/text.h"
#include "catalog/consumers.h"
#include "catalog/dialect_parts.h"
#include "catalog/strict_reader.h"
#include "python/behaviour_names.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr int kGreatestPosition = 64;

ConsumedArgument read_argument(Complaints& complaints, std::string_view name, NodeId node) {
  ConsumedArgument argument;
  argument.name = name;
  StrictMapping mapping(complaints, node);
  argument.items = read_words(complaints, mapping.find("items"));
  argument.or_items = read_words(complaints, mapping.find("or_items"));
  argument.keys_of = read_word(complaints, mapping.find("keys_of"));
  const bool needs_fact = argument.items.empty() && argument.keys_of.empty();
  const NodeId fact = needs_fact ? mapping.need("fact") : mapping.find("fact");
  argument.fact = read_word(complaints, fact);
  argument.evaluation_fact = read_word(complaints, mapping.find("evaluation"));
  argument.otherwise = read_word(complaints, mapping.find("default"));
  argument.with = read_word(complaints, mapping.find("with"));
  argument.without = read_word(complaints, mapping.find("without"));
  argument.none_of = read_word(complaints, mapping.find("none_of"));
  argument.default_fills = read_boolean(complaints, mapping.find("default_fills")).value_or(false);
  argument.shared = read_word(complaints, mapping.find("shared"));
  argument.of_machine = read_word(complaints, mapping.find("of_machine"));
  argument.is_passing = read_boolean(complaints, mapping.find("passing")).value_or(false);
  if (const NodeId share = mapping.find("share"); share != kNoNode) {
    StrictMapping part(complaints, share);
    argument.share = read_word(complaints, part.need("fact"));
    argument.share_of = read_word(complaints, part.need("of"));
    argument.share_at = static_cast<int>(
        read_integer(complaints, part.need("at"), 0, kGreatestPosition).value_or(0));
    part.refuse_unknown_keys();
  }
  const NodeId holder = mapping.find("in");
  argument.is_member = holder != kNoNode;
  const NodeId position = argument.is_member ? holder : mapping.find("at");
  if (position != kNoNode) {
    argument.position =
        static_cast<int>(read_integer(complaints, position, 0, kGreatestPosition).value_or(0));
  }
  argument.values = read_value_mappings(complaints, mapping.find("values"));
  argument.in_code = read_value_mappings(complaints, mapping.find("in_code"));
  argument.value_map = read_word(complaints, mapping.find("value_map"));
  mapping.refuse_unknown_keys();
  return argument;
}

std::vector<std::pair<std::string, std::string>> read_stated(Complaints& complaints, NodeId node) {
  std::vector<std::pair<std::string, std::string>> stated;
  if (node == kNoNode) return stated;
  for (const auto& [fact, value] : read_entries(complaints, node))
    stated.emplace_back(fact, read_word(complaints, value));
  return stated;
}

ConsumingCall read_call(Complaints& complaints, std::string_view name, NodeId node) {
  ConsumingCall call;
  call.names.emplace_back(name);
  StrictMapping mapping(complaints, node);
  for (std::string& other : read_words(complaints, mapping.find("also"))) {
    call.names.push_back(std::move(other));
  }
  call.receivers = read_words(complaints, mapping.find("receivers"));
  call.off_by = read_word(complaints, mapping.find("off_by"));
  call.within = read_words(complaints, mapping.find("within"));
  call.feeds_a_loop = read_boolean(complaints, mapping.find("feeds_a_loop")).value_or(false);
  call.splits_batches = read_boolean(complaints, mapping.find("splits_batches")).value_or(false);
  call.every = read_word(complaints, mapping.find("every"));
  call.after = read_words(complaints, mapping.find("after"));
  call.dialect = read_word(complaints, mapping.find("dialect"));
  call.under = read_word(complaints, mapping.find("under"));
  call.source = read_word(complaints, mapping.need("source"));
  if (const NodeId list = mapping.find("arguments"); list != kNoNode) {
    for (const auto& [argument, value] : read_entries(complaints, list)) {
      if (complaints.document().kind(value) == NodeKind::sequence) {
        for (const NodeId item : read_items(complaints, value)) {
          call.arguments.push_back(read_argument(complaints, argument, item));
        }
      } else {
        call.arguments.push_back(read_argument(complaints, argument, value));
      }
    }
  }
  call.states = read_stated(complaints, mapping.find("states"));
  call.skipped = read_stated(complaints, mapping.find("skipped"));
  mapping.refuse_unknown_keys();
  return call;
}

}  // namespace

std::span<const std::pair<std::string_view, ScriptMarks::List>> ScriptMarks::lists() {
  static constexpr std::array<std::pair<std::string_view, List>, 32> kLists = {{
      {"starts", &ScriptMarks::starts},
      {"entries", &ScriptMarks::entries},
      {"trains", &ScriptMarks::trains},
      {"takes_config", &ScriptMarks::takes_config},
      {"training_names", &ScriptMarks::training_names},
      {"other_names", &ScriptMarks::other_names},
      {"other_folders", &ScriptMarks::other_folders},
      {"config_options", &ScriptMarks::config_options},
      {"json_loaders", &ScriptMarks::json_loaders},
      {"config_places", &ScriptMarks::config_places},
      {"takes_options", &ScriptMarks::takes_options},
      {"training_switches", &ScriptMarks::training_switches},
      {"other_switches", &ScriptMarks::other_switches},
      {"plain_packages", &ScriptMarks::plain_packages},
      {"starts_commands", &ScriptMarks::starts_commands},
      {"evaluating_switches", &ScriptMarks::evaluating_switches},
      {"torch_imports", &ScriptMarks::torch_imports},
      {"other_frameworks", &ScriptMarks::other_frameworks},
      {"steps", &ScriptMarks::steps},
      {"setting_names", &ScriptMarks::setting_names},
      {"interpreters", &ScriptMarks::interpreters},
      {"optimizer_hooks", &ScriptMarks::optimizer_hooks},
      {"graphs", &ScriptMarks::graphs},
      {"shows", &ScriptMarks::shows},
      {"keeps", &ScriptMarks::keeps},
      {"applies", &ScriptMarks::applies},
      {"launcher_options", &ScriptMarks::launcher_options},
      {"set_everywhere", &ScriptMarks::set_everywhere},
      {"loads_variables", &ScriptMarks::loads_variables},
      {"stores_options", &ScriptMarks::stores_options},
      {"default_configs", &ScriptMarks::default_configs},
      {"second_arguments", &ScriptMarks::second_arguments},
  }};
  return kLists;
}

Result<Consumers> Consumers::parse(const Document& document) {
  Complaints complaints(document);
  Consumers consumers;
  consumers.id = stem_of(document.path());
  StrictMapping file(complaints, document.root());
  consumers.summary = read_word(complaints, file.need("summary"));
  if (const NodeId calls = file.find("calls"); calls != kNoNode) {
    for (const auto& [name, node] : read_entries(complaints, calls)) {
      consumers.calls.push_back(read_call(complaints, name, node));
    }
  }
  if (const NodeId loops = file.find("loops"); loops != kNoNode) {
    for (const auto& [fact, node] : read_entries(complaints, loops)) {
      StrictMapping mapping(complaints, node);
      CountingLoop& each = consumers.loops.emplace_back();
      each.fact = fact;
      each.counters = read_words(complaints, mapping.need("counters"));
      each.ends = read_words(complaints, mapping.find("ends"));
    }
  }
  if (const NodeId absent = file.find("absent"); absent != kNoNode) {
    for (const auto& [id, node] : read_entries(complaints, absent)) {
      StrictMapping mapping(complaints, node);
      AbsentWords& each = consumers.absent.emplace_back();
      each.id = id;
      each.words = read_words(complaints, mapping.need("words"));
      each.apart_from = read_words(complaints, mapping.find("apart_from"));
      each.source = read_word(complaints, mapping.need("source"));
      each.may_be_asked_for =
          read_boolean(complaints, mapping.find("may_be_asked_for")).value_or(false);
      each.doubts = read_words(complaints, mapping.find("doubts"));
      const bool needs_states = each.doubts.empty();
      each.states =
          read_stated(complaints, needs_states ? mapping.need("states") : mapping.find("states"));
      mapping.refuse_unknown_keys();
    }
  }
  if (const NodeId functions = file.find("functions"); functions != kNoNode) {
    for (const auto& [behaviour, node] : read_entries(complaints, functions)) {
      const auto& names = python::kBehaviourNames;
      const bool is_known = std::any_of(names.begin(), names.end(),
                                        [&](const auto& each) { return each.first == behaviour; });
      if (!is_known)
        complaints.about(node, "no way in which a function acts; see python/behaviour.h");
      consumers.functions.push_back({std::string(behaviour), read_words(complaints, node)});
    }
  }
  if (const NodeId scripts = file.find("scripts"); scripts != kNoNode) {
    StrictMapping marks(complaints, scripts);
    for (const auto& [name, list] : ScriptMarks::lists())
      consumers.scripts.*list = read_words(complaints, marks.find(name));
    marks.refuse_unknown_keys();
  }
  if (const NodeId described = file.find("described"); described != kNoNode) {
    for (const auto& [name, node] : read_entries(complaints, described)) {
      StrictMapping mapping(complaints, node);
      DescribedModule& each = consumers.described.emplace_back();
      each.names.emplace_back(name);
      for (std::string& other : read_words(complaints, mapping.find("also")))
        each.names.push_back(std::move(other));
      each.source = read_word(complaints, mapping.need("source"));
      each.code = read_text(complaints, mapping.need("code"));
      if (const NodeId takes = mapping.find("takes_config"); takes != kNoNode)
        each.takes_config = read_boolean(complaints, takes).value_or(false);
      mapping.refuse_unknown_keys();
    }
  }
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(consumers));
}

}  // namespace gpulint
