// Runs tests/scenarios/*.txt against the built program.
//
//   run_scenarios GPULINT FOLDER [--update] [NAME...]
//
// A scenario is one text file. Lines before the first section say what it shows.
//   --- file PATH     text of a file in an empty folder of its own
//   --- setup         shell commands run there first (links, pipes, large files)
//   --- needs user    left out, visibly, when run as root
//   --- run           a shell command; `gpulint` is the program under test
//   --- exit N        its exit code
//   --- stdout        what it prints, exactly; a missing section means nothing
//   --- stderr
//   --- stdout has    lines of which each must occur somewhere in it (never rewritten)
//   --- stderr has
// Several runs may follow each other. `--update` rewrites exit, stdout and stderr; read the diff.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr unsigned kTimeoutSeconds = 60;

struct Section {
  std::string title;  // "" = the words before the first section
  std::string body;
};

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

bool is_title(std::string_view line) {
  if (!line.starts_with("--- ")) return false;
  line.remove_prefix(4);
  const std::string_view word = line.substr(0, line.find(' '));
  constexpr std::string_view kTitles[] = {"file", "setup",  "needs", "run",
                                          "exit", "stdout", "stderr"};
  return std::find(std::begin(kTitles), std::end(kTitles), word) != std::end(kTitles);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const fs::path& path, std::string_view text) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<Section> parse(const std::string& text) {
  std::vector<Section> sections{{}};
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (is_title(line)) {
      sections.push_back({line.substr(4), ""});
    } else {
      sections.back().body += line + "\n";
    }
  }
  return sections;
}

std::string print(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) {
    if (!section.title.empty()) text += "--- " + section.title + "\n";
    text += section.body;
  }
  return text;
}

Outcome run_shell(const std::string& command, const fs::path& folder, const fs::path& captures) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kTimeoutSeconds);
    const int out = open((captures / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = open((captures / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int in = open("/dev/null", O_RDONLY);
    if (chdir(folder.c_str()) != 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) {
      _exit(126);
    }
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          read_file(captures / "out"), read_file(captures / "err")};
}

class Scenario {
 public:
  Scenario(fs::path path, bool update) : path_(std::move(path)), update_(update) {
    sections_ = parse(read_file(path_));
    char pattern[] = "/tmp/gpulint-scenario-XXXXXX";
    folder_ = mkdtemp(pattern);
    fs::create_directories(folder_ / "work");
  }
  ~Scenario() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Scenario(const Scenario&) = delete;

  bool run() {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const std::string title = sections_[i].title;
      if (title.starts_with("file ")) {
        write_file(folder_ / "work" / title.substr(5), sections_[i].body);
      } else if (title == "needs user" && geteuid() == 0) {
        std::printf("%s: left out: needs a user who is not root\n", path_.stem().c_str());
        return true;
      } else if (title == "setup") {
        const Outcome setup = run_shell(sections_[i].body, folder_ / "work", folder_);
        if (setup.code != 0) return fail("setup", "exit 0", setup.err);
      } else if (title == "run") {
        i = check_run(i);
      }
    }
    if (update_) write_file(path_, print(sections_));
    return passed_;
  }

 private:
  /// Compares one run with the sections after it; returns the last of them.
  std::size_t check_run(std::size_t at) {
    const Outcome outcome = run_shell(sections_[at].body, folder_ / "work", folder_);
    std::size_t end = at + 1;
    while (end < sections_.size() && is_expectation(sections_[end].title)) ++end;
    if (update_) return rewrite(at, end, outcome);
    std::string code, out, err;
    bool some_out = false;
    bool some_err = false;
    for (std::size_t i = at + 1; i < end; ++i) {
      const Section& section = sections_[i];
      if (section.title.starts_with("exit ")) code = section.title.substr(5);
      if (section.title == "stdout") out = section.body;
      if (section.title == "stderr") err = section.body;
      if (section.title == "stdout has") some_out = contains_all(outcome.out, section.body);
      if (section.title == "stderr has") some_err = contains_all(outcome.err, section.body);
    }
    if (code != std::to_string(outcome.code)) {
      fail(sections_[at].body + "exit code", code,
           std::to_string(outcome.code) + "\n" + outcome.err);
    }
    if (!some_out && out != outcome.out) fail(sections_[at].body + "stdout", out, outcome.out);
    if (!some_err && err != outcome.err) fail(sections_[at].body + "stderr", err, outcome.err);
    return end - 1;
  }

  static bool is_expectation(std::string_view title) {
    return title.starts_with("exit") || title.starts_with("std");
  }

  bool contains_all(const std::string& text, const std::string& lines) {
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
      if (text.find(line) == std::string::npos) fail("a part of the output", line, text);
    }
    return true;
  }

  std::size_t rewrite(std::size_t at, std::size_t end, const Outcome& outcome) {
    std::vector<Section> now{{"exit " + std::to_string(outcome.code), ""}};
    const auto partly = [&](const std::string& title) {
      for (std::size_t i = at + 1; i < end; ++i) {
        if (sections_[i].title == title) {
          now.push_back(sections_[i]);
          return true;
        }
      }
      return false;
    };
    if (!partly("stdout has") && !outcome.out.empty()) now.push_back({"stdout", outcome.out});
    if (!partly("stderr has") && !outcome.err.empty()) now.push_back({"stderr", outcome.err});
    const auto first = sections_.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    sections_.erase(first, sections_.begin() + static_cast<std::ptrdiff_t>(end));
    sections_.insert(sections_.begin() + static_cast<std::ptrdiff_t>(at) + 1, now.begin(),
                     now.end());
    return at + now.size();
  }

  bool fail(const std::string& what, const std::string& expected, const std::string& actual) {
    std::printf("%s: %s\n--- expected\n%s\n--- found\n%s\n", path_.stem().c_str(), what.c_str(),
                expected.c_str(), actual.c_str());
    passed_ = false;
    return false;
  }

  fs::path path_;
  bool update_ = false;
  bool passed_ = true;
  fs::path folder_;
  std::vector<Section> sections_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: run_scenarios GPULINT FOLDER [--update] [NAME...]\n", stderr);
    return 2;
  }
  const std::string path =
      fs::canonical(argv[1]).parent_path().string() + ":" + std::getenv("PATH");
  setenv("PATH", path.c_str(), 1);
  for (const char* name : {"NO_COLOR", "TERM", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY",
                           "GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
    unsetenv(name);
  bool update = false;
  std::vector<std::string> names;
  for (int i = 3; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--update") {
      update = true;
    } else {
      names.emplace_back(argv[i]);
    }
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(argv[2])) {
    const fs::path& file = entry.path();
    const bool wanted =
        names.empty() || std::count(names.begin(), names.end(), file.stem().string());
    if (file.extension() == ".txt" && wanted) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  int failed = 0;
  for (const fs::path& file : files) failed += Scenario(file, update).run() ? 0 : 1;
  std::printf("%zu scenarios, %d failed\n", files.size(), failed);
  return failed == 0 && !files.empty() ? 0 : 1;
}
