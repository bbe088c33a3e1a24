#include "device/library_search.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace gpulint::probe;
namespace fs = std::filesystem;

namespace {

/// A folder of files that look like libraries; nothing loads them.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "gpulint-XXXXXX").string();
    path_ = fs::canonical(mkdtemp(pattern.data()));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  std::string add(const std::string& name, unsigned mode = 0755) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "library";
    chmod(file.c_str(), mode);
    return file.string();
  }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

LibraryWish wish_in(const Folder& folder) { return {.toolkits = folder.at("toolkits")}; }

const std::string kWheel12 = "lib/python3.11/site-packages/nvidia/cublas/lib/libcublasLt.so.12";
const std::string kWheel13 = "lib/python3.11/site-packages/nvidia/cu13/lib/libcublasLt.so.13";

/// The machine's own system folders may hold one, too.
std::string first(const LibraryChoice& choice) {
  return choice.paths.empty() ? "" : choice.paths.front();
}

}  // namespace

TEST_CASE("the wheel of the Python environment is found, the newer release first") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  const std::string old = folder.add("env/" + kWheel12);
  wish.virtual_env = folder.at("env");
  CHECK(first(find_cublaslt(wish, "")) == old);
  const std::string recent = folder.add("env/" + kWheel13);
  CHECK(first(find_cublaslt(wish, "")) == recent);
}

TEST_CASE("a python that was named comes before the environment, and is not run") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  folder.add("env/" + kWheel12);
  const std::string named = folder.add("other/" + kWheel12);
  wish.virtual_env = folder.at("env");
  wish.python = folder.add("other/bin/python", 0644);
  CHECK(first(find_cublaslt(wish, "")) == named);
}

TEST_CASE("the packages of a conda environment come after those of a virtual one") {
  const Folder folder;
  const std::string of_conda = folder.add("conda/lib/libcublasLt.so.12");
  LibraryWish wish = wish_in(folder);
  wish.conda_prefix = folder.at("conda");
  CHECK(first(find_cublaslt(wish, "")) == of_conda);
  const std::string of_environment = folder.add("env/" + kWheel12);
  wish.virtual_env = folder.at("env");
  CHECK(first(find_cublaslt(wish, "")) == of_environment);
}

TEST_CASE("toolkits come last, the default one before others") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  const std::string older =
      folder.add("toolkits/cuda-12.8/targets/x86_64-linux/lib/libcublasLt.so.12");
  CHECK(first(find_cublaslt(wish, "")) == older);
  const std::string usual = folder.add("toolkits/cuda/lib64/libcublasLt.so.13");
  CHECK(first(find_cublaslt(wish, "")) == usual);
  wish.virtual_env = folder.at("env");
  const std::string wheel = folder.add("env/" + kWheel12);
  CHECK(first(find_cublaslt(wish, "")) == wheel);
}

TEST_CASE("an environment inside the linted folder is refused unless its file is named") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  const std::string inside = folder.add("repository/.venv/" + kWheel12);
  wish.virtual_env = folder.at("repository/.venv");
  const LibraryChoice choice = find_cublaslt(wish, folder.at("repository"));
  CHECK(first(choice) != inside);
  REQUIRE(choice.refused.size() == 1);
  CHECK(choice.refused.front() == inside + ": it lies inside the linted folder");
  wish.named = inside;
  CHECK(find_cublaslt(wish, folder.at("repository")).paths == std::vector<std::string>{inside});
}

