// Loaders of the files of knowledge/.

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/strict_amount.h"
#include "catalog/strict_reader.h"

#include <array>
#include <utility>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 2> kLearningRateRules = {"linear", "square_root"};
constexpr std::array<std::string_view, 4> kPlaces = {"layers", "tokens", "attention", "norms"};
constexpr std::array<std::string_view, 14> kForms = {
    "low_rank",       "mixed_factors",        "decomposed",       "scale_and_shift",    "scale",
    "projected",      "projected_and_scaled", "written_update",   "transformed_update", "convolved",
    "written_weight", "changed_weight",       "reflected_weight", "rotated_input"};
constexpr std::array<std::string_view, 4> kStateLayouts = {"replicated", "fp32_masters",
                                                           "gathered_units", "main_gradients"};
constexpr std::array<std::string_view, 0> kNoCitedFields = {};
constexpr std::string_view kValues = "values";
constexpr std::string_view kBytes = "B";
constexpr std::int64_t kMostSharedFactors = 1000;

/// The keys every file of knowledge/ has, and what is wrong with it.
class KnowledgeFile {
 public:
  KnowledgeFile(const Document& document, std::string_view what)
      : complaints_(document), file_(complaints_, root_of(document, what)) {}

  Complaints& complaints() { return complaints_; }
  NodeId find(std::string_view key) { return file_.find(key); }
  NodeId need(std::string_view key) { return file_.need(key); }
  bool flag(std::string_view key, bool otherwise) {
    return read_boolean(complaints_, file_.find(key)).value_or(otherwise);
  }

  template <class T>
  void read_common(T& value) {
    value.id = stem_of(complaints_.document().path());
    value.summary = read_word(complaints_, file_.need("summary"));
  }
  template <class T>
  Result<T> finish(T value) && {
    const NodeId sources = file_.need("sources");
    if (file_.is_mapping()) {
      value.sources =
          read_sources(complaints_, complaints_.document().root(), sources, kNoCitedFields);
    }
    file_.refuse_unknown_keys();
    return std::move(complaints_).finish(std::move(value));
  }

 private:
  NodeId root_of(const Document& document, std::string_view what) {
    if (document.root() == kNoNode) {
      complaints_.at(0, 0, "the file is empty; expected " + std::string(what));
    }
    return document.root();
  }

  Complaints complaints_;
  StrictMapping file_;
};

/// Values, and what an option of the run makes of them under `with` and `unknown`.
OptionalAmount read_values(Complaints& complaints, StrictMapping& mapping, std::string_view with,
                           std::string_view unknown) {
  OptionalAmount amount;
  amount.without = read_amount(complaints, mapping.need("values"), kValues).value_or(AmountRange{});
  amount.with = read_amount(complaints, mapping.find(with), kValues);
  amount.unknown = read_amount(complaints, mapping.find(unknown), kValues);
  return amount;
}

void read_state(Complaints& complaints, NodeId node, OptimizerTraits& optimizer) {
  if (node == kNoNode) return;
  StrictMapping state(complaints, node);
  optimizer.state_values = read_values(complaints, state, "with_momentum", "momentum_unknown");
  optimizer.state_bytes =
      read_amount(complaints, state.find("bytes"), kBytes).value_or(AmountRange{});
  state.refuse_unknown_keys();
}

void read_step(Complaints& complaints, NodeId node, OptimizerTraits& optimizer) {
  if (node == kNoNode) return;
  StrictMapping step(complaints, node);
  optimizer.step_values =
      read_values(complaints, step, "with_weight_decay", "weight_decay_unknown");
  step.refuse_unknown_keys();
}

void read_update(Complaints& complaints, NodeId node, OptimizerTraits& optimizer) {
  if (node == kNoNode) return;
  StrictMapping mapping(complaints, node);
  OptimizerUpdate update;
  update.fused_bytes = read_count_of(complaints, mapping.need("fused"), kBytes).value_or(0);
  update.foreach_bytes = read_count_of(complaints, mapping.need("foreach"), kBytes).value_or(0);
  update.kernels = read_count_of(complaints, mapping.need("kernels"), "kernels").value_or(0);
  update.waits = read_boolean(complaints, mapping.find("waits")).value_or(false);
  mapping.refuse_unknown_keys();
  optimizer.update = update;
}

