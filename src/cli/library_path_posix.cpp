#include "cli/library_path.h"

#include "base/platform.h"
#include "cli/output.h"
#include "host/library.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <vector>

namespace gpulint::cli {
namespace {

/// The words of the command line as the kernel keeps them.
std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    words.emplace_back(text.c_str() + at);
    at += words.back().size() + 1;
  }
  return words;
}

}  // namespace

void leave_out_unsafe_entries(const std::string& linted_folder) {
  const char* path = std::getenv("LD_LIBRARY_PATH");
  if (path == nullptr || runs_elevated()) return;
  const auto unsafe = probe::unsafe_library_path(path, linted_folder);
  std::vector<std::string> words = own_words();
  if (!unsafe || words.empty()) return;
  const std::string kept = probe::safe_library_path(path, linted_folder);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (setenv("LD_LIBRARY_PATH", kept.c_str(), 1) != 0) return;
  print_note(*unsafe + "; it is left out");
  execv("/proc/self/exe", arguments.data());
}

}  // namespace gpulint::cli