TEST_CASE("a file that others may write or replace is refused, named or not") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  wish.named = folder.add("a/libcublasLt.so.13", 0777);
  CHECK(find_cublaslt(wish, "").paths.empty());
  CHECK(find_cublaslt(wish, "").refused.front().find("may write to it") != std::string::npos);
  chmod(wish.named.c_str(), 0755);
  CHECK(find_cublaslt(wish, "").paths.size() == 1);
  chmod(folder.at("a").c_str(), 0777);
  CHECK(find_cublaslt(wish, "").refused.front().find("everybody may replace it") !=
        std::string::npos);
  chmod(folder.at("a").c_str(), 0755);
  if (geteuid() == 0) {
    // The group of its user alone may write to it, another one may not.
    chmod(wish.named.c_str(), 0775);
    REQUIRE(chown(wish.named.c_str(), 0, 0) == 0);
    CHECK(find_cublaslt(wish, "").paths.size() == 1);
    REQUIRE(chown(wish.named.c_str(), 0, 65534) == 0);
    CHECK(find_cublaslt(wish, "").refused.front().find("its group") != std::string::npos);
    REQUIRE(chown(wish.named.c_str(), 12345, 0) == 0);
    CHECK(find_cublaslt(wish, "").refused.front().find("belongs to another user") !=
          std::string::npos);
  }
}

TEST_CASE("folders, links to nowhere and missing files are not libraries") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  fs::create_directories(folder.at("libcublasLt.so.13"));
  wish.named = folder.at("libcublasLt.so.13");
  CHECK(find_cublaslt(wish, "").refused.front().find("not a regular file") != std::string::npos);
  wish.named = folder.at("missing.so.13");
  CHECK(find_cublaslt(wish, "").refused.front().find("no such file") != std::string::npos);
}

TEST_CASE("a link is judged by what it leads to") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  const std::string real = folder.add("repository/evil.so.13");
  fs::create_directories(folder.at("env/lib/python3.11/site-packages/nvidia/cu13/lib"));
  fs::create_symlink(real, folder.at("env/" + kWheel13));
  wish.virtual_env = folder.at("env");
  const LibraryChoice choice = find_cublaslt(wish, folder.at("repository"));
  CHECK(first(choice) != real);
  CHECK(choice.refused.size() == 1);
}

TEST_CASE("nothing is looked for when no library is wanted") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  wish.named = folder.add("libcublasLt.so.13");
  wish.allowed = false;
  CHECK(find_cublaslt(wish, "").paths.empty());
  CHECK(find_cublaslt(wish, "").refused.empty());
}

TEST_CASE("the release is read off the file's name") {
  CHECK(library_major("/a/libcublasLt.so.13.1.0.3") == 13);
  CHECK(library_major("/a/libcublasLt.so.12") == 12);
  CHECK_FALSE(library_major("/a/libcublasLt.so").has_value());
  CHECK_FALSE(library_major("/a.so.12/libcublasLt.so.x").has_value());
}

TEST_CASE("NCCL is looked for where PyTorch finds it: its package, LD_LIBRARY_PATH, the loader") {
  const Folder folder;
  LibraryWish wish = wish_in(folder);
  wish.loader_config = folder.at("etc");
  const std::string by_loader = folder.add("opt/lib/libnccl.so.2");
  folder.add("etc/ld.so.conf.d/none.txt");
  fs::create_directories(folder.at("etc/ld.so.conf.d"));
  std::ofstream(folder.at("etc/ld.so.conf.d/nccl.conf")) << "# ours\n"
                                                         << folder.at("opt/lib") << "\nrelative\n";
  CHECK(first(find_nccl(wish, "")) == by_loader);
  const std::string by_path = folder.add("mine/libnccl.so.2");
  wish.library_path = ":.:" + folder.at("mine");
  CHECK(first(find_nccl(wish, "")) == by_path);
  CHECK(first(find_nccl(wish, folder.at("mine"))) == by_loader);  // inside the linted folder
  const std::string by_package =
      folder.add("env/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2");
  wish.virtual_env = folder.at("env");
  CHECK(first(find_nccl(wish, "")) == by_package);
  wish.nccl = by_loader;
  CHECK(find_nccl(wish, "").paths == std::vector<std::string>{by_loader});
  wish.allowed = false;
  CHECK(find_nccl(wish, "").paths.empty());
}
