// Configs of vision, speech and image-generation frameworks: what their words mean there.

#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

TEST_CASE("a HyperPyYAML reference to a key at the top has that key's value") {
  const Facts facts = facts_of(
      "n: 8\nN_batch: !ref <n>\nlr: 0.0003\nnum_workers: 4\n"
      "train_dataloader_opts:\n  batch_size: !ref <N_batch>\n  num_workers: !ref <num_workers> // "
      "2\n"
      "opt_class: !name:torch.optim.AdamW\n  lr: !ref <lr>\n");
  CHECK(facts.plan.dialect == "hyperpyyaml");
  CHECK(facts["per_device_batch_size"] == "8");
  CHECK(facts["num_workers"] == "2");
  CHECK(facts["optimizer"] == "adamw");
  CHECK(facts["learning_rate"] == "0.0003");
}

TEST_CASE("HyperPyYAML's arithmetic is Python's, over numbers the file states") {
  const auto batch = [](const std::string& expression) {
    return facts_of("n: 8\nopts:\n  m: 3\nbatch_size: !ref " + expression +
                    "\nopt_class: !name:torch.optim.AdamW\n")["per_device_batch_size"];
  };
  CHECK(batch("<n> * 2 + 1") == "17");
  CHECK(batch("<n> // <opts[m]>") == "2");
  CHECK(batch("(<n> - 2) * 2 ** 2") == "24");
  CHECK(batch("<n> % 3") == "2");
  CHECK(batch("<n> / 0").empty());
  CHECK(batch("<n> * <unknown>").empty());
  CHECK(batch("<n>_suffix").empty());
}

TEST_CASE("a SpeechBrain recipe for speakers names its network and schedule by their classes") {
  const Facts facts = facts_of(
      "batch_size: 8\nembedding_model: !new:speechbrain.lobes.models.Xvector.Xvector\n"
      "  lin_neurons: 512\nopt_class: !name:torch.optim.Adam\n  lr: 0.001\n"
      "lr_annealing: !new:speechbrain.nnet.schedulers.LinearScheduler\n  initial_value: 0.001\n");
  CHECK(facts["model"] == "xvector");
  CHECK(facts["lr_schedule"] == "linear");
  CHECK(facts["max_grad_norm"] == "5");
  CHECK(facts["gradient_accumulation_steps"] == "1");
}

TEST_CASE("a HyperPyYAML reference in a circle or to nothing is unknown") {
  CHECK(facts_of("batch_size: !ref <b>\nb: !ref <batch_size>\n")["per_device_batch_size"].empty());
  CHECK(facts_of("batch_size: !ref <missing>\n")["per_device_batch_size"].empty());
  CHECK(facts_of("batch_size: !PLACEHOLDER\n")["per_device_batch_size"].empty());
}

TEST_CASE("a dynamic batch of SpeechBrain or WeNet is not a number of samples") {
  CHECK(facts_of("batch_size: 8\ndynamic_batching: True\nm: !new:x.Y\n")["per_device_batch_size"]
            .empty());
  const Facts wenet = facts_of(
      "encoder: conformer\nencoder_conf: {}\naccum_grad: 4\ndataset_conf:\n  batch_conf:\n"
      "    batch_type: dynamic\n    batch_size: 12\n");
  CHECK(wenet.plan.dialect == "wenet");
  CHECK(wenet["per_device_batch_size"].empty());
  CHECK(wenet["gradient_accumulation_steps"] == "4");
}

TEST_CASE("detectron2 counts the images of all GPUs, Swin those of one") {
  const Facts detectron =
      facts_of("SOLVER:\n  IMS_PER_BATCH: 16\n  BASE_LR: 0.02\nMODEL:\n  MASK_ON: True\n");
  CHECK(detectron.plan.dialect == "detectron2");
  CHECK(detectron["global_batch_size"] == "16");
  CHECK(detectron["per_device_batch_size"].empty());
  CHECK(detectron["mixed_precision"].empty());  // the command line may say it
  const Facts swin =
      facts_of("MODEL:\n  TYPE: swin\n  DROP_PATH_RATE: 0.2\nDATA:\n  BATCH_SIZE: 64\n");
  CHECK(swin.plan.dialect == "swin");
  CHECK(swin["per_device_batch_size"] == "64");
  CHECK(swin["num_workers"] == "8");
  CHECK(facts_of("MODEL:\n  MOBY:\n    ENCODER: vit\nTRAIN:\n  BASE_LR: 0.5\n")["learning_rate"] == "0.5");
}

