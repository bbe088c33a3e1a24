// One data file through the strict loader of its kind: what the build and `Catalog::open` ask.

#include "catalog/catalog.h"
#include "catalog/joined_errors.h"
#include "catalog/model_place.h"
#include "catalog/strict_reader.h"

#include <utility>

namespace gpulint {
namespace {

template <class T>
Result<void> without_value(Result<T> result) {
  if (!result) return fail(std::move(result).error());
  return {};
}

template <class... Types>
Result<void> parse_described(DataKind kind, const Document& document,
                             TypeList<Types...> /*types*/) {
  static_assert(sizeof...(Types) + 5 == kDataKinds, "five kinds have loaders of their own");
  Result<void> result;
  const auto parse = [&](auto loader) {
    result = without_value(loader(document));
    return true;
  };
  static_cast<void>(((Types::kKind == kind && parse(&Types::parse)) || ...));
  return result;
}

Result<void> parse_and_drop(DataKind kind, const Document& document,
                            const ArchitectureLookup& architectures) {
  switch (kind) {
    case DataKind::dialect:
      return without_value(parse_dialect(document));
    case DataKind::gpu:
      return without_value(parse_gpu(document, architectures));
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
    default:
      return parse_described(kind, document, DescribedTypes());
  }
}

/// "dialects/, …, rules/<family>/".
std::string kind_folders() {
  std::string text;
  for (const KindFolder& kind : kKindFolders) {
    text += (text.empty() ? "" : ", ") + std::string(kind.path) +
            (kind.below.empty() ? "/" : "/" + std::string(kind.below) + "/");
  }
  return text;
}

}  // namespace

Result<void> check_data_file(const DataFile& file, const ArchitectureLookup& architectures) {
  const Document& document = file.document;
  if (std::optional<Error> error = misplaced_model(file)) return fail(*std::move(error));
  const std::optional<DataKind> kind = kind_of(file.path);
  if (!kind) {
    return fail(Error{"lies in no folder of data; the kinds are " + kind_folders(),
                      std::string(document.path())});
  }
  Complaints complaints(document);
  refuse_reader_problems(complaints);
  refuse_anchors_and_tags(complaints);
  if (document.roots().size() > 1) {
    const Node& second = document.node(document.roots()[1]);
    complaints.at(second.begin, second.end, "a data file is one YAML document; found a second");
  }
  Result<void> parsed = parse_and_drop(*kind, document, architectures);
  if (complaints.none()) return parsed;
  std::optional<Error> error = std::move(complaints).joined();
  if (!parsed) append(error, std::move(parsed).error());
  return fail(*std::move(error));
}

}  // namespace gpulint
