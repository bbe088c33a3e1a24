// Scores the operator model against measured saved bytes. For every row of DIR/groundtruth.jsonl it
// runs the model of model_db that the row names, with the row's batch, size and precision, and
// prints per family: rows, coverage, median and p90 of the absolute error, share within 2 %, and
// the worst rows. It holds names and unit conversions only, nothing fitted.
//
//   saved_bytes MODEL_DB DIR [--rows] [--model NAME]

#include "base/text.h"
#include "model/footprint.h"
#include "model/timeline.h"
#include "source/read.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace {

using namespace gpulint;
using nlohmann::json;

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<DataFile> read_models(const std::filesystem::path& root) {
  std::vector<DataFile> files;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    const std::string name = "model_db/" + std::filesystem::relative(path, root).string();
    Result<Document> document = read_yaml(name, slurp(path), 0);
    if (!document) {
      std::fprintf(stderr, "%s\n", document.error().to_string().c_str());
      std::exit(2);
    }
    files.push_back({name, std::move(*document)});
  }
  return files;
}

/// Takes `suffix` off the end of `name`; false when it is not there.
bool take(std::string& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.resize(name.size() - suffix.size());
  return true;
}

/// The part of a row's name that says how the model was run, as options.
void apply_variant(std::string& name, model::FootprintRequest& request) {
  take(name, "_newgelu");
  request.tape.checkpoint_blocks = take(name, "_ckpt");
  request.execution.attention = model::AttentionBackend::explicit_math;
  if (take(name, "_flash") || take(name, "_sdpa")) {
    request.execution.attention = model::AttentionBackend::flash;
  }
  if (take(name, "_explicit")) {
    request.execution.attention = model::AttentionBackend::explicit_math;
  }
  const std::size_t plus = name.find('+');
  if (plus == std::string::npos) return;
  const std::string variant = name.substr(plus + 1);
  name.resize(plus);
  if (variant == "frozen_backbone") request.tape.trained = {"classifier"};
  if (variant == "bn_eval") request.tape.batch_norm_training = false;
  if (variant == "relu_out_of_place") request.tape.allow_inplace = false;
  if (variant == "frozen_to_layer2") {
    request.tape.frozen = {"conv1", "bn1", "layer1", "layer2"};
  }
  if (variant == "all_bias_frozen_conv1") request.tape.frozen = {"conv1"};
  if (variant == "ckpt_stages") request.tape.checkpoint_blocks = true;
  if (variant.starts_with("lora16")) {
    request.tape.trained = {"adapter"};
    request.execution.lora_rank = 16;
    request.execution.lora_targets = variant.find("_qv") != std::string::npos
                                         ? std::vector<std::string>{"q_proj", "v_proj"}
                                         : std::vector<std::string>{"*"};
  }
}

model::FootprintRequest request_of(const json& row, const model::Program& program) {
  model::FootprintRequest request;
  request.model = row["model"];
  apply_variant(request.model, request);
  request.batch = row["batch"];
  const std::string precision = row["precision"];
  if (precision == "bf16") {
    request.tape.precision.weights = request.tape.precision.input = model::DType::bf16;
  }
  if (precision.starts_with("amp") || precision.starts_with("autocast"))
    request.tape.precision.autocast = model::DType::bf16;
  for (const model::Dimension& dimension : program.dimensions) {
    if (dimension.name == "image_size" || dimension.name == "sequence_length" ||
        dimension.name == "latent_size" || dimension.name == "image_width") {
      request.dimensions[dimension.name] = row["size"].get<std::int64_t>();
    }
  }
  // The rows' GPT-2 uses the fused GELU unless its name says otherwise; published configs name
  // gelu_new.
  const std::string name = row["model"];
  if (name.starts_with("gpt2")) {
    request.dimensions["activation"] =
        name.find("newgelu") == std::string::npos ? "gelu" : "gelu_new";
  }
  return request;
}

struct Score {
  std::vector<double> errors;
  std::size_t rows = 0;
  std::vector<std::pair<double, std::string>> worst;
};

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

