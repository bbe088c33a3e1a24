// Where modules are looked for, and what an import binds.

#include "base/text.h"
#include "python/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gpulint::python {

/// `sys.path.append("../configs")`: from the root, or from the folder of the script that is
/// started.
void Interpreter::search_below(const Value& folder) {
  if (folder.kind != Kind::text) return;
  for (const std::string& from : {std::string(), search_.empty() ? std::string() : search_[0]}) {
    const std::string path = normalize_path(join_path(from, text(folder.ref)));
    if (path.starts_with("..") || std::find(search_.begin(), search_.end(), path) != search_.end())
      continue;
    if (host_.is_folder(path)) search_.push_back(path);
  }
}

ImportedPlace Interpreter::search_in(const std::vector<std::string>& folders,
                                    const std::string& relative) {
  for (const std::string& folder : folders) {
    std::string path = folder.empty()     ? relative
                       : relative.empty() ? folder
                                          : join_path(folder, relative);
    for (const char* ending : {".py", "/__init__.py"}) {
      if (relative.empty() && ending[0] == '.') continue;
      std::string file = path + ending;
      if (host_.module(file) != nullptr) return {ImportedPlace::Kind::file, std::move(file)};
    }
    // A package without a file of its own.
    if (host_.is_folder(path)) return {ImportedPlace::Kind::folder, std::move(path)};
  }
  return {};
}

/// `dots`: of a relative import, counted from the folder of the running module.
ImportedPlace Interpreter::search(std::string_view dotted, int dots) {
  std::string relative(dotted);
  std::replace(relative.begin(), relative.end(), '.', '/');
  std::vector<std::string> folders = search_;
  if (dots > 0) {
    std::string_view folder = parent_path(frames_.back().module->path);
    for (int i = 1; i < dots; ++i) folder = parent_path(folder);
    folders = {std::string(folder)};
  } else {  // beside the file and in the folders around it, whatever sys.path is made to hold
    // The folder above "/" is "/".
    for (std::string_view at = parent_path(frames_.back().module->path); at.size() > 1;
         at = parent_path(at)) {
      folders.emplace_back(at);
    }
  }
  ImportedPlace place = search_in(folders, relative);
  if (place.kind != ImportedPlace::Kind::outside || dots > 0) return place;
  const std::string installed = host_.installed_from(dotted.substr(0, dotted.find('.')));
  return installed.empty() ? place : search_in({installed}, relative);
}

/// The same as search(): each name is searched in many folders, and by every run of a script again.
ImportedPlace Interpreter::place_of(std::string_view dotted, int dots) {
  std::string key(dotted);
  key += '\n';
  key += parent_path(frames_.back().module->path);
  if (dots > 0) key += '\n' + std::to_string(dots);
  for (std::size_t i = 0; dots == 0 && i < search_.size(); ++i) (key += '\n') += search_[i];
  if (const ImportedPlace* known = host_.imported(key)) return *known;
  ImportedPlace place = search(dotted, dots);
  host_.keep_imported(key, place);
  return place;
}

/// A module of the project, or the dotted name of something outside.
Value Interpreter::import_module(std::string_view dotted, int dots) {
  const ImportedPlace place = place_of(dotted, dots);
  const bool is_file = place.kind == ImportedPlace::Kind::file;
  if (const Module* found = is_file ? host_.module(place.path) : nullptr) {
    Value made;
    made.kind = Kind::module;
    made.ref = module_scope(*found);
    return made;
  }
  if (place.kind == ImportedPlace::Kind::folder) {  // what it holds is looked up when asked for
    Value made = make_object(Kind::module);
    set(made.ref, intern("__path__"), make_text(place.path));
    return made;
  }
  return dots > 0 ? Value{} : external(dotted);
}

/// `name` of a module: what it defines, else the module below it of that name.
Value Interpreter::from_module(const Value& module, std::string_view dotted, TextId name) {
  if (module.kind == Kind::external) return external(fmt::format("{}.{}", dotted, texts_[name]));
  if (module.kind != Kind::module) return {};
  if (const Entry* entry = find(module.ref, name)) return entry->value;
  if (const Value found = from_outside(module.ref, name); found.known()) return found;
  // A package that imports its parts when they are asked for.
  if (const Entry* lazily = find(module.ref, intern("__getattr__"));
      lazily != nullptr && lazily->value.kind == Kind::function) {
    const Value asked = make_text(texts_[name]);
    const std::uint32_t function = lazily->value.ref;
    const Value found = call_function(function, nullptr, {{{kNone, asked, kNoSyntax}}, false});
    if (found.known()) return found;
  }
  const Entry* file = find(module.ref, intern("__file__"));
  const Entry* folder = find(module.ref, intern("__path__"));
  const Entry* place = folder != nullptr ? folder : file;
  if (place == nullptr) return {};
  const std::string_view at = text(place->value.ref);
  if (folder == nullptr && !at.ends_with("__init__.py")) return {};
  const std::string base = join_path(folder != nullptr ? at : parent_path(at), texts_[name]);
  for (const char* ending : {".py", "/__init__.py"}) {
    const Module* found = host_.module(base + ending);
    if (found == nullptr) continue;
    Value made;
    made.kind = Kind::module;
    made.ref = module_scope(*found);
    return made;
  }
  if (!host_.is_folder(base)) return {};
  Value made = make_object(Kind::module);
  set(made.ref, intern("__path__"), make_text(base));
  return made;
}

