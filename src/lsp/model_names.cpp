#include "lsp/model_names.h"

#include "catalog/catalog.h"
#include "run/known_models.h"

#include <algorithm>

namespace gpulint::lsp {
namespace {

void add_published_names(const Document& document, std::vector<std::string>& names) {
  const NodeId list = document.find(document.root(), "names");
  if (document.kind(list) != NodeKind::sequence) return;
  for (const NodeId item : document.items(list)) names.emplace_back(document.scalar(item));
}

}  // namespace

const std::vector<std::string>& ModelNames::of(const SessionView& view) {
  if (read_from_ == view.keeps()) return names_;
  read_from_ = view.keeps();
  names_.clear();
  const ModelFiles files = view.catalog().model_files();
  const DataArchive::Range range = files.archive.files(DataKind::model);
  for (std::uint32_t file = range.begin; file < range.end; ++file) {
    add_published_names(files.archive.document(file), names_);
  }
  for (const DataFile& file : files.loose) {
    if (kind_of(file.path) == DataKind::model) add_published_names(file.document, names_);
  }
  std::sort(names_.begin(), names_.end());
  for (std::string& id : view.models().ids()) names_.push_back(std::move(id));
  return names_;
}

}  // namespace gpulint::lsp
