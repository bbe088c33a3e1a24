#include "run/known_models.h"

#include "base/text.h"
#include "model/interpreter.h"
#include "model/model_names.h"
#include "source/read.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

namespace gpulint {

namespace {

/// Names that were asked for and what they are, about 2 kB each; a repository uses some dozens. An
/// editor asks for every beginning of a name that is typed. Then all are forgotten.
constexpr std::size_t kMostNames = 4096;

}  // namespace

struct KnownModels::State {
  struct Counted {
    std::map<std::string, expr::Value> dimensions;
    std::optional<std::int64_t> parameters;
  };

  explicit State(ModelFiles of_catalog) : files(of_catalog) {}

  ModelFiles files;
  std::mutex mutex;  // guards all below
  std::shared_ptr<StepMemo> steps;
  std::optional<model::ModelLibrary> library;
  std::map<std::string, std::optional<model::ModelLibrary::Found>, std::less<>> found;
  std::map<std::string, std::vector<std::string>, std::less<>> sizes;  // of names without one
  std::vector<std::string> ids;                                        // of all models, once asked
  /// Parameters of programs with dimensions that were asked for: configs of one project ask alike.
  std::map<const model::Program*, std::vector<Counted>> counted;
  std::size_t counts = 0;
  /// Steps that were followed, by their text: kept as long as what was measured of them.
  std::map<std::string, std::unique_ptr<model::Program>, std::less<>> followed;