void Interpreter::import_names(SyntaxId id) {
  for (SyntaxId alias = node(id).first; alias != kNoSyntax; alias = node(alias).next) {
    const std::string_view dotted = tree().text(alias);
    const bool renamed = node(alias).first != kNoSyntax;
    const std::string_view top = dotted.substr(0, dotted.find('.'));
    if (!renamed) {  // `import a.b` binds a
      assign_name(intern(top), import_module(top, 0), span(alias));
      continue;
    }
    Value module = import_module(top, 0);
    std::string_view done = top;
    while (done.size() < dotted.size()) {
      const std::size_t dot = dotted.find('.', done.size() + 1);
      const std::string_view name = dotted.substr(done.size() + 1, dot - done.size() - 1);
      module = from_module(module, done, intern(name));
      done = dotted.substr(0, dot);
    }
    assign_name(intern(tree().bound_name(alias)), module, span(alias));
  }
}

/// `from torch.optim import *` gives a module the classes of `torch.optim`, which are told by their
/// capitals; of two such modules the one has a name that has an optimizer of it.
Value Interpreter::from_outside(ObjectId module, TextId name) {
  const auto known = outside_.find(module);
  const std::string_view word = texts_[name];
  const bool is_class = !word.empty() && word.front() >= 'A' && word.front() <= 'Z';
  if (known == outside_.end() || !is_class) return {};
  const auto name_in = [&](TextId each) { return fmt::format("{}.{}", texts_[each], word); };
  if (known->second.size() == 1) return external(name_in(known->second.front()));
  const auto found = std::find_if(known->second.begin(), known->second.end(), [&](TextId each) {
    return host_.makes_optimizer(name_in(each));
  });
  return found == known->second.end() ? Value{} : external(name_in(*found));
}

void Interpreter::add_outside(ObjectId scope, TextId module) {
  std::vector<TextId>& all = outside_[scope];
  if (std::find(all.begin(), all.end(), module) == all.end()) all.push_back(module);
}

void Interpreter::import_all(const Value& module, std::string_view dotted) {
  if (module.kind != Kind::module) {
    const ObjectId scope = frames_.back().scope;
    if (module.kind != Kind::external) objects_[scope].open = true;
    if (module.kind != Kind::external) return;
    add_outside(scope, intern(dotted));
    return;
  }
  if (const auto more = outside_.find(module.ref); more != outside_.end()) {
    const std::vector<TextId> names = more->second;
    for (const TextId each : names) add_outside(frames_.back().scope, each);
  }
  const std::vector<Entry> entries = objects_[module.ref].entries;
  for (const Entry& entry : entries) {
    if (!texts_[entry.key].starts_with('_')) assign_name(entry.key, entry.value, entry.key_span);
  }
  import_parts(module);
}

/// `from nets import *`: the modules of a package that it has imported are names of it too.
void Interpreter::import_parts(const Value& package) {
  const Entry* file = find(package.ref, intern("__file__"));
  if (file == nullptr || find(package.ref, intern("__all__")) != nullptr) return;
  const std::string path(text(file->value.ref));
  if (!path.ends_with("__init__.py")) return;
  std::map<std::string, Value> parts;
  for (const auto& [each, scope] : modules_) {
    const std::string_view below = file_name(each->path) == "__init__.py"
                                       ? parent_path(each->path)
                                       : std::string_view(each->path);
    if (each->path == path || parent_path(below) != parent_path(path)) continue;
    std::string name(file_name(below));
    name = name.substr(0, name.find('.'));
    if (!name.starts_with('_')) parts[name] = Value{.kind = Kind::module, .ref = scope};
  }
  for (const auto& [name, part] : parts) {
    const TextId key = intern(name);
    if (find(package.ref, key) == nullptr) assign_name(key, part, {});
  }
}

void Interpreter::import_from(SyntaxId id) {
  const std::string_view dotted = tree().text(id);
  const Value module = import_module(dotted, node(id).op);
  for (SyntaxId alias = node(id).first; alias != kNoSyntax; alias = node(alias).next) {
    if (tree().text(alias) == "*") {
      import_all(module, dotted);
      continue;
    }
    const Value value = from_module(module, dotted, intern(tree().text(alias)));
    assign_name(intern(tree().bound_name(alias)), value, span(alias));
  }
}

}  // namespace gpulint::python
