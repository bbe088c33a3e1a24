#pragma once

#include "catalog/catalog.h"
#include "plan/plan.h"
#include "plan/run_files.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// The number that a word of a comment or a name consists of; unset for other words and for more
/// digits than a batch or a count of GPUs has.
std::optional<std::int64_t> short_count(std::string_view word);

/// Observes what a config says against itself, in the words beside a value rather than in keys:
///   postponed_values      span: a value whose comment asks for another one ("TODO: set to false"),
///                         name: its key, value, detail: the one it asks for
///   unsupported_values    span: a switch that is on and whose comment says that it is not
///                         supported, name, value, detail: the comment
///   contradicted_totals   span: a part of the batch whose comment names a total that the parts
///                         cannot make, name, value: the total, detail: why
///   restated_values       span: a value whose comment is the same setting with another number,
///                         name, value, detail: the comment
void observe_comments(const Document& document, const Plan& plan,
                      std::vector<Observation>& observations);

/// The same list for the lines above a command of a script ("# total batch size: 128"); name: the
/// fact that they are about, value: what it is, detail: the line.
void observe_script_comments(const Document& document, std::span<const Dialect> dialects,
                             const Plan& plan, std::vector<Observation>& observations);

/// Observes data of the test split in what is trained on:
///   leaked_splits         span: the split, name: its key, value, detail: how it gets there
void observe_splits(const Document& document, const Catalog& catalog,
                    std::vector<Observation>& observations);

/// Observes names (of the file, of the run) that say something else than the facts:
///   contradicted_names    span: the name, or the fact's value where the file is named; name: the
///                         key or "the file's name", value: what the name says, fact, detail: what
///                         the config says
void observe_names(const Document& document, const Plan& plan, const Catalog& catalog,
                   std::vector<Observation>& observations);

/// Observes a stated vocabulary that is not the named tokenizer's: list `tokenizer_sizes`, span:
/// the vocabulary's size, name: the tokenizer, value: its size, detail: what follows.
void observe_tokenizer(const Document& document, const Plan& plan, const Catalog& catalog,
                       std::vector<Observation>& observations);

/// Observes windows of letters that make more tokens than are kept: list `cut_samples`, span: the
/// window's length, name: that length, value: the tokens kept, detail: those it makes, fact: the
/// share that is dropped.
void observe_cut_samples(const Document& document, const Catalog& catalog,
                         std::vector<Observation>& observations);

/// Observes configs that a key names and that lie nowhere between the naming file and the project's
/// root, though a folder is there whose name is a letter away: list `absent_files`, span:
/// the name, name: its key, value, detail: the folder.
void observe_absent_files(const Document& document, const RunFiles& files, const std::string& root,
                          const Catalog* catalog, std::vector<Observation>& observations);

}  // namespace gpulint
