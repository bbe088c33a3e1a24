#include "code/config_host.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/call_text.h"
#include "code/config_value.h"
#include "code/key_words.h"
#include "code/named_file.h"
#include "code/program_options.h"
#include "code/script_choice.h"
#include "source/data_files.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpulint {

using python::Interpreter;
using python::Kind;
using python::Value;

const python::Module* ConfigHost::module(const std::string& path) {
  if (made_.modules.size() >= kMostModules && made_.modules.count(path) == 0) return nullptr;
  const python::Module* found = request_.code->module(request_.root, path);
  if (found != nullptr) made_.modules.insert(path);
  return found;
}

std::optional<Value> ConfigHost::load(Interpreter& in, const Value& path, std::string_view loader) {
  if (in.is_trying()) return std::nullopt;  // what a data set reads is data
  is_alike_ = false;
  asked_again_ = asked_;
  asked_ = true;
  if (setting_.looks_only) return std::nullopt;
  const std::string_view named = in.text_of(path);
  if (path.kind == Kind::text) {
    const std::string found = named_file(request_, script_.path, named);
    if (found == own_path() && !may_load_own(loader)) return std::nullopt;
    if (found == own_path()) return own(in);
    // The option stands for the config by its path, whatever the program makes of a name
    // (`FOLDER / args.config`, f"configs/{args.config}.yaml").
    const bool is_option = !option_.empty() && named.find(own_path()) != named.npos;
    if (found.empty() && is_option && !made_.loads_config && may_load_own(loader)) return own(in);
    const bool is_code = extension(found) == "py";
    const bool is_config = !found.empty() && (is_data_file_name(found) || is_code);
    // Of a script that a command starts, the document holds its options.
    const bool may_be_own = setting_.by_option && request_.script.empty() &&
                            !made_.loads_config && beside_own(found) &&
                            shares_keys_with(found, kAnyOf);
    if (is_config && !(may_be_own && own_option().empty())) {
      const bool is_executed = is_code && loader == "exec";
      names_executed_ = names_executed_ || is_executed;
      const std::optional<Value> made = other(in, found);
      // What its bases hold, nobody has read.
      if (is_code && !is_executed && made && made->has_object()) in.object(made->ref).open = true;
      return made;
    }
  }
  // What is executed beside a config that the program names is a base of that one.
  const bool is_base = names_executed_ && loader == "exec";
  const bool has_own = request_.script.empty() && may_load_own(loader) && !is_base;
  if (!setting_.by_option || made_.loads_config || !has_own) return std::nullopt;
  guessed_ = true;
  // A path that is written out and leads out of the project is another file's, on another machine.
  const bool is_elsewhere = is_absolute(named) && file_name(named) != file_name(own_path());
  made_.is_of_sibling =
      path.kind == Kind::text && option_.empty() &&
      (is_elsewhere || !named_file(request_, script_.path, named).empty());
  return own(in);
}

/// Other files that are read by lines are data.
std::optional<Value> ConfigHost::lines(Interpreter& in, const Value& path) {
  const std::string found = named_file(request_, script_.path, in.text_of(path));
  if (!is_yaml_file_name(found)) return std::nullopt;
  is_alike_ = false;
  asked_again_ = asked_;
  asked_ = true;
  if (setting_.looks_only || found != own_path() || !request_.open) return std::nullopt;
  const Document* document = request_.open(found);
  if (document == nullptr) return std::nullopt;
  if (!made_.loads_config) made_.loaded_at = in.asked_at();
  made_.loads_config = true;
  by_lines_ = true;
  return config_lines(in, *document);
}

std::optional<Value> ConfigHost::entry_config(Interpreter& in,
                                              std::span<const python::Argument> arguments) {
  is_alike_ = false;
  asked_ = asked_as_entry_ = true;
  if (setting_.looks_only) return std::nullopt;
  std::string folder(parent_path(script_.path));
  std::string_view config;
  bool composes = false;
  for (const python::Argument& each : arguments) {
    const bool is_first = &each == arguments.data() && each.name == python::kNone;
    const std::string_view name = is_first                     ? "config_path"
                                  : each.name == python::kNone ? ""
                                                               : in.text(each.name);
    composes = composes || name == python::running::kComposes;
    if (each.value.kind != Kind::text) continue;
    const std::string_view text = in.text(each.value.ref);
    if (name == "config_name") config = text;
    const python::Module* program = request_.code->module(request_.root, script_.path);
    if (program != nullptr && (name == "config_path" || name == "config_dir"))
      folder = entry_folder(*request_.code, *program, text, each.node);
  }
  const std::string_view own = file_name(own_path());
  is_named_ = config.substr(0, config.rfind('.')) == own.substr(0, own.rfind('.'));
  if (composes && !is_named_) return std::nullopt;
  if (own_path().starts_with(folder + "/") || folder.empty()) {
    const std::string_view below =
        std::string_view(own_path()).substr(folder.empty() ? 0 : folder.size() + 1);
    return grouped(in, parent_path(below));
  }
  // `--config-dir` names any folder; a file that says what is made of the whole of it is no part.
  const Document& document = *request_.document;
  const bool is_whole = document.root() != kNoNode &&
                        document.find(document.root(), kTarget) != kNoNode && !composes;
  return is_whole ? std::optional(this->own(in, true)) : std::nullopt;
}

