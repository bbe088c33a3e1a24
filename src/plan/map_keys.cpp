// Native keys to canonical facts. Every key of the dialect is looked up under every scope; what is
// found runs through references, the key's transform, its value map and the range of the fact. A
// value that does not survive leaves the fact unknown and keeps defaults away from it; it is worth
// an observation only when it is a number no run can have.

#include "plan/map_keys.h"

#include "base/text.h"
#include "plan/native_value.h"
#include "plan/odd_numbers.h"
#include "plan/transforms.h"
#include "plan/value_maps.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gpulint {

namespace {

// `amp: true` beside `amp_dtype: bfloat16`: the second says which half precision the first means.
// `name: our_asr` beside `model_name: facebook/wav2vec2-base`: it says which checkpoint.
bool refines(const FactRow& row, std::string_view known, std::string_view other) {
  const auto is_checkpoint = [](std::string_view name) { return name.find('/') != name.npos; };
  if (row.name == "model" && !is_checkpoint(known) && is_checkpoint(other)) return true;
  return !row.unspecific_choice.empty() && known == row.unspecific_choice &&
         other != row.unspecific_choice && other != kOff;
}

// Whose loader reads 2e-5 as a text: PyYAML's, unless the framework turns it into a number itself.
bool may_stay_a_string(const Dialect& dialect) {
  return !dialect.casts_numbers && (!dialect.scalars || *dialect.scalars == ScalarSchema::yaml11);
}

struct Mapper {
  const MappingRequest& request;
  const Document& document;
  Mapping result;
  TrainingPlan scratch;         // values are compared in here
  std::vector<int> rank;        // of the key that set a fact: scope order, then priority
  std::vector<bool> disputed;   // facts that two keys of equal rank contradict each other about
  bool in_any_section = false;  // the present key was found outside the scopes
  bool in_house = false;        // `.gpulint.yaml` says what the present key means
  /// How such facts are usually written, for a key of `.gpulint.yaml` that says no more than its
  /// fact.
  std::vector<const KeyMapping*> usual;

  explicit Mapper(const MappingRequest& asked)
      : request(asked),
        document(asked.keys->document()),
        rank(fact_table().size()),
        disputed(fact_table().size()) {
    result.states.resize(fact_table().size());
    result.by_bare_key.resize(fact_table().size());
  }

  void map_in_house(const KeyMapping& key) {
    in_house = true;
    const bool says_all = !key.transform.empty() || !key.values.empty() || !key.value_map.empty();
    usual = says_all ? std::vector<const KeyMapping*>() : usual_keys(key);
    map_key(key);
    usual.clear();
    in_house = false;
  }

  /// Keys of the dialects of plain training configs that state the same fact, those of the same
  /// name first.
  std::vector<const KeyMapping*> usual_keys(const KeyMapping& key) const {
    std::vector<const KeyMapping*> same;
    for (const Dialect& dialect : request.dialects) {
      if (dialect.leaf_sections.empty()) continue;
      for (const KeyMapping& each : dialect.mapping->keys.all()) {
        if (each.fact == key.fact) same.push_back(&each);
      }
    }
    const auto leaf = [](std::string_view path) { return path.substr(path.rfind('.') + 1); };
    std::stable_partition(same.begin(), same.end(), [&](const KeyMapping* each) {
      return equals_ignoring_case(leaf(each->path), leaf(key.path));
    });
    return same;
  }

  void map_key(const KeyMapping& key) {
    if (key.path.starts_with('/')) {
      const std::string_view path = std::string_view(key.path).substr(1);
      map_place(key, request.keys->find(path_below(kRootPath, path)), 0);
      return;
    }
    const bool is_pattern = key.path.find('*') != std::string::npos;
    const RelativePath path = is_pattern ? RelativePath{} : relative_path(key.path);
    for (const Scope& scope : request.scopes) {
      if (is_pattern) {
        map_items(key, request.keys->find_all(scope.node, key.path), scope.order);
        continue;
      }
      const Place place = request.keys->find(path.below(scope.path));
      if (place.found()) map_place(key, place, scope.order);
    }
    if (!key.anywhere) return;
    in_any_section = true;
    for (const Scope& section : request.sections) {
      const Place place = request.keys->find(path.below(section.path));
      if (place.found()) map_place(key, place, section.order);
    }
    in_any_section = false;
  }

