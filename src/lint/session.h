#pragma once

// A Session holds what several requests share: the catalog (the binary's data < `--data` folder <
// `.gpulint/` of the project) with the rules bound to it, the models and what was measured of them,
// GPUs measured on this machine, texts that stand for files, and documents that were parsed before.
// The command line opens one per process; an editor keeps one open per project:
//
//   const DiskReader disk;
//   auto session = Session::open(disk, {.folder = "/home/me/project"});
//   session->set_buffer("/home/me/project/train.yaml", text, version);       // opened or edited
//   const LintResult result = lint(*session, {.paths = {"/home/me/project/train.yaml"}});
//   session->close_buffer("/home/me/project/train.yaml");                    // the disk counts
//   again
//
// What a request sees. It takes a SessionView when it begins and keeps it to its end: buffers that
// are set meanwhile, and a refresh(), count for the next request. Files that are not buffers are
// read from the disk by every request, `.gpulint.yaml` and the files a config refers to among them,
// and compared with what was parsed before, so nobody has to say that they changed. The data
// folders are read by open() and refresh() alone: an editor calls refresh() when a file below them
// changes.
//
// Threads. Every member of Session may be called from any thread at any time, requests may run side
// by side on one session, and sessions know nothing of each other. A SessionView does not change;
// it may be copied and used from several threads. A request itself starts threads only for more
// than eight files (LintOptions::jobs).
//
// Lifetime. The FileReader must outlive the session and its views. Views and results stay good
// after a refresh() and after the session is gone: they own what they point at. A GPU or host taken
// out of a result must not be used after both are gone.
//
// Errors. open() and refresh() fail only where the program itself is broken. Data folders that
// cannot be used are left out and named by errors(). What is wrong with a config or a
// `.gpulint.yaml` is in the result of each request.

#include "base/file_reader.h"
#include "base/result.h"
#include "lint/buffers.h"
#include "source/parsed_files.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

class Catalog;
class Engine;
class KnownModels;
class BaseKeys;
class SharedConsumers;
class Session;
struct Gpu;
struct KnownData;
class OtherProjects;

struct SessionOptions {
  /// Rules, hardware, dialects and models laid over the binary's (`--data`).
  std::optional<std::string> data_folder = {};
  /// `.gpulint/` in this folder, or in the nearest one above it within its repository, is laid over
  /// both, for lists and for configs that have none above them. Others bring that of their own
  /// project.
  std::string folder = ".";
  /// Of the parsed documents kept for later requests; 0 keeps none.
  std::size_t most_parsed_bytes = std::size_t{32} << 20;
};

/// A session as it was at one moment: what a request reads. Made from a session wherever one is
/// asked for, and copied freely.
class SessionView {
 public:
  SessionView(const Session& session);  // NOLINT: a session stands for what it is now

  const Catalog& catalog() const;
  const Engine& engine() const;
  const KnownModels& models() const;
  /// The keys by which the catalog's dialects name further files.
  const BaseKeys& base_keys() const;
  /// What calls in the code beside the configs mean.
  const SharedConsumers& consumers() const;
  /// GPUs of the catalog with what was measured of them on this machine.
  std::span<const Gpu> measured() const;
  /// The disk with the buffers in front of it.
  const FileReader& files() const { return *files_; }
  ParsedFiles& parsed() const { return *parsed_; }
  /// The text that stands for a file; nullptr: the disk is read.
  const Buffer* buffer(const std::string& path) const;
  /// The same session over other files alone: a commit, texts that a fix changed. `files` must
  /// outlive the view.
  SessionView over(const FileReader& files) const;
  /// The same with the buffers still in front.
  SessionView behind_buffers(const FileReader& files) const;
  /// False where a tool brought rules of its own (Session::of): no `.gpulint/` is looked for.
  bool reads_data_folders() const { return others_ != nullptr; }
  /// The `.gpulint/` that is laid over, as FileReader::canonical spells it; "" = none.
  const std::string& project_data() const;
  /// The folder that its own was looked for around; what appears there later waits for a refresh().
  const std::string& folder() const;
  /// The same session with the `.gpulint/` at this path laid over in place of its own.
  SessionView with_project_data(const std::string& data_folder) const;
  /// What is wrong with a `.gpulint/` that with_project_data() laid over.
  std::span<const Error> project_data_errors() const;
  /// What pointers in the results of this view point at lives as long as this.
  std::shared_ptr<const void> keeps() const { return data_; }

 private:
  std::shared_ptr<const KnownData> data_;
  std::shared_ptr<OtherProjects> others_;
  bool of_other_project_ = false;
  std::shared_ptr<const BufferedFiles> buffered_;  // nullptr: there are no buffers
  std::shared_ptr<const FileReader> files_;
  std::shared_ptr<ParsedFiles> parsed_;
};

class Session {
 public:
  /// The Error means that the program itself is broken.
  static Result<Session> open(const FileReader& disk, SessionOptions options = {});
  /// Over rules that are bound already, for tools that try out rules of their own; refresh() does
  /// nothing. What the engine refers to must outlive session, views and results.
  static Session of(const FileReader& disk, Catalog catalog, Engine engine);

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// `text` stands for the file at `path` from the next request on, under all names of that file.
  /// False, and nothing changes, where a later version of it is held already: edits may arrive from
  /// several threads.
  bool set_buffer(const std::string& path, std::string text, std::int64_t version = 0);
  /// The disk counts again, which may have no such file. False: there was no buffer.
  bool close_buffer(const std::string& path);

  /// Reads the data folders again, buffers in them included; true when they hold something else
  /// than before. On an Error everything stays as it was.
  Result<bool> refresh();
  /// The data folders that could not be used, or what in them.
  std::vector<Error> errors() const;

  /// Takes the place of what was measured before. GPUs by id, each once.
  void set_measured(std::vector<Gpu> gpus);

  /// As SessionView(session).
  SessionView now() const { return SessionView(*this); }

 private:
  friend class SessionView;
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gpulint
