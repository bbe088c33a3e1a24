#pragma once

// What a script gets when it asks for a config: the one at hand, another file of the project, or
// nothing that anybody knows. Internal to this room.

#include "code/named_file.h"
#include "code/script_reader.h"
#include "python/host.h"
#include "python/interpreter.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {

/// How a script is run.
struct ScriptSetting {
  bool by_option = false;       // the config takes the place of what it loads by default
  bool looks_only = false;      // with a config nobody knows
  bool counts_only = false;     // no network is followed
  bool knows_options = true;    // false: an option nobody gave may be given
  bool opens_empty = false;     // an option whose default is an empty text may be given
  bool opens_switches = false;  // and one that is off
  bool opens_texts = false;     // one whose default is any text
  bool turns_training_on = false;  // a switch that is off and called so is given: `--train`
  bool notes_reads = false;     // what it does with the keys is wanted
};

class ConfigHost : public python::Host {
 public:
  ConfigHost(const CodeRequest& request, const Script& script, const ScriptSetting& setting)
      : request_(request), script_(script), setting_(setting) {}

  const python::Module* module(const std::string& path) override;
  bool is_folder(const std::string& path) override { return request_.code->is_folder(path); }
  bool is_never_made(std::string_view path) override {
    return is_never_made_file(request_, script_.path, path);
  }
  const python::ImportedPlace* imported(const std::string& key) override {
    return request_.code->imported(request_.root, key);
  }
  void keep_imported(const std::string& key, python::ImportedPlace place) override {
    if (made_.modules.size() < kMostModules)  // else it was not looked for
      request_.code->keep_imported(request_.root, key, std::move(place));
  }
  std::string installed_from(std::string_view package) override {
    return request_.code->installed_from(request_.root, package);
  }
  std::vector<std::string> python_files(const std::string& folder) override {
    return request_.code->files_in(request_.root, folder.empty() ? request_.root : folder);
  }
  std::optional<python::Value> load(python::Interpreter& in, const python::Value& path,
                                    std::string_view loader) override;
  std::optional<python::Value> lines(python::Interpreter& in, const python::Value& path) override;
  std::optional<python::Value> entry_config(python::Interpreter& in,
                                            std::span<const python::Argument> arguments) override;
  std::optional<python::Value> argument(python::Interpreter& in, std::string_view name) override;
  std::optional<std::vector<python::Argument>> given_options(python::Interpreter& in) override;
  bool knows_option(std::string_view name, python::Unset how) override;
  bool turns_on(std::string_view name) override;
  std::string_view subcommand() override;
  std::string_view meant(std::span<const std::string_view> commands) override;
  std::optional<python::Value> environment(python::Interpreter& in) override;
  bool is_unset(std::string_view variable) override;
  bool is_left_to_default(std::string_view variable) override;
  std::optional<python::Value> default_config(python::Interpreter& in,
                                              std::string_view call) override;
  std::optional<python::Value> chosen(python::Interpreter& in, const std::string& path,
                                      const python::Value& value) override;
  bool refused(const python::Refusal& refusal) override;
  std::size_t noted() const override { return made_.seen.size(); }
  void doubt_since(std::size_t noted) override {
    for (std::size_t i = noted; i < made_.seen.size(); ++i)
      made_.seen[i].sides.push_back({kNobodyKnows, false});
  }

 protected:
  static constexpr std::size_t kMostModules = 400;  // of one script

  /// What another file holds; nullopt: it cannot be read.
  std::optional<python::Value> other(python::Interpreter& in, const std::string& path);
  const std::string& own_path() const { return loaded_name(request_); }

  const CodeRequest& request_;
  const Script& script_;
  const ScriptSetting setting_;
  ScriptRun made_;
  bool asked_ = false;        // for a config
  bool asked_again_ = false;  // for another, or the same one
  bool is_alike_ = true;      // so far any other run of the script does the same

 private:
  NodeId shortened_option(std::string_view name) const;
  std::optional<python::Value> joined_option(std::string_view name);
  python::Value own(python::Interpreter& in, bool is_composed = false);
  python::Value grouped(python::Interpreter& in, std::string_view group);
  std::optional<python::Value> config_option(python::Interpreter& in, std::string_view name);
  bool names_a_config_option(std::string_view name) const;
  const std::string& own_option();
  bool may_load_own(std::string_view loader) const;
  bool is_given_elsewhere(std::string_view key) const;
  bool beside_own(const std::string& path) const;
  static constexpr std::size_t kAnyOf = 1'000'000;  // one key is enough
  bool shares_keys_with(const std::string& path, std::size_t one_of) const;
  bool is_of_other_config(std::string_view option) const;

  bool asked_as_entry_ = false;
  bool is_named_ = false;  // by the decorator that asks for it
  bool by_lines_ = false;  // the program takes its config's lines apart by itself
  bool guessed_ = false;  // that what is loaded is the config
  bool names_executed_ = false;  // a config in Python, which is another one
  std::string option_;    // that stands for the config
  std::optional<std::string> own_option_;
};

}  // namespace gpulint
