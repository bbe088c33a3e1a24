#pragma once

// Which keys Python code can read by name, told by its words: attributes and names that are loaded,
// strings, parameters and fields. Wide on purpose: a key that none of them names is read by nobody
// who reads keys one by one.

#include "python/host.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gpulint {

struct KeyWords {
  std::unordered_set<std::string> read;      // in lower case
  std::unordered_set<std::string> unpacked;  // words of what stands behind `**`, in lower case
  std::vector<std::string> beginnings;       // of names put together at run time: "use_"
  std::vector<std::string> endings;          // "_lr"

  /// True where the code may read the key.
  bool may_read(std::string_view key) const;
};

/// Adds those of one file.
void add_key_words(const python::Module& module, KeyWords& words);

/// How code reads options that it has in one object: as attributes of it, by texts, and where they
/// are unpacked (`**vars(args)`) as parameters and fields too.
struct OptionReading {
  bool are_unpacked = false;
  std::unordered_set<std::string> project;  // names of its modules and packages
};

/// Adds the words by which one file may read options.
void add_option_words(const python::Module& module, const OptionReading& how, KeyWords& words);

/// Code that may still be run, of a program that was followed: what nothing left out, in functions
/// and classes that something running or open names.
class OpenCode {
 public:
  /// `marks`: of each node (python/reach.h); nullptr: nothing of the file was run.
  void add(const python::Module& module, const std::vector<std::uint8_t>* marks);
  /// The words of all of it. `said`: names that the program used.
  KeyWords words(const std::unordered_set<std::string>& said) const;
  /// A function or class that nothing running or open names.
  struct Definition {
    const python::Module* module = nullptr;
    python::SyntaxId id = python::kNoSyntax;
  };
  std::vector<Definition> closed(const std::unordered_set<std::string>& said) const;

 private:
  std::vector<Definition> read(const std::unordered_set<std::string>& said, KeyWords& words,
                               bool closes_methods) const;
  struct File {
    const python::Module* module = nullptr;
    const std::vector<std::uint8_t>* marks = nullptr;
  };
  std::vector<File> files_;
};

/// `"+model.id=..."`: code that adds a key to a command line. `given`: "id=".
bool adds_key(std::string_view text, std::string_view given);

/// The names in a text: "data.pin_memory" has two.
std::vector<std::string> names_in(std::string_view text);

}  // namespace gpulint
