// Schemas of the data files of --data and .gpulint/: rules, dialects, hardware and models.

#include "report/schema_parts.h"

namespace gpulint::schema {
namespace {

Json expression(std::string_view description) {
  return any_of({word(), Json{{"type", {"number", "boolean"}}}}, description);
}

Json sample(bool bad) {
  Json schema = closed({{"config", word("text of the config")},
                        {"file", word("its name; config.yaml unless given")},
                        {"gpu", word()},
                        {"host", word()},
                        {"project", word("text of a .gpulint.yaml beside it")},
                        {"siblings", map_of(word())}},
                       {"config"});
  if (bad) {
    schema["properties"]["expect"] = described(list_of(integer(1), false), "lines reported");
    schema["properties"]["says"] = described(words(), "the messages, in the order of the lines");
    schema["required"].push_back("expect");
  }
  return schema;
}

Json fix() {
  const Json change = map_of(expression("new canonical value"), choice(fact_names()));
  return closed({{"kind", choice({"safe", "unsafe", "display"},
                                 "safe: cannot change the result of training; display: advice")},
                 {"advice", word("one sentence, imperative; a template")},
                 {"set", any_of({change, list_of(change, false)},
                                "of several, the first that can be written")},
                 {"remove", words("facts whose keys are taken out")}},
                {"kind", "advice"});
}

Json default_value() {
  const Json one = closed({{"value", scalar()},
                           {"source", word("file of the framework that says so")},
                           {"overridable", boolean("a launcher or code may change it")},
                           {"assumed", boolean("no framework decides: ours, and printed as such")},
                           {"when_key", word()},
                           {"when_key_is", scalar()},
                           {"when_fact", word()},
                           {"when_value", scalar()}},
                          {"value", "source"});
  return any_of({one, list_of(one)});
}

Json recognition() {
  return closed({{"is", word("what such a file is, where it is foreign")},
                 {"all", words()},
                 {"any", words()},
                 {"none", words()},
                 {"some", closed({{"of", words()}, {"at_least", integer(1)}}, {"of", "at_least"})},
                 {"paths", words("any: runs of components of the file's path; `#` is a digit")},
                 {"anywhere", boolean("bare keys are evidence in whatever section they stand")},
                 {"lowers", boolean("the file is judged, but only by the families of `judged_by`")},
                 {"unjudged", boolean("its facts are read, but it starts no training")},
                 {"measured", integer(1, "JSON with so many values of 14 digits and more")},
                 {"unless_trains", boolean("evidence of `trains` is evidence against it")}});
}

Json rates(std::string_view description, const Json& rate) {
  Json schema = closed({{"fp64", rate},
                        {"fp32", rate},
                        {"tf32", rate},
                        {"fp16", rate},
                        {"bf16", rate},
                        {"fp8", rate},
                        {"int8", rate}});
  return described(std::move(schema), description);
}

Json peak_flops() {
  Json schema =
      rates("dense rates with fp32 accumulation", quantity({"GFLOP/s", "TFLOP/s", "PFLOP/s"}, {}));
  schema["properties"]["evidence"] = choice({"observed", "recalled", "derived"});
  schema["required"] = {"evidence"};
  return schema;
}

}  // namespace

Json rule() {
  const Json severity = choice({"error", "warning", "note"});
  Json schema = closed(
      {{"summary", word("what is wrong, in a line")},
       {"severity", any_of({severity, map_of(expression("when this level holds"), severity)})},
       {"since", word("version of the first release with it")},
       {"preview", boolean("off unless asked for")},
       {"when", expression("condition; unknown facts keep the rule silent")},
       {"once", choice({"folder", "project", "message"},
                       "people are told once in it, with the other files; message: once what is "
                       "said in the same words, errors too")},
       {"for_each", word("list of observations; once per plan without it")},
       {"at", words("facts; the first that stands in a file is pointed at")},
       {"message", word("a template")},
       {"arithmetic", list_of(word("a template"))},
       {"why", word()},
       {"fix", fix()},
       {"precision",
        closed({{"findings", integer(1)}, {"judged", integer(1)}, {"right", integer(0)}},
               {"findings", "judged", "right"})},
       {"sources", sources()},
       {"samples",
        closed({{"bad", list_of(sample(true), false)}, {"ok", list_of(sample(false), false)}},
               {"bad", "ok"})}},
      {"summary", "severity", "since", "at", "message", "fix", "why", "sources", "samples"});
  return file("rule", "rules/<family>/<id>.yaml: one mistake", std::move(schema));
}

Json dialect() {
  Json schema = closed(
      {{"summary", word()},
       {"rank", integer(0, "the lower one is tried first")},
       {"answers_to", words("labels of other classifications")},
       {"scalars", choice({"yaml-1.1", "yaml-1.2", "omegaconf", "json", "env", "unknown"},
                          "how its loader reads plain scalars")},
       {"casts_numbers", boolean("it turns \"2e-5\" into a number itself")},
       {"traits", words("habits of the framework that rules ask for by name")},
       {"scales_learning_rate", boolean("its code scales the rate with the batch")},
       {"exact_case", boolean("its loader distinguishes TRAIN.LR from train.lr")},
       {"json_comments", boolean("its loader strips comments from JSON")},
       {"sections", any_of({Json{{"type", "string"}}, list_of(Json{{"type", "string"}})},
                           "roots under which the keys lie")},
       {"recognise", list_of(recognition())},
       {"trains", words("evidence of training, against rules with `unless_trains`")},
       {"foreign", boolean("its files are not training configs")},
       {"keys", described(map_of(key()), "native key, dotted, and the fact it states")},
       {"defaults", map_of(default_value(), choice(fact_names()))},
       {"anywhere", words("bare keys that mean the same in whatever section they stand")},
       {"domains",
        described(map_of(closed({{"from", integer(0, "the least number that is accepted")},
                                 {"raises", word("package, file and symbol that refuses others")}},
                                {"from", "raises"}),
                         choice(fact_names())),
                  "numbers that the framework refuses to start with")},
       {"accepts",
        list_of(closed({{"key", word("dotted: the choice")},
                        {"value", word("what is chosen")},
                        {"under", word("dotted: the section with its keys")},
                        {"keys", words("all that it takes")},
                        {"raises", word("package, file and symbol that refuses others")}},
                       {"key", "value", "under", "keys", "raises"}))},
       {"catalogue",
        list_of(closed({{"under", words("dotted: mappings, from the section root")},
                        {"tables", words("package/table of knowledge/catalogue/")},
                        {"raises", word("package, file and symbol that refuses other keys")},
                        {"with", word("a key without which this does not count")},
                        {"checks_values", boolean("false: values of another type are taken")}},
                       {"tables"}))},
       {"remarks", list_of(closed({{"list", word("list of observations it goes to")},
                                   {"key", word("dotted")},
                                   {"value", scalar()},
                                   {"with", map_of(scalar(), nullptr)},
                                   {"without", words("keys that must not stand there")},
                                   {"code_names", words("words that the project's code has")},
                                   {"code_lacks", words("words that it has not")},
                                   {"says", word("half a sentence that ends the message")},
                                   {"source", word()}},
                                  {"list", "key", "says", "source"}))},
       {"known_keys", words("all keys of a closed schema, so that misspelt ones are found")},
       {"references", map_of(any_of({choice({"base", "mount", "defaults", "model"}),
                                     closed({{"joined", word("a dialect")},
                                             {"yields", boolean("what names the file beats it")}},
                                            {"joined"})}),
                             nullptr)},
       {"companions",
        map_of(closed({{"refuses_conflicts", boolean()},
                       {"compares", words("facts of which two different values are refused")},
                       {"decides", words()},
                       {"fills_none", words()}}))},
       {"model_configs", words("files of a model's folder that are written in it")},
       {"supplement", boolean("it only adds to files of other dialects")},
       {"spellings", map_of(list_of(list_of(scalar())), choice(fact_names()))},
       {"leaf_sections", any_of({Json{{"type", "string"}}, list_of(Json{{"type", "string"}})})},
       {"decorations", closed({{"before", words("words in front of a plain key, without `_`")},
                               {"after", words("words behind one")},
                               {"of", words("plain keys that keep their meaning so")}},
                              {"of"})},
       {"foreign_sections", words()},
       {"judged_by", words("families of rules for files that a rule `lowers`")},
       {"phase_sections", words()},
       {"run_sections", words("top-level sections that each hold a whole run of their own")},
       {"partial_keys", words()},
       {"own_network", words()},
       {"usual_network", words()},
       {"value_maps", map_of(value_mapping())},
       {"false_friends", words("documented keys that must not be read as facts")},
       {"absent_switches", words("facts the framework cannot switch")},
       {"sources", sources()}},
      {"summary", "rank", "scalars", "recognise", "sources"});
  return file("dialect", "dialects/<id>.yaml: the config language of one framework",
              std::move(schema));
}

Json gpu() {
  Json schema = closed(
      {{"names", words("as drivers print them; the first is shown")},
       {"vendor", word()},
       {"architecture", word("an id of `gpulint list architectures`, which fixes what follows")},
       {"compute_capability", major_minor("major.minor, quoted")},
       {"pci_device_ids", words("four upper-case hex digits each")},
       {"sm_count", integer(1)},
       {"memory_total", bytes("what nvidia-smi reports")},
       {"usable_memory", closed({{"low", bytes("")},
                                 {"high", bytes("")},
                                 {"evidence", choice({"observed", "recalled", "derived"})}},
                                {"low", "high", "evidence"})},
       {"memory_bandwidth", bandwidth("")},
       {"achieved_bandwidth", fraction(1, "of memory_bandwidth, by a copy")},
       {"peak_flops", peak_flops()},
       {"achieved_fraction", rates("of peak, by the framework's own GEMM", fraction(1.5))},
       {"achieved_band",
        rates("of peak, as the vendor's library reaches it on a healthy card",
              closed({{"low", fraction(1.5)}, {"high", fraction(1.5)}}, {"low", "high"}))},
       {"features", features(false)},
       {"fp32_units", integer(1, "of a multiprocessor")},
       {"first_cuda", major_minor("release that first knew the generation, quoted")},
       {"l2_cache", bytes("")},
       {"cublas_workspace", bytes("")},
       {"tdp", quantity({"W"}, "")},
       {"pcie",
        closed({{"generation", integer(1)}, {"lanes", integer(1)}}, {"generation", "lanes"})},
       {"nvlink_bandwidth", bandwidth("all links, both directions")},
       {"nvlink_bridge", boolean("NVLink only through a bridge that is bought apart")},
       {"nvlink_sharp", boolean("the switches between GPUs add up all-reduces")},
       {"collectives",
        closed({{"bus_bandwidth", bandwidth("measured by NCCL, as nccl-tests counts")},
                {"gpus", integer(2, "of one machine, that took part")}},
               {"bus_bandwidth", "gpus"})},
       {"pinned_copy", bandwidth("measured, from page-locked memory of the host")},
       {"mig", boolean()},
       {"notes", words()},
       {"sources", sources()}},
      {"names", "architecture", "sources"});
  return file("GPU", "hardware_db/gpus/<id>.yaml: one accelerator", std::move(schema));
}

Json host() {
  Json price = closed({{"per_hour", quantity({"USD"}, "")},
                       {"as_of", word("date of the price")},
                       {"source", word()},
                       {"recalled", boolean()}},
                      {"per_hour", "as_of", "source"});
  Json schema = closed({{"names", words("further spellings")},
                        {"cloud", word()},
                        {"gpu", word("id of a GPU")},
                        {"gpu_count", integer(0)},
                        {"cpu_cores", integer(1, "what the operating system schedules on")},
                        {"ram", bytes("")},
                        {"shm", bytes("size of /dev/shm, where it is not half of the RAM")},
                        {"price", std::move(price)},
                        {"notes", words()},
                        {"sources", sources()}},
                       {"sources"});
  return file("host", "hardware_db/hosts/<id>.yaml: one machine shape", std::move(schema));
}

Json model(std::span<const std::string> operators) {
  Json calls = Json::object();
  for (const std::string& name : operators) calls[name] = Json::object();
  for (const char* control : {"repeat", "residual", "branches", "section", "block"}) {
    calls[control] = Json::object();
  }
  const Json statement{{"type", "object"}, {"properties", std::move(calls)}};
  const Json count{
      {"anyOf", {integer(1), Json{{"type", "string"}, {"pattern", "^[0-9]+([.][0-9]+)? [MB]$"}}}}};
  const Json elsewhere =
      closed({{"count", count}, {"dimensions", Json{{"type", "object"}}}}, {"count", "dimensions"});
  Json schema = closed(
      {{"family", word("this file fills the dimensions of that family")},
       {"names", words("further spellings")},
       {"dimensions", Json{{"type", "object"}}},
       {"published_parameters",
        described(Json{{"anyOf", {count, elsewhere}}},
                  "recomputed from the shapes by the tests: exact, to the last digit of "
                  "\"8.89 M\" or \"671 B\", or stated for other dimensions")},
       {"unpublished_parameters", word("why nobody published a count")},
       {"config_json",
        described(Json{{"anyOf", {words(), map_of(Json{{"type", "object"}})}}},
                  "architectures of a config.json the family reads, perhaps with the "
                  "dimensions one implies")},
       {"config_fields", map_of(word())},
       {"input", Json{{"type", "object"}}},
       {"recorded", described(Json{{"type", "object"}},
                              "where a recording came from: command, from, step, arguments")},
       {"uses", words("part files whose definitions the program calls")},
       {"define", map_of(Json{{"type", "object"}})},
       {"program", described(list_of(statement), "operators in the order they run")},
       {"sources", sources()}},
      {"sources"});
  schema["anyOf"] = Json::array({Json{{"required", {"program"}}}, Json{{"required", {"family"}}},
                                 Json{{"required", {"define"}}}});
  return file("model",
              "model_db/families/<id>.yaml or model_db/recorded/<library>/<id>.yaml: a program; "
              "model_db/models/<family>/<id>.yaml: one model of it",
              std::move(schema));
}

}  // namespace gpulint::schema
