// What a program takes where the environment says nothing else, or where a library looks for it.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace environment_defaults_test {

using namespace gpulint;
using Files = MemoryReader::Files;

Files with_settings(const std::string& settings) {
  return {{".git/HEAD", ""},
          {"settings.py", "import os\n" + settings},
          {"train.py",
           "import torch\nfrom torch.utils.data import DataLoader\n"
           "from settings import ROWS, SPEED\n"
           "def main():\n"
           "    loader = DataLoader(make('train'), batch_size=ROWS, shuffle=True)\n"
           "    opt = torch.optim.AdamW(model.parameters(), lr=SPEED)\n"
           "    for epoch in range(3):\n        for x in loader:\n"
           "            model(x).backward()\n            opt.step()\n"
           "if __name__ == '__main__':\n    main()\n"}};
}

TEST_CASE("a variable that nothing of the project sets has the program's own value") {
  Files files = with_settings(
      "ROWS = 6\nROWS = int(os.getenv('APP_ROWS', ROWS))\n"
      "SPEED = float(os.environ.get('APP_SPEED', '0.01'))\n");
  CHECK(Project(files, "train.py").fact("per_device_batch_size") == "6 code settings.py:2");
  CHECK(Project(files, "train.py").fact("learning_rate") == "0.01 code settings.py:4");
  files["go.sh"] = "# export APP_ROWS=8\npython train.py\n";
  CHECK(Project(files, "train.py").fact("per_device_batch_size") == "6 code settings.py:2");
  CHECK(Project(files, "go.sh").fact("per_device_batch_size") == "6 code settings.py:2");
}

TEST_CASE("a variable that a file of the project may set has any value") {
  const Files files = with_settings("ROWS = int(os.getenv('APP_ROWS', 6))\nSPEED = 0.1\n");
  const auto rows_beside = [&](const std::string& path, const std::string& text) {
    Files more = files;
    more[path] = text;
    return Project(more, "train.py").fact("per_device_batch_size");
  };
  CHECK(rows_beside("job.sh", "export APP_ROWS=8\nsbatch other.sh\n") == "unknown");
  CHECK(rows_beside("compose.yaml", "services:\n  a:\n    environment:\n      APP_ROWS: 8\n") ==
        "unknown");
  CHECK(rows_beside("README.md", "Set APP_ROWS to change the batch.\n") == "unknown");
  CHECK(rows_beside("sweep.py", "import os\nos.environ['APP_ROWS'] = '9'\n") == "unknown");
  CHECK(rows_beside("local.py", "from dotenv import load_dotenv\nload_dotenv()\n") == "unknown");
  CHECK(rows_beside("more.py", "import os\nprint(os.environ['APP_ROWS'])\n") !=
        "unknown");
}

TEST_CASE("a variable that launchers and clouds set has any value") {
  const Files files = with_settings("ROWS = int(os.getenv('SM_ROWS', 6))\nSPEED = 0.1\n");
  CHECK(Project(files, "train.py").fact("per_device_batch_size") == "unknown");
}

TEST_CASE("a module of settings states what programs work out of it") {
  Files files = with_settings("");
  files.erase("settings.py");
  files["config.py"] =
      "import os\nBATCH_SIZE = 6\nBATCH_SIZE = int(os.getenv('APP_ROWS', BATCH_SIZE))\n"
      "LR = 0.1\nNUM_WORKERS = 2\n";
  std::string& code = files["train.py"];
  code.replace(code.find("from settings import ROWS, SPEED"), 32,
               "from config import BATCH_SIZE as ROWS, LR as SPEED");
  CHECK(Project(files, "config.py").fact("per_device_batch_size") == "6 code config.py:2");
}

TEST_CASE("words with their places in a list are no settings") {
  std::string words;
  for (const char* each : {"he", "li", "be", "ne", "na", "mg", "al", "si", "cl", "ar", "ca", "lr"})
    words += std::string(words.empty() ? "" : ", ") + "'" + each + "'";
  Files files = {{".git/HEAD", ""}};
  files["train.py"] =
      "import torch\nfrom torch.utils.data import DataLoader\n"
      "places = {each: i for i, each in enumerate([" +
      words +
      "])}\ndef main():\n"
      "    loader = DataLoader(make('train'), batch_size=6, shuffle=True)\n"
      "    opt = torch.optim.AdamW(model.parameters())\n"
      "    for epoch in range(3):\n        for x in loader:\n"
      "            model(x).backward()\n            opt.step()\n"
      "if __name__ == '__main__':\n    main()\n";
  CHECK(Project(files, "train.py").fact("learning_rate") == "0.001 code train.py:6");
}

TEST_CASE("a run that is given no config has the one its library looks for") {
  const Files files = {
      {".git/HEAD", ""},
      {"config-defaults.yaml",
       "rows:\n  desc: of a batch\n  value: 6\nspeed:\n  value: 0.01\nrounds:\n  value: 4\n"},
      {"train.py",
       "import torch, wandb\nfrom torch.utils.data import DataLoader\n"
       "if __name__ == '__main__':\n"
       "    run = wandb.init(project='p')\n"
       "    loader = DataLoader(make('train'), batch_size=wandb.config['rows'], shuffle=True)\n"
       "    opt = torch.optim.AdamW(model.parameters(), lr=wandb.config['speed'])\n"
       "    for epoch in range(wandb.config['rounds']):\n        for x in loader:\n"
       "            model(x).backward()\n            opt.step()\n"}};
  const Project project(files, "config-defaults.yaml");
  CHECK(project.fact("per_device_batch_size") == "6 stated config-defaults.yaml:3");
  CHECK(project.fact("learning_rate") == "0.01 stated config-defaults.yaml:5");
  CHECK(project.fact("epochs") == "4 stated config-defaults.yaml:7");
}

}  // namespace environment_defaults_test
