#pragma once

#include "base/file_reader.h"
#include "base/result.h"
#include "catalog/described.h"
#include "catalog/dialect.h"
#include "catalog/hardware.h"
#include "catalog/model_files.h"
#include "catalog/rule.h"
#include "source/document.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// What a catalog is opened over: the files of the binary, none in most tests, and files of
/// folders. A later file of the same kind and id replaces an earlier one, those of folders the
/// binary's.
struct DataFiles {
  DataArchive archive;
  std::vector<DataFile> files;

  DataFiles(std::vector<DataFile> of_folders) : files(std::move(of_folders)) {}  // NOLINT
  explicit DataFiles(DataArchive of_binary) : archive(of_binary) {}
};

/// Everything the product knows that is not C++. Lists are sorted by id.
/// The conditions of rules and what dialects are recognised by are read when opened, because every
/// run asks all of them; the texts of a rule, GPUs, hosts and models when asked for, because a run
/// needs one or two of a hundred. Thread-safe after `open`; pointers live as long as the Catalog,
/// moves included.
class Catalog {
 public:
  /// Strict: every broken file of a folder is named, joined into one Error. Files outside the known
  /// folders are errors.
  static Result<Catalog> open(DataFiles data);

  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  const std::vector<Dialect>& dialects() const;  // sorted by rank, then id
  const std::vector<Rule>& rules() const;
  const Rule* rule(std::string_view id) const;
  const Dialect* dialect(std::string_view id) const;
  /// The part of a rule's file that people read; empty when the catalog has no rule of this id.
  RuleManual manual(const Rule& rule) const;

  /// The files of model_db, read by `model` when a model is named.
  ModelFiles model_files() const;

  std::vector<const Gpu*> gpus() const;
  std::vector<const Host*> hosts() const;
  std::vector<std::string_view> gpu_ids() const;
  std::vector<std::string_view> host_ids() const;
  const Gpu* gpu(std::string_view id) const;
  const Host* host(std::string_view id) const;

  /// What the file of an id says, T being one of DescribedTypes; nullptr when nobody described it.
  template <class T>
  const T* described(std::string_view id) const;
  template <class T>
  std::vector<const T*> all_described() const;
  /// Words of knowledge/words/<id>.yaml; empty when there is no such list.
  const std::vector<std::string>& words(std::string_view id) const;

  /// Ids of the files of a kind, sorted; without reading the files.
  std::vector<std::string_view> ids(DataKind kind) const;
  bool has(DataKind kind, std::string_view id) const;

  /// By id, then exact driver name; of several GPUs of one name the one whose NVML or CUDA total
  /// matches `memory_total`. nullptr when none or more than one is left. Never by substring.
  /// Why a machine does not have this GPU ("p5-48xlarge has h100-sxm5-80gb, not rtx-3090"); "" = it
  /// has, or one of the two is not known.
  std::string mismatch(std::string_view gpu, std::string_view host) const;
  const Gpu* find_gpu(std::string_view id_or_name, std::optional<Bytes> memory_total = {}) const;
  /// All GPUs a driver prints this name for: two or more make `find_gpu` fail without a memory
  /// size.
  std::vector<const Gpu*> gpus_named(std::string_view driver_name) const;
  /// By PCI device id ("2204", "0x2204"), then memory, as `find_gpu` does.
  const Gpu* gpu_by_pci(std::string_view device_id, std::optional<Bytes> memory_total = {}) const;
  /// By id, then by any of its names, ignoring case.
  const Host* find_host(std::string_view id_or_name) const;
  /// " (did you mean \"x\"?)" for an unknown id or name, or empty.
  std::string similar_gpus(std::string_view word) const;
  std::string similar_hosts(std::string_view word) const;

 private:
  struct Impl;
  explicit Catalog(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// One loader per kind; each is strict (unknown key, missing unit, missing source are errors with a
/// place). The id is the stem of the document's path, a rule's family its folder.
///
/// What a GPU's architecture fixes its own file need not state.
struct ArchitectureLookup {
  std::function<const Architecture*(std::string_view id)> find = {};
  std::function<std::string(std::string_view id)> similar = {};  // " (did you mean …?)" or ""
};
Result<Gpu> parse_gpu(const Document& document, const ArchitectureLookup& architectures = {});
Result<Host> parse_host(const Document& document);
Result<Dialect> parse_dialect(const Document& document);
/// For a file that was checked before: the mapping is read when first asked for, from `document`,
/// which must outlive the dialect.
Result<Dialect> open_dialect(const Document& document);
Result<Rule> parse_rule(const Document& document);
/// For a file that was checked before.
RuleTexts parse_rule_texts(const Document& document);
Result<RuleManual> parse_rule_manual(const Document& document);

/// Strictly loads one data file by the kind its path says and drops the result: what the build and
/// `Catalog::open` check files with.
Result<void> check_data_file(const DataFile& file, const ArchitectureLookup& architectures = {});

/// Data compiled into the binary (embedded_archive).
DataFiles embedded_data();
/// The folder of a project's own data, and the one in it where `gpulint-record` writes.
inline constexpr std::string_view kProjectDataFolder = ".gpulint";
inline constexpr std::string_view kOwnModelsFolder = "models";

/// Files of a data folder on disk (the folders of kKindFolders below it), sorted by path; a missing
/// folder of these is empty.
Result<std::vector<DataFile>> read_data_folder(const FileReader& reader, const std::string& folder);

}  // namespace gpulint
