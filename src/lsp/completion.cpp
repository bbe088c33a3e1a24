#include "lsp/completion.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "lsp/schema_completion.h"
#include "lsp/syntax.h"
#include "plan/fact_table.h"
#include "plan/taken_keys.h"
#include "source/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace gpulint::lsp {
namespace {

constexpr int kPropertyItem = 10;
constexpr int kValueItem = 12;
/// More are asked for again when more is typed.
constexpr std::size_t kMostItems = 200;

Format format_of(std::string_view path) {
  const std::string ending = extension(path);
  if (ending == "json") return Format::json;
  if (ending == "toml") return Format::toml;
  return is_yaml_file_name(path) ? Format::yaml : Format::env;
}

std::string dotted(const std::vector<std::string>& keys) {
  std::string path;
  for (const std::string& key : keys) path += (path.empty() ? "" : ".") + compared_spelling(key);
  return path;
}

/// `path` below a root of the dialect's keys; nullopt where it does not lie there.
std::optional<std::string> below(std::string_view path, std::string_view section) {
  if (section.empty()) return std::string(path);
  if (path == section) return std::string();
  if (path.starts_with(section) && path[section.size()] == '.') {
    return std::string(path.substr(section.size() + 1));
  }
  return std::nullopt;
}

bool matches(std::string_view pattern, std::string_view component) {
  return pattern == "*" || compared_spelling(pattern) == component;
}

/// The components of `mapping` behind those of `path`; empty where it does not begin with them.
std::vector<std::string_view> behind(std::string_view mapping, std::string_view path) {
  std::vector<std::string_view> parts = split(mapping, '.');
  if (path.empty()) return parts;
  const std::vector<std::string_view> head = split(path, '.');
  if (parts.size() <= head.size()) return {};
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (!matches(parts[i], head[i])) return {};
  }
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(head.size()));
  return parts;
}

/// What a value map calls "as if the key were not there".
constexpr std::array<std::string_view, 2> kNoValues{"absent", "null"};

/// A table of native words that keys of any dialect may name.
const ValueMap* value_map_of(const Catalog& catalog, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Dialect& dialect : catalog.dialects()) {
    for (const ValueMap& map : dialect.value_maps) {
      if (map.name == name) return &map;
    }
  }
  return nullptr;
}

class CompletionWriter {
 public:
  CompletionWriter(const Check& check, ModelNames& models, const Dialect& dialect,
                   const TypedPlace& place, Json range)
      : view_(check.view),
        models_(models),
        catalog_(check.view.catalog()),
        dialect_(dialect),
        place_(place),
        range_(std::move(range)),
        path_(dotted(place.parents)) {}

  Json keys() && {
    for (const std::string& section : roots()) {
      const auto relative = below(path_, section);
      if (!relative) continue;
      for (const KeyMapping& key : dialect_.mapping->keys.all()) {
        const auto rest = behind(key.path, *relative);
        if (!rest.empty()) add_key(rest.front(), rest.size() == 1 ? key.fact : "");
      }
      if (dialect_.exact_case) continue;  // known keys are kept in lower case
      const auto known = dialect_.mapping->known_keys->find(*relative);
      if (known == dialect_.mapping->known_keys->end()) continue;
      for (const std::string& key : known->second) add_key(key, "");
    }
    for (const std::string& section : roots()) {
      if (const auto relative = below(path_, section)) add_taken_keys(*relative);
    }
    return list();
  }

  Json values() && {
    for (const KeyMapping* key : mappings()) add_values(*key);
    for (const std::string& section : roots()) {
      const auto relative = below(path_, section);
      if (!relative) continue;
      const TakenKeys taken = taken_in(catalog_, dialect_, *relative);
      const std::string text = taken_text(taken, place_.key);
      for (const std::string& choice : taken_choices(taken, place_.key)) add_value(choice, text);
    }
    return list();
  }

 private:
  std::vector<std::string> roots() const {
    std::vector<std::string> roots = dialect_.sections;
    roots.insert(roots.end(), dialect_.leaf_sections.begin(), dialect_.leaf_sections.end());
    if (roots.empty() || !dialect_.leaf_sections.empty()) roots.emplace_back();
    return roots;
  }

  /// How the key that stands here states facts.
  std::vector<const KeyMapping*> mappings() const {
    std::vector<const KeyMapping*> found;
    const std::string own = compared_spelling(place_.key);
    const std::string whole = path_.empty() ? own : path_ + "." + own;
    for (const KeyMapping& key : dialect_.mapping->keys.all()) {
      const bool here = std::any_of(dialect_.sections.begin(), dialect_.sections.end(),
                                    [&](const std::string& section) {
                                      const auto relative = below(whole, section);
                                      return relative && is_path(key.path, *relative);
                                    });
      const bool bare = key.anywhere || !dialect_.leaf_sections.empty() || path_.empty();
      if (here || is_path(key.path, whole) || (bare && compared_spelling(key.path) == own)) {
        found.push_back(&key);
      }
    }
    return found;
  }

  static bool is_path(std::string_view pattern, std::string_view path) {
    const auto parts = split(pattern, '.');
    const auto wanted = split(path, '.');
    return std::equal(parts.begin(), parts.end(), wanted.begin(), wanted.end(), matches);
  }

