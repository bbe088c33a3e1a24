#include "fuzz/targets.h"
#include "fuzz/walk.h"
#include "shell/script.h"

void fuzz_shell(const std::uint8_t* data, std::size_t size) {
  using namespace gpulint;                                            // NOLINT: one function
  const std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are the input
  const ShellScript script = read_shell({"x.sh", text});
  demand(!script.readings.empty());
  for (const ShellReading& reading : script.readings) {
    for (const ShellCommand& command : reading.commands) {
      demand(command.place.begin <= size);
      for (const ShellText& word : command.words) demand(word.bytes.size() == word.origins.size());
    }
  }
  for (const ShellDirective& directive : shell_directives(text))
    demand(directive.place.end <= size);
  for (const Comment& comment : shell_comments(text)) demand(comment.end <= size);
}
