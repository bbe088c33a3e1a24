#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

#include <thread>

using namespace gpulint;

namespace {

std::string gpu_text(const std::string& name, const std::string& mebibytes,
                     const std::string& pci = "2206") {
  std::string text = with(kRtx3080, "NVIDIA GeForce RTX 3080", name);
  text = with(text, "10240 MiB", mebibytes + " MiB");
  text = with(text, "usable_memory: {low: 10002 MiB, high: 10009 MiB, evidence: observed}\n", "");
  text = with(text, "usable_memory: logs, ", "");
  return with(text, "2206", pci);
}

Catalog hardware() {
  std::vector<DataFile> files;
  const auto add = [&](const std::string& id, const std::string& text) {
    files.push_back(data_file("hardware_db/gpus/" + id + ".yaml", text));
  };
  add("rtx-3080", gpu_text("NVIDIA GeForce RTX 3080", "10240"));
  add("rtx-3080-12gb", gpu_text("NVIDIA GeForce RTX 3080", "12288", "220A"));
  add("rtx-4060-ti-8gb", gpu_text("NVIDIA GeForce RTX 4060 Ti", "8188", "2803"));
  add("rtx-4060-ti-16gb", gpu_text("NVIDIA GeForce RTX 4060 Ti", "16380", "2805"));
  add("a10", gpu_text("NVIDIA A10", "23028", "2236"));
  add("a10g", gpu_text("NVIDIA A10G", "23028", "2237"));
  files.push_back(data_file("hardware_db/hosts/g5-xlarge.yaml",
                            "names: [g5.xlarge]\ngpu: a10g\nsources: [x]\n"));
  Result<Catalog> catalog = Catalog::open(std::move(files));
  if (!catalog) throw catalog.error();
  return std::move(catalog).value();
}

std::string id_of(const Gpu* gpu) { return gpu == nullptr ? "none" : gpu->id; }

std::string open_error(std::vector<DataFile> files) {
  const Result<Catalog> catalog = Catalog::open(std::move(files));
  return catalog ? "no error" : catalog.error().to_string();
}

}  // namespace

TEST_CASE("a GPU is found by its id or its exact driver name") {
  const Catalog catalog = hardware();
  CHECK(id_of(catalog.find_gpu("a10g")) == "a10g");
  CHECK(id_of(catalog.find_gpu("A10G")) == "a10g");
  CHECK(id_of(catalog.find_gpu("NVIDIA A10")) == "a10");
  CHECK(id_of(catalog.find_gpu("NVIDIA A10G")) == "a10g");
}

TEST_CASE("a GPU is never found by a part of its name") {
  const Catalog catalog = hardware();
  CHECK(catalog.find_gpu("NVIDIA A1") == nullptr);
  CHECK(catalog.find_gpu("RTX 3080") == nullptr);
  CHECK(catalog.find_gpu("") == nullptr);
}

TEST_CASE("two GPUs of one name are told apart by memory") {
  const Catalog catalog = hardware();
  const char* name = "NVIDIA GeForce RTX 3080";
  CHECK(catalog.find_gpu(name) == nullptr);
  CHECK(catalog.gpus_named(name).size() == 2);
  CHECK(id_of(catalog.find_gpu(name, Bytes::mib(10240))) == "rtx-3080");
  CHECK(id_of(catalog.find_gpu(name, Bytes::mib(10002))) == "rtx-3080");
  CHECK(id_of(catalog.find_gpu(name, Bytes::mib(12117))) == "rtx-3080-12gb");
  CHECK(id_of(catalog.find_gpu("NVIDIA GeForce RTX 4060 Ti", Bytes::mib(7806))) ==
        "rtx-4060-ti-8gb");
  CHECK(id_of(catalog.find_gpu("NVIDIA GeForce RTX 4060 Ti", Bytes::mib(16380))) ==
        "rtx-4060-ti-16gb");
}

TEST_CASE("a memory size that no GPU of the name has finds none") {
  const Catalog catalog = hardware();
  CHECK(catalog.find_gpu("NVIDIA GeForce RTX 3080", Bytes::gib(20)) == nullptr);
  CHECK(catalog.find_gpu("NVIDIA A10", Bytes::gib(40)) == nullptr);
}

TEST_CASE("a GPU is found by its PCI device id") {
  const Catalog catalog = hardware();
  CHECK(id_of(catalog.gpu_by_pci("2237")) == "a10g");
  CHECK(id_of(catalog.gpu_by_pci("0x220a")) == "rtx-3080-12gb");
  CHECK(catalog.gpu_by_pci("9999") == nullptr);
}

