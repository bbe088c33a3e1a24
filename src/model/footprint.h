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
  std::optional<std::int64_t> published_parameters;
  Tape tape{TapeOptions{}};  // operators, storages and blocks in the order they ran
};

/// The models of the data files, compiled when first asked for. Not thread-safe.
class ModelLibrary {
 public:
  /// Takes the files below model_db/ out of `files`; later files replace earlier ones.
  explicit ModelLibrary(std::span<const DataFile> files);

  struct Found {
    const Program* program = nullptr;
    ModelEntry entry;
    bool is_family = false;  // asked for as a family: the dimensions are its own or a config.json's
  };
  /// By id, then by further name, in any of the spellings of model_names.h.
  Result<Found> find(std::string_view name);
  /// Whether `find` has anything to read; says no without looking for what was meant.
  bool knows(std::string_view name) { return named(name) != nullptr; }
  /// The model a Hugging Face config.json describes: its first known architecture decides the
  /// family, its fields fill the dimensions. Fields the family does not know are left alone.
  Result<Found> from_config(const Document& config);
  /// Ids of all models (not of families), sorted.
  std::vector<std::string> ids() const;

 private:
  Result<const Program*> program(std::string_view family);
  Result<std::vector<const Document*>> used_parts(const Document& family) const;
  const Document* family_of(std::string_view architecture) const;
  struct ListedName {
    std::string name;  // as compared
    const Document* document = nullptr;
  };
  using NameIndex = std::multimap<std::string, ListedName, std::less<>>;  // by name_key
  static void list_name(NameIndex& index, std::string_view name, const Document& document);
  static const Document* listed(const NameIndex& index, std::string_view asked);
  const Document* named(std::string_view name);
  void list_further_names();
  std::vector<const Document*> documents_;  // models and families, by file stem
  NameIndex stems_;
  NameIndex names_;  // further names, read when no stem matches
  bool names_listed_ = false;
  std::map<std::string, std::unique_ptr<Program>, std::less<>> compiled_;
};

Result<Footprint> footprint(ModelLibrary& library, const FootprintRequest& request);
/// The summary of a finished tape.
Footprint summarise(Tape tape);

}  // namespace gpulint::model
