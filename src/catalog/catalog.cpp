// The catalog keeps no more than it is asked for: the conditions of rules and the recognition of
// dialects when it is opened, the rest one by one under a lock, because a run asks for one or two
// GPUs of a hundred and a start-up that reads all of them would take longer than linting a file.

#include "catalog/catalog.h"

#include "base/text.h"
#include "catalog/gpu_words.h"
#include "catalog/joined_errors.h"
#include "catalog/rule_head.h"
#include "catalog/stored_dialect.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <tuple>

namespace gpulint {
namespace {

/// GDDR with ECC on loses a sixteenth, and the driver's reserve takes up to 4.7 % (RTX 4060): one
/// card is seen up to this much below its nominal total. Two sizes sold under one name differ by
/// 17 % and more.
constexpr double kMemoryTolerance = 0.08;

/// The candidate whose memory is nearest to `memory`, within the tolerance.
const Gpu* pick_by_memory(const std::vector<const Gpu*>& candidates, Bytes memory) {
  const Gpu* best = nullptr;
  double best_distance = kMemoryTolerance * memory.as_double();
  for (const Gpu* gpu : candidates) {
    if (!gpu->memory_total) continue;
    const double distance = std::abs(gpu->memory_total->as_double() - memory.as_double());
    if (distance > best_distance) continue;
    best = gpu;
    best_distance = distance;
  }
  return best;
}

const Gpu* pick(const std::vector<const Gpu*>& candidates, std::optional<Bytes> memory_total) {
  if (memory_total) {
    const Gpu* by_memory = pick_by_memory(candidates, *memory_total);
    const bool sizes_known = std::all_of(candidates.begin(), candidates.end(), [](const Gpu* gpu) {
      return gpu->memory_total.has_value();
    });
    if (by_memory != nullptr || sizes_known) return by_memory;
  }
  return candidates.size() == 1 ? candidates.front() : nullptr;
}

/// By kind and id; of several files with the same ones the last stays: a later layer replaces.
std::vector<DataFile> sorted_without_replaced(std::vector<DataFile> files) {
  struct Key {
    DataKind kind;
    std::string_view id;
    std::size_t index;
  };
  std::vector<Key> keys;
  keys.reserve(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    keys.push_back({*kind_of(files[i].path), stem_of(files[i].path), i});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return std::tie(a.kind, a.id, a.index) < std::tie(b.kind, b.id, b.index);
  });
  std::vector<DataFile> result;
  result.reserve(files.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool replaced =
        i + 1 < keys.size() && keys[i].kind == keys[i + 1].kind && keys[i].id == keys[i + 1].id;
    if (!replaced) result.push_back(std::move(files[keys[i].index]));
  }
  return result;
}

/// One file of the catalog: of a folder, or of the binary.
struct FileSource {
  std::string_view id;
  const DataFile* loose = nullptr;
  std::uint32_t archived = 0;
};

/// A value parsed from its file when first asked for.
template <class T>
struct Slot {
  FileSource source;
  std::unique_ptr<const T> value;
};

template <class T>
Slot<T>* find_slot(std::vector<Slot<T>>& slots, std::string_view id) {
  const auto found = std::lower_bound(
      slots.begin(), slots.end(), id,
      [](const Slot<T>& slot, std::string_view wanted) { return slot.source.id < wanted; });
  return found != slots.end() && found->source.id == id ? &*found : nullptr;
}

template <class T>
std::vector<Slot<T>> slots_of(const std::vector<FileSource>& sources) {
  std::vector<Slot<T>> slots;
  slots.reserve(sources.size());
  for (const FileSource& source : sources) slots.push_back({source, nullptr});
  return slots;
}

template <class T>
const T* load(const DataArchive& archive, Slot<T>& slot, Result<T> (*parse)(const Document&)) {
  if (slot.value == nullptr) {
    const FileSource& source = slot.source;
    Result<T> parsed = source.loose != nullptr ? parse(source.loose->document)
                                               : parse(archive.document(source.archived));
    assert(parsed && "files were checked when the catalog was opened or the program built");
    if (!parsed) return nullptr;
    slot.value = std::make_unique<const T>(std::move(parsed).value());
  }
  return slot.value.get();
}

}  // namespace

struct Catalog::Impl {
  DataArchive archive;
  std::vector<DataFile> files;  // of folders, sorted by kind and id, one each
  std::vector<Dialect> dialects;
  std::vector<FileSource> rule_sources;
  std::vector<Rule> rules;  // as their sources
  std::mutex mutex;         // guards the values of the slots
  std::vector<Slot<Gpu>> gpus;
  std::vector<Slot<Host>> hosts;

  std::span<const DataFile> loose(DataKind kind) const;
  std::vector<FileSource> sources(DataKind kind) const;
  std::optional<Error> read_all();
  void read_dialects(std::optional<Error>& error);
  void read_rules(std::optional<Error>& error);
  Result<Rule> read_rule(const FileSource& source) const;
  std::optional<Error> check_hosts();
};

