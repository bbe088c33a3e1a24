// One list of members per struct serves both directions. It is a structured binding, so that a
// member nobody stores does not compile.

#include "catalog/stored_types.h"

#include "base/byte_stream.h"

#include <concepts>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

template <class T, class Wanted>
concept is = std::same_as<std::remove_const_t<T>, Wanted>;

class Storing {
 public:
  template <class... Members>
  void operator()(const Members&... members) {
    (one(members), ...);
  }
  std::string take() && { return std::move(out_).take(); }

 private:
  void one(const std::string& value) { out_.text(value); }
  template <std::integral T>
  void one(T value) {
    out_.signed_number(value);
  }
  template <class T>
  requires std::is_enum_v<T>
  void one(T value) { out_.signed_number(static_cast<std::int64_t>(value)); }
  template <class T>
  requires std::is_aggregate_v<T>
  void one(const T& value);
  template <class T>
  void one(const OnDemand<T>& value) {
    Storing apart;
    apart.one(*value);
    out_.text(std::move(apart).take());
  }
  template <class T>
  void one(const std::optional<T>& value) {
    out_.number(value ? 1 : 0);
    if (value) one(*value);
  }
  template <class T>
  void one(const std::vector<T>& values) {
    out_.number(values.size());
    for (const T& value : values) one(value);
  }
  template <class First, class Second>
  void one(const std::pair<First, Second>& value) {
    (*this)(value.first, value.second);
  }
  void one(const KeyMappings& keys) { out_.text(keys.store()); }
  void one(const KnownKeys& keys) {
    out_.number(keys.size());
    for (const auto& [parent, names] : keys) (*this)(parent, names);
  }

  ByteWriter out_;
};

class Restoring {
 public:
  explicit Restoring(std::string_view bytes) : in_(bytes) {}

  template <class... Members>
  void operator()(Members&... members) {
    (one(members), ...);
  }

 private:
  void one(std::string& value) {
    const std::string_view text = in_.text();
    if (!text.empty()) value.assign(text);
  }
  void one(std::vector<std::string>& values) {
    const std::uint64_t count = in_.number();
    if (count <= in_.left()) values.reserve(count);
    for (std::uint64_t i = 0; i < count && !in_.at_end(); ++i) values.emplace_back(in_.text());
  }
  template <std::integral T>
  void one(T& value) {
    value = static_cast<T>(in_.signed_number());
  }
  template <class T>
  requires std::is_enum_v<T>
  void one(T& value) { value = static_cast<T>(in_.signed_number()); }
  template <class T>
  requires std::is_aggregate_v<T>
  void one(T& value);
  template <class T>
  void one(OnDemand<T>& value) {
    value = OnDemand<T>::made_by([bytes = in_.text()] {
      T made;
      Restoring(bytes).one(made);
      return made;
    });
  }
  template <class T>
  void one(std::optional<T>& value) {
    if (in_.number() != 0) one(value.emplace());
  }
  template <class T>
  void one(std::vector<T>& values) {
    const std::uint64_t count = in_.number();
    if (count <= in_.left()) values.reserve(count);
    for (std::uint64_t i = 0; i < count && !in_.at_end(); ++i) one(values.emplace_back());
  }
  template <class First, class Second>
  void one(std::pair<First, Second>& value) {
    (*this)(value.first, value.second);
  }
  void one(KeyMappings& keys) { keys = KeyMappings::stored(in_.text()); }
  void one(KnownKeys& keys) {
    for (std::uint64_t left = in_.number(); left > 0 && !in_.at_end(); --left) {
      std::string parent;
      one(parent);
      one(keys.emplace_hint(keys.end(), std::move(parent), std::vector<std::string>())->second);
    }
  }

  ByteReader in_;
};

void members(auto& io, is<ValueMapping> auto& value) {
  auto& [native, canonical] = value;
  io(native, canonical);
}

void members(auto& io, is<ValueMap> auto& value) {
  auto& [name, values] = value;
  io(name, values);
}

void members(auto& io, is<Spelling> auto& value) {
  auto& [fact, words] = value;
  io(fact, words);
}

