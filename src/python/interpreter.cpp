#include "python/interpreter.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint::python {

Interpreter::Interpreter(Host& host, std::vector<std::string> search,
                         const InterpreterLimits& limits)
    : ProgramState(host, ProgramMemory(std::move(search), limits)) {}

Interpreter::Interpreter(Host& host, const ProgramMemory& memory) : ProgramState(host, memory) {}

ObjectId Interpreter::run(const Module& module, bool as_main) {
  const ObjectId scope = begin(module, as_main);
  while (advance()) {
  }
  return scope;
}

ObjectId Interpreter::begin(const Module& module, bool as_main) {
  const ObjectId scope = enter(module, as_main);
  next_ = node(tree().root()).first;
  if (next_ == kNoSyntax) frames_.pop_back();
  return scope;
}

bool Interpreter::advance() {
  if (next_ == kNoSyntax) return false;
  const SyntaxId at = next_;
  next_ = node(at).next;
  if (statement(at) != Flow::normal) {
    note_rest_left_out(at);
    next_ = kNoSyntax;
  }
  if (next_ == kNoSyntax) frames_.pop_back();
  return next_ != kNoSyntax;
}

Value Interpreter::call_of(const Value& callee) {
  const Module* module = callee.kind == Kind::function ? functions_[callee.ref].module
                         : callee.kind == Kind::type   ? types_[callee.ref].module
                                                       : nullptr;
  if (module == nullptr) return {};
  Frame frame;
  frame.module = module;
  frame.scope = modules_.at(module);
  frame.module_scope = frame.scope;
  frames_.push_back(std::move(frame));
  const Value made = call(callee, {}, kNoSyntax);
  frames_.pop_back();
  return made;
}

Value Interpreter::external(std::string_view name) {
  // No program that runs is being checked.
  if (name == "typing.TYPE_CHECKING" || name == "typing_extensions.TYPE_CHECKING")
    return make_bool(false);
  if (host_.behaviour(name) == Behaviour::environment) {
    if (const Value variables = environment(); variables.known()) return variables;
  }
  Value made;
  made.kind = Kind::external;
  made.ref = intern(name);
  const Value& known = described(made.ref);
  const bool is_constant = known.kind == Kind::real;  // math.pi
  return known.kind == Kind::type || is_constant ? known : made;
}

std::optional<double> Interpreter::number_at(const Value& callee, std::int64_t number) {
  const bool is_function = callee.kind == Kind::function || callee.kind == Kind::method;
  if (!is_function || frames_.empty()) return std::nullopt;
  Argument argument;
  argument.value = Value{.kind = Kind::integer, .origin = Origin::code, .integer = number};
  ++silent_;
  const Value made = call(callee, {{argument}, false}, kNoSyntax);
  --silent_;
  return made.is_number() ? std::optional(made.number()) : std::nullopt;
}

bool Interpreter::step() {
  if (building_ > 0) {
    if (++build_steps_ > limits_.max_build_steps) build_stopped_ = true;
    return !build_stopped_ && !truncated_;
  }
  if (++steps_ > limits_.max_steps) truncated_ = true;
  return !truncated_;
}

std::string_view Interpreter::source(SyntaxId id) const {
  if (id == kNoSyntax || frames_.empty()) return {};
  const SyntaxNode& at = node(id);
  return tree().source().substr(at.begin, at.end - at.begin);
}

SourceSpan Interpreter::span(SyntaxId id) const {
  return {frames_.back().module->file, node(id).begin, node(id).end};
}

std::vector<std::string_view> Interpreter::running() const {
  std::vector<std::string_view> names;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->function == kNone) continue;
    const Function& function = functions_[frame->function];
    names.push_back(function.module->tree.text(function.node));
  }
  return names;
}

const Value* Interpreter::local(std::size_t outwards, std::string_view name) const {
  std::size_t seen = 0;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->function == kNone || seen++ != outwards) continue;
    const std::optional<TextId> id = texts_.find(name);
    const Entry* entry = id ? find(frame->scope, *id) : nullptr;
    return entry == nullptr ? nullptr : &entry->value;
  }
  return nullptr;
}

std::string Interpreter::dotted_name(SyntaxId function) {
  if (node(function).kind == Syntax::attribute) {
    const std::string of = dotted_name(node(function).first);
    return (of.starts_with('.') ? std::string() : of) + "." + std::string(tree().text(function));
  }
  if (node(function).kind != Syntax::name) return ".";
  const std::optional<TextId> id = texts_.find(source(function));
  const Value value = id ? lookup(*id) : Value{};
  return value.kind == Kind::external ? std::string(text(value.ref)) : ".";
}

Value Interpreter::lookup(TextId name) {
  constexpr int kMostScopes = 64;
  bool open = false;
  ObjectId scope = frames_.back().scope;
  for (int i = 0; scope != kNone && i < kMostScopes; ++i) {
    if (const Entry* entry = find(scope, name)) return entry->value;
    open = open || objects_[scope].open;
    scope = objects_[scope].parent;
  }
  if (open) return {};
  if (const Value found = from_outside(frames_.back().module_scope, name); found.known())
    return found;
  Value made;  // a builtin, or a name nobody defines
  made.kind = Kind::external;
  made.ref = name;
  return made;
}

void Interpreter::assign_name(TextId name, const Value& value, SourceSpan key_span) {
  Frame& frame = frames_.back();
  if (std::find(frame.globals.begin(), frame.globals.end(), name) == frame.globals.end()) {
    set(frame.scope, name, value, key_span);
    return;
  }
  for (ObjectId scope = objects_[frame.scope].parent; scope != kNone;
       scope = objects_[scope].parent) {
    if (find(scope, name) != nullptr) {
      set(scope, name, value, key_span);
      return;
    }
  }
  set(frame.module_scope, name, value, key_span);
}

/// A scope for what the module defines, and the frame in which it runs.
ObjectId Interpreter::enter(const Module& module, bool as_main) {
  const ObjectId scope = new_object();
  modules_.emplace(&module, scope);
  objects_[scope].entries.push_back(
      {intern("__name__"), {}, make_text(as_main ? "__main__" : std::string(running::kOwnName))});
  objects_[scope].entries.push_back({intern("__file__"), {}, make_text(module.path)});
  Frame frame;
  frame.module = &module;
  frame.scope = scope;
  frame.module_scope = scope;
  frames_.push_back(std::move(frame));
  return scope;
}

ObjectId Interpreter::module_scope(const Module& module) {
  const auto known = modules_.find(&module);
  if (known != modules_.end()) return known->second;
  const ObjectId scope = enter(module, false);
  // What a module does when it is imported happens once, whoever asked for it.
  const std::vector<Side> sides = std::exchange(sides_, {});
  std::vector<Change> changes = std::exchange(changes_, {});
  const int loops = std::exchange(loops_, 0);
  const std::vector<Round> rounds = std::exchange(rounds_, {});
  const std::vector<Guard> guards = std::exchange(guards_, {});
  // What a project's module does counts as its own, whoever imports it.
  const int building = std::exchange(building_, module.is_library ? 1 : 0);
  const int silent = std::exchange(silent_, 0);
  const ObjectId fresh = std::exchange(fresh_, kNone);
  block(module.tree.root());
  fresh_ = fresh;
  silent_ = silent;
  building_ = building;
  guards_ = guards;
  rounds_ = rounds;
  loops_ = loops;
  changes_ = std::move(changes);
  sides_ = sides;
  frames_.pop_back();
  return scope;
}

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