/// A config written in Python, or a mapping in it.
std::optional<Value> ConfigHost::chosen(Interpreter& in, const std::string& path,
                                        const Value& value) {
  const ScriptMarks& marks = request_.code->consumers().scripts();
  const bool may_hold_configs = !value.known() && names_config_place(parent_path(path), marks);
  asked_ = asked_ || may_hold_configs;
  const bool is_own = path == own_path() && request_.document->format() == Format::python;
  if (!value.known() || !is_own) return std::nullopt;
  is_alike_ = false;
  asked_again_ = asked_;
  asked_ = true;
  if (setting_.looks_only) return std::nullopt;
  const Document& document = *request_.document;
  NodeId chosen = document.root();
  if (value.kind == Kind::dict) {
    chosen = kNoNode;
    for (const Member& member : document.members(document.root())) {
      const NodeId node = document.resolve(member.value);
      if (document.span(node).begin == value.from.begin) chosen = node;
    }
  }
  if (chosen == kNoNode) return std::nullopt;
  if (!made_.loads_config) made_.loaded_at = in.asked_at();
  made_.loads_config = true;
  return config_value(in, document, chosen);
}

bool ConfigHost::refused(const python::Refusal& refusal) {
  if (setting_.looks_only || !made_.loads_config || made_.is_of_sibling) return false;
  // A file that it cannot take apart is rather another program's.
  if (by_lines_) return false;
  // Of a config that is composed, a command chooses parts that are not at hand, and perhaps
  // another program that composes it.
  const bool is_chosen = request_.arguments != nullptr && !request_.script.empty();
  const bool is_composed = asked_as_entry_ && (is_chosen || !request_.entry.empty());
  // Another config of the folder may be there for another program, or for a command to name.
  if (is_composed || (asked_as_entry_ && !is_named_)) return false;
  // Of several files that are loaded, this may be another one.
  const bool may_be_anothers = guessed_ && script_.profile->loads_several;
  const bool is_of_keys = refusal.how == python::Refusal::How::lacks ||
                          refusal.how == python::Refusal::How::unknown_key;
  if (is_of_keys &&
      (may_be_anothers || is_given_elsewhere(refusal.name)))
    return false;
  constexpr std::size_t kMostRefusals = 8;
  if (refusal.is_of_one_side) {
    if (refusal.how == python::Refusal::How::lacks)
      made_.lacking.emplace_back(refusal.sides.begin(), refusal.sides.end());
    return true;
  }
  if (made_.refusals.size() == kMostRefusals) return true;
  CodeRefusal made;
  made.how = refusal.how;
  made.name = refusal.name;
  made.callee = refusal.callee;
  made.given = refusal.given;
  made.because.assign(refusal.because.begin(), refusal.because.end());
  const python::SyntaxNode& node = refusal.module->tree.node(refusal.node);
  made.place = {refusal.module->file, node.begin, node.end};
  made.line = source_text(*refusal.module, node.begin, node.end);
  const bool is_known =
      std::any_of(made_.refusals.begin(), made_.refusals.end(), [&](const CodeRefusal& each) {
        return each.how == made.how && each.name == made.name && each.because == made.because;
      });
  if (!is_known) made_.refusals.push_back(std::move(made));
  return true;
}

/// `"+model.id=..."`: the code starts runs with the key on their command line.
bool ConfigHost::is_given_elsewhere(std::string_view key) const {
  return asked_as_entry_ &&
         std::any_of(made_.modules.begin(), made_.modules.end(), [&](const std::string& path) {
           const python::Module* module = request_.code->module(request_.root, path);
           return module != nullptr && adds_key(module->text, std::string(key) + "=");
         });
}

/// `--config`: the option whose value is the config that is asked about.
std::optional<Value> ConfigHost::config_option(Interpreter& in, std::string_view name) {
  if (!setting_.by_option || !option_.empty() || !names_a_config_option(name)) return std::nullopt;
  if (made_.loads_config) return std::nullopt;  // its keys become options: `--net_config`
  if (!own_option().empty() && own_option() != name) return std::nullopt;
  if (is_of_other_config(name)) return std::nullopt;
  option_ = name;
  return in.make_text(own_path());
}

/// Of several options that name configs (`--config-data`, `--config-model`), the one that the file
/// is called after; "" where there is one option, or none that its name tells.
const std::string& ConfigHost::own_option() {
  if (own_option_) return *own_option_;
  own_option_.emplace();
  const std::vector<std::string>& usual = request_.code->consumers().scripts().config_options;
  const std::string own = to_lower(stem_of(own_path()));
  std::size_t options = 0;
  std::size_t most = 0;
  for (const ProgramOption& each : request_.code->options_of(request_.root, script_.path).options) {
    std::string name = each.names.empty() ? std::string() : each.names.back();
    name.erase(0, name.find_first_not_of('-'));
    std::replace(name.begin(), name.end(), '-', '_');
    if (!names_a_config_option(name)) continue;
    ++options;
    std::size_t shared = 0;
    for (const std::string_view word : split(name, '_')) {
      const bool is_usual = std::find(usual.begin(), usual.end(), word) != usual.end();
      if (!is_usual && !word.empty() && own.find(word) != std::string::npos) ++shared;
    }
    if (shared > most) {
      own_option_ = name;
      most = shared;
    } else if (shared == most) {
      own_option_->clear();
    }
  }
  if (options < 2) own_option_->clear();
  return *own_option_;
}