TEST_CASE("an unknown name is answered with the nearest one") {
  const Catalog catalog = hardware();
  CHECK(catalog.similar_gpus("rtx-3081") == " (did you mean \"rtx-3080\"?)");
  CHECK(catalog.similar_gpus("tpu-v5") == "");
  CHECK(catalog.similar_hosts("g5.xlrge") == " (did you mean \"g5.xlarge\"?)");
}

TEST_CASE("a host is found by its id or the cloud's spelling") {
  const Catalog catalog = hardware();
  REQUIRE(catalog.find_host("g5.xlarge") != nullptr);
  CHECK(catalog.find_host("g5.xlarge") == catalog.find_host("g5-xlarge"));
  CHECK(catalog.find_host("g5") == nullptr);
}

TEST_CASE("pointers stay valid when the catalog is moved") {
  Catalog catalog = hardware();
  const Gpu* before = catalog.gpu("a10");
  const Catalog moved = std::move(catalog);
  CHECK(moved.gpu("a10") == before);
}

TEST_CASE("several threads may ask at once and get the same objects") {
  const Catalog catalog = hardware();
  std::vector<const Gpu*> found(8, nullptr);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&catalog, &found, i] {
      found[i] = catalog.find_gpu("NVIDIA GeForce RTX 3080", Bytes::gib(12));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Gpu* gpu : found) CHECK(gpu == catalog.gpu("rtx-3080-12gb"));
}

TEST_CASE("a later file of the same id replaces an earlier one") {
  std::vector<DataFile> files;
  files.push_back(data_file("hardware_db/gpus/a10.yaml", gpu_text("NVIDIA A10", "23028")));
  files.push_back(data_file("hardware_db/gpus/a10.yaml", gpu_text("NVIDIA A10", "11000")));
  const Result<Catalog> catalog = Catalog::open(std::move(files));
  REQUIRE(catalog);
  CHECK(catalog->gpus().size() == 1);
  CHECK(catalog->gpu("a10")->memory_total == Bytes::mib(11000));
}

TEST_CASE("the files of models are kept for the room that reads them") {
  std::vector<DataFile> files;
  files.push_back(data_file("model_db/models/vgg/vgg16.yaml", "family: vgg\n"));
  files.push_back(data_file("hardware_db/gpus/a10.yaml", gpu_text("NVIDIA A10", "23028")));
  files.push_back(data_file("model_db/models/mine/vgg16.yaml", "family: mine\n"));
  const Result<Catalog> catalog = Catalog::open(std::move(files));
  REQUIRE(catalog);
  REQUIRE(catalog->model_files().loose.size() == 1);
  CHECK(catalog->model_files().loose[0].document.text() == "family: mine\n");
}

TEST_CASE("all broken files are named at once") {
  std::vector<DataFile> files;
  files.push_back(data_file("hardware_db/hosts/a.yaml", "ram: 62\nsources: [x]\n"));
  files.push_back(data_file("hardware_db/hosts/b.yaml", "ram: 62 GB\n"));
  CHECK(open_error(std::move(files)) ==
        "hardware_db/hosts/a.yaml:1:6: ram: \"62\" has no unit; write \"62 GiB\" or \"62 GB\"\n"
        "hardware_db/hosts/b.yaml:1:1: file: \"sources\" is missing");
}

TEST_CASE("a host that names an unknown GPU is refused") {
  std::vector<DataFile> files;
  files.push_back(data_file("hardware_db/gpus/a10.yaml", gpu_text("NVIDIA A10", "23028")));
  files.push_back(data_file("hardware_db/hosts/a.yaml", "gpu: a11\nsources: [x]\n"));
  CHECK(open_error(std::move(files)) ==
        "hardware_db/hosts/a.yaml:1:6: gpu: unknown GPU \"a11\" (did you mean \"a10\"?)");
}

TEST_CASE("a file outside the folders of data is refused") {
  std::vector<DataFile> files;
  files.push_back(data_file("rules/amp-disabled.yaml", "summary: x\n"));
  CHECK(open_error(std::move(files)) ==
        "rules/amp-disabled.yaml: lies in no folder of data; the kinds are dialects/, "
        "hardware_db/architectures/, hardware_db/fleets/, hardware_db/gpus/, hardware_db/hosts/, "
        "knowledge/adapters/, knowledge/catalogue/, knowledge/consumers/, knowledge/engines/, "
        "knowledge/implementations/, knowledge/launchers/, knowledge/networks/, "
        "knowledge/optimizers/, knowledge/words/, "
        "model_db/families/, model_db/models/<family>/, "
        "model_db/parts/, model_db/recorded/<library>/, rules/<family>/");
}

