#include "fuzz/targets.h"
#include "fuzz/walk.h"
#include "source/plain_yaml.h"
#include "source/read.h"
#include "unit/source/same_tree.h"

void fuzz_yaml(const std::uint8_t* data, std::size_t size) {
  using namespace gpulint;                                      // NOLINT: one function
  std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are the input
  const Result<Document> document = read_yaml("x.yaml", text, 0);
  if (document) {
    walk(*document);
    const Result<Document> whole = read_whole_yaml("x.yaml", text, 0, {});
    demand(whole && testing::same_tree(*document, *whole));
  } else {
    demand(!document.error().message.empty());
  }
}
