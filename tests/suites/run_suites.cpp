// Runs the parsing suites of other projects against our readers:
//   suite_runner FOLDER     with FOLDER/json (JSONTestSuite, test_parsing) and FOLDER/yaml
//                           (yaml-test-suite, branch data)
// Prints counts and what differs; exit code 1 below the targets. Why a YAML difference is accepted
// stands in yaml_differences.md beside this file, which is read: a difference that it does not list
// fails the run, and so does one it lists that no longer exists.

#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace gpulint;  // NOLINT: a test program of one file

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_clean(const Document& document) {
  return std::none_of(
      document.problems().begin(), document.problems().end(),
      [](const Problem& problem) { return problem.kind == ProblemKind::not_strict_json; });
}

bool run_json(const fs::path& folder) {
  std::map<char, std::array<int, 3>> counts;  // first letter -> read, read with a note, refused
  std::vector<std::string> wrong;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().filename();
    const Result<Document> document = read_json(name, content(entry.path()), 0);
    const std::size_t outcome = !document ? 2 : is_clean(*document) ? 0 : 1;
    ++counts[name.front()][outcome];
    if ((name.front() == 'y' && outcome != 0) || (name.front() == 'n' && outcome == 0))
      wrong.push_back(name);
  }
  for (const auto& [letter, count] : counts) {
    fmt::print("json {}_: {} read, {} read as not strict JSON, {} refused\n", letter, count[0],
               count[1], count[2]);
  }
  std::sort(wrong.begin(), wrong.end());
  for (const std::string& name : wrong) fmt::print("json wrong: {}\n", name);
  constexpr int kAccepted = 95;  // y_ files of the suite, all to be read
  constexpr int kTolerated = 1;  // n_ files that may be read without a note
  return counts['y'][0] >= kAccepted && counts['n'][0] <= kTolerated;
}

/// Our tree in the suite's event notation, which writes a value's break as \n and so on.
class EventWriter {
 public:
  explicit EventWriter(const Document& document) : document_(document) {}

  std::string run() {
    out_ = "+STR\n";
    for (const NodeId root : document_.roots()) {
      out_ += "+DOC\n";
      node(root);
      out_ += "-DOC\n";
    }
    return out_ + "-STR\n";
  }

 private:
  void node(NodeId id) {
    const Node& node = document_.node(id);
    const std::string_view written =
        document_.text().substr(node.begin, std::size_t{node.end} - node.begin);
    if (node.kind == NodeKind::alias) {
      out_ += fmt::format("=ALI {}\n", written);
    } else if (node.kind == NodeKind::scalar) {
      scalar(id);
    } else {
      const bool mapping = node.kind == NodeKind::mapping;
      out_ += fmt::format("+{}{}\n", mapping ? "MAP" : "SEQ", properties(id));
      for (NodeId child = node.first_child; child != kNoNode;
           child = document_.node(child).next_sibling) {
        if (mapping) this->node(document_.node(child).key);
        this->node(child);
      }
      out_ += mapping ? "-MAP\n" : "-SEQ\n";
    }
  }

  void scalar(NodeId id) {
    constexpr std::string_view kStyles = ":'\"|>";
    const char style = kStyles[static_cast<std::size_t>(document_.node(id).quoting)];
    out_ += fmt::format("=VAL{} {}", properties(id), style);
    for (const char c : document_.scalar(id)) {
      switch (c) {
        case '\n':
          out_ += "\\n";
          break;
        case '\t':
          out_ += "\\t";
          break;
        case '\r':
          out_ += "\\r";
          break;
        case '\b':
          out_ += "\\b";
          break;
        case '\\':
          out_ += "\\\\";
          break;
        default:
          out_ += c;
      }
    }
    out_ += '\n';
  }

  std::string properties(NodeId id) const {
    std::string result;
    if (!document_.anchor(id).empty()) result += fmt::format(" &{}", document_.anchor(id));
    if (!document_.tag(id).empty()) result += fmt::format(" <{}>", document_.tag(id));
    return result;
  }

  const Document& document_;
  std::string out_;
};

/// The suite's events without what a tree does not keep: flow style and explicit document marks.
std::string normalised(const std::string& events) {
  std::istringstream lines(events);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view mark : {"+MAP {}", "+SEQ []", "+DOC ---", "-DOC ..."}) {
      if (line.starts_with(mark)) line.erase(4, mark.size() - 4);
    }
    result += line + '\n';
  }
  return result;
}

/// The case names in the first column of the table in yaml_differences.md.
std::set<std::string> known_differences(const fs::path& table) {
  std::set<std::string> names;
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    names.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

bool run_yaml(const fs::path& folder, bool verbose) {
  std::vector<fs::path> inputs;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.path().filename() == "in.yaml" && path.find("/name/") == std::string::npos &&
        path.find("/tags/") == std::string::npos) {
      inputs.push_back(entry.path());
    }
  }
  std::sort(inputs.begin(), inputs.end());
  int refused_valid = 0;
  int refused_invalid = 0;
  int accepted_invalid = 0;
  int equal = 0;
  std::set<std::string> different;
  for (const fs::path& input : inputs) {
    const fs::path place = input.parent_path();
    const std::string name = fs::relative(place, folder).generic_string();
    const bool invalid = fs::exists(place / "error");
    const Result<Document> document = read_yaml(name, content(input), 0);
    if (!document) {
      ++(invalid ? refused_invalid : refused_valid);
      if (verbose && !invalid)
        fmt::print("yaml refused: {} {}\n", name, document.error().to_string());
      continue;
    }
    if (invalid) {
      ++accepted_invalid;
      continue;
    }
    const std::string ours = EventWriter(*document).run();
    const std::string theirs = normalised(content(place / "test.event"));
    if (ours == theirs) {
      ++equal;
      continue;
    }
    different.insert(name);
    if (verbose) fmt::print("yaml differs: {}\n--- ours\n{}--- suite\n{}", name, ours, theirs);
  }
  const int accepted_valid = equal + static_cast<int>(different.size());
  fmt::print("yaml: {} cases; valid: {} read, {} refused; invalid: {} refused, {} read\n",
             inputs.size(), accepted_valid, refused_valid, refused_invalid, accepted_invalid);
  fmt::print("yaml: {} of {} trees agree with the suite's events ({:.1f} %)\n", equal,
             accepted_valid, 100.0 * equal / std::max(accepted_valid, 1));
  const std::set<std::string> known =
      known_differences(fs::path(GPULINT_SOURCE_DIR) / "tests/suites/yaml_differences.md");
  for (const std::string& name : different) {
    if (!known.contains(name)) fmt::print("yaml difference without a reason: {}\n", name);
  }
  for (const std::string& name : known) {
    if (!different.contains(name)) fmt::print("yaml difference that is none any more: {}\n", name);
  }
  constexpr int kTargetPercent = 98;
  return known == different && equal * 100 >= kTargetPercent * accepted_valid;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "usage: suite_runner FOLDER [--verbose]\n");
    return 2;
  }
  const fs::path folder = arguments[1];
  const bool json = run_json(folder / "json");
  const bool yaml = run_yaml(folder / "yaml", count > 2);
  return json && yaml ? 0 : 1;
}
