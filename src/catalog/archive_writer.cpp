#include "catalog/archive_writer.h"

#include "base/text.h"
#include "catalog/archive_layout.h"
#include "catalog/catalog.h"
#include "catalog/packed_document.h"
#include "catalog/rule_head.h"
#include "catalog/stored_types.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

namespace gpulint {
namespace {

using namespace archive;

class ArchiveWriter {
 public:
  ArchiveWriter(std::span<const DataFile> files, std::span<const ModelName> names,
                const BindRule& bind)
      : files_(files), names_(names), bind_(bind) {}

  Result<std::string> write() {
    order_files();
    order_names();
    records_.resize(file_order_.size());
    name_records_.resize(names_.size());
    blob_.resize(sizeof(Header) + bytes_of(records_) + bytes_of(name_records_));
    write_names();
    write_paths_and_heads();
    for (std::size_t i = 0; i < file_order_.size() && !error_; ++i) write_body(i);
    if (blob_.size() > std::numeric_limits<std::uint32_t>::max()) error_ = Error{"too much data"};
    if (error_) return fail(*std::move(error_));
    write_tables();
    return std::move(blob_);
  }

 private:
  template <class T>
  static std::size_t bytes_of(const std::vector<T>& values) {
    return values.size() * sizeof(T);
  }

  Extent append(std::string_view text) {
    const Extent extent{static_cast<std::uint32_t>(blob_.size()),
                        static_cast<std::uint32_t>(text.size())};
    blob_ += text;
    return extent;
  }
  void order_files() {
    file_order_.resize(files_.size());
    std::iota(file_order_.begin(), file_order_.end(), std::size_t{0});
    const auto key = [&](std::size_t file) {
      return std::tuple(kind_of(files_[file].path).value_or(DataKind::model),
                        stem_of(files_[file].path));
    };
    std::stable_sort(file_order_.begin(), file_order_.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    new_place_.resize(files_.size());
    for (std::size_t i = 0; i < file_order_.size(); ++i) {
      new_place_[file_order_[i]] = static_cast<std::uint32_t>(i);
      ++header_.files[static_cast<std::size_t>(std::get<0>(key(file_order_[i]))) + 1];
    }
    std::partial_sum(header_.files.begin(), header_.files.end(), header_.files.begin());
  }

  void order_names() {
    name_order_.resize(names_.size());
    std::iota(name_order_.begin(), name_order_.end(), std::size_t{0});
    const auto key = [&](std::size_t name) {
      return std::tuple(names_[name].kind, std::string_view(names_[name].key),
                        new_place_[names_[name].file]);
    };
    std::stable_sort(name_order_.begin(), name_order_.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (const ModelName& name : names_) ++header_.names[static_cast<std::size_t>(name.kind) + 1];
    std::partial_sum(header_.names.begin(), header_.names.end(), header_.names.begin());
  }

  void write_names() {
    for (std::size_t i = 0; i < name_order_.size(); ++i) {
      const ModelName& name = names_[name_order_[i]];
      NameRecord& record = name_records_[i];
      record.key = append(name.key);
      record.name = name.name == name.key ? record.key : append(name.name);
      record.file = new_place_[name.file];
    }
  }

  /// They stand together: start-up reads them and hardly any of the rest.
  void write_paths_and_heads() {
    for (std::size_t i = 0; i < file_order_.size(); ++i) {
      records_[i].path = append(files_[file_order_[i]].path);
    }
    for (std::size_t i = 0; i < file_order_.size(); ++i) {
      const DataFile& file = files_[file_order_[i]];
      const std::optional<DataKind> kind = kind_of(file.path);
      Result<std::string> head = std::string();
      if (kind == DataKind::rule) head = head_of_rule(file.document);
      if (kind == DataKind::dialect) head = head_of_dialect(file.document);
      if (kind) add_stored_head(*kind, file.document, head, DescribedTypes());
      if (head) {
        records_[i].head = append(*head);
      } else if (!error_) {
        error_ = std::move(head).error();
      }
    }
  }

  Result<std::string> head_of_rule(const Document& document) const {
    Result<Rule> rule = parse_rule(document);
    if (!rule) return fail(std::move(rule).error());
    if (Result<void> bound = bind_(*rule); !bound) return fail(std::move(bound).error());
    return write_rule_head(*rule);
  }

  static Result<std::string> head_of_dialect(const Document& document) {
    const Result<Dialect> dialect = parse_dialect(document);
    if (!dialect) return fail(dialect.error());
    return store_dialect(*dialect);
  }

  template <class... Types>
  static void add_stored_head(DataKind kind, const Document& document, Result<std::string>& head,
                              TypeList<Types...> /*types*/) {
    const auto add = [&]<class T>(TypeList<T> /*type*/) {
      if constexpr (IsStored<T>) {
        if (T::kKind == kind) head = head_of<T>(document);
      }
    };
    (add(TypeList<Types>()), ...);
  }

  template <class T>
  static Result<std::string> head_of(const Document& document) {
    const Result<T> value = T::parse(document);
    if (!value) return fail(value.error());
    return store(*value);
  }

  void write_body(std::size_t place) {
    if (Result<std::string> packed = pack(files_[file_order_[place]].document)) {
      records_[place].body = append(*packed);
    } else {
      error_ = std::move(packed).error();
    }
  }

  void write_tables() {
    header_.size = static_cast<std::uint32_t>(blob_.size());
    char* at = blob_.data();
    std::memcpy(at, &header_, sizeof header_);
    at += sizeof header_;
    if (!records_.empty()) std::memcpy(at, records_.data(), bytes_of(records_));
    at += bytes_of(records_);
    if (!name_records_.empty()) std::memcpy(at, name_records_.data(), bytes_of(name_records_));
  }

  std::span<const DataFile> files_;
  std::span<const ModelName> names_;
  const BindRule& bind_;
  std::vector<std::size_t> file_order_;   // by kind and id
  std::vector<std::uint32_t> new_place_;  // of each file
  std::vector<std::size_t> name_order_;
  Header header_;
  std::vector<FileRecord> records_;
  std::vector<NameRecord> name_records_;
  std::string blob_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::string> write_archive(std::span<const DataFile> files, std::span<const ModelName> names,
                                  const BindRule& bind) {
  return ArchiveWriter(files, names, bind).write();
}

}  // namespace gpulint
