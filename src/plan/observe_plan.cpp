#include "plan/observe_plan.h"

#include "plan/absent_classes.h"
#include "plan/catalogue_keys.h"
#include "plan/code_refusals.h"
#include "plan/contradictions.h"
#include "plan/dead_keys.h"
#include "plan/misspelt_keys.h"
#include "plan/observe.h"
#include "plan/refused_keys.h"
#include "plan/remarks.h"
#include "plan/shifted_defaults.h"

#include <algorithm>

namespace gpulint {
namespace {

/// A config of Hydra's, by its defaults list.
bool is_composed(const Document& document) {
  if (document.root() == kNoNode || document.format() != Format::yaml) return false;
  const NodeId list = document.find(document.root(), "defaults");
  return list != kNoNode && document.kind(document.resolve(list)) == NodeKind::sequence;
}

class PlanObserver {
 public:
  explicit PlanObserver(const ObserveTerms& terms)
      : terms_(terms), document_(terms.keys.document()) {}

  void observe(Plan& plan) const {
    observe_limits(terms_.keys, plan);
    // A program may take flags of its own beside those of its framework.
    if (document_.format() != Format::shell) {
      observe_misspelt_keys(terms_.keys, terms_.dialect, terms_.top, terms_.run,
                            plan.observations);
      observe_refused_keys(terms_.keys, terms_.dialect, terms_.top, plan.observations);
    }
    observe_packages(plan);
    observe_batch_comments(document_, plan, plan.observations);
    observe_words(plan);
    observe_all_texts(plan);
    // Where a script of the project takes the config, its code says which of them is read.
    if (terms_.run != nullptr && !terms_.run->code().scripts.empty()) {
      std::erase_if(plan.observations,
                    [](const Observation& item) { return item.list == "conflicting_keys"; });
    }
    if (terms_.dialect.json_comments) {
      std::erase_if(plan.observations,
                    [](const Observation& item) { return item.list == "not_strict_json"; });
    }
  }

 private:
  /// What is written beside the keys: comments, names, other files.
  void observe_words(Plan& plan) const {
    observe_script_comments(document_, terms_.recognition.dialects, plan, plan.observations);
    if (document_.format() == Format::shell || document_.format() == Format::python) return;
    observe_comments(document_, plan, plan.observations);
    const Catalog* catalog = terms_.catalog;
    if (catalog != nullptr) {
      observe_splits(document_, *catalog, plan.observations);
      observe_names(document_, plan, *catalog, plan.observations);
      observe_tokenizer(document_, plan, *catalog, plan.observations);
      observe_cut_samples(document_, *catalog, plan.observations);
    }
    const Run* run = terms_.run;
    observe_remarks(terms_.keys, terms_.dialect, terms_.top.path, run, plan.observations);
    if (run == nullptr) return;
    for (const CompanionDocument& each : run->companions()) {
      observe_remarks(*each.keys, *each.dialect, each.path, run, plan.observations);
    }
    if (run->files() != nullptr) {
      observe_absent_files(document_, *run->files(), run->root(), catalog, plan.observations);
    }
    plan.observations.insert(plan.observations.end(), terms_.dead_keys.begin(),
                             terms_.dead_keys.end());
    if (catalog != nullptr) observe_unreached_keys(*run, *catalog, plan.observations);
    if (catalog != nullptr) observe_misspelt_model_keys(*run, *catalog, plan.observations);
    observe_code_refusals(*run, plan.observations);
    if (catalog != nullptr) observe_absent_classes(*run, *catalog, plan.observations);
  }

  /// The config and its companions against what the packages behind their dialects take.
  void observe_packages(Plan& plan) const {
    if (terms_.catalog == nullptr) return;
    CatalogueTerms own{terms_.keys, terms_.dialect, terms_.top, *terms_.catalog, terms_.run};
    own.is_of_program = is_of_program();
    observe_catalogue(own, plan.observations);
    if (!terms_.is_partial) observe_shifted_defaults(own, plan);
    if (terms_.run == nullptr) return;
    for (const CompanionDocument& each : terms_.run->companions()) {
      observe_catalogue({*each.keys,
                         *each.dialect,
                         {each.node, each.path, terms_.top.order},
                         *terms_.catalog,
                         terms_.run,
                         each.launches},
                        plan.observations);
    }
  }

  bool is_of_program() const {
    if (terms_.run == nullptr) return false;
    const auto companions = terms_.run->companions();
    return std::any_of(companions.begin(), companions.end(), [](const CompanionDocument& each) {
      return each.trains && !each.dialect->mapping->catalogue.empty();
    });
  }

  void observe_all_texts(Plan& plan) const {
    if (terms_.run == nullptr) {
      observe_document(document_, plan);
      return;
    }
    for (const Document* text : terms_.run->texts())
      observe_document(*text, plan, is_composed(*text));
    const auto unread = terms_.run->observations();
    plan.observations.insert(plan.observations.end(), unread.begin(), unread.end());
  }

  const ObserveTerms& terms_;
  const Document& document_;
};

}  // namespace

void observe_plan(const ObserveTerms& terms, Plan& plan) { PlanObserver(terms).observe(plan); }

}  // namespace gpulint
