#include "plan/decorated_keys.h"

#include <utility>

namespace gpulint {

std::unique_ptr<KeyIndex> read_decorated_keys(const RunRequest& request, const Document& document,
                                              const KeyIndex& keys, std::string_view path,
                                              Recognition& recognition) {
  const Dialect* known = recognition.dialect;
  if (recognition.foreign || keys.size() == 0) return nullptr;
  for (const Dialect& dialect : request.dialects) {
    if (dialect.decorations.of.empty() || (known != nullptr && known != &dialect)) continue;
    auto plain = std::make_unique<KeyIndex>(document, &dialect.decorations);
    if (!plain->has_plain_keys()) return nullptr;
    if (known == nullptr) {
      Recognition found = recognise(*plain, {&dialect, 1}, request.in_house_keys, path);
      if (found.dialect == nullptr) return nullptr;
      found.dialects = request.dialects;
      recognition = std::move(found);
    }
    return plain;
  }
  return nullptr;
}

}  // namespace gpulint
