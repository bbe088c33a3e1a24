#include "plan/code_facts.h"

#include "base/system_path.h"
#include "base/text.h"
#include "plan/transforms.h"
#include "plan/value_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace gpulint {
namespace {

/// "train.py:33"; the path alone where the place is not known.
std::string place_in_code(const CodeTerms& terms, SourceSpan span, const std::string& path) {
  if (!span.known()) return path;
  return terms.base.place_of(span);
}

/// A place in the code by the number its file has in this lint.
SourceSpan numbered(const CodeTerms& terms, SourceSpan span) {
  if (span.file >= CodeBase::kFirstModule && span.file != kNoFile) {
    span.file = terms.files.number(terms.base.path_of(span.file));
  }
  return span;
}

/// The member of the config whose value stands at `span`; kNoNode where none does.
NodeId member_at(const Document& document, SourceSpan span) {
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.node(id).key != kNoNode && document.span(id) == span) return id;
  }
  return kNoNode;
}

/// How often a name stands in Python code, apart from comments.
int mentions(std::string_view code, std::string_view name) {
  int found = 0;
  bool is_comment = false;
  for (std::size_t at = 0; at < code.size(); ++at) {
    is_comment = code[at] != '\n' && (is_comment || code[at] == '#');
    if (is_comment || !code.substr(at).starts_with(name)) continue;
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_name_part(code[at - 1]);
    if (begins && (end == code.size() || !is_name_part(code[end]))) ++found;
  }
  return found;
}

class CodeFactWriter {
 public:
  CodeFactWriter(const CodeTerms& terms, Mapping& mapping) : terms_(terms), mapping_(mapping) {}

  void write() {
    for (const CodeFact& fact : terms_.code.facts) {
      if (!fact.dialect.empty()) {
        add_key_of(fact);
      } else if (const FactRow* row = find_fact(fact.fact)) {
        add(fact, *row);
      }
    }
    leave_other_warmups();
  }

 private:
  /// Where no code has a word of a schedule, a key that speaks of a warm-up is of something else.
  void leave_other_warmups() {
    constexpr std::array<std::string_view, 3> kWarmups = {"warmup_steps", "warmup_epochs",
                                                          "warmup_ratio"};
    const std::vector<CodeFact>& code = terms_.code.facts;
    const bool has_none = std::any_of(code.begin(), code.end(), [](const CodeFact& each) {
      return each.fact == "lr_schedule" && each.known && each.fills && each.value == "constant" &&
             each.argument == nullptr && !each.from_config;
    });
    const bool is_taken = std::any_of(code.begin(), code.end(), [&](const CodeFact& each) {
      return std::find(kWarmups.begin(), kWarmups.end(), each.fact) != kWarmups.end();
    });
    const Maybe<std::string>& schedule = mapping_.facts.lr_schedule;
    if (!has_none || is_taken || (schedule && schedule->from.origin != Origin::code)) return;
    for (const std::string_view name : kWarmups) {
      const FactRow& row = *find_fact(name);
      const Provenance* from = provenance_of(mapping_.facts, row);
      if (from == nullptr || !(terms_.decides || is_by_bare_key(row))) continue;
      clear_fact(mapping_.facts, row);
      state_of(row) = FactState::blocked;
    }
  }

  FactState& state_of(const FactRow& row) {
    return mapping_.states[static_cast<std::size_t>(&row - fact_table().data())];
  }

  /// An argument called like a key of a dialect says what the key says.
  void add_key_of(const CodeFact& fact) {
    const auto dialect = std::find_if(terms_.dialects.begin(), terms_.dialects.end(),
                                      [&](const Dialect& each) { return each.id == fact.dialect; });
    if (dialect == terms_.dialects.end() || !fact.known) return;
    for (const KeyMapping& key : dialect->mapping->keys.all()) {
      const FactRow* row = key.path == fact.fact ? find_fact(key.fact) : nullptr;
      if (row == nullptr) continue;
      const Provenance* before = provenance_of(mapping_.facts, *row);
      if (before != nullptr && !is_worked_out_of(fact, *before)) continue;
      NativeValue native;
      native.state = NativeValue::State::text;
      native.text = fact.value;
      std::optional<std::string> text = fact.value;
      const std::optional<Transform> transform = find_transform(key.transform);
      if (transform && !key.transform.empty()) text = (*transform)(terms_.document, native);
      if (!text) continue;
      const ValueMap* shared =
          key.value_map.empty() ? nullptr : find_value_map(terms_.dialects, key.value_map);
      const bool maps = !key.values.empty() || shared != nullptr;
      if (maps) {
        text = map_value(
            key.values,
            shared == nullptr ? std::span<const ValueMapping>() : std::span(shared->values), *text);
      }
      if (!text || *text == kAbsent || text->starts_with('+')) continue;
      if (before != nullptr) clear_fact(mapping_.facts, *row);
      if (set_fact(mapping_.facts, *row, *text, provenance(fact))) state_of(*row) = FactState::set;
    }
  }

