#pragma once

// All data files of the product as one run of bytes, written when the program is built and used in
// place when it runs. Opening it reads a header; what is touched afterwards is the file that is
// asked for and the index that leads to it, because most runs need one GPU and one model of
// fifteen hundred and every page touched is time. It is not an exchange format: reader and writer
// are the same build, and the header only guards against a mix-up (cross-compiling, a stale
// object).

#include "base/result.h"
#include "catalog/data_kind.h"
#include "source/document.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gpulint {

/// What a name of the model index is: the id of a model or of a family, a further name of a model,
/// an architecture of a config.json that a family reads.
enum class ModelNameKind : std::uint8_t { model, family, further, architecture };
inline constexpr std::size_t kModelNameKinds = 4;

class DataArchive {
 public:
  /// Consecutive numbers of files or names.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t size() const { return end - begin; }
  };
  struct NamedFile {
    std::string_view name;
    std::uint32_t file = 0;
  };

  /// No files.
  DataArchive() = default;
  /// `bytes` must outlive the archive and start at an address divisible by 8. An Error when the
  /// header is another one or the bytes are fewer than it says.
  static Result<DataArchive> open(std::string_view bytes);

  /// Files of a kind, sorted by id.
  Range files(DataKind kind) const;
  std::string_view path(std::uint32_t file) const;
  std::string_view id(std::uint32_t file) const;
  std::optional<std::uint32_t> find(DataKind kind, std::string_view id) const;
  /// Read anew at each call.
  Document document(std::uint32_t file) const;
  /// What `read_rule_head` reads or stored_types.h restores; empty for other kinds.
  std::string_view head(std::uint32_t file) const;

  /// Names of a kind, sorted by key; and those with one key, in the order of their files.
  Range names(ModelNameKind kind) const;
  NamedFile name(std::uint32_t number) const;
  std::vector<NamedFile> named(ModelNameKind kind, std::string_view key) const;

 private:
  std::string_view bytes_;
};

/// The archive compiled into the program. Throws std::logic_error when it is not this build's,
/// which is our mistake and ends in exit code 3.
const DataArchive& embedded_archive();

}  // namespace gpulint