  /// What several places say that one pattern leads to: the same, or nothing that anybody knows.
  void map_items(const KeyMapping& key, const std::vector<Place>& places, int order) {
    const FactRow* row = find_fact(key.fact);
    const Place* first = nullptr;  // of those that speak of the fact
    std::optional<std::string> said;
    for (const Place& place : places) {
      const NativeValue native = read_native(document, place.value);
      if (row == nullptr || native.state == NativeValue::State::absent) continue;
      std::optional<std::string> text = convert_as_usual(*row, key, native);
      if (text == kAbsent) continue;
      if (first == nullptr) {
        first = &place;
        said = std::move(text);
      } else if (text != said) {
        return leave_open(*row, key, order);
      }
    }
    if (first != nullptr) map_place(key, *first, order);
  }

  void leave_open(const FactRow& row, const KeyMapping& key, int order) {
    const auto index = static_cast<std::size_t>(&row - fact_table().data());
    const int own_rank = rank_of(key, order);
    if (result.states[index] != FactState::untouched && own_rank > rank[index]) return;
    clear_fact(result.facts, row);
    result.states[index] = FactState::blocked;
    rank[index] = own_rank;
    disputed[index] = true;
  }

  static int rank_of(const KeyMapping& key, int order) {
    constexpr int kPriorities = 1000;  // more than a dialect file may use
    return order * kPriorities + key.priority;
  }

  void map_place(const KeyMapping& key, const Place& place, int order) {
    const FactRow* found = place.found() ? find_fact(key.fact) : nullptr;
    if (found == nullptr) return;
    const FactRow& row = *found;
    if (!in_house && is_read_by_nobody(place.value)) {
      observe("keys_without_reader", row, place);
      return;
    }
    const int own_rank = rank_of(key, order);
    const auto index = static_cast<std::size_t>(&row - fact_table().data());
    const bool taken = result.states[index] != FactState::untouched;
    const bool outranked = taken && own_rank > rank[index];
    if (outranked && !may_be_refined(row, index)) return;

    NativeValue native = read_native(document, place.value);
    if (native.state == NativeValue::State::absent) {
      if (!translates_null(key)) return;
      native.state = NativeValue::State::text;
      native.text = kNull;
    }
    std::optional<std::string> text = convert_as_usual(row, key, native);
    if (text && *text == kAbsent) return;
    if (outranked) {
      if (text && refines(row, canonical_text(result.facts, row), *text)) {
        state(row, index, std::move(text), native, place);
      }
      return;
    }
    if (text && text->starts_with('+')) {
      add_members(row, index, text->substr(1), native, place, own_rank);
      return;
    }
    if (!text && native.state == NativeValue::State::structure) {  // another form's key
      if (in_house) note_unread(row, "expected one value", place);
      return;
    }
    if (result.states[index] == FactState::set && own_rank == rank[index]) {
      if (text) settle(row, index, *text, native, place);
      return;
    }
    if (taken && own_rank == rank[index] && (!text || disputed[index])) return;
    rank[index] = own_rank;
    state(row, index, std::move(text), native, place);
  }

  /// "+a,b": members of a list that several switches make up (`lora_query: true`).
  void add_members(const FactRow& row, std::size_t index, std::string members,
                   const NativeValue& native, const Place& place, int own_rank) {
    if (result.states[index] == FactState::set && own_rank == rank[index]) {
      members = canonical_text(result.facts, row) + "," + members;
    }
    rank[index] = own_rank;
    state(row, index, std::move(members), native, place);
  }

  /// A framework may mean something by a null that is written: `"null": none`.
  static bool translates_null(const KeyMapping& key) {
    return std::any_of(key.values.begin(), key.values.end(),
                       [](const ValueMapping& value) { return value.native == kNull; });
  }

  bool is_read_by_nobody(NodeId value) const {
    const std::span<const NodeId> unread = request.without_reader;
    return std::binary_search(unread.begin(), unread.end(), value);
  }

  bool may_be_refined(const FactRow& row, std::size_t index) const {
    return !row.unspecific_choice.empty() && result.states[index] == FactState::set;
  }

