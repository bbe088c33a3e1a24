#pragma once

// The linter behind a page: a request in JSON, an answer in JSON. It computes nothing of its own:
// the files of the page are buffers of a session, and what is answered is what the reports of the
// command line write.

#include "base/result.h"
#include "lint/session.h"
#include "web/request.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::web {

class Playground {
 public:
  /// The Error means that the program itself is broken.
  static Result<Playground> open();

  /// One object: what was asked for, or `error` with what is wrong with the request.
  std::string answer(std::string_view request);

 private:
  explicit Playground(std::unique_ptr<const FileReader> disk, Session session);

  void hold(const std::vector<PageFile>& files);
  Result<std::string> answer(const PageRequest& request);

  std::unique_ptr<const FileReader> disk_;  // has no files
  Session session_;
  std::vector<std::string> held_;  // paths of the buffers
};

}  // namespace gpulint::web
