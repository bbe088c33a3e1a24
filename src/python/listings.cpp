// What code finds in folders of its project: modules that it imports all of, to have their classes
// in a registry. Only Python files are known: a folder with none holds data, of which nobody knows.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::python {

/// `os.listdir(folder)` and its like; nullopt: it is none of them.
std::optional<Value> Interpreter::folder_listing(std::string_view name,
                                                 const Arguments& arguments) {
  enum class Form { names, paths, entries, modules };
  Form form = Form::names;
  const Value first = argument_value(arguments, 0, "");
  std::vector<Value> folders = {first};
  std::string pattern = "*";
  if (name == "os.scandir") {
    form = Form::entries;
  } else if (name == "pkgutil.iter_modules" || name == "pkgutil.walk_packages") {
    form = Form::modules;
    bool all = false;
    folders = first.kind == Kind::text ? folders : known_items(first, all);
  } else if (name == "glob.glob" || name == "glob.iglob") {
    form = Form::paths;
    if (first.kind != Kind::text) return Value{};
    pattern = file_name(text(first.ref));
    folders = {make_text(std::string(parent_path(text(first.ref))))};
  } else if (name != "os.listdir") {
    return std::nullopt;
  }
  const Value made = make_object(Kind::list);
  for (const Value& folder : folders) {
    if (folder.kind != Kind::text) return Value{};
    const std::string at(text(folder.ref));
    const std::vector<std::string> files = host_.python_files(at);
    if (files.empty()) return Value{};
    for (const std::string& file : files) {
      if (!glob_match(pattern, file)) continue;
      const Value path = make_text(join_path(at, file));
      if (form == Form::names) append(made.ref, make_text(file));
      if (form == Form::paths) append(made.ref, path);
      if (form == Form::entries) {
        const Value entry = make_object(Kind::instance);
        objects_[entry.ref].made_by = intern("os.DirEntry");
        set(entry.ref, intern("name"), make_text(file));
        set(entry.ref, intern("path"), path);
        append(made.ref, entry);
      }
      if (form == Form::modules && file != "__init__.py") {
        const Value entry = make_object(Kind::tuple);
        append(entry.ref, {});
        append(entry.ref, make_text(file.substr(0, file.rfind('.'))));
        append(entry.ref, make_bool(false));
        append(made.ref, entry);
      }
    }
  }
  return made;
}

/// `Path(__file__).parent.glob("*.py")`.
std::optional<Value> Interpreter::path_listing(const Value& folder, std::string_view method,
                                               const Value& pattern) {
  if (method != "glob" && method != "iterdir") return std::nullopt;
  const std::string all = join_path(text(folder.ref), method == "glob" ? text_of(pattern) : "*");
  Arguments whole;
  whole.list.push_back({kNone, make_text(all), kNoSyntax});
  return folder_listing("glob.glob", whole);
}

}  // namespace gpulint::python
