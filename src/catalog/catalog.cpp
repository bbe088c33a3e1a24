// The catalog keeps no more than it is asked for: the conditions of rules and the recognition of
// dialects when it is opened, the rest one by one under a lock, because a run asks for one or two
// GPUs of a hundred and a start-up that reads all of them would take longer than linting a file.

#include "catalog/catalog.h"

#include "base/text.h"
#include "catalog/dialect_parts.h"
#include "catalog/joined_errors.h"
#include "catalog/rule_head.h"
#include "catalog/stored_types.h"
#include "catalog/strict_reader.h"
#include "catalog/unchecked_architectures.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <tuple>

namespace gpulint {
namespace {

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

template <class List>
struct SlotsOf;
template <class... Types>
struct SlotsOf<TypeList<Types...>> {
  using Type = std::tuple<std::vector<Slot<Types>>...>;
};

template <class T, class Parse>
const T* load(const DataArchive& archive, Slot<T>& slot, const Parse& parse) {
  if (slot.value == nullptr) {
    const FileSource& source = slot.source;
    if constexpr (IsStored<T>) {
      if (source.loose == nullptr) {
        slot.value = std::make_unique<const T>(restore<T>(archive.head(source.archived)));
        return slot.value.get();
      }
    }
    Result<T> parsed = source.loose != nullptr ? parse(source.loose->document)
                                               : parse(archive.document(source.archived));
    assert(parsed && "files were checked when the catalog was opened or the program built");
    if (!parsed) return nullptr;
    slot.value = std::make_unique<const T>(std::move(parsed).value());
  }
  return slot.value.get();
}

template <class T>
std::vector<std::string_view> ids_of(const std::vector<Slot<T>>& slots) {
  std::vector<std::string_view> ids;
  for (const Slot<T>& slot : slots) ids.push_back(slot.source.id);
  return ids;
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
  SlotsOf<DescribedTypes>::Type described;

  std::span<const DataFile> loose(DataKind kind) const;
  std::vector<FileSource> sources(DataKind kind) const;
  std::optional<Error> read_all();
  void read_dialects(std::optional<Error>& error);
  void read_rules(std::optional<Error>& error);
  Result<Rule> read_rule(const FileSource& source) const;
  std::optional<Error> check_gpu_names();
  std::optional<Error> unknown_gpu(const DataFile& file, NodeId node, std::string_view name) const;

  template <class T>
  std::vector<Slot<T>>& slots() {
    return std::get<std::vector<Slot<T>>>(described);
  }
  template <class... Types>
  void read_described(TypeList<Types...> /*types*/) {
    ((slots<Types>() = slots_of<Types>(sources(Types::kKind))), ...);
  }
  /// The value of `id`, read when it is first asked for; nullptr when there is no such file.
  template <class T, class Parse>
  const T* one(std::vector<Slot<T>>& slots, std::string_view id, const Parse& parse) {
    const std::scoped_lock lock(mutex);
    Slot<T>* slot = find_slot(slots, id);
    return slot == nullptr ? nullptr : load(archive, *slot, parse);
  }
  template <class T, class Parse>
  std::vector<const T*> all(std::vector<Slot<T>>& slots, const Parse& parse) {
    const std::scoped_lock lock(mutex);
    std::vector<const T*> values;
    values.reserve(slots.size());
    for (Slot<T>& slot : slots) values.push_back(load(archive, slot, parse));
    return values;
  }
  /// Reads a GPU with its architecture; called under the lock.
  auto gpu_parser() {
    return [this](const Document& document) {
      return parse_gpu(document, {[this](std::string_view id) -> const Architecture* {
                         Slot<Architecture>* slot = find_slot(slots<Architecture>(), id);
                         return slot == nullptr ? nullptr
                                                : load(archive, *slot, Architecture::parse);
                       }});
    };
  }
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
  read_described(DescribedTypes());
  if (!error) error = check_gpu_names();
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
  put_in_order(dialects);
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

std::optional<Error> Catalog::Impl::unknown_gpu(const DataFile& file, NodeId node,
                                                std::string_view name) const {
  const std::vector<std::string_view> ids = ids_of(gpus);
  Complaints complaints(file.document);
  complaints.about(node,
                   "unknown GPU \"" + escape_for_display(name) + "\"" + did_you_mean(name, ids));
  return std::move(complaints).joined();
}

/// A host and a fleet of a folder may only name GPUs that exist.
std::optional<Error> Catalog::Impl::check_gpu_names() {
  std::optional<Error> error;
  for (const DataFile& file : loose(DataKind::host)) {
    const Host* host = load(archive, *find_slot(hosts, stem_of(file.path)), parse_host);
    if (host->gpu.empty() || find_slot(gpus, host->gpu) != nullptr) continue;
    const NodeId node = file.document.find(file.document.root(), "gpu");
    append(error, *unknown_gpu(file, node, host->gpu));
  }
  for (const DataFile& file : loose(DataKind::fleet)) {
    Slot<GpuFleet>& slot = *find_slot(slots<GpuFleet>(), stem_of(file.path));
    const GpuFleet* fleet = load(archive, slot, GpuFleet::parse);
    for (const std::string& gpu : fleet->gpus) {
      if (find_slot(gpus, gpu) != nullptr) continue;
      const NodeId node = file.document.find(file.document.root(), "gpus");
      append(error, *unknown_gpu(file, node, gpu));
    }
  }
  return error;
}

Catalog::Catalog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

Result<Catalog> Catalog::open(DataFiles data) {
  std::optional<Error> error;
  UncheckedArchitectures unchecked(data);
  const ArchitectureLookup architectures{
      [&](std::string_view id) { return unchecked.find(id); },
      [&](std::string_view id) { return unchecked.similar(id); }};
  for (const DataFile& file : data.files) {
    if (Result<void> checked = check_data_file(file, architectures); !checked) {
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
  return impl_->all(impl_->gpus, impl_->gpu_parser());
}
std::vector<const Host*> Catalog::hosts() const { return impl_->all(impl_->hosts, parse_host); }
std::vector<std::string_view> Catalog::gpu_ids() const { return ids_of(impl_->gpus); }
std::vector<std::string_view> Catalog::host_ids() const { return ids_of(impl_->hosts); }

const Gpu* Catalog::gpu(std::string_view id) const {
  return impl_->one(impl_->gpus, id, impl_->gpu_parser());
}
const Host* Catalog::host(std::string_view id) const {
  return impl_->one(impl_->hosts, id, parse_host);
}

template <class T>
const T* Catalog::described(std::string_view id) const {
  return impl_->one(impl_->slots<T>(), id, T::parse);
}
template <class T>
std::vector<const T*> Catalog::all_described() const {
  return impl_->all(impl_->slots<T>(), T::parse);
}
const std::vector<std::string>& Catalog::words(std::string_view id) const {
  static const std::vector<std::string> none;
  const WordList* list = described<WordList>(id);
  return list == nullptr ? none : list->words;
}

bool Catalog::has(DataKind kind, std::string_view id) const {
  const std::span<const DataFile> loose = impl_->loose(kind);
  return impl_->archive.find(kind, id).has_value() ||
         std::any_of(loose.begin(), loose.end(),
                     [&](const DataFile& file) { return stem_of(file.path) == id; });
}

std::vector<std::string_view> Catalog::ids(DataKind kind) const {
  std::vector<std::string_view> ids;
  for (const FileSource& source : impl_->sources(kind)) ids.push_back(source.id);
  return ids;
}

// One pair per type of DescribedTypes.
template const Architecture* Catalog::described(std::string_view) const;
template std::vector<const Architecture*> Catalog::all_described() const;
template const GpuFleet* Catalog::described(std::string_view) const;
template std::vector<const GpuFleet*> Catalog::all_described() const;
template const OptimizerTraits* Catalog::described(std::string_view) const;
template std::vector<const OptimizerTraits*> Catalog::all_described() const;
template const AdapterTraits* Catalog::described(std::string_view) const;
template std::vector<const AdapterTraits*> Catalog::all_described() const;
template const ImplementationTraits* Catalog::described(std::string_view) const;
template std::vector<const ImplementationTraits*> Catalog::all_described() const;
template const EngineTraits* Catalog::described(std::string_view) const;
template std::vector<const EngineTraits*> Catalog::all_described() const;
template const WordList* Catalog::described(std::string_view) const;
template std::vector<const WordList*> Catalog::all_described() const;
template const Consumers* Catalog::described(std::string_view) const;
template std::vector<const Consumers*> Catalog::all_described() const;
template const Launcher* Catalog::described(std::string_view) const;
template std::vector<const Launcher*> Catalog::all_described() const;
template const NetworkForm* Catalog::described(std::string_view) const;
template std::vector<const NetworkForm*> Catalog::all_described() const;
template const PackageKeys* Catalog::described(std::string_view) const;
template std::vector<const PackageKeys*> Catalog::all_described() const;

}  // namespace gpulint