  /// `10 ** cfg["train_steps"]`: the key's own value is not what the code uses.
  bool is_worked_out_of(const CodeFact& fact, const Provenance& before) const {
    return fact.from_config && fact.computed && before.span == numbered(terms_, fact.span);
  }

  /// What the call gives the rate is called after a warm-up.
  static bool says_warmup(std::string_view taken_by) {
    const std::size_t given = taken_by.find('=');
    return given != taken_by.npos && taken_by.find("warmup", given) != taken_by.npos;
  }

  /// A schedule climbs from the rate the optimizer is made with to one that the config names as
  /// such beside it.
  bool is_below_stated_peak(const CodeFact& fact, const FactRow& row) {
    const Maybe<double>& stated = mapping_.facts.learning_rate;
    if (row.name != "learning_rate" || !stated) return false;
    if (says_warmup(fact.taken_by)) {  // `Adam(params, lr=warmup_init_lr)`
      const std::optional<double> first = lenient_number(fact.value);
      return first && *first < stated->value;
    }
    if (!fact.from_config || fact.computed) return false;
    const NodeId member = member_at(terms_.document, fact.span);
    if (member == kNoNode || fact.span.file != stated->from.span.file) return false;
    if (parent_path(terms_.document.pointer(member)) != parent_path(stated->from.pointer))
      return false;
    const std::optional<double> start = lenient_number(fact.value);
    return start && stated->from.span != fact.span && *start < stated->value;
  }

  /// `if args.k >= cfg["k_test"]:` around a call that is left out: a number turns nothing off.
  bool is_left_out_by_number(const CodeFact& fact) const {
    if (!fact.fills || !fact.from_config || !fact.taken_by.empty()) return false;
    const std::optional<double> number = lenient_number(terms_.document.text_at(fact.span));
    return number && *number != 0 && *number != 1;
  }

  void add(const CodeFact& fact, const FactRow& row) {
    if (is_below_stated_peak(fact, row) || is_left_out_by_number(fact)) return;
    const std::optional<std::string> value = fact.known ? canonical(fact) : std::nullopt;
    if (!value && counts_something_else(fact, row)) {
      clear_fact(mapping_.facts, row);
      state_of(row) = FactState::blocked;
      return;
    }
    if (!value || *value == kAbsent) {
      if (state_of(row) == FactState::untouched) state_of(row) = FactState::blocked;
      return;
    }
    const Provenance* before = provenance_of(mapping_.facts, row);
    // An evaluation has keys of its own that other scripts read.
    const bool is_evaluation = row.name.starts_with("eval_");
    const bool decides = terms_.decides || is_by_bare_key(row);
    const bool keeps = !decides || is_evaluation || fact.fills;
    TrainingPlan scratch;
    const bool is_value = set_fact(scratch, row, *value, {});
    const bool same = before != nullptr && is_value &&
                      canonical_text(mapping_.facts, row) == canonical_text(scratch, row);
    if (same) return note_taken(fact, row);
    if (before != nullptr && keeps && !is_left_unused(fact, *before) &&
        !is_worked_out_of(fact, *before)) {
      return;
    }
    // Code loads other networks beside the one that the config names: encoders, references.
    if (before != nullptr && row.name == "model" && !fact.from_config) return;
    if (!is_value) return;
    const std::string replaced = before == nullptr ? std::string() : before->pointer;
    clear_fact(mapping_.facts, row);
    Provenance from = provenance(fact);
    const bool is_multiplied =  // a loader's batch, by the micro-batches of a step
        fact.from_config && fact.computed && row.name == "global_batch_size";
    if (from.origin == Origin::stated || is_multiplied) take_from_others(fact.span, row);
    if (row.name == "epochs" && from.origin == Origin::stated) leave_section(replaced, from.pointer);
    set_fact(mapping_.facts, row, *value, std::move(from));
    state_of(row) = FactState::set;
  }

