#include "catalog/unchecked_architectures.h"

#include "base/text.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace gpulint {

const Architecture* UncheckedArchitectures::find(std::string_view id) {
  const auto known = read_.find(id);
  if (known != read_.end()) return known->second ? &*known->second : nullptr;
  auto& result = read_[std::string(id)];
  for (const DataFile& file : data_.files) {  // the last one counts
    if (kind_of(file.path) != DataKind::architecture || stem_of(file.path) != id) continue;
    Result<Architecture> parsed = Architecture::parse(file.document);
    if (parsed) result = std::move(parsed).value();
  }
  const auto archived = data_.archive.find(DataKind::architecture, id);
  if (!result && archived) {
    const Document document = data_.archive.document(*archived);
    if (auto parsed = Architecture::parse(document)) result = std::move(parsed).value();
  }
  return result ? &*result : nullptr;
}

std::string UncheckedArchitectures::similar(std::string_view id) const {
  std::vector<std::string_view> ids;
  for (const DataFile& file : data_.files) {
    if (kind_of(file.path) == DataKind::architecture) ids.push_back(stem_of(file.path));
  }
  const DataArchive::Range archived = data_.archive.files(DataKind::architecture);
  for (std::uint32_t i = archived.begin; i < archived.end; ++i) {
    ids.push_back(data_.archive.id(i));
  }
  return did_you_mean(id, ids);
}

}  // namespace gpulint