  void add_key(std::string_view key, const std::string& fact) {
    if (key.find('*') != std::string_view::npos || key.find('/') != std::string_view::npos) return;
    const std::string compared = compared_spelling(key);
    const bool stands = std::any_of(
        place_.siblings.begin(), place_.siblings.end(),
        [&](const std::string& sibling) { return compared_spelling(sibling) == compared; });
    if (stands || !seen_.insert(compared).second) return;
    std::string text(key);
    if (place_.quoted) {
      text += place_.has_colon ? "" : "\": ";
    } else if (!place_.has_colon) {
      text += ": ";
    }
    Json item = item_of(std::string(key), std::move(text), kPropertyItem);
    if (const FactRow* row = find_fact(fact)) describe(item, *row);
    items_.push_back(std::move(item));
  }

  /// What the packages behind the dialect take here.
  void add_taken_keys(const std::string& path) {
    const TakenKeys taken = taken_in(catalog_, dialect_, path);
    if (taken.empty()) return;
    for (const std::string& key : taken.names()) {
      const std::size_t before = items_.size();
      add_key(key, "");
      if (items_.size() > before) items_.back()["detail"] = taken_text(taken, key);
    }
  }

  static void describe(Json& item, const FactRow& row) {
    item["detail"] =
        row.unit.empty() ? std::string(row.name) : fmt::format("{} ({})", row.name, row.unit);
    item["documentation"] = row.meaning;
  }

  void add_values(const KeyMapping& key) {
    const FactRow* row = find_fact(key.fact);
    if (row == nullptr) return;
    add_native(key.values, *row);
    if (const ValueMap* map = value_map_of(catalog_, key.value_map)) {
      add_native(map->values, *row);
    }
    add_names(*row);
    if (key.values.empty() && key.value_map.empty()) add_canonical(*row);
  }

  void add_native(const std::vector<ValueMapping>& values, const FactRow& row) {
    for (const ValueMapping& value : values) {
      const bool means = value.canonical && value.native.find('*') == std::string::npos &&
                         value.native != "null" &&
                         std::count(kNoValues.begin(), kNoValues.end(), *value.canonical) == 0;
      if (means) add_value(value.native, fmt::format("{}: {}", row.name, *value.canonical));
    }
  }

  void add_canonical(const FactRow& row) {
    for (const std::string_view choice : row.choices) add_value(choice, row.name);
    if (std::holds_alternative<Maybe<bool> TrainingPlan::*>(row.member)) {
      add_value("true", row.name);
      add_value("false", row.name);
    }
    if (row.words) {
      for (const std::string_view id : catalog_.ids(row.words->kind)) add_value(id, row.name);
    }
  }

  /// What the catalog knows by name, however a dialect spells the rest.
  void add_names(const FactRow& row) {
    if (row.name == "gpu") {
      for (const std::string_view id : catalog_.gpu_ids()) add_value(id, row.name);
    } else if (row.name == "host") {
      for (const std::string_view id : catalog_.host_ids()) add_value(id, row.name);
    } else if (row.name == "model") {
      for (const std::string& name : models_.of(view_)) add_value(name, row.name);
    }
  }

  void add_value(std::string_view value, std::string_view detail) {
    const bool wanted = to_lower(value).find(to_lower(place_.typed)) != std::string::npos;
    if (!wanted || !seen_.insert(std::string(value)).second) return;
    if (items_.size() == kMostItems) {
      more_ = true;
      return;
    }
    Json item = item_of(std::string(value), std::string(value), kValueItem);
    item["detail"] = detail;
    items_.push_back(std::move(item));
  }

  Json item_of(std::string label, std::string text, int kind) const {
    return {{"label", std::move(label)},
            {"kind", kind},
            {"textEdit", {{"range", range_}, {"newText", std::move(text)}}}};
  }

  Json list() { return {{"isIncomplete", more_}, {"items", std::move(items_)}}; }

  const SessionView& view_;
  ModelNames& models_;
  const Catalog& catalog_;
  const Dialect& dialect_;
  const TypedPlace& place_;
  Json range_;
  std::string path_;  // of the mapping, dotted, as keys are compared
  std::set<std::string> seen_;
  Json items_ = Json::array();
  bool more_ = false;
};

/// The dialect of a document, or of the run that it is a part of.
const Dialect* dialect_of(const Check& check, const std::string& path) {
  const FileReport* own = nullptr;
  for (const FileReport& file : check.result.files) {
    if (file.path == path) own = &file;
  }
  if (own == nullptr) return nullptr;
  const Catalog& catalog = check.view.catalog();
  if (const Dialect* dialect = catalog.dialect(own->dialect)) return dialect;
  for (const FileReport& file : check.result.files) {
    if (contains(own->part_of, file.path)) return catalog.dialect(file.dialect);
  }
  return nullptr;
}

}  // namespace

Json completions_at(const Check& check, ModelNames& models, const std::string& path,
                    std::string_view text, std::uint32_t offset, Units units) {
  const auto place = typed_place(text, offset, format_of(path));
  const Json none{{"isIncomplete", false}, {"items", Json::array()}};
  if (!place) return none;
  const LineIndex lines(text);
  Json range = TextPlaces(text, lines, units).range(place->begin, offset);
  if (is_project_file(file_name(path))) {
    return project_completions(check.view.catalog(), *place, range);
  }
  const Dialect* dialect = dialect_of(check, path);
  if (dialect == nullptr) return none;
  CompletionWriter writer(check, models, *dialect, *place, std::move(range));
  return place->key.empty() ? std::move(writer).keys() : std::move(writer).values();
}

}  // namespace gpulint::lsp