/// The value of an enumeration whose names stand in its order.
template <class Enum, std::size_t Count>
std::optional<Enum> read_enum(Complaints& complaints, NodeId node,
                              const std::array<std::string_view, Count>& names) {
  const std::optional<std::size_t> index = read_choice(complaints, node, names);
  if (!index) return std::nullopt;
  return static_cast<Enum>(*index);
}

}  // namespace

Result<OptimizerTraits> OptimizerTraits::parse(const Document& document) {
  KnowledgeFile file(document, "an optimizer");
  Complaints& complaints = file.complaints();
  OptimizerTraits optimizer;
  file.read_common(optimizer);
  read_state(complaints, file.find("state"), optimizer);
  read_step(complaints, file.find("step"), optimizer);
  optimizer.paged = file.flag("paged", false);
  read_update(complaints, file.find("update"), optimizer);
  optimizer.learning_rate_rule =
      read_enum<LearningRateRule>(complaints, file.find("learning_rate_rule"), kLearningRateRules);
  optimizer.offers_fused = file.flag("offers_fused", false);
  optimizer.small_state = read_word(complaints, file.find("small_state"));
  return std::move(file).finish(std::move(optimizer));
}

Result<AdapterTraits> AdapterTraits::parse(const Document& document) {
  KnowledgeFile file(document, "an adapter");
  Complaints& complaints = file.complaints();
  AdapterTraits adapter;
  file.read_common(adapter);
  adapter.place = read_enum<AdapterPlace>(complaints, file.find("place"), kPlaces);
  const NodeId form = file.find("form");
  adapter.form = read_enum<AdapterForm>(complaints, form, kForms).value_or(AdapterForm::low_rank);
  const bool on_layers = adapter.place == AdapterPlace::layers;
  if (form != kNoNode && !on_layers) complaints.about(form, "is for \"place: layers\" only");
  if (form == kNoNode && on_layers) {
    complaints.about(document.root(), "\"form\" is missing; a method on layers has one");
  }
  adapter.trains_norms = file.flag("trains_norms", false);
  adapter.targets = read_words(complaints, file.find("targets"));
  if (const auto sets =
          read_integer(complaints, file.find("shared_factors"), 1, kMostSharedFactors)) {
    adapter.shared_factors = static_cast<int>(*sets);
  }
  adapter.rating_values = read_count_of(complaints, file.find("ratings"), kValues).value_or(0);
  return std::move(file).finish(std::move(adapter));
}

Result<ImplementationTraits> ImplementationTraits::parse(const Document& document) {
  KnowledgeFile file(document, "an implementation");
  ImplementationTraits code;
  file.read_common(code);
  code.ties_embeddings = file.flag("ties_embeddings", true);
  code.quantizes_head = file.flag("quantizes_head", false);
  code.keeps_last_graph = file.flag("keeps_last_graph", false);
  code.embeddings_need_gradient = file.flag("embeddings_need_gradient", true);
  code.loss_over_tensor_ranks = file.flag("loss_over_tensor_ranks", false);
  return std::move(file).finish(std::move(code));
}

Result<EngineTraits> EngineTraits::parse(const Document& document) {
  KnowledgeFile file(document, "a sharding engine");
  Complaints& complaints = file.complaints();
  EngineTraits engine;
  file.read_common(engine);
  engine.states = read_enum<StateLayout>(complaints, file.need("states"), kStateLayouts)
                      .value_or(StateLayout::replicated);
  engine.flattens_units = file.flag("flattens_units", false);
  engine.lays_out_beforehand = file.flag("lays_out_beforehand", false);
  engine.adapts_experts = file.flag("adapts_experts", false);
  engine.fuses_kernels = file.flag("fuses_kernels", false);
  return std::move(file).finish(std::move(engine));
}

Result<WordList> WordList::parse(const Document& document) {
  Complaints complaints(document);
  if (document.root() == kNoNode) {
    complaints.at(0, 0, "the file is empty; expected a list of words");
    return fail(std::move(complaints).joined());
  }
  StrictMapping file(complaints, document.root());
  WordList list;
  list.id = stem_of(document.path());
  list.summary = read_word(complaints, file.need("summary"));
  list.words = read_words(complaints, file.need("words"));
  file.refuse_unknown_keys();
  return std::move(complaints).finish(std::move(list));
}

}  // namespace gpulint
