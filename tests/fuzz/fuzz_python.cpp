#include "fuzz/targets.h"
#include "fuzz/walk.h"
#include "source/read.h"

void fuzz_python(const std::uint8_t* data, std::size_t size) {
  using namespace gpulint;                                      // NOLINT: one function
  std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are the input
  const Result<Document> document = read_document("x.py", std::move(text), 0);
  if (document) {
    walk(*document);
  } else {
    demand(!document.error().message.empty());
  }
}