void members(auto& io, is<KeyMapping> auto& value) {
  auto& [path, fact, transform, values, value_map, priority, anywhere] = value;
  io(path, fact, transform, values, value_map, priority, anywhere);
}

void members(auto& io, is<Domain> auto& value) {
  auto& [fact, from, raises] = value;
  io(fact, from, raises);
}

void members(auto& io, is<DefaultValue> auto& each) {
  auto& [fact, value, source, overridable, assumed, when_key, when_key_is, when_fact, when_value] =
      each;
  io(fact, value, source, overridable, assumed, when_key, when_key_is, when_fact, when_value);
}

void members(auto& io, is<AcceptedKeys> auto& value) {
  auto& [key, chosen, under, keys, raises] = value;
  io(key, chosen, under, keys, raises);
}

void members(auto& io, is<CatalogueUse> auto& value) {
  auto& [under, tables, raises, with, checks_values] = value;
  io(under, tables, raises, with, checks_values);
}

void members(auto& io, is<Remark> auto& value) {
  auto& [list, key, chosen, with, without, code_names, code_lacks, says, source] = value;
  io(list, key, chosen, with, without, code_names, code_lacks, says, source);
}

void members(auto& io, is<DialectMapping> auto& value) {
  auto& [keys, defaults, known_keys, domains, accepts, catalogue, remarks] = value;
  io(keys, defaults, known_keys, domains, accepts, catalogue, remarks);
}

void members(auto& io, is<Reference> auto& value) {
  auto& [key, kind, dialect, yields] = value;
  io(key, kind, dialect, yields);
}

void members(auto& io, is<Companion> auto& value) {
  auto& [dialect, refuses_conflicts, compares, decides, fills_none] = value;
  io(dialect, refuses_conflicts, compares, decides, fills_none);
}

void members(auto& io, is<RecognitionRule> auto& value) {
  auto& [all, any, none, some, at_least, what, paths, anywhere, lowers, unjudged, measured] = value;
  io(all, any, none, some, at_least, what, paths, anywhere, lowers, unjudged, measured);
}

void members(auto& io, is<KeyDecorations> auto& value) {
  auto& [before, after, of] = value;
  io(before, after, of);
}

/// All but the mapping.
void members(auto& io, is<Dialect> auto& value) {
  auto& [id, summary, answers_to, rank, foreign, scalars, casts_numbers, scales_learning_rate,
         traits, exact_case, json_comments, sections, recognise, mapping, leaf_sections,
         decorations, foreign_sections, judged_by, phase_sections, run_sections, partial_keys,
         references, companions, model_configs, supplement, value_maps, spellings, own_network,
         usual_network, false_friends, absent_switches, sources] = value;
  io(id, summary, answers_to, rank, foreign, scalars, casts_numbers, scales_learning_rate, traits,
     exact_case, json_comments, sections, recognise, mapping, leaf_sections, decorations,
     foreign_sections, judged_by, phase_sections, run_sections, partial_keys, references,
     companions, model_configs, supplement, value_maps, spellings, own_network, usual_network,
     false_friends, absent_switches, sources);
}

void members(auto& io, is<ConsumedArgument> auto& value) {
  auto& [name, position, fact, items, or_items, evaluation_fact, values, in_code, value_map,
         otherwise, with, without, default_fills, shared, of_machine, keys_of, is_member, none_of,
         is_passing, share, share_of, share_at] = value;
  io(name, position, fact, items, or_items, evaluation_fact, values, in_code, value_map, otherwise,
     with, without, default_fills, shared, of_machine, keys_of, is_member, none_of, is_passing,
     share, share_of, share_at);
}

void members(auto& io, is<ConsumingCall> auto& value) {
  auto& [names, receivers, within, off_by, feeds_a_loop, splits_batches, arguments, states, skipped,
         every, after, source, dialect, under] = value;
  io(names, receivers, within, off_by, feeds_a_loop, splits_batches, arguments, states, skipped,
     every, after, source, dialect, under);
}

void members(auto& io, is<CountingLoop> auto& value) {
  auto& [fact, counters, ends] = value;
  io(fact, counters, ends);
}