  /// The dialect and the code read the same key alike: the code takes it.
  void note_taken(const CodeFact& fact, const FactRow& row) {
    Provenance from = *provenance_of(mapping_.facts, row);
    if (!fact.from_config || !from.detail.empty() || from.span != numbered(terms_, fact.span))
      return;
    from.detail = std::string(kTakenIn) + place_in_code(terms_, fact.call, {});
    const std::string value = canonical_text(mapping_.facts, row);
    set_fact(mapping_.facts, row, value, std::move(from));
  }

  /// What classes of the project's own do with such a key their code says.
  bool is_by_bare_key(const FactRow& row) const {
    const auto index = static_cast<std::size_t>(&row - fact_table().data());
    return index < mapping_.by_bare_key.size() && mapping_.by_bare_key[index];
  }

  /// `optim = "lion"` at the top of a program whose trainer is not told of it.
  bool is_left_unused(const CodeFact& fact, const Provenance& stated) const {
    const Document& document = terms_.document;
    if (document.format() != Format::python || !fact.fills || fact.from_config) return false;
    const SourceSpan call = numbered(terms_, fact.call);
    if (stated.origin != Origin::stated || stated.span.file != document.file()) return false;
    if (call.file != document.file() || !stated.pointer.starts_with('/')) return false;
    const std::string_view name = std::string_view(stated.pointer).substr(1);
    return name.find('/') == std::string_view::npos && mentions(document.text(), name) == 1;
  }

  /// `args.world_size = gpus * args.world_size`: where the code tells PyTorch a number of ranks
  /// that nobody knows, an option of that name may count nodes.
  bool counts_something_else(const CodeFact& fact, const FactRow& row) const {
    if (fact.known || !terms_.decides || row.name != "world_size") return false;
    const Provenance* before = provenance_of(mapping_.facts, row);
    if (before == nullptr || before->origin != Origin::stated) return false;
    std::string name(file_name(before->pointer));  // what a launcher counts has another
    std::replace(name.begin(), name.end(), '-', '_');
    return equals_ignoring_case(name, row.name);
  }

  /// A key means what the code does with it, and no other fact of its group.
  void take_from_others(const SourceSpan& span, const FactRow& row) {
    for (const FactRow& other : fact_table()) {
      if (other.name == row.name || other.group != "batch" || row.group != "batch") continue;
      const Provenance* from = provenance_of(mapping_.facts, other);
      if (from == nullptr || from->origin != Origin::stated || from->span != span) continue;
      const bool confirmed =
          std::any_of(terms_.code.facts.begin(), terms_.code.facts.end(),
                      [&](const CodeFact& each) { return each.fact == other.name && each.known; });
      if (!confirmed) clear_fact(mapping_.facts, other);
    }
  }

  /// The code trains for as long as another section says: a warm-up beside the other length is not
  /// of this run.
  void leave_section(std::string_view replaced, std::string_view taken) {
    if (replaced.empty() || parent_path(replaced) == parent_path(taken)) return;
    for (const std::string_view name : {"warmup_steps", "warmup_epochs", "warmup_ratio"}) {
      const FactRow& row = *find_fact(name);
      const Provenance* from = provenance_of(mapping_.facts, row);
      if (from == nullptr || parent_path(from->pointer) != parent_path(replaced)) continue;
      clear_fact(mapping_.facts, row);
      state_of(row) = FactState::blocked;
    }
  }

  std::optional<std::string> canonical(const CodeFact& fact) const {
    if (fact.argument == nullptr || fact.argument->value_map.empty()) return fact.value;
    const ValueMap* map = find_value_map(terms_.dialects, fact.argument->value_map);
    if (map == nullptr) return fact.value;
    const std::size_t dot = fact.value.rfind('.');
    return map_value({}, map->values,
                     to_lower(dot == std::string::npos ? fact.value : fact.value.substr(dot + 1)));
  }