TEST_CASE("a model file lies where its name leads to, by what it holds") {
  const auto error_of = [](const char* path, const char* text) {
    std::vector<DataFile> files;
    files.push_back(data_file(path, text));
    return open_error(std::move(files));
  };
  CHECK(error_of("model_db/vgg/vgg16.yaml", "family: vgg\n") ==
        "model_db/vgg/vgg16.yaml: is a model of the family \"vgg\": move it to "
        "model_db/models/vgg/vgg16.yaml");
  CHECK(error_of("model_db/models/resnet/vgg16.yaml", "family: vgg\n") ==
        "model_db/models/resnet/vgg16.yaml: is a model of the family \"vgg\": move it to "
        "model_db/models/vgg/vgg16.yaml");
  CHECK(error_of("model_db/mine/net.yaml", "program: []\n") ==
        "model_db/mine/net.yaml: holds a program: move it to model_db/families/net.yaml, or to "
        "model_db/recorded/<library>/net.yaml when a tool recorded it");
  CHECK(error_of("model_db/families/stages.yaml", "define: {}\n") ==
        "model_db/families/stages.yaml: holds definitions without a program: move it to "
        "model_db/parts/stages.yaml");
}

TEST_CASE("programs, models and parts may lie in their folders") {
  std::vector<DataFile> files;
  files.push_back(data_file("model_db/families/a.yaml", "program: []\n"));
  files.push_back(data_file("model_db/recorded/mine/b.yaml", "program: []\n"));
  files.push_back(data_file("model_db/models/a/c.yaml", "family: a\n"));
  files.push_back(data_file("model_db/parts/d.yaml", "define: {}\n"));
  const Result<Catalog> catalog = Catalog::open(std::move(files));
  REQUIRE(catalog);
  CHECK(catalog->model_files().loose.size() == 4);
}

TEST_CASE("data files are written without anchors, tags and repeated keys") {
  std::vector<DataFile> files;
  files.push_back(data_file("hardware_db/hosts/a.yaml",
                            "ram: &r 62 GB\nshm: *r\ncloud: !x aws\ncloud: gcp\nsources: [x]\n"));
  const std::string error = open_error(std::move(files));
  CHECK(error.find("a.yaml:1:9: anchors and aliases are not used in data files") !=
        std::string::npos);
  CHECK(error.find("a.yaml:2:6: anchors and aliases are not used in data files") !=
        std::string::npos);
  CHECK(error.find("tags are not used in data files") != std::string::npos);
  CHECK(error.find("a.yaml:3:1: key \"cloud\" is written twice; keep one of them") !=
        std::string::npos);
}

TEST_CASE("a data folder is read by kind and path") {
  const MemoryReader reader({{"d/hardware_db/hosts/b.yaml", "ram: 1 GB\nsources: [x]\n"},
                             {"d/hardware_db/hosts/a.yaml", "ram: 1 GB\nsources: [x]\n"},
                             {"d/README.md", "not data"}});
  const Result<std::vector<DataFile>> files = read_data_folder(reader, "d");
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].path == "hardware_db/hosts/a.yaml");
  CHECK((*files)[0].document.path() == "d/hardware_db/hosts/a.yaml");
}

TEST_CASE("files of models are found in every folder of model_db, also where they do not belong") {
  const MemoryReader reader({{"d/model_db/families/a.yaml", "program: []\n"},
                             {"d/model_db/models/a/b.yaml", "family: a\n"},
                             {"d/model_db/a/c.yaml", "family: a\n"}});
  const Result<std::vector<DataFile>> files = read_data_folder(reader, "d");
  REQUIRE(files);
  REQUIRE(files->size() == 3);
  CHECK((*files)[0].path == "model_db/a/c.yaml");
}

TEST_CASE("what is wrong with a data folder is said with the path") {
  const auto error_of = [](std::map<std::string, std::string> tree) {
    const MemoryReader reader(std::move(tree));
    const Result<std::vector<DataFile>> files = read_data_folder(reader, "d");
    return files ? "no error" : files.error().to_string();
  };
  CHECK(
      error_of({}) ==
      "d: is not a folder; name one with rules/, hardware_db/, dialects/, knowledge/ or model_db/ "
      "in it");
  CHECK(error_of({{"d/dialects/a.yml", ""}}) ==
        "d/dialects/a.yml: data files are named <id>.yaml; rename or remove it");
  CHECK(error_of({{"d/rules/a/x.yaml", "a: 1\n"}, {"d/rules/b/x.yaml", "a: 1\n"}}) ==
        "d/rules/b/x.yaml: this id is already taken by d/rules/a/x.yaml");
  CHECK(error_of(
            {{"d/model_db/families/x.yaml", "a: 1\n"}, {"d/model_db/models/y/x.yaml", "a: 1\n"}}) ==
        "d/model_db/models/y/x.yaml: this id is already taken by d/model_db/families/x.yaml");
  CHECK(error_of({{"d/dialects/a.yaml", "a: [\n"}}).find("d/dialects/a.yaml:") == 0);
}
