#pragma once

#include "base/result.h"
#include "lint/session.h"
#include "source/read.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

struct InitRequest {
  std::vector<std::string> paths;  // files and folders to look at
  ReadLimits limits = {};
};

/// A key of in-house configs that looks like a fact nobody states otherwise in its files.
struct KeyProposal {
  std::string key;  // dotted
  std::string fact;
  std::int64_t files = 0;
  std::string value;  // of the first file, to judge the guess by
  std::string path;   // that file
};

/// A key whose meaning the code of the project shows.
struct CodeKey {
  std::string key;  // dotted
  std::string fact;
  bool computed = false;  // the fact is worked out of it, so the key alone does not state it
  std::int64_t files = 0;
  std::string evidence;  // where it is loaded and what takes it
};

/// What a folder of configs looks like to gpulint.
struct InitProposal {
  std::vector<std::pair<std::string, std::int64_t>> dialects;  // dialect -> files, most first
  std::int64_t in_house = 0;       // files of no framework: those the keys were looked for in
  std::vector<CodeKey> code_keys;  // by key, the likeliest fact of each first
  std::vector<KeyProposal> keys;   // by fact, the most frequent key of each first
  std::string text;                // a commented `.gpulint.yaml`
  std::vector<Error> errors;       // paths that cannot be read
};

/// Reads the configs and proposes a project file; writes nothing.
InitProposal propose_project(const SessionView& session, const InitRequest& request);

}  // namespace gpulint
