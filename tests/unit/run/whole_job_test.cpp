// Forms that describe the whole job of a config: each of its networks, and what it lacks.

#include "run/resolved_run.h"
#include "unit/run/network_of.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace gpulint;
using namespace gpulint::test;

namespace whole_job_test {

TEST_CASE("a job of several networks is known whole where its config states all of them") {
  const auto job = network_of(
      "data: {batch_size: 24, crop_size: 256, patch_size: 16, tubelet_size: 2,\n"
      "       dataset_fpcs: [16, 64]}\n"
      "mask: [{num_blocks: 8}, {num_blocks: 2}]\n"
      "model: {model_name: vit_large, pred_depth: 12, pred_embed_dim: 384, pred_num_heads: 12}\n");
  REQUIRE(job);
  CHECK(job->missing.empty());
  CHECK(job->replaces_named);  // timm has a vit_large too
  // Encoder and target have 303,885,312 each; the rest is the predictor.
  CHECK(parameters_of(*job) == 2 * 303'885'312 + 22'082'560);
  const auto probes = network_of(
      "experiment: {classifier: {num_probe_blocks: 4},\n"
      "             data: {frames_per_clip: 16, num_classes: 174},\n"
      "             optimization: {multihead_kwargs: [{lr: 0.1}, {lr: 0.2}]}}\n"
      "model_kwargs: {pretrain_kwargs: {encoder: {model_name: vit_large, tubelet_size: 2}}}\n");
  REQUIRE(probes);
  CHECK(probes->missing.empty());
  CHECK(parameters_of(*probes) == 303'885'312 + 2 * 49'514'670);
}

TEST_CASE("a model that the command line names is meant, whatever the config states") {
  const Document config = config_of(
      "experiment: {classifier: {}, data: {frames_per_clip: 16},\n"
      "             optimization: {multihead_kwargs: [1]}}\n"
      "model_kwargs: {pretrain_kwargs: {encoder: {model_name: vit_large}}}\n");
  const auto network = stated_network(config, shipped_catalog().all_described<NetworkForm>(), {});
  REQUIRE(network);
  const KnownModels models = known_models().with_network(*network, config.path());
  TrainingPlan plan;
  plan.model = Fact<std::string>{"vit_large", {.origin = Origin::stated}};
  const auto family_of = [&] {
    const ResolvedRun run = ResolvedRun::of(plan, &models, {});
    REQUIRE(run.model() != nullptr);
    return run.model()->entry.family;
  };
  CHECK(family_of() == "clip-probes");
  plan.model->from.origin = Origin::project;
  CHECK(family_of() == "vision-transformer");
}

TEST_CASE("a model that code builds into a larger network is only a part of it") {
  TrainingPlan plan;
  plan.model = Fact<std::string>{"vit_base_patch16_224", {.origin = Origin::code}};
  const auto missing_with = [&](std::int64_t counted, Origin origin) {
    plan.parameters = Fact<std::int64_t>{counted, {.origin = origin}};
    const ResolvedRun run = ResolvedRun::of(plan, &known_models(), {});
    REQUIRE(run.model() != nullptr);
    CHECK(run.model()->entry.family == "vision-transformer");
    return run.model()->missing;
  };
  const auto missing = missing_with(170'616'321, Origin::code);  // with a tower for text
  REQUIRE(missing.size() == 1);
  CHECK(missing.front() == "layers around vit-base-patch16-224 (84 million more parameters)");
  CHECK(missing_with(102'595'153, Origin::code).empty());  // a head for 21,841 classes
  CHECK(missing_with(86'567'656, Origin::code).empty());
  CHECK(missing_with(170'616'321, Origin::stated).empty());
}

TEST_CASE("a fine-tuning that names the run behind its checkpoint has that run's geometry") {
  const auto found = network_of(
      "run: {model_train_name: mt5_390m}\n"
      "model: {data: {train_ds: {max_src_seq_length: 512, max_tgt_seq_length: 128}}}\n");
  REQUIRE(found);
  CHECK(found->missing.empty());
  CHECK(found->loose);  // the checkpoint may be another
  CHECK(found->entry.dimensions.at("target_length") == expr::Value(std::int64_t{128}));
  CHECK(parameters_of(*found) == 390'315'264);  // 390 M
}

TEST_CASE("an encoder that is tuned on sentences has nothing beside it") {
  const auto tuned =
      network_of("task: {_name: sentence_prediction}\nmodel: {_name: roberta_large}\n");
  REQUIRE(tuned);
  CHECK(tuned->missing.empty());
  const auto trained = network_of("task: {_name: masked_lm}\nmodel: {_name: roberta_large}\n");
  REQUIRE(trained);
  CHECK(trained->missing.size() == 1);
}

TEST_CASE("a U-Net without an autoencoder reads pixels") {
  const auto found = network_of(
      "params:\n"
      "  network_config:\n"
      "    target: sgm.modules.diffusionmodules.openaimodel.UNetModel\n"
      "    params: {in_channels: 1, out_channels: 1, model_channels: 32, num_res_blocks: 4,\n"
      "             channel_mult: [1, 2, 2], attention_resolutions: [], num_head_channels: 32}\n"
      "  first_stage_config: {target: sgm.models.autoencoder.IdentityFirstStage}\n");
  REQUIRE(found);
  CHECK(found->entry.dimensions.at("reduction") == expr::Value(std::int64_t{1}));
  CHECK(found->missing.empty());
}

}  // namespace whole_job_test
