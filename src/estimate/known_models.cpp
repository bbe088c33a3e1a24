#include "estimate/known_models.h"

#include "estimate/step_memo.h"

#include <map>
#include <mutex>
#include <utility>

namespace gpulint {

struct KnownModels::State {
  explicit State(ModelFiles of_catalog) : files(of_catalog) {}

  ModelFiles files;
  StepMemo steps;    // has a lock of its own
  std::mutex mutex;  // guards all below
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
  return state_->found.emplace(std::string(name), std::move(result)).first->second;
}

StepMemo& KnownModels::steps() const { return state_->steps; }

std::vector<std::string> KnownModels::ids() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->open().ids();
}

}  // namespace gpulint
