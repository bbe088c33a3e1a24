#pragma once

// Networks that a project recorded itself, `.gpulint/models/` (docs/models.md): found from the
// config upwards as `.gpulint.yaml` is, matched with what the config says it builds, and told stale
// by the source files they came from. Internal to this room.

#include "catalog/recording.h"
#include "lint/file_linter.h"
#include "run/known_models.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

struct RecordedNetwork {
  std::string id;
  std::string path;                // of its file
  std::vector<std::string> names;  // what configs call it, besides its id
  Recording recording;
  std::vector<std::string> changed = {};  // source files that are others now, and how
};

/// What the project around a config recorded.
struct OwnNetworks {
  std::string folder;                  // that holds `.gpulint/`; "" = there is none
  std::vector<DataFile> files;         // of a project that is not the session's
  std::optional<KnownModels> models;   // with `files`; unset: the session's
  std::vector<RecordedNetwork> found;  // by id
};

/// One look-up per project. Thread-safe.
class ProjectNetworks {
 public:
  /// `session` must outlive this.
  explicit ProjectNetworks(const SessionView& session) : session_(session) {}

  std::shared_ptr<const OwnNetworks> around(const std::string& config_path);

 private:
  std::shared_ptr<const OwnNetworks> read(const std::string& data_folder) const;

  const SessionView& session_;
  std::mutex mutex_;  // guards the map
  std::map<std::string, std::shared_ptr<const OwnNetworks>> by_folder_;
};

/// A recorded network that a config names.
struct NamedNetwork {
  const RecordedNetwork* network = nullptr;
  NodeId at = kNoNode;       // of the value that names it
  std::string differs = {};  // "width is 64 in the recording and 128 here"; "" = nothing does
  std::vector<std::string> open = {};  // arguments of the config that the recording does not know
};

/// Words of keys (knowledge/words/) by which a config names its network.
struct NamingWords {
  std::vector<std::string> sections;
  std::vector<std::string> names;
};

/// The first place of a config that names a recorded network: by its id, its class or function
/// ("mynet.net.Net", "mynet/net.py:Net"), or its file.
std::optional<NamedNetwork> named_network(const Document& config, const OwnNetworks& own,
                                          const NamingWords& words);

/// The recording a model of these came from; nullptr: of none.
const RecordedNetwork* recorded_as(const OwnNetworks& own, std::string_view model_path);

/// Adds what the recorded step states of its run and no config does: its optimizer, autocast and
/// recomputation.
void add_recorded_facts(const RecordedNetwork& network, Plan& plan);

/// The run's model is the one called `id`; `from`: of the value that says so. "" = no model is
/// named.
void name_model(const std::string& id, Provenance from, Plan& plan);

}  // namespace gpulint
