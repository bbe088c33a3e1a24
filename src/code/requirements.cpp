// A package is looked for by name, so no format has to be parsed whole: in a requirements file, in
// pyproject.toml, setup.py or a Dockerfile the name is followed by its comparisons, in a lock file
// by a line with the version. What is written in no known way is no statement.

#include "code/requirements.h"

#include "base/text.h"
#include "source/data_files.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gpulint {
namespace {

constexpr std::size_t kMostRequirementBytes = std::size_t{4} << 20;
constexpr std::size_t kMostRequirementFiles = 32;  // of a folder

constexpr std::array<std::string_view, 3> kLocks = {"poetry.lock", "uv.lock", "pdm.lock"};
constexpr std::array<std::string_view, 3> kProjects = {"pyproject.toml", "setup.py", "setup.cfg"};

bool is_lock_file(std::string_view name) {
  return std::find(kLocks.begin(), kLocks.end(), name) != kLocks.end();
}

/// Every line of such a file names one package, alone or with its comparisons.
bool is_list_file(std::string_view name) {
  const bool says_so = name.find("requirement") != std::string_view::npos ||
                       name.find("constraints") != std::string_view::npos;
  return (extension(name) == "txt" && says_so) ||
         (is_yaml_file_name(name) &&
          (name.starts_with("environment") || name.starts_with("conda")));
}

bool states_requirements(std::string_view name) {
  return is_list_file(name) || is_lock_file(name) || name.starts_with("Dockerfile") ||
         std::find(kProjects.begin(), kProjects.end(), name) != kProjects.end();
}

char folded(char c) {
  if (c == '_' || c == '.') return '-';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

bool is_at(std::string_view line, std::size_t at, std::string_view package) {
  if (at + package.size() > line.size()) return false;
  for (std::size_t i = 0; i < package.size(); ++i) {
    if (folded(line[at + i]) != folded(package[i])) return false;
  }
  const std::size_t end = at + package.size();
  const bool begins = at == 0 || (!is_name_char(line[at - 1]) && line[at - 1] != '/');
  const std::string_view behind = line.substr(end);
  return begins && (behind.empty() || !is_name_char(behind[0]) || behind.starts_with(".git"));
}

std::string_view without_space(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

constexpr std::string_view kComparing = "=<>!~^";

/// The comparisons at the beginning of `rest`, which is cut behind them.
std::vector<std::string> terms_at(std::string_view& rest) {
  std::vector<std::string> terms;
  while (true) {
    rest = without_space(rest);
    if (rest.starts_with(',') && !terms.empty()) rest = without_space(rest.substr(1));
    std::size_t end = rest.find_first_not_of(kComparing);
    if (end == 0 || end == std::string_view::npos) return terms;
    std::string term(rest.substr(0, end));
    rest = without_space(rest.substr(end));
    end = 0;
    while (end < rest.size() && (is_name_char(rest[end]) || rest[end] == '*' || rest[end] == '+'))
      ++end;
    if (end == 0 || std::isdigit(static_cast<unsigned char>(rest[0])) == 0) return terms;
    if (term == "=") term = "==";
    if (term == "===") term = "==";
    terms.push_back(term + std::string(rest.substr(0, end)));
    rest = rest.substr(end);
  }
}

/// `transformers = "^4.40"`, `transformers = {version = ">=4.40", extras = [...]}`.
std::string_view quoted_after_equals(std::string_view rest) {
  rest = without_space(rest);
  if (!rest.starts_with('=') || rest.starts_with("==")) return {};
  rest = without_space(rest.substr(1));
  if (rest.starts_with('{')) {
    const std::size_t version = rest.find("version");
    if (version == std::string_view::npos) return {};
    rest = rest.substr(version);
    rest = without_space(rest.substr(std::min(rest.find('=') + 1, rest.size())));
  }
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return {};
  const std::size_t end = rest.find(rest.front(), 1);
  return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
}

void read_statement(const RequirementFile& file, std::string_view line, std::size_t at,
                    std::size_t length, std::vector<Requirement>& found) {
  Requirement requirement;
  requirement.file = file.path;
  std::string_view rest = without_space(line.substr(at + length));
  if (rest.starts_with('[')) rest = rest.substr(std::min(rest.find(']') + 1, rest.size()));
  rest = without_space(rest);
  const std::string_view before = line.substr(0, at);
  requirement.is_elsewhere = rest.starts_with('@') || line.find("git+") != std::string_view::npos ||
                             line.find("git =") != std::string_view::npos ||
                             line.find("path =") != std::string_view::npos ||
                             before.find("egg=") != std::string_view::npos;
  std::string_view behind = rest;
  if (const std::string_view quoted = quoted_after_equals(rest); !quoted.empty()) {
    std::string_view terms = quoted;
    requirement.terms = terms_at(terms);
    if (requirement.terms.empty() && std::isdigit(static_cast<unsigned char>(quoted[0])) != 0) {
      requirement.terms.push_back("^" + std::string(quoted));
    }
    behind = {};
  } else {
    requirement.terms = terms_at(behind);
  }
  const bool is_alone = without_space(before).empty() || without_space(before) == "- ";
  const bool is_list = is_list_file(file_name(file.path));
  if (requirement.terms.empty() && !requirement.is_elsewhere && !(is_list && is_alone)) return;
  const std::size_t written = behind.empty() ? line.size() : line.size() - behind.size() - at;
  std::string_view text = line.substr(at, written);
  while (!text.empty() && (text.back() == ' ' || text.back() == ',')) text.remove_suffix(1);
  requirement.text = std::string(text);
  found.push_back(std::move(requirement));
}

void read_lock(const RequirementFile& file, std::string_view package,
               std::vector<Requirement>& found) {
  bool is_named = false;
  for (const std::string_view line : split(file.text, '\n')) {
    if (line.starts_with("[[")) is_named = false;
    if (line.starts_with("name = ")) {
      is_named = line.size() > 8 && is_at(line, 8, package);
    } else if (is_named && line.starts_with("version = \"")) {
      const std::string_view rest = line.substr(11);
      const std::string version(rest.substr(0, rest.find('"')));
      found.push_back({file.path, std::string(package) + " " + version, {"==" + version}, true});
      is_named = false;
    }
  }
}

/// A package that lies in the repository as a submodule is what its authors made of it, whatever a
/// lock file says.
void read_submodules(const RequirementFile& file, std::string_view package,
                     std::vector<Requirement>& found) {
  for (const std::string_view folder : submodule_folders(file.text)) {
    const std::string_view name = file_name(folder);
    if (name.size() != package.size() || !is_at(name, 0, package)) continue;
    found.push_back({file.path, "submodule " + std::string(name), {}, false, true});
  }
}

/// The leading numbers of a release: "2.0.9.post0" is 2, 0, 9.
std::vector<long> numbers_of(std::string_view release) {
  std::vector<long> numbers;
  for (const std::string_view part : split(release, '.')) {
    std::size_t digits = 0;
    long number = 0;
    while (digits < part.size() && digits < 9 && part[digits] >= '0' && part[digits] <= '9') {
      number = number * 10 + (part[digits++] - '0');
    }
    if (digits == 0) break;
    numbers.push_back(number);
    if (digits < part.size()) break;
  }
  return numbers;
}

bool begins_with(std::string_view release, std::vector<long> head, std::size_t count) {
  std::vector<long> numbers = numbers_of(release);
  numbers.resize(std::max(numbers.size(), count));
  head.resize(std::max(head.size(), count));
  return std::equal(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(count),
                    numbers.begin());
}

}  // namespace

std::vector<RequirementFile> requirement_files(const FileReader& reader,
                                               const std::string& folder) {
  std::vector<RequirementFile> files;
  const auto add = [&](const std::string& below, bool any_text) {
    const auto entries = reader.list(below);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      const bool wanted =
          states_requirements(entry.name) || (any_text && entry.name.ends_with(".txt"));
      if (!wanted || files.size() >= kMostRequirementFiles) continue;
      const std::string path = below == "." ? entry.name : below + "/" + entry.name;
      auto text = reader.read(path, kMostRequirementBytes);
      if (text) files.push_back({path, std::move(*text), is_lock_file(entry.name)});
    }
  };
  const std::string name(kSubmodules);
  const std::string submodules = folder == "." ? name : folder + "/" + name;
  if (auto text = reader.read(submodules, kMostRequirementBytes))
    files.push_back({submodules, std::move(*text), false, true});
  add(folder, false);
  add(folder == "." ? "requirements" : folder + "/requirements", true);
  return files;
}

std::vector<std::string_view> submodule_folders(std::string_view text) {
  std::vector<std::string_view> folders;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos || trim(line.substr(0, equals)) != "path") continue;
    folders.push_back(trim(line.substr(equals + 1)));
  }
  return folders;
}