bool ConfigHost::names_a_config_option(std::string_view name) const {
  const std::string word = to_lower(name);
  const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  const std::vector<std::string>& options = request_.code->consumers().scripts().config_options;
  const bool is_config = word == "conf" || std::any_of(options.begin(), options.end(), has);
  return is_config && !has("name") && !has("dir");
}

/// `json.load` reads annotations beside a YAML config, not the config.
bool ConfigHost::may_load_own(std::string_view loader) const {
  const std::vector<std::string>& json = request_.code->consumers().scripts().json_loaders;
  const std::string_view module = loader.substr(0, loader.find('.'));
  return std::find(json.begin(), json.end(), module) == json.end() ||
         request_.document->format() == Format::json;
}

/// The file at hand may stand in place of another that it shares keys with: so many of as many as
/// the one with fewer has.
bool ConfigHost::shares_keys_with(const std::string& path, std::size_t one_of) const {
  const Document* other = request_.open ? request_.open(path) : nullptr;
  if (other == nullptr) return true;
  const std::vector<std::string_view> own = top_keys(*request_.document);
  const std::vector<std::string_view> others = top_keys(*other);
  const auto shared = static_cast<std::size_t>(
      std::count_if(own.begin(), own.end(), [&](std::string_view key) {
        return std::find(others.begin(), others.end(), key) != others.end();
      }));
  const std::size_t fewer = std::min(own.size(), others.size());
  return fewer == 0 || (shared > 0 && shared * one_of >= fewer);
}

/// `--config configs/classifier.yaml`, where that is what the option is if it is not given: another
/// config of the folder may be meant for another program.
bool ConfigHost::is_of_other_config(std::string_view option) const {
  constexpr std::size_t kOneOf = 2;
  for (const ProgramOption& each : request_.code->options_of(request_.root, script_.path).seen) {
    if (each.dest != option || each.default_text.empty()) continue;
    const std::string found = named_file(request_, script_.path, each.default_text);
    if (found.empty() || found == own_path() || !is_data_file_name(found)) continue;
    return beside_own(found) && !shares_keys_with(found, kOneOf);
  }
  return false;
}

bool ConfigHost::beside_own(const std::string& path) const {
  return parent_path(path) == parent_path(own_path());
}

namespace {

/// `--data.batch_size 8`: an option that leads into a section of the config changes what stands
/// there. `at_top`: plain options are the program's own.
void lay_sections_over(Interpreter& in, const Value& config, const Value& given, bool at_top) {
  if (config.kind != Kind::dict || given.kind != Kind::dict) return;
  const std::vector<python::Entry> options = in.object(given.ref).entries;
  for (const python::Entry& each : options) {
    const python::Entry* own = in.find(config.ref, each.key);
    const bool is_section =
        own != nullptr && own->value.kind == Kind::dict && each.value.kind == Kind::dict;
    if (is_section) {
      lay_sections_over(in, own->value, each.value, false);
    } else if (!at_top) {
      in.set(config.ref, each.key, each.value, each.key_span);
    }
  }
}

}  // namespace

Value ConfigHost::own(Interpreter& in, bool is_composed) {
  if (!made_.loads_config) made_.loaded_at = in.asked_at();
  made_.loads_config = true;
  Value made = config_value(in, *request_.document, request_.document->root(), is_composed);
  if (request_.arguments == nullptr || !request_.script.empty()) return made;
  const Value given = config_value(in, *request_.arguments, request_.arguments->root());
  lay_sections_over(in, made, given, true);
  return made;
}

std::optional<Value> ConfigHost::other(Interpreter& in, const std::string& path) {
  const Document* document = request_.open ? request_.open(path) : nullptr;
  if (document == nullptr) return std::nullopt;
  made_.loaded.insert(path);
  const auto included = [this](const Document& from, std::string_view name) -> const Document* {
    const std::string beside = normalize_path(join_path(parent_path(from.path()), name));
    if (!request_.code->is_file(beside)) return nullptr;
    made_.loaded.insert(beside);
    return request_.open(beside);
  };
  return config_value(in, *document, document->root(), false, included);
}

/// A config group below the folder of a framework's configs: its keys lie under the group.
Value ConfigHost::grouped(Interpreter& in, std::string_view group) {
  Value made = own(in, true);
  if (group.empty() || group == ".") return made;
  in.share(made);  // other files of the run may add to it
  std::vector<std::string_view> parts = split(group, '/');
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const Value around = in.make_object(Kind::dict);
    in.set(around.ref, in.intern(*part), made);
    in.object(around.ref).open = true;
    made = around;
  }
  return made;
}

}  // namespace gpulint
