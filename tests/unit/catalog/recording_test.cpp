#include "catalog/catalog.h"
#include "catalog/recording.h"
#include "catalog/strict_reader.h"
#include "source/read.h"

#include <doctest/doctest.h>

#include <string>

namespace recording_test {

using namespace gpulint;

namespace {

Document document_of(const std::string& text) {
  auto document = read_yaml(".gpulint/models/net.yaml", text, kNoFile);
  REQUIRE(document);
  return *std::move(document);
}

/// What is wrong with the value of `recorded`; "" = nothing.
std::string complaint_about(const std::string& text) {
  const Document document = document_of(text);
  Complaints complaints(document);
  read_recording(complaints, document.find(document.root(), "recorded"));
  return complaints.none() ? "" : std::move(complaints).joined().message;
}

}  // namespace

TEST_CASE("a recording says what made it, from which files, and what its step states") {
  const auto recording = recording_of(document_of(R"(recorded:
  command: "gpulint-record src.net:Net"
  from: {"src/net.py": "0dbb208c1a621144"}
  step: {optimizer: adamw}
  arguments: {width: 16, depths: [2, 2]}
)"));
  REQUIRE(recording);
  CHECK(recording->command == "gpulint-record src.net:Net");
  CHECK(recording->files == std::vector<NamedText>{{"src/net.py", "0dbb208c1a621144"}});
  CHECK(recording->facts == std::vector<NamedText>{{"optimizer", "adamw"}});
  CHECK(recording->arguments == std::vector<NamedText>{{"width", "16"}, {"depths", "2, 2"}});
}

TEST_CASE("a model that nobody recorded has no recording") {
  CHECK_FALSE(recording_of(document_of("program: []\n")));
}

TEST_CASE("a recording leads to Python files below the project and nowhere else") {
  for (const char* path : {"/etc/passwd", "../net.py", "src/../../net.py", "src//net.py", "net.sh",
                           "C:/net.py", "src\\\\net.py"}) {
    const std::string text =
        "recorded:\n  command: x\n  from: {\"" + std::string(path) + "\": \"0\"}\n";
    CAPTURE(path);
    CHECK(complaint_about(text).find("is not of a Python file below the project") !=
          std::string::npos);
    CHECK_FALSE(recording_of(document_of(text)));
  }
}

TEST_CASE("an unknown key of a recording is refused") {
  CHECK(complaint_about("recorded:\n  command: x\n  sha: 1\n").find("sha") != std::string::npos);
}

TEST_CASE("a fingerprint is that of the text with the line ends of Unix") {
  // The same as in packaging/python/gpulint/sources.py, whose test has these numbers too.
  CHECK(text_fingerprint("") == "cbf29ce484222325");
  CHECK(text_fingerprint("import torch\n") == text_fingerprint("import torch\r\n"));
  CHECK(text_fingerprint("import torch\n") == "16d5731d5e8054ec");
  CHECK(text_fingerprint("import torch \n") != text_fingerprint("import torch\n"));
}

}  // namespace recording_test
