#pragma once

// A repository made with the real git, and the built program run in it.

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gpulint_test {

namespace fs = std::filesystem;
using nlohmann::json;

inline std::string program;  // absolute path, set by main

/// A repository in a folder of its own, gone with the test.
class Repository {
 public:
  Repository() {
    std::string name = (fs::temp_directory_path() / "gpulint_git_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    run("git init -q -b main . && git config user.email test@example.org && "
        "git config user.name test && git config commit.gpgsign false");
  }
  ~Repository() { fs::remove_all(folder_); }
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }
  void commit() const { run("git add -A && git commit -q -m change"); }
  void run(const std::string& command) const { REQUIRE(shell(command).first == 0); }

  /// Exit code and standard output.
  std::pair<int, std::string> shell(const std::string& command) const {
    const std::string whole = "cd '" + folder_.string() + "' && { " + command + "; } > out.tmp";
    const int status = std::system(whole.c_str());
    std::ifstream in(folder_ / "out.tmp", std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    fs::remove(folder_ / "out.tmp");
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str()};
  }
  std::pair<int, std::string> gpulint(const std::string& arguments) const {
    return shell("'" + program + "' " + arguments);
  }
  json diff(const std::string& arguments) const {
    return json::parse(gpulint("diff " + arguments + " --output json").second);
  }
  json last_commit() const { return diff("HEAD~1..HEAD"); }

 private:
  fs::path folder_;
};

/// main of a test that is called with the path of the program.
inline int run_tests_of(int argc, char** argv) {
  if (argc < 2) return 2;
  program = fs::absolute(argv[1]).string();
  doctest::Context context;
  context.applyCommandLine(argc - 1, argv + 1);
  return context.run();
}

}  // namespace gpulint_test