std::vector<Requirement> requirements_of(const std::vector<RequirementFile>& files,
                                         std::string_view package) {
  std::vector<Requirement> locked;
  std::vector<Requirement> found;
  for (const RequirementFile& file : files) {
    if (file.lists_submodules) {
      read_submodules(file, package, found);
      if (!found.empty()) return found;
      continue;
    }
    if (file.is_lock) {
      read_lock(file, package, locked);
      continue;
    }
    for (std::string_view line : split(file.text, '\n')) {
      line = line.substr(0, std::min(line.find('#'), line.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      const bool from_repository = line.find("git+") != std::string_view::npos;
      for (std::size_t at = 0; at + package.size() <= line.size(); ++at) {
        const bool in_url =
            from_repository && at > 0 && line[at - 1] == '/' && is_at(line.substr(at), 0, package);
        if (!in_url && !is_at(line, at, package)) continue;
        read_statement(file, line, at, package.size(), found);
        break;
      }
    }
  }
  return locked.empty() ? found : locked;
}

int compare_releases(std::string_view a, std::string_view b) {
  std::vector<long> left = numbers_of(a);
  std::vector<long> right = numbers_of(b);
  const std::size_t count = std::max(left.size(), right.size());
  left.resize(count);
  right.resize(count);
  if (left == right) return 0;
  return left < right ? -1 : 1;
}

bool meets(std::string_view release, std::string_view term) {
  const std::size_t length = term.find_first_not_of(kComparing);
  if (length == std::string_view::npos) return true;
  const std::string_view sign = term.substr(0, length);
  const std::string_view wanted = term.substr(length);
  const std::vector<long> numbers = numbers_of(wanted);
  const int order = compare_releases(release, wanted);
  if (sign == "==" || sign == "!=") {
    const bool equal =
        wanted.ends_with('*') ? begins_with(release, numbers, numbers.size()) : order == 0;
    return equal == (sign == "==");
  }
  if (sign == ">=") return order >= 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">") return order > 0;
  if (sign == "<") return order < 0;
  if (sign == "~=" || sign == "~") {
    const std::size_t fixed = numbers.size() < 2 ? numbers.size() : numbers.size() - 1;
    return order >= 0 && begins_with(release, numbers, fixed);
  }
  if (sign == "^") {  // up to the first number that is not zero stays
    const auto first = std::find_if(numbers.begin(), numbers.end(), [](long n) { return n != 0; });
    const auto fixed = static_cast<std::size_t>(first - numbers.begin()) + 1;
    return order >= 0 && begins_with(release, numbers, std::min(fixed, numbers.size()));
  }
  return true;
}

bool excludes_from(const Requirement& requirement, std::string_view least) {
  return std::any_of(requirement.terms.begin(), requirement.terms.end(), [&](std::string_view term) {
    const std::size_t length = std::min(term.find_first_not_of(kComparing), term.size());
    const std::string_view sign = term.substr(0, length);
    const std::string_view wanted = term.substr(length);
    const bool is_older = compare_releases(wanted, least) < 0;
    if (sign == "<") return is_older || compare_releases(wanted, least) == 0;
    if (sign == "<=") return is_older;
    // Of `==1.8.*`, `~=1.8.0` or `^1.8`, `least` itself may be one.
    const bool names_some = sign == "==" || sign == "===" || sign.starts_with('~') || sign == "^";
    return names_some && is_older && !meets(least, term);
  });
}

}  // namespace gpulint
