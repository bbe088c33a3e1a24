#include "code/requirements.h"

#include <doctest/doctest.h>

using namespace gpulint;
using Terms = std::vector<std::string>;

namespace {

std::vector<Requirement> stated(std::string path, std::string text, std::string_view package) {
  return requirements_of({{path, std::move(text), path.ends_with(".lock")}}, package);
}

Terms terms(std::string path, std::string text, std::string_view package) {
  const auto found = stated(std::move(path), std::move(text), package);
  return found.size() == 1 ? found.front().terms : Terms{std::to_string(found.size())};
}

}  // namespace

TEST_CASE("a requirement is read in the forms that people write") {
  CHECK(terms("requirements.txt", "trl>=0.19.1,<1.0\n", "trl") == Terms{">=0.19.1", "<1.0"});
  CHECK(terms("requirements.txt", "pytorch_lightning [extra] == 2.1.*  # why\n",
              "pytorch-lightning") == Terms{"==2.1.*"});
  CHECK(terms("requirements.txt", "transformers\n", "transformers").empty());
  CHECK(terms("setup.py", "    install_requires=[\"peft>=0.16.0\", \"trl==0.9\"],\n", "peft") ==
        Terms{">=0.16.0"});
  CHECK(terms("pyproject.toml", "transformers = \"^4.40\"\n", "transformers") == Terms{"^4.40"});
  CHECK(terms("pyproject.toml", "transformers = {version = \">=4.40\", extras = []}\n",
              "transformers") == Terms{">=4.40"});
  CHECK(terms("environment.yml", "  - pytorch-lightning=1.9.5\n", "pytorch-lightning") ==
        Terms{"==1.9.5"});
  CHECK(terms("Dockerfile", "RUN pip install transformers==4.40.0 trl\n", "transformers") ==
        Terms{"==4.40.0"});
  CHECK(terms("uv.lock", "[[package]]\nname = \"trl\"\nversion = \"0.9.6\"\n", "trl") ==
        Terms{"==0.9.6"});
}

TEST_CASE("names that only contain the package, and comments, state nothing") {
  CHECK(stated("requirements.txt", "sentence-transformers==2.0\n# transformers==4.1\n",
               "transformers")
            .empty());
  CHECK(stated("pyproject.toml", "keywords = [\"transformers\"]\n", "transformers").empty());
}

TEST_CASE("a package from a repository has no release") {
  CHECK(stated("requirements.txt", "transformers @ git+https://example.org/x\n", "transformers")
            .front()
            .is_elsewhere);
  CHECK(stated("requirements.txt", "git+https://example.org/transformers.git\n", "transformers")
            .front()
            .is_elsewhere);
}

TEST_CASE("a package that is a submodule has no release, whatever a lock file says") {
  const std::string submodules =
      "[submodule \"ms-swift\"]\n    path = third/ms-swift\n    url = https://example.org/s.git\n";
  const std::vector<RequirementFile> files = {
      {".gitmodules", submodules, false, true},
      {"uv.lock", "[[package]]\nname = \"ms-swift\"\nversion = \"3.4.0\"\n", true}};
  CHECK(requirements_of(files, "ms_swift").front().is_elsewhere);
  CHECK(requirements_of({files.front()}, "swift").empty());
}

TEST_CASE("releases are compared by their numbers") {
  CHECK(compare_releases("4.9.0", "4.10.0") == -1);
  CHECK(compare_releases("2.0.9.post0", "2.0.9") == 0);
  CHECK(meets("4.44.2", "~=4.44.0"));
  CHECK_FALSE(meets("4.45.0", "~=4.44.0"));
  CHECK(meets("2.1.4", "==2.1.*"));
  CHECK(meets("4.57.0", "^4.40"));
  CHECK_FALSE(meets("5.0.0", "^4.40"));
  CHECK_FALSE(meets("0.3.0", "^0.2.1"));
}