std::span<const DataFile> Catalog::Impl::loose(DataKind kind) const {
  const auto before = [&](const DataFile& file) { return *kind_of(file.path) < kind; };
  const auto of_kind = [&](const DataFile& file) { return *kind_of(file.path) == kind; };
  const auto first = std::partition_point(files.begin(), files.end(), before);
  return {first, std::partition_point(first, files.end(), of_kind)};
}

/// The files of a kind, sorted by id: those of the binary and of folders, which replace them.
std::vector<FileSource> Catalog::Impl::sources(DataKind kind) const {
  const DataArchive::Range range = archive.files(kind);
  std::vector<FileSource> sources;
  sources.reserve(range.size());
  std::uint32_t archived = range.begin;
  for (const DataFile& file : loose(kind)) {
    const std::string_view id = stem_of(file.path);
    for (; archived < range.end && archive.id(archived) < id; ++archived) {
      sources.push_back({archive.id(archived), nullptr, archived});
    }
    if (archived < range.end && archive.id(archived) == id) ++archived;
    sources.push_back({id, &file, 0});
  }
  for (; archived < range.end; ++archived) {
    sources.push_back({archive.id(archived), nullptr, archived});
  }
  return sources;
}

std::optional<Error> Catalog::Impl::read_all() {
  std::optional<Error> error;
  read_dialects(error);
  read_rules(error);
  gpus = slots_of<Gpu>(sources(DataKind::gpu));
  hosts = slots_of<Host>(sources(DataKind::host));
  if (!error) error = check_hosts();
  return error;
}

void Catalog::Impl::read_dialects(std::optional<Error>& error) {
  const std::vector<FileSource> all = sources(DataKind::dialect);
  dialects.reserve(all.size());
  for (const FileSource& source : all) {
    if (source.loose == nullptr) {
      dialects.push_back(restore_dialect(archive.head(source.archived)));
    } else if (Result<Dialect> dialect = open_dialect(source.loose->document)) {
      dialects.push_back(std::move(dialect).value());
    } else {
      append(error, std::move(dialect).error());
    }
  }
  std::stable_sort(dialects.begin(), dialects.end(), [](const Dialect& a, const Dialect& b) {
    return std::tie(a.rank, a.id) < std::tie(b.rank, b.id);
  });
}

void Catalog::Impl::read_rules(std::optional<Error>& error) {
  rule_sources = sources(DataKind::rule);
  rules.reserve(rule_sources.size());
  for (const FileSource& source : rule_sources) {
    if (Result<Rule> rule = read_rule(source)) {
      rules.push_back(std::move(rule).value());
    } else {
      append(error, std::move(rule).error());
    }
  }
}

Result<Rule> Catalog::Impl::read_rule(const FileSource& source) const {
  if (source.loose != nullptr) return parse_rule(source.loose->document);
  const std::uint32_t file = source.archived;
  Rule rule = read_rule_head(archive.path(file), archive.head(file));
  rule.texts = [from = archive, file] { return parse_rule_texts(from.document(file)); };
  return rule;
}

/// A host of a folder may only name a GPU that exists.
std::optional<Error> Catalog::Impl::check_hosts() {
  std::optional<Error> error;
  for (const DataFile& file : loose(DataKind::host)) {
    const Host* host = load(archive, *find_slot(hosts, stem_of(file.path)), parse_host);
    if (host->gpu.empty() || find_slot(gpus, host->gpu) != nullptr) continue;
    std::vector<std::string_view> ids;
    for (const Slot<Gpu>& slot : gpus) ids.push_back(slot.source.id);
    Complaints complaints(file.document);
    const NodeId node = file.document.find(file.document.root(), "gpu");
    complaints.about(node, "unknown GPU \"" + escape_for_display(host->gpu) + "\"" +
                               did_you_mean(host->gpu, ids));
    append(error, std::move(complaints).joined());
  }
  return error;
}

Catalog::Catalog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

Result<Catalog> Catalog::open(DataFiles data) {
  std::optional<Error> error;
  for (const DataFile& file : data.files) {
    if (Result<void> checked = check_data_file(file); !checked) {
      append(error, std::move(checked).error());
    }
  }
  if (error) return fail(*std::move(error));

  auto impl = std::make_unique<Impl>();
  impl->archive = data.archive;
  impl->files = sorted_without_replaced(std::move(data.files));
  error = impl->read_all();
  if (error) return fail(*std::move(error));
  return Catalog(std::move(impl));
}

const std::vector<Dialect>& Catalog::dialects() const { return impl_->dialects; }
const std::vector<Rule>& Catalog::rules() const { return impl_->rules; }

const Rule* Catalog::rule(std::string_view id) const {
  const std::vector<Rule>& rules = impl_->rules;
  const auto found =
      std::lower_bound(rules.begin(), rules.end(), id,
                       [](const Rule& rule, std::string_view wanted) { return rule.id < wanted; });
  return found != rules.end() && found->id == id ? &*found : nullptr;
}

