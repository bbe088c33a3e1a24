// The catalog keeps the documents and parses from them: rules and dialects once when it is opened,
// GPUs and hosts one by one under a lock, because a run asks for one or two of a hundred and a
// start-up that parses all of them would take longer than linting a file.

#include "catalog/catalog.h"

#include "base/text.h"
#include "catalog/gpu_words.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <tuple>

namespace gpulint {
namespace {

enum class DataKind : std::uint8_t { dialect, gpu, host, rule, model };

/// Kind by the folder a file lies in; nullopt for a path that belongs to none.
std::optional<DataKind> kind_of(std::string_view path) {
  const std::string_view folder = parent_path(path);
  if (folder == "dialects") return DataKind::dialect;
  if (folder == "hardware_db/gpus") return DataKind::gpu;
  if (folder == "hardware_db/hosts") return DataKind::host;
  if (parent_path(folder) == "rules") return DataKind::rule;
  if (parent_path(folder) == "model_db") return DataKind::model;
  return std::nullopt;
}

template <class T>
Result<void> without_value(Result<T> result) {
  if (!result) return fail(std::move(result).error());
  return {};
}

void append(std::optional<Error>& joined, Error error) {
  if (!joined) {
    joined = std::move(error);
  } else {
    joined->message += "\n" + error.to_string();
  }
}

Result<void> parse_and_drop(DataKind kind, const Document& document) {
  switch (kind) {
    case DataKind::dialect:
      return without_value(parse_dialect(document));
    case DataKind::gpu:
      return without_value(parse_gpu(document));
    case DataKind::host:
      return without_value(parse_host(document));
    case DataKind::rule: {
      Result<void> rule = without_value(parse_rule(document));
      Result<void> manual = without_value(parse_rule_manual(document));
      if (rule) return manual;
      std::optional<Error> error = std::move(rule).error();
      if (!manual) append(error, std::move(manual).error());
      return fail(*std::move(error));
    }
    case DataKind::model:
      return {};  // programs are read and checked by `model`, above this room
  }
  return {};
}

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

/// A value parsed from its document when first asked for.
template <class T>
struct Slot {
  std::string_view id;
  const Document* document = nullptr;
  std::unique_ptr<const T> value;
};

template <class T>
Slot<T>* find_slot(std::vector<Slot<T>>& slots, std::string_view id) {
  const auto found = std::lower_bound(
      slots.begin(), slots.end(), id,
      [](const Slot<T>& slot, std::string_view wanted) { return slot.id < wanted; });
  return found != slots.end() && found->id == id ? &*found : nullptr;
}

template <class T>
const T* load(Slot<T>& slot, Result<T> (*parse)(const Document&)) {
  if (slot.value == nullptr) {
    Result<T> parsed = parse(*slot.document);
    assert(parsed && "files were checked when the catalog was opened or the program built");
    if (!parsed) return nullptr;
    slot.value = std::make_unique<const T>(std::move(parsed).value());
  }
  return slot.value.get();
}

}  // namespace

struct Catalog::Impl {
  std::vector<DataFile> files;  // sorted by kind and id, one each
  std::size_t model_count = 0;  // the last ones of `files`
  std::vector<Dialect> dialects;
  std::vector<Rule> rules;
  std::vector<const Document*> rule_documents;  // beside `rules`
  std::mutex mutex;                             // guards the values of the slots
  std::vector<Slot<Gpu>> gpus;
  std::vector<Slot<Host>> hosts;

