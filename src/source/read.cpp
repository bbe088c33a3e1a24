#include "source/read.h"

#include "base/text.h"
#include "source/notebook.h"
#include "source/python_document.h"
#include "source/toml_reader.h"

#include <utility>

namespace gpulint {

Result<Document> read_document(std::string path, std::string text, FileId file,
                               const ReadLimits& limits) {
  const std::string kind = extension(path);
  const std::string_view name = file_name(path);
  if (kind == "json") return read_json(std::move(path), std::move(text), file, limits);
  if (kind == "env" || kind == "sh" || name == ".env" || name.starts_with(".env."))
    return read_env(std::move(path), std::move(text), file, limits);
  if (is_notebook(path)) {
    std::string module = notebook_module(text);
    return read_python(std::move(path), std::move(module), file, limits);
  }
  if (kind == "toml") return read_toml(std::move(path), std::move(text), file, limits);
  if (kind == "py") return read_python(std::move(path), std::move(text), file, limits);
  return read_yaml(std::move(path), std::move(text), file, limits);
}

}  // namespace gpulint
