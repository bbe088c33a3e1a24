#include "fuzz/targets.h"
#include "fuzz/walk.h"
#include "lsp/server.h"
#include "unit/lint/memory_reader.h"

// Lines of the input are the bodies of messages to one server; the input as a whole is also read as
// a stream of framed ones. Every request must be answered once, with a result or an error.
void fuzz_lsp(const std::uint8_t* data, std::size_t size) {
  using namespace gpulint;                                                  // NOLINT: one function
  using namespace gpulint::lsp;                                             // NOLINT
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);  // NOLINT
  FrameReader frames(1 << 16);
  frames.feed(bytes);
  while (auto frame = frames.next()) {
    const auto message = read_message(*frame);
    if (const Json* refusal = std::get_if<Json>(&message)) demand(refusal->contains("error"));
  }
  const MemoryReader disk(MemoryReader::Files{{"/p/base.yaml", "num_workers: 4\n"},
                                              {"/p/.gpulint.yaml", "gpu: a10g\n"}});
  Server server(disk, {});
  for (const std::string_view line : split(bytes, '\n')) {
    const auto read = read_message({.body = std::string(line)});
    const Message* message = std::get_if<Message>(&read);
    if (message == nullptr) continue;
    int answers = 0;
    for (const Json& out : server.handle(*message)) {
      demand(!framed(out).empty());
      if (!out.contains("method") && out["id"] == message->id) ++answers;
    }
    if (message->kind == Message::Kind::request) demand(answers == 1);
    while (server.has_work()) server.work();
  }
}