TEST_CASE("a file laid over a base takes no defaults") {
  const Facts swin = facts_of("BASE: [base.yaml]\nMODEL:\n  TYPE: swin\n  DROP_PATH_RATE: 0.2\n");
  CHECK(swin.plan.dialect == "swin");
  CHECK(swin["num_workers"].empty());
}

TEST_CASE(
    "fairseq's first list item is the first epoch's, and fp16 is mixed precision with a scaler") {
  const Facts facts = facts_of(
      "common:\n  fp16: true\noptimization:\n  lr: [0.0005]\n  update_freq: [4]\n  max_update: "
      "400\n"
      "dataset:\n  max_tokens: 1400000\n  num_workers: 6\noptimizer:\n  _name: adam\n");
  CHECK(facts.plan.dialect == "fairseq");
  CHECK(facts["learning_rate"] == "0.0005");
  CHECK(facts["gradient_accumulation_steps"] == "4");
  CHECK(facts["mixed_precision"] == "fp16");
  CHECK(facts["loss_scaling"] == "dynamic");
  CHECK(facts["per_device_batch_size"].empty());
  CHECK(facts["persistent_workers"] == "true");
}

TEST_CASE("a loader without workers keeps none, whatever its framework keeps otherwise") {
  const auto kept = [](const std::string& workers) {
    return facts_of(
        "common: {fp16: true}\noptimization:\n  lr: [0.0005]\n  max_update: 5\ndataset:\n  "
        "batch_size: 4\n" +
        workers + "optimizer:\n  _name: adam\n")["persistent_workers"];
  };
  CHECK(kept("  num_workers: 0\n") == "false");
  CHECK(kept("  num_workers: 2\n") == "true");
  CHECK(kept("").empty());
}

TEST_CASE("a composite optimizer of fairseq has no single learning rate") {
  const Facts facts = facts_of(
      "common: {}\ntask: {}\noptimization:\n  lr: [1.0]\n  max_update: 400\n"
      "optimizer:\n  _name: composite\n");
  CHECK(facts["learning_rate"].empty());
  CHECK(facts["optimizer"].empty());
  const Facts one_group = facts_of(
      "common: {}\ntask: {}\noptimization:\n  lr: [1.0]\n  max_update: 400\n"
      "optimizer:\n  _name: composite\n  groups:\n    default:\n      lr_float: 0.0005\n"
      "      optimizer: {_name: adam}\n");
  CHECK(one_group["learning_rate"] == "0.0005");
  CHECK(one_group["optimizer"] == "adam");
}

TEST_CASE("gradual training of Coqui overrides the batch size") {
  const std::string audio =
      "{\"audio\": {\"sample_rate\": 22050}, \"lr\": 0.001, \"batch_size\": 32";
  CHECK(facts_of(audio + "}", "config.json")["per_device_batch_size"] == "32");
  CHECK(facts_of(audio + ", \"gradual_training\": [[0, 7, 64]]}",
                 "config.json")["per_device_batch_size"]
            .empty());
}

TEST_CASE("an Ultralytics batch is of all GPUs, unless it is a share of the memory") {
  const std::string args = "task: detect\nmode: train\nimgsz: 640\nlr0: 0.01\n";
  CHECK(facts_of(args + "batch: 16\n")["global_batch_size"] == "16");
  CHECK(facts_of(args + "batch: -1\n")["global_batch_size"].empty());
  CHECK(facts_of(args + "batch: 0.7\n")["global_batch_size"].empty());
  CHECK(facts_of(args + "optimizer: auto\n")["learning_rate"].empty());
  CHECK(facts_of(args + "optimizer: SGD\n")["learning_rate"] == "0.01");
}