  /// The first of the usual ways that makes something of the value, else what the fact's own type
  /// makes of it.
  std::optional<std::string> convert_as_usual(const FactRow& row, const KeyMapping& key,
                                              const NativeValue& native) const {
    bool says_nothing = false;  // `fp8: false` of a precision
    for (const KeyMapping* each : usual) {
      std::optional<std::string> text = convert(*each, native);
      if (text && *text == kAbsent) says_nothing = says_nothing || !takes_every_word(*each);
      if (text && *text != kAbsent && fits(row, *text)) return text;
    }
    return says_nothing ? std::string(kAbsent) : convert(key, native);
  }

  /// Of a key that states something else as well, and a fact with a few words only (`batch_type`).
  static bool takes_every_word(const KeyMapping& key) {
    return std::any_of(key.values.begin(), key.values.end(),
                       [](const ValueMapping& value) { return value.native == kEveryOther; });
  }

  bool fits(const FactRow& row, const std::string& text) const {
    TrainingPlan tried;
    return set_fact(tried, row, text, {}) && is_understood(row, text);
  }

  std::optional<std::string> convert(const KeyMapping& key, const NativeValue& native) const {
    if (native.state == NativeValue::State::unknown) {
      if (native.node == kNoNode) return std::nullopt;
      const bool is_name = key.fact == "model" && key.transform.empty();
      if (is_name) return end_of_path(document.scalar(native.node));
      return takes_known_end(key.transform) ? convert_end(key, native) : std::nullopt;
    }
    const std::optional<Transform> transform = find_transform(key.transform);
    std::optional<std::string> text = transform ? (*transform)(document, native) : std::nullopt;
    if (!text) return std::nullopt;
    const ValueMap* shared =
        key.value_map.empty() ? nullptr : find_value_map(request.dialects, key.value_map);
    return map_value(key.values, shared ? std::span(shared->values) : std::span<ValueMapping>(),
                     std::move(*text));
  }

  /// `${data_dir}/models/a-7b.ckpt`: the folder is not known, but the file's name is.
  std::optional<std::string> convert_end(const KeyMapping& key, const NativeValue& native) const {
    const std::string_view text = document.scalar(native.node);
    const std::size_t slash = text.rfind('/');
    NativeValue end{NativeValue::State::text, native.node};
    if (slash != std::string_view::npos && text.find('}', slash) == std::string_view::npos)
      end.text = text.substr(slash);
    return end.text.empty() ? std::string(kAbsent) : convert(key, end);
  }

  void state(const FactRow& row, std::size_t index, std::optional<std::string> text,
             const NativeValue& native, const Place& place) {
    clear_fact(result.facts, row);
    result.states[index] = FactState::blocked;
    std::string why;
    if (in_house) note_if_unread(row, text, native, place);
    if (!text || !is_understood(row, *text)) return;
    if (set_fact(result.facts, row, *text, provenance(native, place), &why)) {
      result.states[index] = FactState::set;
      result.by_bare_key[index] = in_any_section;
      note_string_number(row, native, place);
      note_stated(row, *text, place);
    } else if (is_number(row)) {
      note_bad_value(row, *text, std::move(why), place);
    }
  }

  /// Somebody said what this key means, so that nothing came of it is worth a word; what code calls
  /// "off" or "all" and what is put in later is not.
  void note_if_unread(const FactRow& row, const std::optional<std::string>& text,
                      const NativeValue& native, const Place& place) {
    if (native.state != NativeValue::State::text || (text && may_be_sentinel(row, *text))) return;
    if (!text) return note_unread(row, "no such value is known", place);
    std::string why;
    TrainingPlan tried;
    if (!set_fact(tried, row, *text, {}, &why)) return note_unread(row, std::move(why), place);
    if (!is_understood(row, *text)) {
      note_unread(row, undescribed_word(row, *text, *request.catalog), place);
    }
  }

  void note_unread(const FactRow& row, std::string why, const Place& place) {
    Observation& item = observe("unread_values", row, place);
    item.detail = std::move(why);
    if (item.value.empty()) item.value = "…";  // a mapping or a list
  }

