#include "plan/python_run.h"

#include "base/text.h"
#include "source/notebook.h"
#include "source/python_document.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostImports = 64;

class ImportHost final : public python::Host {
 public:
  ImportHost(CodeBase& code, const std::string& root) : code_(code), root_(root) {}

  std::vector<const python::Module*> met;

  const python::Module* module(const std::string& path) override {
    const auto known = std::find_if(met.begin(), met.end(),
                                    [&](const python::Module* each) { return each->path == path; });
    if (known != met.end()) return *known;
    if (met.size() >= kMostImports) return nullptr;
    const python::Module* found = code_.module(root_, path);
    if (found != nullptr) met.push_back(found);
    return found;
  }
  bool is_folder(const std::string& path) override { return code_.is_folder(path); }
  python::Behaviour behaviour(std::string_view name) override { return config_behaviour(name); }
  std::optional<python::Value> load(python::Interpreter&, const python::Value&,
                                    std::string_view) override {
    return std::nullopt;
  }
  std::optional<python::Value> entry_config(python::Interpreter&,
                                            std::span<const python::Argument>) override {
    return std::nullopt;
  }
  void called(python::Interpreter&, const python::Call&) override {}
  void looped(python::Interpreter&, const python::Loop&) override {}

 private:
  CodeBase& code_;
  const std::string& root_;
};

}  // namespace

std::optional<ImportedConfigs> read_with_imports(const Document& config, const RunFiles& files,
                                                 CodeBase& code, const std::string& root) {
  if (config.format() != Format::python || config.text().find("import") == std::string_view::npos) {
    return std::nullopt;
  }
  // A script whose names are no keys was given none: what it imports are none either.
  const bool is_started =
      config.text().find("__main__") != std::string_view::npos || is_notebook(config.path());
  if (is_started && config.members(config.root()).empty()) return std::nullopt;
  python::Module main;
  main.path = std::string(config.path());
  main.text = std::string(config.text());
  main.file = config.file();
  main.tree = python::parse(main.text);
  ImportHost host(code, root);
  python::Interpreter interpreter(host, {root == "." ? std::string() : root});
  const python::Value value = python_config(interpreter, main);
  std::erase_if(host.met, [&](const python::Module* each) { return each->path == main.path; });
  if (host.met.empty()) return std::nullopt;
  ImportedConfigs made;
  std::vector<PythonPart> parts = {{config.file(), main.text, config.file(), main.tree.comments()}};
  for (const python::Module* module : host.met) {
    parts.push_back(
        {module->file, module->text, files.number(module->path), module->tree.comments()});
    made.paths.push_back(module->path);
  }
  made.document = python_document(interpreter, value, main.path, parts, {});
  return made;
}

}  // namespace gpulint
