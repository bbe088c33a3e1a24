#include "lint/session.h"

#include "base/text.h"
#include "lint/known_data.h"

#include <cassert>
#include <mutex>
#include <utility>

namespace gpulint {

struct Session::State {
  State(const FileReader& files, SessionOptions given)
      : disk(files),
        options(std::move(given)),
        parsed(std::make_shared<ParsedFiles>(options.most_parsed_bytes)),
        others(std::make_shared<OtherProjects>(options.data_folder)) {}

  const FileReader& disk;
  const SessionOptions options;
  const std::shared_ptr<ParsedFiles> parsed;
  std::shared_ptr<OtherProjects> others;  // nullptr: no data folders are read
  std::mutex refreshing;                  // one refresh at a time; taken before `mutex`

  std::mutex mutex;  // guards all below; what the pointers lead to never changes
  std::shared_ptr<const KnownData> data;
  std::shared_ptr<const BufferedFiles> buffered;
  Buffers buffers;

  /// Requests that have begun keep the buffers they saw, so the table is copied: an editor has some
  /// dozens open.
  void replace_buffers() {
    buffered = buffers.empty() ? nullptr : std::make_shared<const BufferedFiles>(disk, buffers);
  }
};

namespace {

/// A reader somebody else owns.
std::shared_ptr<const FileReader> borrowed(const FileReader& files) {
  return {std::shared_ptr<const void>(), &files};
}

}  // namespace

SessionView::SessionView(const Session& session) {
  Session::State& state = *session.state_;
  parsed_ = state.parsed;
  others_ = state.others;
  const std::scoped_lock lock(state.mutex);
  data_ = state.data;
  buffered_ = state.buffered;
  files_ = buffered_ != nullptr ? buffered_ : borrowed(state.disk);
}

const Catalog& SessionView::catalog() const { return data_->bound->catalog; }
const Engine& SessionView::engine() const { return data_->bound->engine; }
const KnownModels& SessionView::models() const { return data_->bound->models; }
const BaseKeys& SessionView::base_keys() const { return data_->bound->base_keys; }
const SharedConsumers& SessionView::consumers() const { return data_->bound->consumers; }
std::span<const Gpu> SessionView::measured() const { return data_->measured; }

const std::string& SessionView::project_data() const { return data_->project_data; }
const std::string& SessionView::folder() const { return data_->folder; }

SessionView SessionView::with_project_data(const std::string& data_folder) const {
  SessionView view = *this;
  view.of_other_project_ = true;
  view.data_ = others_->of(*files_, data_folder, *data_);
  return view;
}

std::span<const Error> SessionView::project_data_errors() const {
  if (!of_other_project_) return {};
  return data_->errors;
}

const Buffer* SessionView::buffer(const std::string& path) const {
  return buffered_ == nullptr ? nullptr : buffered_->find(path);
}

SessionView SessionView::over(const FileReader& files) const {
  SessionView view = *this;
  view.buffered_ = nullptr;
  view.files_ = borrowed(files);
  return view;
}

SessionView SessionView::behind_buffers(const FileReader& files) const {
  SessionView view = over(files);
  if (buffered_ == nullptr) return view;
  view.buffered_ = std::make_shared<const BufferedFiles>(files, buffered_->buffers());
  view.files_ = view.buffered_;
  return view;
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::open(const FileReader& disk, SessionOptions options) {
  auto state = std::make_unique<State>(disk, std::move(options));
  auto known = read_known_data(disk, state->options.data_folder, state->options.folder);
  if (!known) return fail(std::move(known).error());
  state->data = std::make_shared<const KnownData>(std::move(*known));
  return Session(std::move(state));
}

Session Session::of(const FileReader& disk, Catalog catalog, Engine engine) {
  auto state = std::make_unique<State>(disk, SessionOptions{});
  state->others = nullptr;
  KnownData known;
  known.bound = std::make_shared<const BoundCatalog>(std::move(catalog), std::move(engine));
  state->data = std::make_shared<const KnownData>(std::move(known));
  return Session(std::move(state));
}

bool Session::set_buffer(const std::string& path, std::string text, std::int64_t version) {
  auto buffer = std::make_shared<const Buffer>(
      Buffer{.path = normalize_path(path), .text = std::move(text), .version = version});
  std::string real = real_path(state_->disk, path);
  const std::scoped_lock lock(state_->mutex);
  std::shared_ptr<const Buffer>& held = state_->buffers[std::move(real)];
  if (held != nullptr && held->version > version) return false;
  held = std::move(buffer);
  state_->replace_buffers();
  return true;
}

bool Session::close_buffer(const std::string& path) {
  const std::string real = real_path(state_->disk, path);
  const std::string given = normalize_path(path);
  const std::scoped_lock lock(state_->mutex);
  // The disk may have changed under the buffer, and with it where its path leads.
  const auto erased = std::erase_if(state_->buffers, [&](const auto& held) {
    return held.first == real || held.second->path == given;
  });
  if (erased == 0) return false;
  state_->replace_buffers();
  return true;
}

Result<bool> Session::refresh() {
  if (state_->others == nullptr) return false;
  const std::scoped_lock refreshing(state_->refreshing);
  const SessionView view = now();
  auto known = read_known_data(view.files(), state_->options.data_folder, state_->options.folder);
  if (!known) return fail(std::move(known).error());
  const bool others_changed = state_->others->refresh(view.files());
  const std::scoped_lock lock(state_->mutex);
  if (known->overlay == state_->data->overlay) return others_changed;
  known->measured = state_->data->measured;
  state_->data = std::make_shared<const KnownData>(std::move(*known));
  return true;
}

std::vector<Error> Session::errors() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->data->errors;
}

void Session::set_measured(std::vector<Gpu> gpus) {
  const std::scoped_lock lock(state_->mutex);
  KnownData known = *state_->data;
  known.measured = std::move(gpus);
  state_->data = std::make_shared<const KnownData>(std::move(known));
}

}  // namespace gpulint
