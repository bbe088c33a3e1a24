#pragma once

// The code beside the configs of one lint: walked, read and parsed once, whoever asks. Internal to
// this room.

#include "code/code_base.h"
#include "lint/project_tree.h"
#include "lint/session.h"

#include <string>
#include <vector>

namespace gpulint {

/// `session` must outlive it. Thread-safe.
struct ProjectCode {
  explicit ProjectCode(const SessionView& session)
      : trees(session.files()),
        files(session.files(), session.consumers(),
              [this](const std::string& root) -> const std::vector<std::string>& {
                return trees.of(root).python;
              },
              [this](const std::string& root) {
                const ProjectTree& tree = trees.of(root);
                std::vector<std::string> all = tree.scripts;
                all.insert(all.end(), tree.texts.begin(), tree.texts.end());
                all.insert(all.end(), tree.settings.begin(), tree.settings.end());
                return all;
              }) {}
  ProjectCode(const ProjectCode&) = delete;
  ProjectCode& operator=(const ProjectCode&) = delete;

  ProjectTrees trees;
  CodeBase files;
};

}  // namespace gpulint
