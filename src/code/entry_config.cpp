#include "base/text.h"
#include "code/read_code.h"
#include "code/script_choice.h"
#include "python/interpreter.h"
#include "source/data_files.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {
namespace {

using python::Interpreter;
using python::Kind;
using python::Value;

/// Sees what a program's decorator is given, and nothing of the modules it imports.
class EntryReader final : public python::Host {
 public:
  EntryReader(CodeBase& code, const python::Module& program) : code_(code), program_(program) {}

  EntryConfig read() {
    Interpreter(*this, {}).run(program_, true);
    const std::string named = normalize_path(join_path(parent_path(program_.path), found_.path));
    if (found_.name.empty() && code_.is_file(named)) found_.name = file_name(named);
    found_.path = entry_folder(code_, program_, found_.path, path_);
    return std::move(found_);
  }

  const python::Module* module(const std::string&) override { return nullptr; }
  bool is_folder(const std::string&) override { return false; }
  python::Behaviour behaviour(std::string_view name) override {
    return code_.consumers().behaviour(name);
  }
  std::optional<Value> load(Interpreter&, const Value&, std::string_view) override {
    return std::nullopt;
  }
  std::optional<Value> entry_config(Interpreter& in,
                                    std::span<const python::Argument> arguments) override {
    constexpr std::array<std::string_view, 2> kByPosition = {"config_path", "config_name"};
    for (std::size_t at = 0; at < arguments.size(); ++at) {
      const python::Argument& each = arguments[at];
      if (each.value.kind != Kind::text) continue;
      const bool is_named = each.name != python::kNone;
      if (!is_named && at >= kByPosition.size()) continue;
      const std::string_view name = is_named ? in.text(each.name) : kByPosition[at];
      if (name == "config_path") found_.path = in.text(each.value.ref);
      if (name == "config_path") path_ = each.node;
      if (name == "config_name") found_.name = in.text(each.value.ref);
    }
    return std::nullopt;
  }
  void called(Interpreter&, const python::Call&) override {}
  void looped(Interpreter&, const python::Loop&) override {}

 private:
  CodeBase& code_;
  const python::Module& program_;
  EntryConfig found_;
  python::SyntaxId path_ = python::kNoSyntax;
};

}  // namespace

const EntryConfig& entry_config(CodeBase& code, const std::string& root,
                                const std::string& program) {
  if (const EntryConfig* known = code.entry(program)) return *known;
  const python::Module* module = code.module(root, program);
  if (module == nullptr) return *code.keep_entry(program, {});
  return *code.keep_entry(program, EntryReader(code, *module).read());
}

std::string entry_folder(CodeBase& code, const python::Module& program, std::string_view config_path,
                         python::SyntaxId argument) {
  std::string beside = normalize_path(join_path(parent_path(program.path), config_path));
  if (beside == ".") return {};
  if (code.is_file(beside)) return std::string(parent_path(beside));  // Hydra before 1.0
  const bool is_written = argument < program.tree.size() &&
                          program.tree.node(argument).kind == python::Syntax::string;
  if (is_written || code.is_folder(beside)) return beside;
  // Worked out from `__file__`, or from where the project is, it begins further up.
  std::string_view folder = parent_path(program.path);
  while (!folder.empty()) {
    folder = parent_path(folder);
    std::string below = normalize_path(join_path(folder, config_path));
    if (code.is_folder(below)) return below;
  }
  return beside;
}

bool is_of_other_entry(const CodeRequest& request) {
  const std::string& path = loaded_name(request);
  const auto stem = [](std::string_view name) {
    name = file_name(name);
    return is_yaml_file_name(name) ? name.substr(0, name.rfind('.')) : name;
  };
  const std::string_view own = stem(path);
  const std::string_view folder = parent_path(path) == "." ? std::string_view() : parent_path(path);
  bool is_beside = false;  // a program that trains takes another config of the folder
  for (const Script& each : request.code->scripts(request.root)) {
    if (!each.is_entry) continue;
    const EntryConfig& taken = entry_config(*request.code, request.root, each.path);
    if (taken.name.empty() || taken.path != folder) continue;
    if (stem(taken.name) == own) return false;
    is_beside = true;
  }
  const std::vector<Script>& others = request.code->other_scripts(request.root);
  return is_beside && std::any_of(others.begin(), others.end(), [&](const Script& each) {
           if (!each.is_entry) return false;
           const EntryConfig& taken = entry_config(*request.code, request.root, each.path);
           return !taken.name.empty() && taken.path == folder && stem(taken.name) == own;
         });
}

}  // namespace gpulint