  Provenance provenance(const CodeFact& fact) const {
    Provenance from;
    const std::string call = place_in_code(terms_, fact.call, {});
    from.span = numbered(terms_, fact.span);
    if (fact.from_config) {
      from.origin = fact.computed ? Origin::code : Origin::stated;
      from.detail = (fact.computed ? std::string("worked out in ") : std::string(kTakenIn)) + call;
      add_key(from);
    } else {
      from.origin = fact.at_least ? Origin::assumed : Origin::code;
      from.detail = fact.source.empty() ? call : fmt::format("{} ({})", call, fact.source);
      if (fact.at_least) from.detail = "at least; " + from.detail;
      // An argument that somebody wrote into this very call: not what the call does without it, nor
      // the default of an option that a command may overrule.
      const bool in_call = fact.span.file == fact.call.file && fact.span.begin > fact.call.begin &&
                           fact.span.end <= fact.call.end;
      const bool is_argument = fact.argument != nullptr || !fact.dialect.empty();
      const bool is_written =
          fact.span.known() && in_call && !fact.computed && !fact.fills && is_argument;
      if (is_written && from.origin == Origin::code) from.key_span = from.span;
    }
    return from;
  }

  void add_key(Provenance& from) const {
    const Document& document = terms_.document;
    const NodeId member = member_at(document, from.span);
    if (member == kNoNode) return;
    from.key_span = document.span(document.node(member).key);
    from.pointer = document.pointer(member);
  }

  const CodeTerms& terms_;
  Mapping& mapping_;
};

}  // namespace

void add_code_facts(const CodeTerms& terms, Mapping& mapping) {
  CodeFactWriter(terms, mapping).write();
}

std::vector<CodePath> code_paths(const CodeTerms& terms) {
  std::vector<std::string> loaders;
  for (const LoadPlace& load : terms.code.loads) {
    loaders.push_back(place_in_code(terms, load.span, load.script));
  }
  std::vector<CodePath> paths;
  for (const CodeFact& fact : terms.code.facts) {
    CodePath& path = paths.emplace_back();
    path.fact = fact.fact;
    path.from_config = fact.from_config;
    path.computed = fact.computed;
    path.agreed = fact.known;
    path.span = numbered(terms, fact.span);
    path.taken_at = place_in_code(terms, fact.call, {});
    path.taken_by = fact.taken_by;
    if (!fact.from_config) continue;
    path.loaders = loaders;
    const NodeId member = member_at(terms.document, path.span);
    if (member != kNoNode) path.pointer = terms.document.pointer(member);
  }
  return paths;
}

std::vector<UnknownPart> unknown_parts(const CodeReading& code, const CodeBase& base) {
  std::vector<UnknownPart> parts;
  for (const CodeGap& gap : code.gaps) {
    UnknownPart& part = parts.emplace_back();
    part.fact = gap.fact;
    part.what = gap.why;
    part.code = gap.code;
    part.decides = gap.decides;
    part.at = base.place_of(gap.place);
  }
  return parts;
}

bool is_training_script(const CodeReading& code) {
  const auto has = [&](std::string_view name) {
    return std::any_of(code.facts.begin(), code.facts.end(),
                       [&](const CodeFact& each) { return each.fact == name; });
  };
  const bool has_arguments =
      std::any_of(code.facts.begin(), code.facts.end(),
                  [](const CodeFact& each) { return !each.dialect.empty() && !each.is_of_part; });
  // An engine that splits the training makes the optimizer that its own file names.
  const bool optimizes = has("optimizer") || has("learning_rate") || has("sharding_engine");
  // An optimizer that steps in a loop trains, wherever its batches come from.
  return has_arguments || (optimizes && (has("per_device_batch_size") || has("epochs") ||
                                         has("max_steps") || has("gradient_accumulation_steps")));
}

bool is_training_config(const CodeReading& code, const Document& document) {
  constexpr int kEnough = 2;
  int own = 0;
  bool core = false;
  for (const CodeFact& fact : code.facts) {
    if (!fact.known || !fact.from_config || document.text_at(fact.span).empty()) continue;
    ++own;
    core = core || fact.fact == "learning_rate" || fact.fact == "per_device_batch_size" ||
           fact.fact == "epochs" || fact.fact == "max_steps" || fact.fact == "num_workers";
  }
  return core && own >= kEnough;
}

}  // namespace gpulint