TEST_CASE("kohya writes width before height, numbers as texts and nothing as an empty text") {
  const Facts facts = facts_of(
      "{\"train_batch_size\": \"2\", \"max_resolution\": \"512,650\", \"clip_skip\": 1,"
      " \"cache_latents\": true, \"max_train_steps\": \"\", \"lr_warmup\": \"10\","
      " \"fused_backward_pass\": true}",
      "config.json");
  CHECK(facts.plan.dialect == "kohya");
  CHECK(facts["per_device_batch_size"] == "2");
  CHECK(facts["image_size"] == "650");
  CHECK(facts["image_width"] == "512");
  CHECK(facts["sample_bytes"].empty());
  CHECK(facts["max_steps"].empty());
  CHECK(facts["warmup_ratio"] == "0.1");
  CHECK(facts["optimizer_in_backward"] == "true");
}

TEST_CASE("textual inversion of kohya trains no network that is known") {
  const std::string settings =
      "{\"train_batch_size\": 2, \"max_resolution\": \"512,512\", \"cache_latents\": true,"
      " \"pretrained_model_name_or_path\": \"runwayml/stable-diffusion-v1-5\"";
  CHECK(facts_of(settings + "}", "config.json")["model"] == "runwayml/stable-diffusion-v1-5");
  CHECK(facts_of(settings + ", \"num_vectors_per_token\": 8}", "config.json")["model"].empty());
}

TEST_CASE("timm's arguments count samples and workers of one GPU") {
  const Facts facts = facts_of(
      "batch_size: 128\nworkers: 8\nopt: adamw\nlr: null\nlr_base: 0.1\nlr_base_size: 256\n"
      "amp: true\namp_dtype: bfloat16\nreprob: 0.25\nremode: pixel\naug_splits: 0\npin_mem: "
      "false\n");
  CHECK(facts.plan.dialect == "timm");
  CHECK(facts["per_device_batch_size"] == "128");
  CHECK(facts["num_workers"] == "8");
  CHECK(facts["mixed_precision"] == "bf16");
  CHECK(facts["pin_memory"] == "false");
  CHECK(facts["learning_rate"].empty());
}

TEST_CASE("PaddleDetection's warm-up is one of its schedules") {
  const auto schedule = [](const std::string& entries) {
    return facts_of(
        "TrainReader: {batch_size: 2}\nworker_num: 4\nLearningRate:\n  base_lr: 0.01\n"
        "  schedulers:\n" +
        entries);
  };
  const Facts steps = schedule(
      "  - !PiecewiseDecay\n    gamma: 0.1\n  - !LinearWarmup\n    start_factor: 0.1\n    steps: "
      "1000\n");
  CHECK(steps["warmup_steps"] == "1000");
  CHECK(steps["warmup_epochs"].empty());
  const Facts epochs = schedule("  - name: CosineDecay\n  - name: LinearWarmup\n    epochs: 5\n");
  CHECK(epochs["warmup_epochs"] == "5");
  CHECK(epochs["warmup_steps"].empty());
  CHECK(schedule("  - !CosineDecay\n    max_epochs: 9\n")["warmup_steps"].empty());
}

TEST_CASE("an ai-toolkit job keeps its base in the format it trains in, or in 8 bits") {
  const auto job = [](const std::string& model) {
    return facts_of(
        "job: extension\nconfig:\n  process:\n  - type: sd_trainer\n    network: {type: lora, "
        "linear: "
        "16}\n    datasets:\n    - {resolution: [512, 1024, 768]}\n    train: {batch_size: 1, "
        "dtype: "
        "bf16, optimizer: adamw8bit}\n    model: {name_or_path: black-forest-labs/FLUX.1-dev" +
        model + "}\n");
  };
  const Facts whole = job("");
  CHECK(whole.plan.dialect == "ai-toolkit");
  CHECK(whole["weights_dtype"] == "bf16");
  CHECK(whole["image_size"] == "1024");
  CHECK(whole["quantization"].empty());
  CHECK(job(", quantize: true")["quantization"] == "8bit");
  CHECK(job(", quantize: true, qtype: qfloat8")["quantization"] == "8bit");
  CHECK(job(", quantize: true, qtype: uint3")["quantization"].empty());
  CHECK(job(", quantize: false")["quantization"] == "none");
}
