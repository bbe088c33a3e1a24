// What a name says of a run ("8gpu", "bf16", "bs256") is copied with the file and forgotten. A word
// of a name counts where it can mean one thing, and contradicts where no reading of the config
// agrees with it. Epochs are left out: "300e" often is the run that the weights come from.

#include "base/text.h"
#include "plan/contradictions.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

/// Parts of a name: "vit_b16-8gpu.bf16" -> vit, b16, 8gpu, bf16.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts(1);
  for (const char c : to_lower(name)) {
    const bool separates = c == '_' || c == '-' || c == '.' || c == '/' || c == ' ' || c == '+';
    if (separates) {
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

/// The one number that stands before one of the endings ("8gpu", "8xgpus"); unset for none or two.
std::optional<std::int64_t> number_before(const std::vector<std::string>& parts,
                                          std::initializer_list<std::string_view> endings) {
  std::set<std::int64_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const std::string_view ending : endings) {
      const std::string_view part = parts[i];
      if (part.size() > ending.size() && part.ends_with(ending)) {
        if (const auto n = short_count(part.substr(0, part.size() - ending.size())))
          found.insert(*n);
      } else if (part == ending && i > 0 && ending.size() > 2) {
        if (const auto n = short_count(parts[i - 1])) found.insert(*n);
      }
    }
  }
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

std::optional<std::int64_t> number_behind(const std::vector<std::string>& parts,
                                          std::string_view word) {
  std::set<std::int64_t> found;
  for (const std::string& part : parts) {
    if (!part.starts_with(word)) continue;
    if (const auto n = short_count(std::string_view(part).substr(word.size()))) found.insert(*n);
  }
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

template <class T>
bool is_stated(const Maybe<T>& fact) {
  return fact && fact->from.origin == Origin::stated;
}

class NameReader {
 public:
  NameReader(const Document& document, const Plan& plan, const Catalog& catalog,
             std::vector<Observation>& observations)
      : document_(document),
        facts_(plan.facts),
        name_keys_(catalog.words("run-name-keys")),
        observations_(observations) {}

  void read() {
    judge("the file's name", std::string(stem_of(file_name(document_.path()))), std::nullopt);
    for (NodeId id = 0; id < document_.size(); ++id) {
      const NodeId key = document_.node(id).key;
      if (key == kNoNode || document_.kind(id) != NodeKind::scalar) continue;
      const SourceSpan span = document_.span(id);
      const std::string name = to_lower(document_.scalar(key));
      if (span.file == document_.file() && contains(name_keys_, name)) {
        judge("`" + std::string(document_.scalar(key)) + "`", std::string(document_.scalar(id)),
              id);
      }
    }
  }

 private:
  void judge(const std::string& whose, const std::string& name, std::optional<NodeId> at) {
    if (name.find("${") != std::string::npos || name.find('{') != std::string::npos) return;
    std::vector<std::string> parts = parts_of(name);
    // What the model it starts from is called says nothing of this run.
    const std::string model = facts_.model ? to_lower(facts_.model->value) : std::string();
    std::erase_if(parts, [&](const std::string& part) { return contains(parts_of(model), part); });
    judge_gpus(whose, parts, at);
    judge_precision(whose, parts, at);
    judge_batch(whose, parts, at);
    judge_image(whose, parts, at);
  }

  void judge_gpus(const std::string& whose, const std::vector<std::string>& parts,
                  std::optional<NodeId> at) {
    const auto gpus = number_before(parts, {"gpu", "gpus", "xgpu", "xgpus"});
    if (!gpus || *gpus == 0) return;
    std::int64_t stated = 0;
    const Provenance* from = nullptr;
    for (const auto* fact : {&facts_.gpus_per_node, &facts_.world_size}) {
      if (!*fact) continue;
      if ((*fact)->value == *gpus) return;
      if (!is_stated(*fact)) continue;
      stated = (*fact)->value;
      from = &(*fact)->from;
    }
    if (from != nullptr)
      add(whose, fmt::format("{} GPUs", *gpus), fmt::format("{}", stated), "gpus_per_node", *from,
          at);
  }

  void judge_precision(const std::string& whose, const std::vector<std::string>& parts,
                       std::optional<NodeId> at) {
    const auto says = [&](std::string_view word) {
      return std::find(parts.begin(), parts.end(), word) != parts.end();
    };
    if (says("fp16") + says("bf16") + says("fp32") != 1) return;
    const std::string word = says("fp16") ? "fp16" : says("bf16") ? "bf16" : "fp32";
    const auto& mixed = facts_.mixed_precision;
    if (!is_stated(mixed)) return;
    // Weights are kept in fp32 under autocast, which nobody names a run for.
    const auto& weights = facts_.weights_dtype;
    const bool by_a_key_of_its_own = is_stated(weights) && weights->from.span != mixed->from.span;
    if (weights && weights->value == word && (word != "fp32" || by_a_key_of_its_own)) return;
    const bool is_half = mixed->value == "fp16" || mixed->value == "bf16";
    if (word == "fp32" ? !is_half
                       : (mixed->value == word || !(is_half || mixed->value == "none"))) {
      return;
    }
    add(whose, word, mixed->value == "none" ? "fp32" : mixed->value, "mixed_precision", mixed->from,
        at);
  }

  /// Any product of the parts may be meant.
  void judge_batch(const std::string& whose, const std::vector<std::string>& parts,
                   std::optional<NodeId> at) {
    const auto batch = number_behind(parts, "bs");
    if (!batch || *batch == 0) return;
    if (facts_.global_batch_size && facts_.global_batch_size->value == *batch) return;
    if (facts_.eval_batch_size && facts_.eval_batch_size->value == *batch) return;
    if (!is_stated(facts_.per_device_batch_size)) return;
    const std::int64_t stated = facts_.per_device_batch_size->value;
    if (stated <= 0 || *batch % stated == 0) return;
    add(whose, fmt::format("a batch of {}", *batch), fmt::format("{}", stated),
        "per_device_batch_size", facts_.per_device_batch_size->from, at);
  }

  /// A common size that no value of the file has.
  void judge_image(const std::string& whose, const std::vector<std::string>& parts,
                   std::optional<NodeId> at) {
    constexpr std::array<std::int64_t, 10> kSizes = {192, 224, 256, 288, 320,
                                                     336, 384, 448, 512, 640};
    if (!is_stated(facts_.image_size)) return;
    std::set<std::int64_t> said;
    for (const std::string& part : parts) {
      std::string_view number = part;
      if (number.ends_with("px")) number.remove_suffix(2);
      const auto size = short_count(number);
      if (size && std::find(kSizes.begin(), kSizes.end(), *size) != kSizes.end())
        said.insert(*size);
    }
    if (said.size() != 1 || *said.begin() == facts_.image_size->value) return;
    const std::string word = std::to_string(*said.begin());
    for (NodeId id = 0; id < document_.size(); ++id) {
      if (document_.kind(id) == NodeKind::scalar && document_.scalar(id) == word) return;
    }
    add(whose, fmt::format("images of {} pixels", word),
        fmt::format("{}", facts_.image_size->value), "image_size", facts_.image_size->from, at);
  }

  void add(const std::string& whose, std::string says, std::string stated, std::string fact,
           const Provenance& from, std::optional<NodeId> at) {
    Observation& item = observations_.emplace_back();
    item.list = "contradicted_names";
    item.span = at ? document_.span(*at) : from.span;
    item.other = from.span;
    item.pointer = at ? document_.pointer(*at) : from.pointer;
    item.name = whose;
    item.value = std::move(says);
    item.detail = std::move(stated);
    item.fact = std::move(fact);
  }

  const Document& document_;
  const TrainingPlan& facts_;
  const std::vector<std::string> name_keys_;
  std::vector<Observation>& observations_;
};

}  // namespace

void observe_names(const Document& document, const Plan& plan, const Catalog& catalog,
                   std::vector<Observation>& observations) {
  NameReader(document, plan, catalog, observations).read();
}

}  // namespace gpulint
