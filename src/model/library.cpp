// Look-up of models. A file of the binary is read back while it is compiled and then dropped; a
// name is found through the index that was made when the program was built. Files of folders are
// few and in memory as they are.

#include "base/text.h"
#include "catalog/strict_reader.h"
#include "model/footprint.h"
#include "model/model_names.h"
#include "model/name_index.h"

#include <algorithm>
#include <array>

namespace gpulint::model {

ModelLibrary::ModelLibrary(ModelFiles files) : archive_(files.archive) {
  std::map<std::string_view, const Document*> by_stem;
  for (const DataFile& file : files.loose) {
    if (file.path.starts_with("model_db/")) by_stem[stem_of(file.path)] = &file.document;
  }
  for (const auto& [stem, document] : by_stem) loose_.push_back(document);
}

ModelLibrary::OpenFile ModelLibrary::open(Place place) const {
  if (place.loose != nullptr) return OpenFile(place.loose);
  return OpenFile(archive_.document(place.archived));
}

std::string_view ModelLibrary::id_of(Place place) const {
  return place.loose != nullptr ? stem_of(place.loose->path()) : archive_.id(place.archived);
}

const Document* ModelLibrary::loose_file(std::string_view stem) const {
  const auto at = std::lower_bound(loose_.begin(), loose_.end(), stem,
                                   [](const Document* document, std::string_view wanted) {
                                     return stem_of(document->path()) < wanted;
                                   });
  return at != loose_.end() && stem_of((*at)->path()) == stem ? *at : nullptr;
}

std::optional<ModelLibrary::Place> ModelLibrary::place_of(std::string_view stem) const {
  if (const Document* loose = loose_file(stem)) return Place{loose, 0};
  const std::optional<std::uint32_t> archived = archive_.find(DataKind::model, stem);
  if (!archived) return std::nullopt;
  return Place{nullptr, *archived};
}

const std::vector<ModelName>& ModelLibrary::loose_names() {
  if (!loose_names_) {
    loose_names_.emplace();
    for (std::size_t i = 0; i < loose_.size(); ++i) add_model_names(*loose_[i], i, *loose_names_);
  }
  return *loose_names_;
}

std::vector<std::string> ModelLibrary::ids() {
  std::vector<std::string> ids;
  for (const ModelName& name : loose_names()) {
    if (name.kind == ModelNameKind::model) ids.emplace_back(stem_of(loose_[name.file]->path()));
  }
  const DataArchive::Range archived = archive_.names(ModelNameKind::model);
  for (std::uint32_t number = archived.begin; number < archived.end; ++number) {
    const std::string_view id = archive_.id(archive_.name(number).file);
    if (loose_file(id) == nullptr) ids.emplace_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// The first file with a name of one of these kinds that `asked` means; a user's before ours.
std::optional<ModelLibrary::Place> ModelLibrary::listed(std::span<const ModelNameKind> kinds,
                                                        std::string_view asked) {
  const std::string key = name_key(asked);
  for (const ModelName& name : loose_names()) {
    const bool wanted = std::find(kinds.begin(), kinds.end(), name.kind) != kinds.end();
    if (wanted && name.key == key && same_name(asked, name.name)) {
      return Place{loose_[name.file], 0};
    }
  }
  for (const ModelNameKind kind : kinds) {
    for (const DataArchive::NamedFile& named : archive_.named(kind, key)) {
      if (!same_name(asked, named.name)) continue;
      if (loose_file(archive_.id(named.file)) == nullptr) return Place{nullptr, named.file};
    }
  }
  return std::nullopt;
}

std::optional<ModelLibrary::Place> ModelLibrary::named(std::string_view name) {
  constexpr std::array<ModelNameKind, 2> kIds = {ModelNameKind::model, ModelNameKind::family};
  constexpr std::array<ModelNameKind, 1> kFurther = {ModelNameKind::further};
  const std::vector<std::string> spellings = spellings_of(name);
  for (const std::string& spelling : spellings) {
    if (const std::optional<Place> match = listed(kIds, spelling)) return match;
  }
  for (const std::string& spelling : spellings) {
    if (const std::optional<Place> match = listed(kFurther, spelling)) return match;
  }
  return std::nullopt;
}

std::optional<ModelLibrary::Place> ModelLibrary::family_of(std::string_view architecture) {
  for (const ModelName& name : loose_names()) {
    if (name.kind == ModelNameKind::architecture && name.name == architecture) {
      return Place{loose_[name.file], 0};
    }
  }
  for (const auto& named : archive_.named(ModelNameKind::architecture, architecture)) {
    if (loose_file(archive_.id(named.file)) == nullptr) return Place{nullptr, named.file};
  }
  return std::nullopt;
}

Result<std::vector<ModelLibrary::OpenFile>> ModelLibrary::used_parts(const Document& family) const {
  std::vector<OpenFile> parts;
  for (const std::string& wanted : parts_of(family)) {
    const std::optional<Place> place = place_of(wanted);
    if (place) parts.push_back(open(*place));
    if (!place || !is_part(*parts.back())) {
      return fail(Error{"uses: no part file is called \"" + escape_for_display(wanted) + "\"",
                        std::string(family.path())});
    }
  }
  return parts;
}

Result<const Program*> ModelLibrary::program(std::string_view family) {
  if (const auto at = compiled_.find(family); at != compiled_.end()) return at->second.get();
  const std::optional<Place> place = place_of(family);
  const std::optional<OpenFile> file = place ? std::optional(open(*place)) : std::nullopt;
  if (!file || (**file).find((**file).root(), "program") == kNoNode) {
    return fail("no model family is called \"" + std::string(family) + "\"");
  }
  const Result<std::vector<OpenFile>> parts = used_parts(**file);
  if (!parts) return fail(parts.error());
  std::vector<const Document*> used;
  for (const OpenFile& part : *parts) used.push_back(&*part);
  Result<Program> compiled = compile_program(**file, used);
  if (!compiled) return fail(compiled.error());
  auto owned = std::make_unique<Program>(std::move(*compiled));
  return compiled_.emplace(std::string(family), std::move(owned)).first->second.get();
}

Result<ModelLibrary::Found> ModelLibrary::find(std::string_view name) {
  const std::optional<Place> match = named(name);
  if (!match) {
    const std::vector<std::string> known = ids();
    const std::vector<std::string_view> views(known.begin(), known.end());
    return fail("no model is called \"" + escape_for_display(name) + "\"" +
                did_you_mean(name, views));
  }
  return read(*match);
}

Result<ModelLibrary::Found> ModelLibrary::read(Place place) {
  const OpenFile file = open(place);
  Found found;
  if (is_family(*file)) {
    found.entry.id = found.entry.family = std::string(stem_of(file->path()));
    found.entry.path = std::string(file->path());
    found.is_family = true;
  } else {
    Result<ModelEntry> entry = parse_model(*file);
    if (!entry) return fail(entry.error());
    found.entry = std::move(*entry);
  }
  Result<const Program*> compiled = program(found.entry.family);
  if (!compiled) return fail(compiled.error());
  found.program = *compiled;
  return found;
}

template <class Use>
void ModelLibrary::for_each_name(const Use& use) {
  for (const ModelName& each : loose_names()) {
    if (each.kind == ModelNameKind::model || each.kind == ModelNameKind::further)
      use(each.name, Place{loose_[each.file], 0});
  }
  for (const ModelNameKind kind : {ModelNameKind::model, ModelNameKind::further}) {
    const DataArchive::Range range = archive_.names(kind);
    for (std::uint32_t number = range.begin; number < range.end; ++number) {
      const DataArchive::NamedFile named = archive_.name(number);
      use(named.name, Place{nullptr, named.file});
    }
  }
}

std::vector<ModelLibrary::Place> ModelLibrary::nearest(std::string_view name) {
  const std::optional<SizedWords> words = words_with_size(name);
  if (!words) return {};
  std::vector<std::pair<NameMatch, Place>> near;
  const auto is_replaced = [&](Place place) {
    return place.loose == nullptr && loose_file(archive_.id(place.archived)) != nullptr;
  };
  const auto compare = [&](std::string_view listed, Place place) {
    const std::optional<NameMatch> match = match_words(*words, listed);
    if (!match || is_replaced(place)) return;
    if (std::any_of(near.begin(), near.end(),
                    [&](const auto& other) { return other.first.is_nearer_than(*match); })) {
      return;
    }
    std::erase_if(near, [&](const auto& other) { return match->is_nearer_than(other.first); });
    const bool known = std::any_of(near.begin(), near.end(), [&](const auto& other) {
      return id_of(other.second) == id_of(place);
    });
    if (!known) near.emplace_back(*match, place);
  };
  for_each_name(compare);
  std::vector<Place> places;
  for (const auto& [match, place] : near) places.push_back(place);
  return places;
}

namespace {

/// Of a network that reads words, and those of one language or few.
bool has_own_words(const ModelLibrary::Found& found) {
  // Words. Chosen between vocabularies of one language (some 30,000 to 50,000) and those of a
  // hundred (120,000 and 250,000 of the listed encoders).
  constexpr std::int64_t kManyLanguages = 100'000;
  const auto is_called = [&](std::string_view name) {
    return std::any_of(found.program->inputs.begin(), found.program->inputs.end(),
                       [&](const InputTensor& input) { return input.name == name; });
  };
  if (!is_called("tokens") || is_called("sound")) return false;
  const auto dimensions = dimensions_of(*found.program, found.entry.dimensions);
  const auto words = dimensions.find("vocab_size");
  const auto* count = words == dimensions.end() ? nullptr
                                                : std::get_if<std::int64_t>(&words->second.data);
  return count == nullptr || *count < kManyLanguages;
}

/// Of a classifier of so many things that one for others is another network.
bool has_wide_head(const ModelLibrary::Found& found) {
  constexpr std::int64_t kMany = 1000;  // of ImageNet; a head for these is a small part
  const auto dimensions = dimensions_of(*found.program, found.entry.dimensions);
  const auto classes = dimensions.find("classes");
  const auto* count = classes == dimensions.end()
                          ? nullptr
                          : std::get_if<std::int64_t>(&classes->second.data);
  return count != nullptr && *count > kMany;
}

}  // namespace

/// "org/NAME-base-squad2": the longest listed name that it begins with.
std::optional<ModelLibrary::Found> ModelLibrary::find_base(std::string_view name) {
  std::size_t slash = name.rfind('/');
  if (slash == name.npos || slash == 0) return std::nullopt;  // no name of a hub, and no folder
  std::string_view own = name.substr(slash + 1);
  if (is_called_by_content(own)) {
    own = name.substr(0, slash);
    slash = own.rfind('/');
    own = own.substr(slash == own.npos ? 0 : slash + 1);
  }
  const std::string comparable = comparable_name(own);
  std::optional<Place> best;
  std::vector<std::string> rest;
  const auto compare = [&](std::string_view listed, Place place) {
    auto behind = words_behind_base(comparable, listed);
    if (!behind || (best && behind->size() >= rest.size())) return;
    // A beginning that several have is the name of none of them.
    const std::string id = comparable_name(id_of(place));
    if (id.size() > listed.size() && id.starts_with(listed)) return;
    best = place;
    rest = std::move(*behind);
  };
  for_each_name(compare);
  if (!best) return std::nullopt;
  Result<Found> found = read(*best);
  if (!found || found->is_family) return std::nullopt;
  if (name_a_language(rest) && has_own_words(*found)) return std::nullopt;
  if (has_wide_head(*found)) return std::nullopt;
  found->evidence = "taken for " + found->entry.id + ", with which its name begins";
  found->assumed = true;
  return *found;
}

std::optional<ModelLibrary::Found> ModelLibrary::find_by_words(std::string_view name) {
  constexpr std::size_t kMostCandidates = 4;
  const std::vector<Place> places = nearest(name);
  if (places.empty() && !words_with_size(name)) return find_base(name);
  if (places.empty() || places.size() > kMostCandidates) return std::nullopt;
  std::optional<Found> first;
  for (const Place& place : places) {
    Result<Found> found = read(place);
    if (!found || found->is_family) continue;
    found->evidence = "taken for " + found->entry.id + " by the words of its name";
    if (first) {
      first->others.push_back(std::move(*found));
    } else {
      first = std::move(*found);
    }
  }
  return first;
}

}  // namespace gpulint::model