  std::optional<Error> parse_all();
  std::optional<Error> check_hosts(std::span<const DataFile* const> host_files);
};

/// Rules and dialects now, slots for the rest.
std::optional<Error> Catalog::Impl::parse_all() {
  std::optional<Error> error;
  std::vector<const DataFile*> unchecked_hosts;
  for (const DataFile& file : files) {
    switch (*kind_of(file.path)) {
      case DataKind::dialect:
        if (Result<Dialect> dialect = open_dialect(file.document)) {
          dialects.push_back(std::move(dialect).value());
        } else {
          append(error, std::move(dialect).error());
        }
        break;
      case DataKind::rule:
        if (Result<Rule> rule = parse_rule(file.document)) {
          rules.push_back(std::move(rule).value());
          rule_documents.push_back(&file.document);
        } else {
          append(error, std::move(rule).error());
        }
        break;
      case DataKind::gpu:
        gpus.push_back({stem_of(file.path), &file.document, nullptr});
        break;
      case DataKind::host:
        hosts.push_back({stem_of(file.path), &file.document, nullptr});
        if (!file.trusted) unchecked_hosts.push_back(&file);
        break;
      case DataKind::model:
        ++model_count;
        break;
    }
  }
  std::stable_sort(dialects.begin(), dialects.end(), [](const Dialect& a, const Dialect& b) {
    return std::tie(a.rank, a.id) < std::tie(b.rank, b.id);
  });
  if (!error) error = check_hosts(unchecked_hosts);
  return error;
}

/// A host may only name a GPU that exists.
std::optional<Error> Catalog::Impl::check_hosts(std::span<const DataFile* const> host_files) {
  std::optional<Error> error;
  for (const DataFile* file : host_files) {
    const Host* host = load(*find_slot(hosts, stem_of(file->path)), parse_host);
    if (host->gpu.empty() || find_slot(gpus, host->gpu) != nullptr) continue;
    std::vector<std::string_view> ids;
    for (const Slot<Gpu>& slot : gpus) ids.push_back(slot.id);
    Complaints complaints(file->document);
    const NodeId node = file->document.find(file->document.root(), "gpu");
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

Result<void> check_data_file(const DataFile& file) {
  const Document& document = file.document;
  const std::optional<DataKind> kind = kind_of(file.path);
  if (!kind) {
    return fail(
        Error{"lies in no folder of data; the kinds are rules/<family>/, hardware_db/gpus/, "
              "hardware_db/hosts/, dialects/ and model_db/<family>/",
              std::string(document.path())});
  }
  Complaints complaints(document);
  refuse_reader_problems(complaints);
  refuse_anchors_and_tags(complaints);
  if (document.roots().size() > 1) {
    const Node& second = document.node(document.roots()[1]);
    complaints.at(second.begin, second.end, "a data file is one YAML document; found a second");
  }
  Result<void> parsed = parse_and_drop(*kind, document);
  if (complaints.none()) return parsed;
  std::optional<Error> error = std::move(complaints).joined();
  if (!parsed) append(error, std::move(parsed).error());
  return fail(*std::move(error));
}

Result<Catalog> Catalog::open(std::vector<DataFile> files) {
  std::optional<Error> error;
  for (const DataFile& file : files) {
    if (file.trusted) continue;
    if (Result<void> checked = check_data_file(file); !checked) {
      append(error, std::move(checked).error());
    }
  }
  if (error) return fail(*std::move(error));

  auto impl = std::make_unique<Impl>();
  impl->files = sorted_without_replaced(std::move(files));
  error = impl->parse_all();
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
  const auto index = static_cast<std::size_t>(own - impl_->rules.data());
  Result<RuleManual> manual = parse_rule_manual(*impl_->rule_documents[index]);
  return manual ? std::move(manual).value() : RuleManual{};
}

std::span<const DataFile> Catalog::model_files() const {
  return std::span<const DataFile>(impl_->files).last(impl_->model_count);
}

std::vector<const Gpu*> Catalog::gpus() const {
  const std::scoped_lock lock(impl_->mutex);
  std::vector<const Gpu*> gpus;
  for (Slot<Gpu>& slot : impl_->gpus) gpus.push_back(load(slot, parse_gpu));
  return gpus;
}

std::vector<const Host*> Catalog::hosts() const {
  const std::scoped_lock lock(impl_->mutex);
  std::vector<const Host*> hosts;
  for (Slot<Host>& slot : impl_->hosts) hosts.push_back(load(slot, parse_host));
  return hosts;
}

std::vector<std::string_view> Catalog::gpu_ids() const {
  std::vector<std::string_view> ids;
  for (const Slot<Gpu>& slot : impl_->gpus) ids.push_back(slot.id);
  return ids;
}

std::vector<std::string_view> Catalog::host_ids() const {
  std::vector<std::string_view> ids;
  for (const Slot<Host>& slot : impl_->hosts) ids.push_back(slot.id);
  return ids;
}

const Gpu* Catalog::gpu(std::string_view id) const {
  const std::scoped_lock lock(impl_->mutex);
  Slot<Gpu>* slot = find_slot(impl_->gpus, id);
  return slot == nullptr ? nullptr : load(*slot, parse_gpu);
}

const Host* Catalog::host(std::string_view id) const {
  const std::scoped_lock lock(impl_->mutex);
  Slot<Host>* slot = find_slot(impl_->hosts, id);
  return slot == nullptr ? nullptr : load(*slot, parse_host);
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