  model::ModelLibrary& open() {
    if (!library) library.emplace(files);
    return *library;
  }
};

KnownModels::KnownModels(ModelFiles files) : state_(std::make_shared<State>(files)) {}

KnownModels KnownModels::with_config(const Document& config) const {
  KnownModels models = *this;
  const std::scoped_lock lock(state_->mutex);
  if (auto found = state_->open().from_config(config)) models.own_ = std::move(*found);
  return models;
}

namespace {

/// Words of the vocabulary of a model.
std::optional<std::int64_t> vocabulary_of(const model::ModelLibrary::Found& found) {
  const auto dimensions = model::dimensions_of(*found.program, found.entry.dimensions);
  const auto at = dimensions.find("vocab_size");
  if (at == dimensions.end()) return std::nullopt;
  const auto* words = std::get_if<std::int64_t>(&at->second.data);
  return words == nullptr ? std::nullopt : std::optional(*words);
}

std::optional<std::int64_t> listed_vocabulary(const NetworkForm& form, std::string_view name) {
  const std::size_t slash = name.find_last_of('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  for (const auto& [listed, words] : form.contents->vocabularies)
    if (equals_ignoring_case(listed, name)) return words;
  return std::nullopt;
}

/// Does the form know sizes by names of its own ("vit_large: 1024")? Then whatever else is called
/// so is another network.
bool has_own_names(const NetworkForm& form) {
  const auto is_size = [](const ValueMapping& word) {
    if (word.native == "*" || !word.canonical) return false;
    return std::holds_alternative<std::string>(dimension_in(word.native).data) &&
           std::holds_alternative<std::int64_t>(dimension_in(*word.canonical).data);
  };
  const auto& dimensions = form.contents->dimensions;
  return std::any_of(dimensions.begin(), dimensions.end(), [&](const FormDimension& dimension) {
    return std::any_of(dimension.values.begin(), dimension.values.end(), is_size);
  });
}

/// The same network with its open dimensions at one end.
model::ModelLibrary::Found at_end(const model::ModelLibrary::Found& usual,
                                  const std::vector<const OpenDimension*>& open,
                                  std::string OpenDimension::*end) {
  model::ModelLibrary::Found other = usual;
  for (const OpenDimension* dimension : open)
    other.entry.dimensions.insert_or_assign(dimension->dimension, dimension_in(dimension->*end));
  return other;
}

}  // namespace

/// A model that the config names in the words of its framework, with the dimensions beside it.
KnownModels KnownModels::with_named_network(const StatedNetwork& network) const {
  KnownModels models = *this;
  for (const std::string& name : network.models) {
    auto found = find(name);
    if (!found) continue;
    for (const model::Dimension& dimension : found->program->dimensions) {
      const auto stated = network.dimensions.find(dimension.name);
      if (stated != network.dimensions.end())
        found->entry.dimensions.insert_or_assign(dimension.name, stated->second);
    }
    found->missing = network.missing;
    found->is_stated = true;
    found->assumed = network.form->loose;
    if (!network.pointer.empty()) found->evidence = "named at " + network.pointer;
    models.network_ = std::move(*found);
    break;
  }
  return models;
}

KnownModels KnownModels::with_network(const StatedNetwork& network, std::string_view path) const {
  if (network.form->family.empty()) return with_named_network(network);
  constexpr std::string_view kVocabulary = "vocab_size";
  std::map<std::string, expr::Value> dimensions = network.dimensions;
  std::vector<const OpenDimension*> open = network.open;
  for (const std::string& tokenizer : network.tokenizers) {
    if (dimensions.contains(std::string(kVocabulary))) break;
    auto words = listed_vocabulary(*network.form, tokenizer);
    if (!words) {
      if (const auto found = find(tokenizer)) words = vocabulary_of(*found);
    }
    if (words) dimensions.insert_or_assign(std::string(kVocabulary), *words);
  }
  std::erase_if(open,
                [&](const OpenDimension* each) { return dimensions.contains(each->dimension); });
  for (const OpenDimension* each : open)
    dimensions.insert_or_assign(each->dimension, dimension_in(each->usual));
  KnownModels models = *this;
  const std::scoped_lock lock(state_->mutex);
  auto found = state_->open().of_family(network.form->family, std::move(dimensions), path);
  if (!found) return models;
  found->missing = network.missing;
  found->loose = network.form->loose;
  // Which release of a framework reads the words, and what else its code adds, no config says.
  found->assumed = !network.form->exact;
  found->replaces_named = has_own_names(*network.form);
  found->evidence = "its geometry is stated" +
                    (network.pointer.empty() ? std::string() : " at " + network.pointer);
  for (const OpenDimension* each : open) found->open.push_back(each->dimension);
  if (!open.empty()) {
    found->others = {at_end(*found, open, &OpenDimension::low),
                     at_end(*found, open, &OpenDimension::high)};
  }
  models.network_ = std::move(*found);
  return models;
}

KnownModels KnownModels::with_followed(const FollowedStepText& step) const {
  constexpr std::size_t kMostFollowed =
      2048;  // of one session: an editor reads code again and again
  KnownModels models = *this;
  const std::scoped_lock lock(state_->mutex);
  auto at = state_->followed.find(step.text);
  if (at == state_->followed.end()) {
    if (state_->followed.size() >= kMostFollowed) return models;
    const Result<Document> document = read_yaml(step.name + ".yaml", step.text, kNoFile);
    if (!document) return models;
    Result<model::Program> compiled = model::compile_program(*document);
    auto program = compiled ? std::make_unique<model::Program>(std::move(*compiled)) : nullptr;
    at = state_->followed.emplace(step.text, std::move(program)).first;
  }
  if (at->second == nullptr) return models;
  model::ModelLibrary::Found found;
  found.program = at->second.get();
  found.entry.id = step.name;
  found.entry.path = step.place;
  found.is_stated = true;
  found.assumed = true;
  found.evidence = "its calls were followed from " + step.place;
  found.missing = step.missing;
  found.followed = step.certain_share;
  found.replaces_named = network_.has_value() && !network_->missing.empty();
  models.network_ = std::move(found);
  return models;
}

KnownModels KnownModels::with_file_name(std::string_view path) const {
  std::string_view name = file_name(path);
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos)
    name = name.substr(0, dot);
  KnownModels models = *this;
  // `llm.py` is no name, though one model's repository keeps its network in a folder `LLM`.
  constexpr std::size_t kShortest = 4;
  if (name.size() < kShortest) return models;
  if (auto found = find(name)) {
    found->assumed = true;
    found->evidence = "the file's name says " + found->entry.id;
    models.network_ = std::move(*found);
  }
  return models;
}

std::optional<model::ModelLibrary::Found> KnownModels::find(std::string_view name) const {
  if (own_) return own_;
  const std::scoped_lock lock(state_->mutex);
  if (const auto at = state_->found.find(name); at != state_->found.end()) return at->second;
  std::optional<model::ModelLibrary::Found> result;
  model::ModelLibrary& library = state_->open();
  if (library.knows(name)) {
    if (auto found = library.find(name); found && !found->is_family) result = std::move(*found);
  } else {
    result = library.find_by_words(name);
  }
  if (state_->found.size() >= kMostNames) state_->found.clear();
  return state_->found.emplace(std::string(name), std::move(result)).first->second;
}

const std::vector<std::string>& KnownModels::sizes_of(std::string_view name) const {
  const std::scoped_lock lock(state_->mutex);
  if (const auto at = state_->sizes.find(name); at != state_->sizes.end()) return at->second;
  model::ModelLibrary& library = state_->open();
  if (state_->ids.empty()) state_->ids = library.ids();
  const std::string spelt = model::name_without_size(name);
  std::vector<std::pair<std::int64_t, std::string>> sized;
  for (const std::string& id : state_->ids) {
    if (!model::is_size_of(spelt, id)) continue;
    const auto found = library.find(id);
    if (found && found->entry.published_parameters)
      sized.emplace_back(found->entry.published_parameters->count, id);
  }
  std::sort(sized.begin(), sized.end());
  std::vector<std::string> ids;
  for (auto& [count, id] : sized) ids.push_back(std::move(id));
  if (ids.size() < 2) ids.clear();
  if (state_->sizes.size() >= kMostNames) state_->sizes.clear();
  return state_->sizes.emplace(std::string(name), std::move(ids)).first->second;
}

std::optional<std::int64_t> KnownModels::parameters_with(
    const model::ModelLibrary::Found& found, std::map<std::string, expr::Value> dimensions) const {
  dimensions["batch"] = std::int64_t{1};
  {
    const std::scoped_lock lock(state_->mutex);
    for (const State::Counted& each : state_->counted[found.program])
      if (each.dimensions == dimensions) return each.parameters;
  }
  const Result<model::Tape> tape =
      model::run_program(*found.program, dimensions, {}, {}, model::Iterations::folded);
  State::Counted counted{std::move(dimensions), std::nullopt};
  if (tape) counted.parameters = model::summarise(*tape).parameters;
  const std::scoped_lock lock(state_->mutex);
  if (++state_->counts > kMostNames) {
    state_->counted.clear();
    state_->counts = 1;
  }
  return state_->counted[found.program].emplace_back(std::move(counted)).parameters;
}

std::shared_ptr<StepMemo> KnownModels::steps(std::shared_ptr<StepMemo> (*make)()) const {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->steps) state_->steps = make();
  return state_->steps;
}

std::vector<std::string> KnownModels::ids() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->open().ids();
}

}  // namespace gpulint
