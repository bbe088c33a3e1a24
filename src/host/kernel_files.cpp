#include "host/kernel_files.h"

#include "base/text.h"

#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint::probe {

std::optional<std::string> read_kernel_file(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat status {};
  std::string text;
  bool good = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  char chunk[4096];
  while (good && text.size() < kMost) {
    const ssize_t got = read(file, chunk, sizeof chunk);
    if (got == 0) break;
    good = got > 0;
    if (good) text.append(chunk, static_cast<std::size_t>(got));
  }
  close(file);
  if (!good) return std::nullopt;
  return text;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const std::string_view digits = trim(text);
  std::int64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  if (digits.empty() || error != std::errc{} || end != last || value < 0) return std::nullopt;
  return value;
}

std::optional<std::string> value_on_line(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(key)) return std::string(trim(line.substr(key.size())));
  }
  return std::nullopt;
}

}  // namespace gpulint::probe