void members(auto& io, is<AbsentWords> auto& value) {
  auto& [id, words, apart_from, states, doubts, may_be_asked_for, source] = value;
  io(id, words, apart_from, states, doubts, may_be_asked_for, source);
}

void members(auto& io, is<ActingFunctions> auto& value) {
  auto& [behaviour, names] = value;
  io(behaviour, names);
}

void members(auto& io, is<ScriptMarks> auto& value) {
  auto& [starts, entries, trains, takes_config, training_names, other_names, other_folders,
         config_options, json_loaders, config_places, takes_options, training_switches,
         other_switches, evaluating_switches, torch_imports, other_frameworks, plain_packages,
         starts_commands, steps, setting_names, interpreters, optimizer_hooks, graphs, shows, keeps,
         applies, launcher_options, set_everywhere, loads_variables, stores_options,
         default_configs, second_arguments] = value;
  io(starts, entries, trains, takes_config, training_names, other_names, other_folders,
     config_options, json_loaders, config_places, takes_options, training_switches, other_switches,
     evaluating_switches, torch_imports, other_frameworks, plain_packages, starts_commands, steps,
     setting_names, interpreters, optimizer_hooks, graphs, shows, keeps, applies, launcher_options,
     set_everywhere, loads_variables, stores_options, default_configs, second_arguments);
}

void members(auto& io, is<DescribedModule> auto& value) {
  auto& [names, code, source, takes_config] = value;
  io(names, code, source, takes_config);
}

void members(auto& io, is<Consumers> auto& value) {
  auto& [id, summary, calls, loops, absent, functions, scripts, described] = value;
  io(id, summary, calls, loops, absent, functions, scripts, described);
}

void members(auto& io, is<WordList> auto& value) {
  auto& [id, summary, words] = value;
  io(id, summary, words);
}

void members(auto& io, is<FormDimension> auto& value) {
  auto& [dimension, keys, values, times, over, unstated] = value;
  io(dimension, keys, values, times, over, unstated);
}

void members(auto& io, is<OpenDimension> auto& value) {
  auto& [dimension, low, usual, high] = value;
  io(dimension, low, usual, high);
}

void members(auto& io, is<FormPart> auto& value) {
  auto& [key, part] = value;
  io(key, part);
}

void members(auto& io, is<FormEvidence> auto& value) {
  auto& [all, any, none] = value;
  io(all, any, none);
}

void members(auto& io, is<FormContents> auto& value) {
  auto& [dimensions, tokenizers, vocabularies, open, beside, sources] = value;
  io(dimensions, tokenizers, vocabularies, open, beside, sources);
}

void members(auto& io, is<NetworkForm> auto& value) {
  auto& [id, summary, family, model, recognise, loose, exact, contents] = value;
  io(id, summary, family, model, recognise, loose, exact, contents);
}

template <class T>
requires std::is_aggregate_v<T>
void Storing::one(const T& value) { members(*this, value); }

template <class T>
requires std::is_aggregate_v<T>
void Restoring::one(T& value) { members(*this, value); }

std::string stored(const auto& value) {
  Storing io;
  members(io, value);
  return std::move(io).take();
}

template <class T>
T restored(std::string_view bytes) {
  T value;
  Restoring io(bytes);
  members(io, value);
  return value;
}

}  // namespace

std::string store_dialect(const Dialect& dialect) { return stored(dialect); }

Dialect restore_dialect(std::string_view bytes) { return restored<Dialect>(bytes); }

std::string store_key(const KeyMapping& key) { return stored(key); }

KeyMapping restore_key(std::string_view bytes) { return restored<KeyMapping>(bytes); }

template <IsStored T>
std::string store(const T& value) {
  return stored(value);
}
template <IsStored T>
T restore(std::string_view bytes) {
  return restored<T>(bytes);
}

template std::string store(const Consumers&);
template Consumers restore(std::string_view);
template std::string store(const NetworkForm&);
template NetworkForm restore(std::string_view);
template std::string store(const WordList&);
template WordList restore(std::string_view);

}  // namespace gpulint
