// Configs written in Python, and scripts whose calls are named like keys.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace python_config_test {

using namespace gpulint;
using Files = MemoryReader::Files;

TEST_CASE("arguments called like keys of a framework are read as its keys") {
  const Project project(
      {{"train.py",
        "from transformers import TrainingArguments, Trainer\n"
        "args = TrainingArguments(output_dir='x', per_device_train_batch_size=8, bf16=True,\n"
        "                         gradient_accumulation_steps=4, learning_rate=2e-5,\n"
        "                         num_train_epochs=3)\n"}},
      "train.py");
  CHECK(project.fact("per_device_batch_size") == "8 stated train.py:2");
  CHECK(project.fact("gradient_accumulation_steps") == "4 stated train.py:3");
  CHECK(project.fact("learning_rate") == "2e-05 stated train.py:3");
  CHECK(project.fact("mixed_precision") == "bf16 derived train.py:2");
}

TEST_CASE("what a framework's arguments are without a word fills in what no call and no key says") {
  const Project project(
      {{"train.py",
        "from transformers import TrainingArguments, Trainer\n"
        "from peft import LoraConfig, prepare_model_for_kbit_training\n"
        "model = prepare_model_for_kbit_training(load())\n"
        "lora = LoraConfig(r=16, target_modules=['q_proj', 'v_proj'])\n"
        "args = TrainingArguments(output_dir='x', optim='paged_adamw_8bit', bf16=True)\n"}},
      "train.py");
  CHECK(project.fact("per_device_batch_size") == "8 code train.py:5");
  CHECK(project.fact("learning_rate") == "5e-05 code train.py:5");
  CHECK(project.fact("optimizer") == "paged_adamw_8bit code train.py:5");
  CHECK(project.fact("num_workers") == "0 code train.py:5");
  CHECK(project.fact("activation_checkpointing") == "full code train.py:3");
  CHECK(project.fact("adapter_targets") == "q_proj,v_proj stated train.py:4");
  const Project open({{"train.py",
                       "from transformers import TrainingArguments\nfrom other import options\n"
                       "args = TrainingArguments('x', bf16=True, max_steps=9, **options)\n"}},
                     "train.py");
  CHECK(open.fact("num_workers") == "unknown");
  CHECK(open.fact("optimizer") == "unknown");
}

TEST_CASE("a config that leaves its training settings to its bases is read with them") {
  const Project project(
      {{"configs/_base_/training.py",
        "training_config = dict(train_batch_size=16, learning_rate=1e-4, epochs=3)\n"},
       {"configs/speech/a.py",
        "_base_ = ['../_base_/training.py']\nmodel_config = dict(num_labels=6)\n"}},
      "configs/speech/a.py");
  CHECK(project.fact("learning_rate") == "0.0001 stated configs/_base_/training.py:1");
  CHECK(project.fact("epochs") == "3 stated configs/_base_/training.py:1");
}

TEST_CASE("an OpenMMLab config in Python is read with its bases") {
  const Project project(
      {{"configs/_base_/runtime.py",
        "default_scope = 'mmdet'\nenv_cfg = dict(cudnn_benchmark=True)\n"
        "train_dataloader = dict(batch_size=2, num_workers=4, persistent_workers=True)\n"
        "optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='SGD', lr=0.02, "
        "momentum=0.9))\n"},
       {"configs/det/a.py",
        "_base_ = ['../_base_/runtime.py']\nlr = 1e-4\nmax_epochs = 12 * 3\n"
        "train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=max_epochs)\n"
        "train_dataloader = dict(batch_size=8)\n"
        "optim_wrapper = dict(\n    optimizer=dict(_delete_=True, type='AdamW', lr=lr))\n"}},
      "configs/det/a.py");
  CHECK(project.fact("per_device_batch_size") == "8 stated configs/det/a.py:5");
  CHECK(project.fact("num_workers") == "4 stated configs/_base_/runtime.py:3");
  CHECK(project.fact("optimizer") == "adamw stated configs/det/a.py:7");
  CHECK(project.fact("learning_rate") == "0.0001 stated configs/det/a.py:2");
  CHECK(project.fact("momentum") == "unknown");
  CHECK(project.fact("epochs") == "36 stated configs/det/a.py:3");
}

