// Iterations of a loop that are copied against the same ones run: every number of every tape.

#include "model/convolutional.h"
#include "model/fold.h"
#include "model/footprint.h"
#include "model/interpreter.h"
#include "model/timeline.h"
#include "test_models.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace gpulint;
using namespace gpulint::model;

namespace {

struct Setting {
  std::string name;
  TapeOptions tape = {};
  ExecutionOptions execution = {};
};

Setting adapted(std::string name, AdapterForm form) {
  Setting setting{std::move(name)};
  setting.tape.trained = {std::string(kAdapterSection)};
  setting.tape.adapter.form = form;
  setting.tape.adapter.shared_factors = 3;
  setting.execution.lora_targets = {"*"};
  setting.execution.lora_rank = 4;
  return setting;
}

std::vector<Setting> settings() {
  std::vector<Setting> all{
      {"fp32"},
      {"autocast, every second block recomputed"},
      {"half-precision weights, selective recomputation"},
      {"evaluation"},
      {"releases of long ago, attention written out"},
      adapted("adapters, quantized base, block inputs offloaded", AdapterForm::low_rank),
      adapted("adapters that layers share", AdapterForm::mixed_factors),
      {"cuDNN's workspaces, parts frozen"}};
  all[1].tape.precision.autocast = DType::bf16;
  all[1].tape.checkpoint_blocks = true;
  all[1].tape.checkpoint_every = 2;
  all[2].tape.precision = {DType::bf16, DType::bf16, std::nullopt};
  all[2].tape.checkpoint_blocks = true;
  all[2].tape.keep_matrix_products = true;
  all[3].tape.autograd = false;
  all[3].execution.dropout = false;
  all[4].tape.precision.autocast = DType::fp16;
  all[4].tape.softmax_keeps_input = true;
  all[4].tape.relu_keeps_input = true;
  all[4].tape.gradients_summed_apart = true;
  all[4].tape.composed_group_norm = true;
  all[4].execution.attention = AttentionBackend::explicit_math;
  all[5].tape.quantized = {.enabled = true, .head_too = true, .keeps_input = true};
  all[5].tape.checkpoint_blocks = true;
  all[5].tape.offload_block_inputs = true;
  all[5].tape.precision.autocast = DType::bf16;
  all[7].tape.convolution_workspace = ConvolutionWorkspace::winograd;
  all[7].tape.frozen = {"layer1", "vision", "encoder"};
  return all;
}

bool same(const Tape& a, const Tape& b) {
  return a.operators() == b.operators() && a.links() == b.links() && a.storages() == b.storages() &&
         a.blocks() == b.blocks();
}

/// Sums and peaks do not depend on whether layers are folded.
void check_folded_as_whole(const Tape& folded, const Tape& whole) {
  CHECK(folded.whole_operators() == whole.operators().size());
  for (const StorageKind kind : {StorageKind::activation, StorageKind::parameter,
                                 StorageKind::weight_cast, StorageKind::buffer}) {
    CHECK(folded.saved_bytes(kind) == whole.saved_bytes(kind));
    CHECK(folded.total_bytes(kind) == whole.total_bytes(kind));
  }
  const Footprint few = summarise(folded);
  const Footprint all = summarise(whole);
  CHECK(few.parameters == all.parameters);
  CHECK(few.trainable_parameters == all.trainable_parameters);
  CHECK(few.largest_parameter == all.largest_parameter);
  CHECK(few.parameter_tensors == all.parameter_tensors);
  CHECK(few.bytes_moved_forward == all.bytes_moved_forward);
  CHECK(few.forward.value == doctest::Approx(all.forward.value).epsilon(1e-12));
  CHECK(few.backward.value == doctest::Approx(all.backward.value).epsilon(1e-12));
  CHECK(convolution_share(folded) == doctest::Approx(convolution_share(whole)));
  const Timeline short_step = play(folded);
  const Timeline step = play(whole);
  CHECK(short_step.event_count == step.event_count);
  CHECK(short_step.forward_peak == step.forward_peak);
  CHECK(short_step.forward_end == step.forward_end);
  CHECK(short_step.backward_peak == step.backward_peak);
  CHECK(short_step.forward_peak_unaided == step.forward_peak_unaided);
  CHECK(short_step.backward_peak_unaided == step.backward_peak_unaided);
  CHECK(short_step.backward_end == step.backward_end);
}

/// Operators that were copied; the same tape results from running all iterations.
std::size_t check_copied_as_run(const Program& program, Dimensions dimensions,
                                const Setting& setting) {
  dimensions["batch"] = 2_n;
  const auto copied = run_program(program, dimensions, setting.tape, setting.execution);
  const auto run =
      run_program(program, dimensions, setting.tape, setting.execution, Iterations::all_run);
  INFO(program.id, ": ", setting.name);
  REQUIRE(copied.has_value() == run.has_value());
  if (!copied) CHECK(copied.error().to_string() == run.error().to_string());
  if (!copied) return 0;
  CHECK(same(*copied, *run));
  CHECK(run->copied_operators() == 0);
  const auto folded =
      run_program(program, dimensions, setting.tape, setting.execution, Iterations::folded);
  REQUIRE(folded);
  CHECK(same(unfold(*folded), *run));
  check_folded_as_whole(*folded, *run);
  return copied->copied_operators();
}

/// A network of `layers` layers whose counter is `layer`.
std::size_t copied_of(const std::string& layers, const std::string& body,
                      const Setting& setting = {}) {
  const auto program = program_of(
      "dimensions: {width: 8}\n"
      "define: {change: {parameters: {out: ~}, body: [{linear: out}]}}\n"
      "input: {x: [batch, width]}\n"
      "program:\n"
      "  - {linear: width, as: first}\n"
      "  - {repeat: " +
      layers + ", index: layer, body: [" + body +
      "]}\n"
      "  - {linear: 1}\n"
      "sources: [test]\n");
  REQUIRE_MESSAGE(program, program.error().to_string());
  return check_copied_as_run(*program, {}, setting);
}

}  // namespace

