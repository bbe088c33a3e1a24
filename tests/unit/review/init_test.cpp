#include "review/init.h"

#include "lint/lint.h"
#include "review/init_guess.h"
#include "source/read.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

InitProposal propose(Files files) {
  const MemoryReader reader(std::move(files));
  return propose_project(session_over(reader), {.paths = {"."}});
}

}  // namespace

TEST_CASE("a key is guessed by the words of its name and the form of its value") {
  CHECK(guess_fact("TRAIN.BSZ", "64") == "per_device_batch_size");
  CHECK(guess_fact("opts.trainBatchSize", "64") == "per_device_batch_size");
  CHECK(guess_fact("opts.lrate", "0.001") == "learning_rate");
  CHECK(guess_fact("solver.grad_accum", "4") == "gradient_accumulation_steps");
  CHECK(guess_fact("loader.workerCount", "8") == "num_workers");
  CHECK(guess_fact("N_EPOCH", "30") == "epochs");
}

TEST_CASE("a name alone is not evidence") {
  CHECK(guess_fact("batch", "none").empty());
  CHECK(guess_fact("lr", "100").empty());
  CHECK(guess_fact("eval.batch_size", "64").empty());
  CHECK(guess_fact("save_every_epoch", "5").empty());
  CHECK(guess_fact("server.workers", "4").empty());
}

TEST_CASE("keys are proposed with the files they were seen in") {
  const InitProposal proposal = propose(
      {{"a.yaml", "opt: {LRATE: 0.1, BSZ: 8}\n"}, {"b.yaml", "opt: {LRATE: 0.2, BSZ: 4}\n"}});
  REQUIRE(proposal.keys.size() == 2);
  CHECK(proposal.keys[0].key == "opt.LRATE");
  CHECK(proposal.keys[0].files == 2);
  CHECK(proposal.keys[1].key == "opt.BSZ");
  CHECK(proposal.keys[1].fact == "per_device_batch_size");
  CHECK(proposal.in_house == 2);
}

TEST_CASE("nothing is proposed for keys that are read already") {
  CHECK(propose({{"a.yaml", "batch_size: 8\nlr: 0.1\nnum_workers: 2\n"}}).keys.empty());
}

TEST_CASE("frameworks are counted and other files left out") {
  const InitProposal proposal = propose(
      {{"sft.yaml", "model_name_or_path: x/y\nper_device_train_batch_size: 2\nbf16: true\n"},
       {"compose.yaml", "services: {web: {image: x}}\n"},
       {"notes.yaml", "title: x\n"}});
  REQUIRE(proposal.dialects.size() == 1);
  CHECK(proposal.dialects[0].first == "hf-trainer");
  CHECK(proposal.in_house == 0);
}

TEST_CASE("the proposal is a project file gpulint accepts") {
  const InitProposal proposal = propose({{"a.yaml", "opt: {LRATE: 0.1, \"B SZ\": 8, BSZ: 4}\n"}});
  const auto document = read_yaml(".gpulint.yaml", proposal.text, 0);
  REQUIRE(document.has_value());
  CHECK(parse_project(*document, {}).has_value());
}

TEST_CASE("keys that the code takes are proposed with the way it takes them") {
  const std::string script =
      "import torch, yaml\n"
      "from torch.utils.data import DataLoader\n"
      "def main():\n"
      "    cfg = yaml.safe_load(open(\"configs/a.yaml\"))\n"
      "    loader = DataLoader(data(\"train\"), batch_size=cfg[\"in\"][\"rows\"], shuffle=True)\n"
      "    opt = torch.optim.SGD(params(), lr=cfg[\"speed\"] * 2, momentum=cfg[\"drag\"])\n"
      "    for batch in loader:\n"
      "        opt.step()\n"
      "if __name__ == \"__main__\":\n"
      "    main()\n";
  const InitProposal proposal =
      propose({{"train.py", script},
               {"configs/a.yaml", "in: {rows: 8, LRATE: 0.5}\nspeed: 0.1\ndrag: 0.9\n"}});
  CHECK(proposal.in_house == 1);
  const std::size_t keys = proposal.text.find("keys:\n");
  REQUIRE(keys != std::string::npos);
  const std::string text = proposal.text.substr(keys);
  CHECK(text.find("  # loaded by train.py:4, taken by train.py:5, "
                  "torch.utils.data.DataLoader(batch_size=cfg[\"in\"][\"rows\"])\n"
                  "  in.rows: per_device_batch_size\n") != std::string::npos);
  CHECK(text.find("  # speed: learning_rate  # worked out on the way\n") != std::string::npos);
  const auto document = read_yaml(".gpulint.yaml", proposal.text, 0);
  REQUIRE(document.has_value());
  CHECK(parse_project(*document, {}).has_value());
}

TEST_CASE("a key that is read as what the code makes of it is not proposed for anything else") {
  const std::string script =
      "import torch, yaml\n"
      "from torch.utils.data import DataLoader\n"
      "def main():\n"
      "    cfg = yaml.safe_load(open(\"configs/a.yaml\"))\n"
      "    loader = DataLoader(data(\"train\"), num_workers=cfg[\"num_workers\"], shuffle=True)\n"
      "    test_loader = DataLoader(data(\"test\"), num_workers=cfg[\"num_workers\"])\n"
      "    opt = torch.optim.SGD(params(), lr=cfg[\"speed\"])\n"
      "if __name__ == \"__main__\":\n"
      "    main()\n";
  const InitProposal proposal =
      propose({{"train.py", script}, {"configs/a.yaml", "num_workers: 8\nspeed: 0.1\n"}});
  REQUIRE(proposal.code_keys.size() == 1);
  CHECK(proposal.code_keys[0].key == "speed");
}