TEST_CASE("a Python config that imports its parts is worked out as one") {
  const Project project({{"configs/common.py",
                          "from detectron2.config import LazyCall as L\nimport torch\n"
                          "optimizer = L(torch.optim.AdamW)(lr=1e-4, weight_decay=0.1)\n"
                          "train_dataloader = dict(batch_size=4, num_workers=3)\n"},
                         {"configs/run.py",
                          "from .common import optimizer, train_dataloader\n"
                          "optimizer.lr = 5e-4\ntrain_dataloader['num_workers'] *= 2\n"}},
                        "configs/run.py");
  CHECK(project.fact("per_device_batch_size") == "4 stated configs/common.py:4");
  CHECK(project.fact("num_workers") == "6 stated configs/run.py:3");
}

TEST_CASE("only Python files among configs that look like one are found in a folder") {
  const MemoryReader reader({{"configs/a.py", "_base_ = ['b.py']\n"},
                             {"configs/build.py", "import os\nx = 1\n"},
                             {"model.py", "norm = dict(type='BN')\n"}});
  std::vector<Error> errors;
  const std::vector<DiscoveredFile> found = discover(reader, {"."}, errors);
  REQUIRE(found.size() == 1);
  CHECK(found.front().path == "configs/a.py");
}

TEST_CASE("a module of nothing but constants among configs is a config") {
  const MemoryReader reader(
      {{"config/train.py",
        "# how to train\nimport time\n\nbatch_size = 12\nlr: float = 6e-4\nkeys = [\n  1,\n]\n"},
       {"config/text.py", "\"\"\"Settings\nof the run\n\"\"\"\na = 1\nb = 2\n"},
       {"config/code.py", "a = 1\nb = 2\nprint(a)\n"},
       {"config/function.py", "a = 1\nb = 2\ndef f():\n    return 1\n"},
       {"config/set.py", "cfg = get()\ncfg.lr = 2\nb = 1\n"},
       {"lib/constants.py", "a = 1\nb = 2\n"}});
  std::vector<Error> errors;
  std::vector<std::string> paths;
  for (const DiscoveredFile& file : discover(reader, {"."}, errors)) paths.push_back(file.path);
  CHECK(paths == std::vector<std::string>{"config/text.py", "config/train.py"});
}

TEST_CASE("the last step of a pipeline that states a size says how large the images are") {
  const auto sizes = [](const std::string& steps) {
    const Project project(
        {{"a.py",
          "train_pipeline = [dict(type='LoadImageFromFile'), " + steps + "]\n" +
              "train_dataloader = dict(batch_size=2, dataset=dict(pipeline=train_pipeline))\n"
              "optim_wrapper = dict(optimizer=dict(type='SGD', lr=0.02))\n"}},
        "a.py");
    return project.fact("image_size") + ", " + project.fact("image_width");
  };
  CHECK(sizes("dict(type='Resize', scale=(1333, 800))") == "800 stated a.py:1, 1333 stated a.py:1");
  CHECK(sizes("dict(type='RandomResize', scale=[(1333, 640), (1333, 800)])") ==
        "800 stated a.py:1, 1333 stated a.py:1");
  CHECK(sizes("dict(type='RandomResize', scale=(2048, 1024), ratio_range=(0.5, 2.0)), "
              "dict(type='RandomCrop', crop_size=(512, 512), cat_max_ratio=0.75)") ==
        "512 stated a.py:1, unknown");
  CHECK(sizes("dict(type='RandomResizedCrop', size=224, scale=(0.08, 1.0))") ==
        "224 stated a.py:1, unknown");
  CHECK(sizes("dict(type='Resize', scale=(1333, 800)), dict(type='RandomChoice', "
              "transforms=[[dict(type='Resize', scale=(480, 480))]])") == "unknown, unknown");
}

}  // namespace python_config_test
