#pragma once

// What one training step of a named model needs, as plain values: the room's interface to
// `estimate`.

#include "base/result.h"
#include "base/units.h"
#include "catalog/catalog.h"
#include "expr/value.h"
#include "model/operator_table.h"
#include "model/program.h"
#include "model/tape.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::model {

struct FootprintRequest {
  std::string model;  // id of model_db, one of its further names, or a family's id
  std::map<std::string, expr::Value> dimensions = {};  // image_size, sequence_length, classes, …
  std::int64_t batch = 1;                              // samples per device
  TapeOptions tape = {};            // precision, in-place operators, frozen sections, checkpointing
  ExecutionOptions execution = {};  // attention backend, dropout, adapters
};

struct Footprint {
  std::int64_t parameters = 0;  // shared weights once
  std::int64_t trainable_parameters = 0;
  std::int64_t largest_parameter = 0;  // elements of the largest weight
  std::int64_t parameter_tensors = 0;
  Bytes parameter_bytes;
  Bytes trainable_bytes;  // also the size of the gradients
  Bytes buffer_bytes;
  Bytes input_bytes;
  Bytes target_bytes;
  Bytes saved_bytes;              // activations autograd holds when the loss is ready
  Bytes saved_weight_cast_bytes;  // autocast's half-precision weights held with them
  Flops forward;
  Flops backward;
  std::int64_t bytes_moved_forward = 0;
  std::optional<PublishedCount> published_parameters;
  Tape tape{TapeOptions{}};  // operators, storages and blocks in the order they ran
};

/// The models of the data files, read and compiled when first asked for. Not thread-safe.
class ModelLibrary {
 public:
  explicit ModelLibrary(ModelFiles files);

  struct Found {
    const Program* program = nullptr;
    ModelEntry entry = {};
    std::string evidence = {};  // what says so, where the run does not name the model itself
    bool is_stated = false;     // by a config, in whose words it is described
    bool assumed = false;       // likely and not sure: nobody is told "sure" or "error" by it
    bool is_family = false;  // asked for as a family: the dimensions are its own or a config.json's
    /// What it may be instead, where a name or a config leaves that open: ends of an interval.
    std::vector<Found> others = {};
    std::vector<std::string> open = {};  // dimensions that no config states
    bool loose = false;  // by the field's common words: whose code runs it is not known
    std::vector<std::string> missing = {};  // parts of the job that are no part of this network
    /// Read off the project's code, which was followed and not run; of what it keeps, that share is
    /// certain. 0: it was not followed.
    double followed = 0;
    bool replaces_named = false;  // what the run names is only a part of it
  };
  /// By id, then by further name, in any of the spellings of model_names.h.
  Result<Found> find(std::string_view name);
  /// A model whose name is listed nowhere, by the words of the name: the nearest listed ones, the
  /// first with the others as its `others`. nullopt: none is near.
  std::optional<Found> find_by_words(std::string_view name);
  /// Whether `find` has anything to read; says no without looking for what was meant.
  bool knows(std::string_view name) { return named(name).has_value(); }
  /// The model a Hugging Face config.json describes: its first known architecture decides the
  /// family, its fields fill the dimensions. Fields the family does not know are left alone.
  Result<Found> from_config(const Document& config);
  /// A network of a family with dimensions that a config states; `path`: of that config. An error
  /// when the family needs others.
  Result<Found> of_family(std::string_view family, std::map<std::string, expr::Value> dimensions,
                          std::string_view path);
  /// Ids of all models (not of families), sorted.
  std::vector<std::string> ids();

 private:
  /// Where a file lies: in a folder's list, else in the archive.
  struct Place {
    const Document* loose = nullptr;
    std::uint32_t archived = 0;
  };
  /// A file of model_db, open while this lives: one of the archive is read back for it.
  class OpenFile {
   public:
    explicit OpenFile(const Document* loose) : loose_(loose) {}
    explicit OpenFile(Document archived) : archived_(std::move(archived)) {}
    const Document& operator*() const { return loose_ != nullptr ? *loose_ : archived_; }
    const Document* operator->() const { return &**this; }

   private:
    const Document* loose_ = nullptr;
    Document archived_;
  };

  OpenFile open(Place place) const;
  std::string_view id_of(Place place) const;
  Result<const Program*> program(std::string_view family);
  Result<std::vector<OpenFile>> used_parts(const Document& family) const;
  const Document* loose_file(std::string_view stem) const;
  std::optional<Place> place_of(std::string_view stem) const;
  std::optional<Place> named(std::string_view name);
  std::optional<Place> listed(std::span<const ModelNameKind> kinds, std::string_view asked);
  /// Places of the nearest listed names where `name` itself is listed nowhere (match_words).
  std::vector<Place> nearest(std::string_view name);
  /// Uses every name of a model, in a function of the name and its place.
  template <class Use>
  void for_each_name(const Use& use);
  std::optional<Found> find_base(std::string_view name);
  Result<Found> read(Place place);
  std::optional<Place> family_of(std::string_view architecture);
  const std::vector<ModelName>& loose_names();

  DataArchive archive_;
  std::vector<const Document*> loose_;  // of folders, by file stem
  std::optional<std::vector<ModelName>> loose_names_;
  std::map<std::string, std::unique_ptr<Program>, std::less<>> compiled_;
};

bool has_dimension(const ModelLibrary::Found& found, std::string_view name);

Result<Footprint> footprint(ModelLibrary& library, const FootprintRequest& request);
/// The sums of a finished tape; the result has no tape of its own.
Footprint summarise(const Tape& tape);

}  // namespace gpulint::model
