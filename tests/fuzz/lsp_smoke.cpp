// Mutates conversations with the language server with a fixed random sequence: what a test run can
// afford of fuzzing it. The first argument is the number of rounds.

#include "fuzz/targets.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 13> kMessages{
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"workspace":{"configuration":true}},"initializationOptions":{"gpu":"a10g","gpus":2,"set":{"epochs":1}},"workspaceFolders":[{"uri":"file:///p"}]}})",
    R"({"jsonrpc":"2.0","method":"initialized","params":{}})",
    R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///p/a.yaml","version":1,"text":"defaults: [base, _self_]\nmodel: resnet50\nbatch_size: 8 # é\nlearning_rate: 1e-4\nx: ${batch_size}\n"}}})",
    R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///p/a.yaml","version":2},"contentChanges":[{"range":{"start":{"line":1,"character":7},"end":{"line":2,"character":3}},"text":"x\ny"},{"text":"batch_size: 4\nnum_workers: 0\n"}]}})",
    R"({"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///p/a.yaml"},"position":{"line":0,"character":3}}})",
    R"({"jsonrpc":"2.0","id":3,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"file:///p/a.yaml"},"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}},"context":{"diagnostics":[],"only":["quickfix","source"]}}})",
    R"({"jsonrpc":"2.0","id":4,"method":"textDocument/completion","params":{"textDocument":{"uri":"file:///p/a.yaml"},"position":{"line":1,"character":2}}})",
    R"({"jsonrpc":"2.0","id":5,"method":"textDocument/inlayHint","params":{"textDocument":{"uri":"file:///p/a.yaml"},"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}}}})",
    R"({"jsonrpc":"2.0","id":6,"method":"textDocument/definition","params":{"textDocument":{"uri":"file:///p/a.yaml"},"position":{"line":4,"character":6}}})",
    R"({"jsonrpc":"2.0","id":7,"method":"workspace/diagnostic","params":{"previousResultIds":[{"uri":"file:///p/a.yaml","value":"1"}]}})",
    R"({"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"file:///p/.gpulint.yaml","type":2}]}})",
    R"({"jsonrpc":"2.0","id":1,"result":[{"gpu":"h100-pcie"}]})",
    R"({"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///p/a.yaml"}}})"};

constexpr std::string_view kPieces = "{}[]:,\"\\ 0-19e.\xc3\xa9ntf#";

/// All messages, each of them changed in a few bytes with a chance of one in three, or left out, or
/// said twice.
std::string conversation(std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  std::string text;
  for (const std::string_view message : kMessages) {
    if (below(12) == 0) continue;
    std::string line(message);
    for (std::size_t edits = below(3) == 0 ? 1 + below(3) : 0; edits > 0; --edits) {
      const std::size_t at = below(line.size());
      if (below(2) == 0) line.erase(at, 1 + below(9));
      line.insert(std::min(at, line.size()), 1, kPieces[below(kPieces.size())]);
    }
    for (std::size_t times = 1 + (below(10) == 0 ? 1 : 0); times > 0; --times) text += line + "\n";
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 300;
  std::mt19937 random(20250101);  // NOLINT: the same inputs every time
  for (int round = 0; round < rounds; ++round) {
    const std::string text = conversation(random);
    fuzz_lsp(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());  // NOLINT
  }
  std::printf("%d conversations\n", rounds);
  return 0;
}
