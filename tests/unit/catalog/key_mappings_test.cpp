#include "catalog/key_mappings.h"

#include "base/key_hash.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace gpulint;  // NOLINT: tests

namespace {

KeyNames names_of(const std::vector<std::string_view>& keys) {
  KeyNames names;
  for (const std::string_view key : keys) names.add(component_hash(key));
  return names;
}

std::vector<std::string> visited(const KeyMappings& keys, const KeyNames& names) {
  std::vector<std::string> paths;
  keys.for_each_in(names, [&](const KeyMapping& key) { paths.push_back(key.path); });
  return paths;
}

}  // namespace

TEST_CASE("of stored keys only those are read that a document with these names can state") {
  const KeyMappings parsed{{"optim.lr", "learning_rate"},
                           {"batch_size", "per_device_batch_size"},
                           {"models.*.lr", "learning_rate"},
                           {"/epochs", "epochs"}};
  const std::string bytes = parsed.store();
  const KeyMappings stored = KeyMappings::stored(bytes);
  using Paths = std::vector<std::string>;
  CHECK(visited(stored, names_of({})) == Paths{"models.*.lr"});
  CHECK(visited(stored, names_of({"LR"})) == Paths{"optim.lr", "models.*.lr"});
  CHECK(visited(stored, names_of({"batch-size", "epochs"})) ==
        Paths{"batch_size", "models.*.lr", "/epochs"});
  KeyNames any;
  any.add_all();
  CHECK(visited(stored, any).size() == 4);
  CHECK(visited(parsed, names_of({})).size() == 4);
}

TEST_CASE("stored keys are the keys that were parsed") {
  KeyMapping bare{"bs", "per_device_batch_size", "share", {{"all", "1"}}, "map", 2, true};
  const KeyMappings parsed{{"optim.lr", "learning_rate"}, bare};
  const std::string bytes = parsed.store();
  const KeyMappings stored = KeyMappings::stored(bytes);
  REQUIRE(stored.all().size() == 2);
  const KeyMapping& last = stored.all().back();
  CHECK(last.path == bare.path);
  CHECK(last.fact == bare.fact);
  CHECK(last.transform == bare.transform);
  REQUIRE(last.values.size() == 1);
  CHECK(last.values[0].canonical == "1");
  CHECK(last.value_map == bare.value_map);
  CHECK(last.priority == bare.priority);
  CHECK(last.anywhere);
  CHECK(stored.has_bare_keys());
  CHECK_FALSE(KeyMappings{{"optim.lr", "learning_rate"}}.has_bare_keys());
}
