#include "cli/workspace.h"

#include "base/text.h"
#include "lint/folders.h"

#include <iterator>
#include <utility>

namespace gpulint::cli {
namespace {

/// The `.gpulint/` folder of the project around the working directory, or "".
std::string project_data_folder(const FileReader& reader) {
  for (std::string folder = "."; !folder.empty(); folder = parent_folder(reader, folder)) {
    std::string data = join_path(folder, ".gpulint");
    if (reader.kind(data) == FileKind::directory) return data;
    if (is_repository_root(reader, folder)) break;
  }
  return {};
}

Result<Workspace> bind(std::vector<DataFile> files) {
  auto catalog = Catalog::open(std::move(files));
  if (!catalog) return fail(std::move(catalog).error());
  auto engine = Engine::bind(catalog->rules());
  if (!engine) return fail(std::move(engine).error());
  return Workspace{std::move(*catalog), std::move(*engine)};
}

/// Node of a rule file a message speaks of: "when: …" or "fix.advice: …".
NodeId part_of(const Document& document, std::string_view message) {
  NodeId node = document.root();
  for (const std::string_view key : split(message.substr(0, message.find(':')), '.')) {
    if (node == kNoNode || document.kind(node) != NodeKind::mapping) return kNoNode;
    node = document.find(node, key);
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

}  // namespace

Result<Workspace> open_workspace(const FileReader& reader,
                                 const std::optional<std::string>& data_folder,
                                 std::vector<Error>& errors) {
  std::vector<std::string> folders;
  if (data_folder && reader.kind(*data_folder) == FileKind::directory) {
    folders.push_back(*data_folder);
  } else if (data_folder) {
    errors.push_back(
        {.message = "--data wants a folder that holds rules/, hardware_db/ or dialects/",
         .file = *data_folder});
  }
  if (std::string project = project_data_folder(reader); !project.empty()) {
    folders.push_back(std::move(project));
  }
  std::vector<DataFile> files = embedded_data();
  bool overlaid = false;
  for (const std::string& folder : folders) {
    auto more = read_data_folder(reader, folder);
    if (!more) {
      errors.push_back(std::move(more).error());
      continue;
    }
    overlaid = overlaid || !more->empty();
    std::move(more->begin(), more->end(), std::back_inserter(files));
  }
  auto workspace = bind(std::move(files));
  if (workspace || !overlaid) return workspace;
  errors.push_back(with_place(reader, folders, std::move(workspace).error()));
  return bind(embedded_data());
}

}  // namespace gpulint::cli
