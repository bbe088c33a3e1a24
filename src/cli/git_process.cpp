#include "cli/git_process.h"

#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace gpulint::cli {
namespace {

/// Settings of a repository that would start a program or change what is printed.
constexpr std::array<const char*, 15> kFixedArguments{"git",
                                                      "--no-pager",
                                                      "--literal-pathspecs",
                                                      "--no-optional-locks",
                                                      "-c",
                                                      "core.fsmonitor=false",
                                                      "-c",
                                                      "core.hooksPath=/dev/null",
                                                      "-c",
                                                      "core.quotePath=false",
                                                      "-c",
                                                      "color.ui=false",
                                                      "-c",
                                                      "protocol.allow=never",
                                                      "-C"};

constexpr std::array<const char*, 4> kEnvironment{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
                                                  "GIT_NO_LAZY_FETCH=1", "GIT_EXTERNAL_DIFF="};

constexpr std::size_t kMaxErrorBytes = 64 << 10;

Result<ChildProcess> start_git(const std::string& directory,
                               const std::vector<std::string>& arguments,
                               const ChildProcess::Pipes& pipes) {
  std::vector<std::string> words(kFixedArguments.begin(), kFixedArguments.end());
  words.push_back(directory);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return ChildProcess::start(words, {kEnvironment.begin(), kEnvironment.end()}, pipes);
}

}  // namespace

Result<GitOutput> run_git(const std::string& directory, const std::vector<std::string>& arguments,
                          std::size_t limit) {
  auto git = start_git(directory, arguments, {.out = true, .err = true});
  if (!git) return fail(git.error());
  GitOutput output;
  const bool complete = git->drain(output.out, limit, output.err, kMaxErrorBytes);
  if (!complete) git->kill();
  output.code = git->wait();
  output.err = trim(output.err);
  if (!complete) {
    return fail(Error{
        .message = fmt::format("git {} printed more than {}; name fewer files", arguments.front(),
                               format_binary(Bytes::of(static_cast<std::int64_t>(limit)))),
        .limit = true});
  }
  return output;
}

Result<void> GitBatch::start() {
  auto git = start_git(directory_, {"cat-file", "--batch"}, {.in = true, .out = true});
  if (!git) return fail(git.error());
  child_.emplace(std::move(*git));
  return {};
}

void GitBatch::stop() {
  child_.reset();
  buffered_.clear();
}

bool GitBatch::read_line(std::string& line) {
  std::size_t end = 0;
  while ((end = buffered_.find('\n')) == std::string::npos) {
    if (!child_->read(buffered_)) return false;
  }
  line = buffered_.substr(0, end);
  buffered_.erase(0, end + 1);
  return true;
}

bool GitBatch::read_exactly(std::size_t size, std::string& text) {
  while (buffered_.size() < size) {
    if (!child_->read(buffered_)) return false;
  }
  text = buffered_.substr(0, size);
  buffered_.erase(0, size);
  return true;
}

Result<std::string> GitBatch::blob(const std::string& object, std::size_t limit) {
  if (!child_) {
    if (auto started = start(); !started) return fail(started.error());
  }
  const std::string request = object + "\n";
  std::string header;
  if (!child_->write(request) || !read_line(header)) {
    stop();
    return fail("git stopped answering");
  }
  const std::vector<std::string_view> words = split(header, ' ');
  if (words.size() != 3 || words[1] != "blob") {
    return fail("its content is not in this clone; fetch it first");
  }
  std::size_t size = 0;
  for (const char c : words[2]) size = 10 * size + static_cast<std::size_t>(c - '0');
  if (size > limit) {
    stop();  // cheaper than reading what nobody wants
    return fail(
        Error{.message = fmt::format("is {}, and gpulint reads configs of at most {}; is this data "
                                     "rather than a config?",
                                     format_binary(Bytes::of(static_cast<std::int64_t>(size))),
                                     format_binary(Bytes::of(static_cast<std::int64_t>(limit)))),
              .limit = true});
  }
  std::string text;
  std::string line_end;
  if (!read_exactly(size, text) || !read_exactly(1, line_end)) {
    stop();
    return fail("git stopped answering");
  }
  return text;
}

}  // namespace gpulint::cli