TEST_CASE("copied iterations of all models leave the tape that running them leaves") {
  ModelLibrary library(model_files());
  const std::vector<Setting> all = settings();
  std::set<std::string> families;
  std::size_t number = 0;
  for (const std::string& id : library.ids()) {
    const auto found = library.find(id);
    REQUIRE(found);
    const std::size_t chosen = number++ % all.size();
    const std::size_t copied =
        check_copied_as_run(*found->program, found->entry.dimensions, all[chosen]);
    const bool written = found->program->path.find("/families/") != std::string::npos;
    const bool first = written && copied > 0 && families.insert(found->entry.family).second;
    for (std::size_t i = 0; first && i < all.size(); ++i) {
      if (i != chosen) check_copied_as_run(*found->program, found->entry.dimensions, all[i]);
    }
  }
}

TEST_CASE("of a decoder two layers are run and the others copied") {
  ModelLibrary library(model_files());
  const auto found = library.find("llama-3.1-8b");
  REQUIRE(found);
  Dimensions dimensions = found->entry.dimensions;
  dimensions["batch"] = 1_n;
  const auto tape = run_program(*found->program, dimensions, {}, {});
  REQUIRE(tape);
  const std::size_t per_layer = tape->blocks()[1].operator_count;
  CHECK(tape->copied_operators() == 30 * per_layer);
}

TEST_CASE("layers are copied from the first on that is like the one before") {
  CHECK(copied_of("6", "{linear: width}") == 4);
  CHECK(copied_of("6", "{linear: width, when: layer > 0}, {linear: width}") == 6);
  CHECK(copied_of("3", "{linear: width}") == 0);
}

TEST_CASE("where layers alternate, both are run twice and copied together") {
  CHECK(copied_of("9", "{linear: width, when: layer % 2 == 1}, {linear: width}") == 6);
}

TEST_CASE("layers that the counter gives sizes of their own are run") {
  CHECK(copied_of("6", "{linear: width * (layer + 1)}") == 0);
  CHECK(copied_of("6", "{linear: size(1) + layer}") == 0);
  CHECK(copied_of("6", "{change: width + layer}") == 0);
  CHECK(copied_of("6", "{linear: size(1) + 1}") == 0);
}

TEST_CASE("what a layer reads of the one before is read of the copy before") {
  CHECK(copied_of("6", "{residual: [{linear: width}]}") == 8);
  CHECK(copied_of("6", "{linear: width, as: out}, {add: first}") == 8);
  CHECK(copied_of("7", "{activation: relu, from: first, as: first}, {linear: width}") == 10);
}

TEST_CASE("a layer that gives a name of its own to what it was handed is run") {
  CHECK(copied_of("6", "{identity: ~, as: kept}, {linear: width}, {add: kept}") == 0);
}

TEST_CASE("a weight that all layers share is copied into the cache of autocast once") {
  Setting half;
  half.tape.precision.autocast = DType::bf16;
  CHECK(copied_of("6", "{linear: {out: width, shared: one, bias: false}}", half) > 0);
}

TEST_CASE("a loop inside of a block is run, for each iteration adds to the sums of the block") {
  const std::string inner = "{block: b, body: [{repeat: 5, body: [{linear: width}]}]}";
  CHECK(copied_of("1", inner) == 0);
  CHECK(copied_of("4", inner) == 10);
}

TEST_CASE("where every second block is recomputed, pairs of blocks are copied") {
  Setting pairs;
  pairs.tape.checkpoint_blocks = true;
  pairs.tape.checkpoint_every = 2;
  CHECK(copied_of("8", "{block: b, body: [{linear: width}]}", pairs) == 4);
}