void print(const std::string& name, const Score& score) {
  const auto within = std::count_if(score.errors.begin(), score.errors.end(),
                                    [](double e) { return std::abs(e) <= 0.02; });
  std::vector<double> absolute;
  for (const double e : score.errors) absolute.push_back(std::abs(e));
  std::printf("| %s | %zu | %zu | %.3f %% | %.3f %% | %.1f %% |\n", name.c_str(), score.rows,
              score.errors.size(), 100 * quantile(absolute, 0.5), 100 * quantile(absolute, 0.9),
              100.0 * static_cast<double>(within) / static_cast<double>(score.rows));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: saved_bytes MODEL_DB DIR [--rows] [--model NAME]\n");
    return 2;
  }
  bool all_rows = false;
  std::string only;
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rows") == 0) all_rows = true;
    if (std::strcmp(argv[i], "--model") == 0 && i + 1 < argc) only = argv[++i];
  }
  const std::vector<DataFile> files = read_models(argv[1]);
  model::ModelLibrary library(files);
  std::map<std::string, Score> families;
  std::map<std::string, std::pair<std::string, int>> refused;
  Score total;
  std::map<std::string, std::vector<double>> peaks;
  std::ifstream in(std::filesystem::path(argv[2]) / "groundtruth.jsonl");
  for (std::string line; std::getline(in, line);) {
    const json row = json::parse(line);
    const std::string name = row["model"];
    if (!only.empty() && name.find(only) == std::string::npos) continue;
    Score& family = families[row["family"]];
    ++family.rows;
    ++total.rows;
    model::FootprintRequest naming;
    naming.model = name;
    apply_variant(naming.model, naming);
    Result<model::ModelLibrary::Found> found = library.find(naming.model);
    if (!found) {
      auto& entry = refused[name];
      entry.first = found.error().to_string();
      ++entry.second;
      continue;
    }
    Result<model::Footprint> print = model::footprint(library, request_of(row, *found->program));
    if (!print) {
      auto& entry = refused[name];
      const std::uint32_t at = print.error().where.begin;
      std::uint32_t line_number = 0;
      for (const DataFile& file : files) {
        if (file.path == print.error().file) line_number = file.document.line_column(at).line;
      }
      entry.first = print.error().to_string() + " (line " + std::to_string(line_number) + ")";
      ++entry.second;
      continue;
    }
    double measured = row["saved_bytes"];
    double predicted = print->saved_bytes.as_double();
    if (row["precision"] == "autocast_cpu_bf16") {
      predicted += print->saved_weight_cast_bytes.as_double();
    }
    const double error = predicted / measured - 1;
    family.errors.push_back(error);
    total.errors.push_back(error);
    std::ostringstream text;
    text << name << " size " << row["size"] << " batch " << row["batch"] << " "
         << row["precision"].get<std::string>() << " " << row["device"].get<std::string>()
         << ": predicted " << print->saved_bytes.count() << ", measured " << row["saved_bytes"]
         << ", " << 100 * error << " %";
    if (print->parameters != row["params_total"]) {
      text << " PARAMETERS " << print->parameters << " instead of " << row["params_total"];
    }
    if (print->trainable_parameters != row["params_trainable"]) {
      text << " TRAINABLE " << print->trainable_parameters << " instead of "
           << row["params_trainable"];
    }
    if (print->buffer_bytes.count() != row["buffer_bytes"]) {
      text << " BUFFERS " << print->buffer_bytes.count() << " instead of " << row["buffer_bytes"];
    }
    if (print->saved_weight_cast_bytes.count() != row["saved_weight_cast_bytes"]) {
      text << " CASTS " << print->saved_weight_cast_bytes.count() << " instead of "
           << row["saved_weight_cast_bytes"];
    }
    const model::Timeline timeline = model::play(print->tape);
    const auto deviation = [&](Bytes bytes, const char* field) {
      return bytes.as_double() / row[field].get<double>() - 1;
    };
    peaks["peak_fwd"].push_back(deviation(timeline.forward_peak, "peak_fwd"));
    peaks["peak_bwd"].push_back(deviation(timeline.backward_peak, "peak_bwd"));
    peaks["live_end_fwd"].push_back(deviation(timeline.forward_end, "live_end_fwd"));
    text << " | fwd " << 100 * peaks["peak_fwd"].back() << " bwd " << 100 * peaks["peak_bwd"].back()
         << " end " << 100 * peaks["live_end_fwd"].back();
    total.worst.emplace_back(std::abs(error), text.str());
  }
  std::printf("| family | rows | covered | median error | p90 | within 2 %% of all rows |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const auto& [family, score] : families) print(family, score);
  print("all", total);
  std::printf("\n| peak of the step | median error | p90 | worst |\n|---|---|---|---|\n");
  for (auto& [field, errors] : peaks) {
    for (double& e : errors) e = std::abs(e);
    std::printf("| %s | %.2f %% | %.2f %% | %.2f %% |\n", field.c_str(),
                100 * quantile(errors, 0.5), 100 * quantile(errors, 0.9),
                100 * quantile(errors, 1));
  }
  std::stable_sort(total.worst.begin(), total.worst.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::printf("\nWorst rows\n\n");
  const std::size_t shown =
      all_rows ? total.worst.size() : std::min<std::size_t>(20, total.worst.size());
  for (std::size_t i = 0; i < shown; ++i) std::printf("- %s\n", total.worst[i].second.c_str());
  std::printf("\nNot covered\n\n");
  for (const auto& [name, why] : refused) {
    std::printf("- %s (%d rows): %s\n", name.c_str(), why.second, why.first.c_str());
  }
  return 0;
}
