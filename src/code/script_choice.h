#pragma once

// Which scripts of a project are asked about a config. Internal to this room.

#include "code/read_code.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace gpulint {

/// At the top of a config of Hydra's: what is made of the whole of it.
inline constexpr std::string_view kTarget = "_target_";

struct Candidate {
  const Script* script = nullptr;
  bool named = false;  // it names the config's file
  bool is_said = false;       // the config's text names it
  bool shares_word = false;   // of its name with that of the config, or of the folder around it
  bool takes_folder = false;  // it is started with configs of the folder, whichever is chosen
  std::size_t near = 0;
  std::size_t depth = 0;  // folders from the one that both lie in
  bool is_train = false;
  bool takes_config = false;
};

/// Length of the folder both paths lie in, with its slash.
std::size_t common_folder(std::string_view a, std::string_view b);

/// Below a folder where nothing trains: tests, documents, what others wrote.
bool lies_elsewhere(std::string_view path, const ScriptMarks& marks);

/// One of the words that folders of configs are called by.
bool names_config_place(std::string_view name, const ScriptMarks& marks);
/// Or one of those by which modules with the settings of a program are.
bool names_settings(std::string_view name, const ScriptMarks& marks);

/// A file nobody recognised is asked about only where configs lie.
bool lies_among_configs(std::string_view path, const ScriptMarks& marks);

/// Where a whole word stands first; npos: nowhere.
std::size_t find_word(std::string_view text, std::string_view word);
bool has_word(std::string_view text, std::string_view word);

/// The keys at the top of a file.
std::vector<std::string_view> top_keys(const Document& document);

/// Each script takes a section at the top of the file that the other does not know.
bool takes_other_section(const Document& document, const Script& script, const Script& other);

/// The script names configs of the project, and all lie in other folders at the top than the config
/// that is asked about: `Configs/a.yml` beside `Utils/ASR/a.yml`.
bool has_configs_elsewhere(const CodeRequest& request, const Script& script);

/// `filter.py` of `configs/filter.yaml`.
bool is_own_program(const CodeRequest& request, std::string_view script);

/// The project has a program of the config's name.
bool has_own_program(const CodeRequest& request);

/// That program loads the config by its name and has no word of training: `prepare_data.py` of
/// `prepare_data.yaml`. No script that trains names the config.
bool is_of_idle_program(const CodeRequest& request);

/// The decorator of a program that does not train names the config, and that of one that does names
/// another one of the folder: `eval.yaml` beside `train.yaml`.
bool is_of_other_entry(const CodeRequest& request);

/// Scripts that may load the config, the likeliest first; the one alone that a command hands it to.
std::vector<Candidate> candidates(const CodeRequest& request);
/// Takes back that such a program names the config, where one of its own folder does.
void name_none_beside(const CodeRequest& request, std::string_view name,
                      std::vector<Candidate>& all);

}  // namespace gpulint
