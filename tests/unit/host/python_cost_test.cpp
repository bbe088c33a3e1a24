#include "host/python_cost.h"

#include "unit/host/kernel_tree.h"

#include <filesystem>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

std::string program(const KernelTree& tree, const std::string& path) {
  tree.file(path, "#!/bin/sh\nexit 0\n");
  const std::string whole = std::filesystem::canonical(tree.root()).string() + "/" + path;
  std::filesystem::permissions(whole, std::filesystem::perms::owner_all);
  return whole;
}

HostReport python_report(const std::string& python) {
  HostReport report;
  run_part({"python", std::chrono::seconds(30),
            [&](const PartWriter& writer) { measure_python(python, "there is none", writer); }},
           report);
  return report;
}

}  // namespace

TEST_CASE("a python is looked for in the environment, then on the path") {
  const KernelTree tree;
  const std::string on_path = program(tree, "usr/bin/python3");
  const std::string folder = on_path.substr(0, on_path.rfind('/'));
  CHECK(find_python("", "", folder, "").path == on_path);
  CHECK(find_python("", "", "bin:.:" + folder, "").path == on_path);
  const std::string of_environment = program(tree, "venv/bin/python");
  CHECK(find_python("", tree.root() + "/venv", folder, "").path ==
        tree.root() + "/venv/bin/python");
  CHECK(find_python("", "", "", "").why == "no python3 was found, name one with --python");
}

TEST_CASE("a python inside the linted folder is started only where it was named") {
  const KernelTree tree;
  const std::string inside = program(tree, "repo/.venv/bin/python3");
  const std::string repo = inside.substr(0, inside.find("/.venv"));
  const PythonChoice choice = find_python("", "", repo + "/.venv/bin", repo);
  CHECK(choice.path.empty());
  CHECK(choice.why ==
        inside + " lies inside the linted folder and is not started; name it with --python");
  CHECK(find_python(inside, "", "", repo).path == inside);
}

TEST_CASE("without a python its figures are missing with the reason") {
  CHECK(python_report("").not_measured == std::vector<std::string>{"python: there is none"});
}

TEST_CASE("a program that prints nothing is no python with figures") {
  const KernelTree tree;
  const HostReport report = python_report(program(tree, "python3"));
  CHECK(find_figure(report, FigureKind::python_start) != nullptr);
  CHECK(find_figure(report, FigureKind::python_fork) == nullptr);
}

TEST_CASE("lines that are no times are refused") {
  const PartWriter nobody(-1);
  for (const char* line : {"", "fork", "fork x", "fork 1 -2", "fork nan", "fork 1e9", "torch",
                           "other 1", "no_torch"}) {
    CAPTURE(line);
    CHECK_FALSE(read_python_line(line, nobody));
  }
  CHECK(read_python_line("fork 0.001 0.002", nobody));
  CHECK(read_python_line("torch 2.5", nobody));
  CHECK(read_python_line("no_torch ModuleNotFoundError", nobody));
}
