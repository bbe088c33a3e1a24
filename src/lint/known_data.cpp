#include "lint/known_data.h"

#include "base/text.h"
#include "lint/folders.h"
#include "plan/plan.h"

#include <cstdint>
#include <utility>

namespace gpulint {
namespace {

/// The shipped dialects are checked by the tests; those of a user when they are opened.
enum class Checks : std::uint8_t { shipped_data, with_overlay };

Result<std::shared_ptr<const BoundCatalog>> bind(DataFiles data, Checks checks) {
  auto catalog = Catalog::open(std::move(data));
  if (!catalog) return fail(std::move(catalog).error());
  if (checks == Checks::with_overlay) {
    for (const Dialect& dialect : catalog->dialects()) {
      if (auto checked = check_dialect(dialect, catalog->dialects(), &*catalog); !checked) {
        return fail(std::move(checked).error());
      }
    }
  }
  auto engine = Engine::bind(catalog->rules());
  if (!engine) return fail(std::move(engine).error());
  return std::make_shared<const BoundCatalog>(std::move(*catalog), std::move(*engine));
}

/// Node of a data file a message speaks of: "when: …", "fix.advice: …", and "keys.optim.lr: …",
/// where "optim.lr" is one key.
NodeId part_of(const Document& document, std::string_view message) {
  NodeId node = document.root();
  std::string_view rest = message.substr(0, message.find(':'));
  while (!rest.empty()) {
    if (node == kNoNode || document.kind(node) != NodeKind::mapping) return kNoNode;
    if (const NodeId whole = document.find(node, rest); whole != kNoNode) return whole;
    const std::size_t dot = rest.find('.');
    node = document.find(node, rest.substr(0, dot));
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  }
  return node;
}

/// Binding knows a rule by its id and an expression by its text; the place in the file is looked up
/// when there is something to say, so that a lint run need not carry it.
Error with_place(const FileReader& reader, const std::vector<std::string>& folders, Error error) {
  for (const std::string& folder : folders) {
    const auto files = read_data_folder(reader, folder);
    if (!files) continue;
    for (const DataFile& file : *files) {
      if (file.path != error.file) continue;
      const Document& document = file.document;
      error.file = document.path();
      const NodeId node = part_of(document, error.message);
      if (node == kNoNode) return error;
      const Node& at = document.node(node);
      const bool verbatim = at.quoting == Quoting::plain && at.end - at.begin == at.value_size;
      error.place = document.line_column(at.begin + (verbatim ? error.where.begin : 0));
      return error;
    }
  }
  return error;
}

/// The folders laid over the binary's data, the strongest last.
std::vector<std::string> data_folders(const FileReader& files,
                                      const std::optional<std::string>& data_folder,
                                      const std::string& folder, KnownData& known) {
  std::vector<std::string> folders;
  if (data_folder && files.kind(*data_folder) == FileKind::directory) {
    folders.push_back(*data_folder);
  } else if (data_folder) {
    known.errors.push_back(
        {.message =
             "--data needs a folder with rules/, hardware_db/, dialects/ or knowledge/",
         .file = *data_folder});
  }
  if (std::string project = project_data_folder(files, normalize_path(folder)); !project.empty()) {
    known.project_data = files.canonical(project);
    folders.push_back(std::move(project));
  }
  return folders;
}

}  // namespace

Result<KnownData> read_known_data(const FileReader& files,
                                  const std::optional<std::string>& data_folder,
                                  const std::string& folder) {
  KnownData known;
  known.folder = normalize_path(folder);
  const auto folders = data_folders(files, data_folder, folder, known);
  DataFiles data = embedded_data();
  for (const std::string& each : folders) {
    known.overlay += each + '\0';
    auto more = read_data_folder(files, each);
    if (!more) {
      known.errors.push_back(std::move(more).error());
      continue;
    }
    for (DataFile& file : *more) {
      known.overlay += file.path + '\0';
      known.overlay += std::string(file.document.text()) + '\0';
      data.files.push_back(std::move(file));
    }
  }
  for (const Error& error : known.errors) known.overlay += error.to_string() + '\0';
  const bool overlaid = !data.files.empty();
  auto bound = bind(std::move(data), overlaid ? Checks::with_overlay : Checks::shipped_data);
  if (!bound && overlaid) {
    known.errors.push_back(with_place(files, folders, std::move(bound).error()));
    bound = bind(embedded_data(), Checks::shipped_data);
  }
  if (!bound) return fail(std::move(bound).error());
  known.bound = std::move(*bound);
  return known;
}

std::shared_ptr<const KnownData> OtherProjects::of(const FileReader& files,
                                                   const std::string& project_data,
                                                   const KnownData& own) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<const KnownData>& known = known_[project_data];
  if (known == nullptr) {
    auto read = read_known_data(files, data_folder_, folder_of(project_data));
    known = std::make_shared<const KnownData>(read ? std::move(*read) : own);
  }
  KnownData measured = *known;
  measured.measured = own.measured;
  return std::make_shared<const KnownData>(std::move(measured));
}

bool OtherProjects::refresh(const FileReader& files) {
  const std::scoped_lock lock(mutex_);
  bool changed = false;
  for (auto& [project_data, known] : known_) {
    auto read = read_known_data(files, data_folder_, folder_of(project_data));
    if (!read || read->overlay == known->overlay) continue;
    known = std::make_shared<const KnownData>(std::move(*read));
    changed = true;
  }
  return changed;
}

}  // namespace gpulint
