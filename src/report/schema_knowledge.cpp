// Schemas of the files of knowledge/, and of what lies beside the GPUs in hardware_db/.

#include "report/schema_parts.h"

namespace gpulint::schema {
namespace {

/// "2 values", "8/768 B": a number from 0, perhaps a fraction, and its unit.
Json number_of(std::string_view unit, std::string_view description = {}) {
  const std::string number = "^[0-9]+(\\.[0-9]+)?(/[0-9]+(\\.[0-9]+)?)? *";
  return described(Json{{"type", "string"}, {"pattern", number + std::string(unit) + "$"}},
                   description);
}

Json amount(std::string_view unit, std::string_view description = {}) {
  const Json one = number_of(unit);
  return any_of(
      {one, closed({{"low", one}, {"usual", one}, {"high", one}}, {"low", "usual", "high"})},
      description);
}

Json state() {
  return closed({{"values", amount("values?", "kept in the number format of the parameters")},
                 {"with_momentum", amount("values?", "instead, where the run has momentum")},
                 {"momentum_unknown", amount("values?", "instead, where it does not say")},
                 {"bytes", amount("B", "kept besides, whatever that format is")}},
                {"values"});
}

Json step() {
  return closed({{"values", amount("values?", "borrowed during one step")},
                 {"with_weight_decay", amount("values?", "instead, where weights decay")},
                 {"weight_decay_unknown", amount("values?", "instead, where it is not stated")}},
                {"values"});
}

Json update() {
  return closed({{"fused", number_of("B", "read and written per fp32 parameter by one kernel")},
                 {"foreach", number_of("B", "likewise by one kernel per operation")},
                 {"kernels", number_of("kernels?", "per group of tensors, of that form")},
                 {"waits", boolean("its loop asks the device about every tensor")}},
                {"fused", "foreach", "kernels"});
}

}  // namespace

Json sources() {
  return any_of({words(), map_of(words())},
                "citations: one list for the whole file, or one per field; `others` stands for the "
                "fields not named");
}

Json major_minor(std::string_view description) {
  return described(Json{{"type", "string"}, {"pattern", "^[0-9]{1,2}\\.[0-9]$"}}, description);
}

Json features(bool all) {
  const Json flag = boolean();
  Json schema = closed({{"tensor_cores", flag},
                        {"bf16_native", flag},
                        {"tf32", flag},
                        {"fp8", flag},
                        {"fp4", flag},
                        {"flash_attention_2", flag},
                        {"flash_attention_3", flag},
                        {"sdpa_flash", flag},
                        {"sdpa_memory_efficient", flag},
                        {"torch_compile", flag},
                        {"tf32_convolutions",
                         boolean("fp32 convolutions run as TF32 unless the run says otherwise")}});
  if (all) {
    schema["required"] = {"tensor_cores",
                          "bf16_native",
                          "tf32",
                          "fp8",
                          "fp4",
                          "flash_attention_2",
                          "flash_attention_3",
                          "sdpa_flash",
                          "sdpa_memory_efficient",
                          "torch_compile"};
  }
  return schema;
}

Json architecture() {
  Json schema = closed({{"name", word("of the generation, for people")},
                        {"vendor", word()},
                        {"compute_capability", major_minor("major.minor, quoted")},
                        {"first_cuda", major_minor("release that first knew it, quoted")},
                        {"features", features(true)},
                        {"fp32_units", integer(1, "of a multiprocessor")},
                        {"cublas_workspace", bytes("")},
                        {"sources", sources()}},
                       {"name", "vendor", "features", "sources"});
  return file("GPU architecture",
              "hardware_db/architectures/<id>.yaml: what a compute capability fixes",
              std::move(schema));
}

Json fleet(std::span<const std::string_view> gpus) {
  Json schema = closed({{"summary", word()}, {"gpus", list_of(any_of({choice(gpus), word()}))}},
                       {"summary", "gpus"});
  return file("fleet", "hardware_db/fleets/<id>.yaml: GPUs shown side by side", std::move(schema));
}

Json optimizer() {
  Json schema =
      closed({{"summary", word()},
              {"state", described(state(), "kept per trained parameter; absent: not described")},
              {"step", described(step(), "borrowed during a step and given back")},
              {"paged", boolean("states may live in host memory")},
              {"update", update()},
              {"learning_rate_rule",
               choice({"linear", "square_root"}, "how the rate grows with the batch")},
              {"offers_fused", boolean("a switch runs the update as one kernel")},
              {"small_state", word("id of the same method with 8-bit states")},
              {"sources", sources()}},
             {"summary", "sources"});
  return file("optimizer", "knowledge/optimizers/<id>.yaml: what one keeps and moves",
              std::move(schema));
}

Json adapter() {
  Json schema = closed(
      {{"summary", word()},
       {"place", choice({"layers", "tokens", "attention", "norms"},
                        "where its weights are; absent: not described")},
       {"form",
        choice({"low_rank", "mixed_factors", "decomposed", "scale_and_shift", "scale", "projected",
                "projected_and_scaled", "written_update", "transformed_update", "convolved",
                "written_weight", "changed_weight", "reflected_weight", "rotated_input"},
               "what it does to a layer")},
       {"trains_norms", boolean("the weights of norms are trained beside it")},
       {"targets", words("layers it is on whatever the run states; * is all of them")},
       {"shared_factors", integer(1, "sets of factors that layers of one name share")},
       {"ratings", number_of("values?", "kept per trained weight to rate it")},
       {"sources", sources()}},
      {"summary", "sources"});
  return file("adapter", "knowledge/adapters/<id>.yaml: what a method puts on a network",
              std::move(schema));
}

Json implementation() {
  Json schema =
      closed({{"summary", word()},
              {"ties_embeddings", boolean("false: embeddings and head are always two tensors")},
              {"quantizes_head", boolean("quantization takes the head with the blocks")},
              {"keeps_last_graph", boolean("the loop holds a step's loss while the next one runs")},
              {"embeddings_need_gradient", boolean("with adapters: frozen embeddings hand one on")},
              {"loss_over_tensor_ranks", boolean("tensor-parallel ranks hold parts of the logits")},
              {"sources", sources()}},
             {"summary", "sources"});
  return file("implementation", "knowledge/implementations/<id>.yaml: whose code runs a network",
              std::move(schema));
}

Json engine() {
  Json schema = closed(
      {{"summary", word()},
       {"states", choice({"replicated", "fp32_masters", "gathered_units", "main_gradients"},
                         "what it makes of model states")},
       {"flattens_units", boolean("a unit's weights are one tensor with one gradient")},
       {"lays_out_beforehand", boolean("gradients and states exist for all that is trained")},
       {"adapts_experts", boolean("adapters on all linear layers take the experts too")},
       {"fuses_kernels", boolean("its layers run norms, gates and rotations in one kernel each")},
       {"sources", sources()}},
      {"summary", "states", "sources"});
  return file("sharding engine", "knowledge/engines/<id>.yaml: how model states are spread",
              std::move(schema));
}

Json word_list() {
  Json schema = closed({{"summary", word()}, {"words", words("lower case")}}, {"summary", "words"});
  return file("word list", "knowledge/words/<id>.yaml: words that names are compared without",
              std::move(schema));
}

}  // namespace gpulint::schema
