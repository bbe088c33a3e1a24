#include "fuzz/targets.h"
#include "fuzz/walk.h"
#include "source/toml_reader.h"

void fuzz_toml(const std::uint8_t* data, std::size_t size) {
  using namespace gpulint;                                      // NOLINT: one function
  std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are the input
  const Result<Document> document = read_toml("x.toml", std::move(text), 0);
  if (document) {
    walk(*document);
  } else {
    demand(!document.error().message.empty());
  }
}
