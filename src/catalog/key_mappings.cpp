#include "catalog/key_mappings.h"

#include "base/byte_stream.h"
#include "base/key_hash.h"
#include "catalog/stored_types.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

/// The least bits of a name's hash, which are all that KeyNames looks at; one more says that there
/// is a name. A pattern has none: it may lead to any key.
constexpr std::uint64_t kNameBits = 0xfff;
constexpr std::uint64_t kHasName = 0x1000;

std::uint64_t name_of(const KeyMapping& key) {
  if (key.path.find('*') != std::string::npos) return 0;
  const std::string_view path = key.path;
  const std::string_view last = path.substr(path.find_last_of("./") + 1);
  return kHasName | (component_hash(last) & kNameBits);
}

}  // namespace

KeyMappings::KeyMappings(std::vector<KeyMapping> keys)
    : has_bare_keys_(std::any_of(keys.begin(), keys.end(),
                                 [](const KeyMapping& key) { return key.anywhere; })) {
  all_ = OnDemand<std::vector<KeyMapping>>(std::move(keys));
}

std::string KeyMappings::store() const {
  ByteWriter out;
  out.number(has_bare_keys_ ? 1 : 0);
  for (const KeyMapping& key : all()) {
    out.number(name_of(key));
    out.text(store_key(key));
  }
  return std::move(out).take();
}

KeyMappings KeyMappings::stored(std::string_view bytes) {
  KeyMappings keys;
  ByteReader in(bytes);
  keys.has_bare_keys_ = in.number() != 0;
  keys.stored_ = bytes.substr(bytes.size() - in.left());
  keys.all_ = OnDemand<std::vector<KeyMapping>>::made_by([entries = keys.stored_] {
    std::vector<KeyMapping> all;
    for (ByteReader each(entries); !each.at_end();) {
      each.number();
      all.push_back(restore_key(each.text()));
    }
    return all;
  });
  return keys;
}

void KeyMappings::for_each_in(const KeyNames& names,
                              const std::function<void(const KeyMapping&)>& visit) const {
  if (stored_.empty()) {
    for (const KeyMapping& key : all()) visit(key);
    return;
  }
  for (ByteReader in(stored_); !in.at_end();) {
    const std::uint64_t name = in.number();
    const std::string_view key = in.text();
    if (name == 0 || names.may_have(name & kNameBits)) visit(restore_key(key));
  }
}

}  // namespace gpulint
