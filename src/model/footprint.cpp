#include "model/footprint.h"

#include "base/text.h"
#include "catalog/strict_reader.h"
#include "model/interpreter.h"
#include "model/model_names.h"

#include <algorithm>

namespace gpulint::model {

namespace {

bool has(const Document& document, std::string_view key) {
  return document.root() != kNoNode && document.find(document.root(), key) != kNoNode;
}
bool has_program(const Document& document) { return has(document, "program"); }
/// A program that states its own parameter count is a model as it stands.
bool is_family(const Document& document) {
  return has_program(document) && !has(document, "published_parameters");
}
/// Definitions for families to use: the files of model_db/parts/. By its path, because most runs
/// ask for one model and every document looked into is memory to be paged in.
bool is_part(const Document& document) {
  return document.path().find("model_db/parts/") != std::string_view::npos;
}

}  // namespace

ModelLibrary::ModelLibrary(std::span<const DataFile> files) {
  // By file stem: a later file takes the place of an earlier one. Nothing is read yet: most runs
  // name one model or none, and every document touched is memory to be paged in.
  std::map<std::string_view, const Document*> by_stem;
  for (const DataFile& file : files) {
    if (file.path.starts_with("model_db/")) by_stem[stem_of(file.path)] = &file.document;
  }
  for (const auto& [stem, document] : by_stem) documents_.push_back(document);
}

std::vector<std::string> ModelLibrary::ids() const {
  std::vector<std::string> ids;
  for (const Document* document : documents_) {
    if (is_family(*document) || is_part(*document)) continue;
    ids.emplace_back(stem_of(document->path()));
  }
  return ids;
}

Result<std::vector<const Document*>> ModelLibrary::used_parts(const Document& family) const {
  std::vector<const Document*> parts;
  for (const std::string& wanted : parts_of(family)) {
    const auto at =
        std::find_if(documents_.begin(), documents_.end(),
                     [&](const Document* document) { return stem_of(document->path()) == wanted; });
    if (at == documents_.end() || !is_part(**at)) {
      return fail(Error{"uses: no part file is called \"" + escape_for_display(wanted) + "\"",
                        std::string(family.path())});
    }
    parts.push_back(*at);
  }
  return parts;
}

Result<const Program*> ModelLibrary::program(std::string_view family) {
  if (const auto at = compiled_.find(family); at != compiled_.end()) return at->second.get();
  for (const Document* document : documents_) {
    if (stem_of(document->path()) != family || !has_program(*document)) continue;
    const Result<std::vector<const Document*>> parts = used_parts(*document);
    if (!parts) return fail(parts.error());
    Result<Program> compiled = compile_program(*document, *parts);
    if (!compiled) return fail(compiled.error());
    auto owned = std::make_unique<Program>(std::move(*compiled));
    return compiled_.emplace(std::string(family), std::move(owned)).first->second.get();
  }
  return fail("no model family is called \"" + std::string(family) + "\"");
}

void ModelLibrary::list_name(NameIndex& index, std::string_view name, const Document& document) {
  std::string listed = comparable_name(name);
  std::string key = name_key(listed);
  index.emplace(std::move(key), ListedName{std::move(listed), &document});
}

void ModelLibrary::list_further_names() {
  names_listed_ = true;
  for (const Document* document : documents_) {
    if (document->root() == kNoNode || is_family(*document)) continue;
    const NodeId names = document->find(document->root(), "names");
    if (names == kNoNode || document->kind(names) != NodeKind::sequence) continue;
    for (const NodeId name : document->items(names)) {
      list_name(names_, document->scalar(name), *document);
    }
  }
}

const Document* ModelLibrary::listed(const NameIndex& index, std::string_view asked) {
  const auto [first, last] = index.equal_range(name_key(asked));
  for (auto at = first; at != last; ++at) {
    if (same_name(asked, at->second.name)) return at->second.document;
  }
  return nullptr;
}

const Document* ModelLibrary::named(std::string_view name) {
  if (stems_.empty()) {
    for (const Document* document : documents_) {
      if (!is_part(*document)) list_name(stems_, stem_of(document->path()), *document);
    }
  }
  const std::vector<std::string> spellings = spellings_of(name);
  // Ids first: reading the further names touches every file.
  for (const std::string& spelling : spellings) {
    if (const Document* match = listed(stems_, spelling)) return match;
  }
  if (!names_listed_) list_further_names();
  for (const std::string& spelling : spellings) {
    if (const Document* match = listed(names_, spelling)) return match;
  }
  return nullptr;
}

Result<ModelLibrary::Found> ModelLibrary::find(std::string_view name) {
  const Document* match = named(name);
  if (match == nullptr) {
    const std::vector<std::string> known = ids();
    const std::vector<std::string_view> views(known.begin(), known.end());
    return fail("no model is called \"" + escape_for_display(name) + "\"" +
                did_you_mean(name, views));
  }
  Found found;
  if (is_family(*match)) {
    found.entry.id = found.entry.family = std::string(stem_of(match->path()));
    found.is_family = true;
  } else {
    Result<ModelEntry> entry = parse_model(*match);
    if (!entry) return fail(entry.error());
    found.entry = std::move(*entry);
  }
  Result<const Program*> compiled = program(found.entry.family);
  if (!compiled) return fail(compiled.error());
  found.program = *compiled;
  return found;
}

Footprint summarise(Tape tape) {
  Footprint result;
  for (const Storage& storage : tape.storages()) {
    if (storage.kind != StorageKind::parameter) continue;
    const std::int64_t elements = storage.bytes / size_of(storage.dtype);
    result.parameters = saturating_add(result.parameters, elements);
    result.largest_parameter = std::max(result.largest_parameter, elements);
    ++result.parameter_tensors;
    result.parameter_bytes += Bytes::of(storage.bytes);
    if (!storage.trainable) continue;
    result.trainable_parameters = saturating_add(result.trainable_parameters, elements);
    result.trainable_bytes += Bytes::of(storage.bytes);
  }
  for (const Operator& op : tape.operators()) {
    result.forward.value += op.forward.value;
    result.backward.value += op.backward.value;
    result.bytes_moved_forward = saturating_add(result.bytes_moved_forward, op.bytes_moved);
  }
  result.buffer_bytes = Bytes::of(tape.total_bytes(StorageKind::buffer));
  result.input_bytes = Bytes::of(tape.total_bytes(StorageKind::input));
  result.target_bytes = Bytes::of(tape.total_bytes(StorageKind::target));
  result.saved_bytes = Bytes::of(tape.saved_bytes(StorageKind::activation));
  result.saved_weight_cast_bytes = Bytes::of(tape.saved_bytes(StorageKind::weight_cast));
  result.tape = std::move(tape);
  return result;
}

Result<Footprint> footprint(ModelLibrary& library, const FootprintRequest& request) {
  Result<ModelLibrary::Found> found = library.find(request.model);
  if (!found) return fail(found.error());
  std::map<std::string, expr::Value> dimensions = found->entry.dimensions;
  for (const auto& [name, value] : request.dimensions) dimensions.insert_or_assign(name, value);
  dimensions.insert_or_assign("batch", request.batch);
  Result<Tape> tape = run_program(*found->program, dimensions, request.tape, request.execution);
  if (!tape) return fail(tape.error());
  Footprint result = summarise(std::move(*tape));
  result.published_parameters = found->entry.published_parameters;
  return result;
}

}  // namespace gpulint::model
