#include "run/known_models.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace gpulint {

namespace {

/// Names that were asked for and what they are, about 2 kB each; a repository uses some dozens. An
/// editor asks for every beginning of a name that is typed. Then all are forgotten.
constexpr std::size_t kMostNames = 4096;

}  // namespace

struct KnownModels::State {
  explicit State(ModelFiles of_catalog) : files(of_catalog) {}

  ModelFiles files;
  std::mutex mutex;  // guards all below
  std::shared_ptr<StepMemo> steps;
  std::optional<model::ModelLibrary> library;
  std::map<std::string, std::optional<model::ModelLibrary::Found>, std::less<>> found;

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

std::optional<model::ModelLibrary::Found> KnownModels::find(std::string_view name) const {
  if (own_) return own_;
  const std::scoped_lock lock(state_->mutex);
  if (const auto at = state_->found.find(name); at != state_->found.end()) return at->second;
  std::optional<model::ModelLibrary::Found> result;
  model::ModelLibrary& library = state_->open();
  if (library.knows(name)) {
    if (auto found = library.find(name); found && !found->is_family) result = std::move(*found);
  }
  if (state_->found.size() >= kMostNames) state_->found.clear();
  return state_->found.emplace(std::string(name), std::move(result)).first->second;
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
