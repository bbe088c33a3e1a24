#pragma once

#include "base/result.h"
#include "catalog/data_kind.h"
#include "catalog/dialect.h"
#include "catalog/on_demand.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

class Document;

/// Where a section of a config states a dimension of a family.
struct FormDimension {
  std::string dimension;
  std::vector<std::string> keys;     // dotted, below the section; the first that says it counts
  std::vector<ValueMapping> values;  // native words -> the dimension's values; empty: as they are
  std::string times;                 // key of a number that each value is multiplied by; "" = none
  std::string over;  // key of a number that each value is then divided by, down to a whole number
  std::optional<std::string> unstated;  // the framework's own default; unset: the family's
};

/// A dimension that no key states: a habit with the ends that take least and most memory.
struct OpenDimension {
  std::string dimension;
  std::string low;
  std::string usual;
  std::string high;
};

/// Keys that name a further part of the job, which the network's estimate does not count.
struct FormPart {
  std::string key;
  std::string part;  // "a frozen text encoder"
};

/// What makes a section a description of such a network; keys are dotted, below the section,
/// `key=pattern` asks for a value, and `a|b` is one of several.
struct FormEvidence {
  std::vector<std::string> all;
  std::vector<std::string> any;
  std::vector<std::string> none;
};

/// What is read of a section that shows the evidence of a form.
struct FormContents {
  std::vector<FormDimension> dimensions;
  /// Keys that name a tokenizer, or a model whose tokenizer it is: the vocabulary is that model's.
  std::vector<std::string> tokenizers;
  /// Words of tokenizers that are no model's, by the last component of their names.
  std::vector<std::pair<std::string, std::int64_t>> vocabularies;
  std::vector<OpenDimension> open;
  std::vector<FormPart> beside;
  std::vector<std::string> sources;
};

/// How frameworks write the geometry of one kind of network, of knowledge/networks/<id>.yaml: a
/// section of a config that shows the evidence is a network of the family, with the dimensions its
/// keys state.
struct NetworkForm {
  static constexpr DataKind kKind = DataKind::network;
  static Result<NetworkForm> parse(const Document& document);

  std::string id;
  std::string summary;
  std::string family;  // of model_db/families; "" where `model` names the network
  /// Keys whose value names a model (a hub's id, "torchvision.models.resnet50"), the first that is
  /// known counts.
  std::vector<std::string> model;
  std::vector<FormEvidence> recognise;  // any of them suffices
  /// The keys are the field's common words: whose code reads them, and what it keeps, is not known.
  bool loose = false;
  /// The config constructs the class with these arguments: no framework's release comes between.
  bool exact = false;
  OnDemand<FormContents> contents;  // every config is asked for the evidence, few have one
};

}  // namespace gpulint
