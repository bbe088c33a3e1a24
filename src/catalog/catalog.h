#pragma once

#include "base/file_reader.h"
#include "base/result.h"
#include "catalog/dialect.h"
#include "catalog/hardware.h"
#include "catalog/rule.h"
#include "source/document.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// One data file: its path below the data root ("rules/memory/vram-over-budget.yaml") decides its
/// kind.
struct DataFile {
  std::string path;
  Document document;
};

/// Everything the product knows that is not C++. Lists are sorted by id.
/// `pending_*`: parsed on first use would save start-up time; the embedded trees make a full open
/// cheap instead.
class Catalog {
 public:
  /// Strict: the first error of each file is returned joined, so that all broken files show at
  /// once. A later file with the same id replaces an earlier one (overlay order).
  static Result<Catalog> open(std::span<const DataFile> files);

  const std::vector<Gpu>& gpus() const { return gpus_; }
  const std::vector<Host>& hosts() const { return hosts_; }
  const std::vector<Dialect>& dialects() const { return dialects_; }  // sorted by rank, then id
  const std::vector<Rule>& rules() const { return rules_; }

  const Gpu* gpu(std::string_view id) const;
  /// By id, then exact driver name; two GPUs of one name need `memory_total` to tell them apart.
  /// Never by substring.
  const Gpu* find_gpu(std::string_view id_or_name, std::optional<Bytes> memory_total = {}) const;
  const Host* find_host(std::string_view id_or_name) const;
  const Rule* rule(std::string_view id) const;
  const Dialect* dialect(std::string_view id) const;

 private:
  std::vector<Gpu> gpus_;
  std::vector<Host> hosts_;
  std::vector<Dialect> dialects_;
  std::vector<Rule> rules_;
};

/// One loader per kind; each is strict (unknown key, missing unit, missing source are errors with a
/// place).
Result<Gpu> parse_gpu(const Document& document);
Result<Host> parse_host(const Document& document);
Result<Dialect> parse_dialect(const Document& document);
Result<Rule> parse_rule(const Document& document);

/// Data compiled into the binary: documents over static memory, no parsing.
std::vector<DataFile> embedded_data();
/// Files of a data folder on disk (rules/, hardware_db/, dialects/ below it), read through the
/// strict loader.
Result<std::vector<DataFile>> read_data_folder(const FileReader& reader, const std::string& folder);

}  // namespace gpulint
