#include "catalog/model_place.h"

#include "base/text.h"
#include "catalog/strict_reader.h"

#include <string>
#include <string_view>

namespace gpulint {

std::optional<Error> misplaced_model(const DataFile& file) {
  const Document& document = file.document;
  if (!file.path.starts_with("model_db/") || document.root() == kNoNode) return std::nullopt;
  const auto has = [&](std::string_view key) {
    return document.find(document.root(), key) != kNoNode;
  };
  const std::string_view folder = parent_path(file.path);
  const std::string name = std::string(stem_of(file.path)) + ".yaml";
  const auto elsewhere = [&](const std::string& why) {
    return Error{why, std::string(document.path())};
  };
  if (has("program")) {
    const bool recorded = parent_path(folder) == "model_db/recorded";
    if (folder == "model_db/families" || recorded) return std::nullopt;
    return elsewhere("holds a program: move it to model_db/families/" + name +
                     ", or to model_db/recorded/<library>/" + name + " when a tool recorded it");
  }
  if (has("family")) {
    const std::string_view family = document.scalar(document.find(document.root(), "family"));
    const std::string home = "model_db/models/" + std::string(family);
    if (folder == home) return std::nullopt;
    return elsewhere("is a model of the family \"" + escape_for_display(family) +
                     "\": move it to " + escape_for_display(home) + "/" + name);
  }
  if (has("define") && folder != "model_db/parts") {
    return elsewhere("holds definitions without a program: move it to model_db/parts/" + name);
  }
  return std::nullopt;
}

}  // namespace gpulint
