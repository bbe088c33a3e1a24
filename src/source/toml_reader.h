#pragma once

#include "source/read.h"

namespace gpulint {

/// One table of a TOML file (`tool.gpulint` of a pyproject.toml) as a Document whose nodes lie in
/// the file's text; an empty mapping where the file has no such table. The rest of the file is read
/// only as far as it takes to know where its tables and strings end. Errors as those of
/// `read_yaml`.
Result<Document> read_toml_table(std::string path, std::string text, std::string_view table,
                                 FileId file, const ReadLimits& limits = {});

/// A whole TOML file, with its comments.
Result<Document> read_toml(std::string path, std::string text, FileId file,
                           const ReadLimits& limits = {});

}  // namespace gpulint
