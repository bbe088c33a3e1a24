#pragma once

// The sessions of a server: one for each folder of the workspace, because each has its own
// `.gpulint/`, and one for each repository around a file that lies in none of them.

#include "lint/session.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::lsp {

class Projects {
 public:
  /// `disk` must outlive this. `data_folder`: as SessionOptions has it.
  Projects(const FileReader& disk, std::optional<std::string> data_folder)
      : disk_(disk), data_folder_(std::move(data_folder)) {}

  void add_folder(const std::string& folder);
  /// Files below it belong to what is left, or to their repositories.
  void remove_folder(const std::string& folder);
  const std::vector<std::string>& folders() const { return folders_; }

  /// The folder whose session a file belongs to.
  std::string root_of(const std::string& path) const;
  /// Opened when it is first asked for, with all buffers; the Error means that the program is
  /// broken.
  Result<Session*> session(const std::string& root);

  void set_buffer(const std::string& path, const std::string& text, std::int64_t version);
  void close_buffer(const std::string& path);
  /// Reads the data folders of all sessions again; true where one of them changed.
  bool refresh();
  /// Data folders that cannot be used.
  std::vector<Error> errors() const;
  /// Drops sessions that stand for no folder of the workspace and none of `used`.
  void keep_only(const std::vector<std::string>& used);

 private:
  struct Held {
    std::string text;
    std::int64_t version = 0;
  };

  const FileReader& disk_;
  std::optional<std::string> data_folder_;
  std::vector<std::string> folders_;
  std::map<std::string, Session> sessions_;  // by root
  std::map<std::string, Held> buffers_;      // by path
};

}  // namespace gpulint::lsp