const Dialect* Catalog::dialect(std::string_view id) const {
  const auto found = std::find_if(impl_->dialects.begin(), impl_->dialects.end(),
                                  [&](const Dialect& dialect) { return dialect.id == id; });
  return found != impl_->dialects.end() ? &*found : nullptr;
}

RuleManual Catalog::manual(const Rule& rule) const {
  const Rule* own = this->rule(rule.id);
  if (own == nullptr) return {};
  const FileSource& source =
      impl_->rule_sources[static_cast<std::size_t>(own - impl_->rules.data())];
  Result<RuleManual> manual = source.loose != nullptr
                                  ? parse_rule_manual(source.loose->document)
                                  : parse_rule_manual(impl_->archive.document(source.archived));
  return manual ? std::move(manual).value() : RuleManual{};
}

ModelFiles Catalog::model_files() const { return {impl_->archive, impl_->loose(DataKind::model)}; }

std::vector<const Gpu*> Catalog::gpus() const {
  const std::scoped_lock lock(impl_->mutex);
  std::vector<const Gpu*> gpus;
  for (Slot<Gpu>& slot : impl_->gpus) gpus.push_back(load(impl_->archive, slot, parse_gpu));
  return gpus;
}

std::vector<const Host*> Catalog::hosts() const {
  const std::scoped_lock lock(impl_->mutex);
  std::vector<const Host*> hosts;
  for (Slot<Host>& slot : impl_->hosts) hosts.push_back(load(impl_->archive, slot, parse_host));
  return hosts;
}

std::vector<std::string_view> Catalog::gpu_ids() const {
  std::vector<std::string_view> ids;
  for (const Slot<Gpu>& slot : impl_->gpus) ids.push_back(slot.source.id);
  return ids;
}

std::vector<std::string_view> Catalog::host_ids() const {
  std::vector<std::string_view> ids;
  for (const Slot<Host>& slot : impl_->hosts) ids.push_back(slot.source.id);
  return ids;
}

const Gpu* Catalog::gpu(std::string_view id) const {
  const std::scoped_lock lock(impl_->mutex);
  Slot<Gpu>* slot = find_slot(impl_->gpus, id);
  return slot == nullptr ? nullptr : load(impl_->archive, *slot, parse_gpu);
}

const Host* Catalog::host(std::string_view id) const {
  const std::scoped_lock lock(impl_->mutex);
  Slot<Host>* slot = find_slot(impl_->hosts, id);
  return slot == nullptr ? nullptr : load(impl_->archive, *slot, parse_host);
}

std::vector<const Gpu*> Catalog::gpus_named(std::string_view driver_name) const {
  std::vector<const Gpu*> named;
  for (const Gpu* gpu : gpus()) {
    const bool has_name = std::any_of(gpu->names.begin(), gpu->names.end(), [&](const auto& name) {
      return equals_ignoring_case(name, driver_name);
    });
    if (has_name) named.push_back(gpu);
  }
  return named;
}

const Gpu* Catalog::find_gpu(std::string_view id_or_name, std::optional<Bytes> memory_total) const {
  if (const Gpu* by_id = gpu(to_lower(id_or_name))) return by_id;
  return pick(gpus_named(id_or_name), memory_total);
}

const Gpu* Catalog::gpu_by_pci(std::string_view device_id,
                               std::optional<Bytes> memory_total) const {
  if (starts_with_ignoring_case(device_id, "0x")) device_id.remove_prefix(2);
  std::vector<const Gpu*> matching;
  for (const Gpu* gpu : gpus()) {
    const auto& ids = gpu->pci_device_ids;
    if (std::any_of(ids.begin(), ids.end(),
                    [&](const auto& id) { return equals_ignoring_case(id, device_id); })) {
      matching.push_back(gpu);
    }
  }
  return pick(matching, memory_total);
}

const Host* Catalog::find_host(std::string_view id_or_name) const {
  if (const Host* by_id = host(to_lower(id_or_name))) return by_id;
  for (const Host* host : hosts()) {
    for (const std::string& name : host->names) {
      if (equals_ignoring_case(name, id_or_name)) return host;
    }
  }
  return nullptr;
}

std::string Catalog::similar_gpus(std::string_view word) const {
  std::vector<std::string_view> candidates = gpu_ids();
  for (const Gpu* gpu : gpus()) {
    candidates.insert(candidates.end(), gpu->names.begin(), gpu->names.end());
  }
  return gpulint::similar_gpus(word, candidates);
}

std::string Catalog::similar_hosts(std::string_view word) const {
  std::vector<std::string_view> candidates = host_ids();
  for (const Host* host : hosts()) {
    candidates.insert(candidates.end(), host->names.begin(), host->names.end());
  }
  return did_you_mean(word, candidates);
}

}  // namespace gpulint