  void note_bad_value(const FactRow& row, std::string_view text, std::string why,
                      const Place& place) {
    const std::optional<double> number = lenient_number(text);
    for (const Domain& domain : request.dialect->mapping->domains) {
      if (domain.fact != row.name || !number || *number >= static_cast<double>(domain.from))
        continue;
      observe("refused_values", row, place).detail = domain.raises;
      return;
    }
    if (in_any_section || !is_impossible_number(text) || may_be_sentinel(row, text)) return;
    observe("bad_values", row, place).detail = std::move(why);
  }

  // Two keys of equal weight for one fact: they agree, or nobody knows which one the code reads.
  void settle(const FactRow& row, std::size_t index, std::string_view text,
              const NativeValue& native, const Place& place) {
    if (!set_fact(scratch, row, text, {})) return;
    const std::string other = canonical_text(scratch, row);
    const std::string known = canonical_text(result.facts, row);
    if (other == known || refines(row, other, known)) return;
    if (refines(row, known, other)) {
      state(row, index, other, native, place);
      return;
    }
    const Provenance first = *provenance_of(result.facts, row);
    if (!in_any_section && !are_choices(first.pointer, document.pointer(place.value))) {
      Observation& item = observe("conflicting_keys", row, place);
      item.other = first.key_span;
      item.detail = fmt::format("{} says {}", first.pointer, known);
    }
    clear_fact(result.facts, row);
    result.states[index] = FactState::blocked;
    disputed[index] = true;
  }

  /// Members of two variables of a module (`AdamW = L(torch.optim.AdamW)(lr=…)`, `SGD = …`), of
  /// which whoever imports it takes one.
  bool are_choices(std::string_view a, std::string_view b) const {
    if (document.format() != Format::python) return false;
    const std::size_t end_a = a.find('/', 1);
    const std::size_t end_b = b.find('/', 1);
    return end_a != a.npos && end_b != b.npos && a.substr(0, end_a) != b.substr(0, end_b);
  }

  Provenance provenance(const NativeValue& native, const Place& place) const {
    Provenance from;
    from.span = document.span(native.node);
    if (place.key != kNoNode) from.key_span = document.span(place.key);
    from.pointer = document.pointer(native.node);
    if (document.file() != kNoFile && !from.span.known()) from.origin = Origin::project;
    if (!native.reference.empty()) from.detail = "through " + native.reference;
    return from;
  }

  bool is_understood(const FactRow& row, std::string_view text) const {
    if (request.catalog == nullptr || !row.words || row.words->others) return true;
    return undescribed_word(row, text, *request.catalog).empty();
  }

  void note_string_number(const FactRow& row, const NativeValue& native, const Place& place) {
    if (row.group != "optimizer" || !is_number(row) || document.format() != Format::yaml) return;
    if (!may_stay_a_string(*request.dialect)) return;
    if (!native.reference.empty() || document.kind(place.value) != NodeKind::scalar) return;
    if (!is_number_only_in_yaml12(document, place.value)) return;
    observe("string_numbers", row, place).detail =
        request.dialect->scalars ? "read by PyYAML" : "loader unknown";
  }

  void note_stated(const FactRow& row, std::string_view text, const Place& place) {
    if (row.observed_in.empty() || text == kOff) return;
    observe(row.observed_in, row, place).detail = std::string(text);
  }

  Observation& observe(std::string_view list, const FactRow& row, const Place& place) {
    Observation& item = result.observations.emplace_back();
    item.list = std::string(list);
    item.fact = std::string(row.name);
    item.span = document.span(place.value);
    item.pointer = document.pointer(place.value);
    if (place.key != kNoNode) item.name = std::string(document.scalar(place.key));
    constexpr std::size_t kShown = 60;  // what fits on a line
    item.value = std::string(document.scalar(place.value).substr(0, kShown));
    return item;
  }
};

}  // namespace

Mapping map_keys(const MappingRequest& request) {
  Mapper mapper(request);
  for (const KeyMapping& key : request.in_house_keys) mapper.map_in_house(key);
  request.dialect->mapping->keys.for_each_in(request.keys->names(),
                                             [&](const KeyMapping& key) { mapper.map_key(key); });
  return std::move(mapper.result);
}

}  // namespace gpulint
