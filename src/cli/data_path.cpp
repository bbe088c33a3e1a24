#include "cli/data_path.h"

#include "base/system_path.h"
#include "base/text.h"
#include "source/read.h"

#include <algorithm>

namespace gpulint::cli {
namespace {

/// What is looked at of one file; configs are far below.
constexpr int kMostDepth = 12;
constexpr std::size_t kMostPaths = 32;

/// A path, not the address of something elsewhere, a reference or a sentence.
bool looks_like_path(std::string_view text) {
  constexpr std::size_t kLongest = 1024;
  return !text.empty() && text.size() <= kLongest && text.find("://") == std::string_view::npos &&
         text.find_first_of("${}\n") == std::string_view::npos && text.front() != '~';
}

class DataPaths {
 public:
  DataPaths(const Document& document, const std::vector<std::string>& keys,
            std::vector<std::string>& found)
      : document_(document), keys_(keys), found_(found) {}

  void visit(NodeId node, bool of_data, int depth) {
    if (depth > kMostDepth || found_.size() >= kMostPaths) return;
    switch (document_.kind(node)) {
      case NodeKind::scalar:
        if (of_data) add(document_.scalar(node));
        return;
      case NodeKind::sequence:
        for (const NodeId item : document_.items(node)) visit(item, of_data, depth + 1);
        return;
      case NodeKind::mapping:
        for (const Member& member : document_.members(node)) {
          const bool named = contains(keys_, to_lower(document_.scalar(member.key)));
          visit(member.value, named, depth + 1);
        }
        return;
      default:
        return;
    }
  }

 private:
  void add(std::string_view text) {
    if (!looks_like_path(text)) return;
    found_.emplace_back(text);
    if (is_absolute(text)) return;
    found_.push_back(join_path(parent_path(document_.path()), text));
  }
  const Document& document_;
  const std::vector<std::string>& keys_;
  std::vector<std::string>& found_;
};

}  // namespace

std::vector<std::string> data_paths_of(const PlanReport& run, const SessionView& session) {
  const std::vector<std::string> keys = session.catalog().words("data-paths");
  std::vector<std::string> found;
  for (const RunSource& source : run.sources) {
    const auto text = session.files().read(source.path, ReadLimits{}.max_bytes);
    if (!text) continue;
    const auto document = read_document(source.path, *text, 0);
    if (document) DataPaths(*document, keys, found).visit(document->root(), false, 0);
  }
  return found;
}

}  // namespace gpulint::cli
