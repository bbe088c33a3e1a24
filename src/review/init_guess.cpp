#include "review/init_guess.h"

#include "base/text.h"
#include "source/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace gpulint {
namespace {

enum class Form { count, rate, fraction, flag };

/// A fact is guessed when a key's name has one word of each group and none of `not_with`.
struct Guess {
  std::string_view fact;
  Form form;
  std::array<std::string_view, 2> words;  // groups of words separated by '|'
  std::string_view not_with = "";
};

// The first that fits counts. The words are those that teams were seen to use for these settings.
constexpr std::array<Guess, 18> kGuesses{{
    {"gradient_accumulation_steps", Form::count, {"accum|accumulate|accumulation", ""}},
    {"warmup_epochs", Form::count, {"warmup", "epoch|epochs"}},
    {"warmup_steps", Form::count, {"warmup", "step|steps|iter|iters|iterations"}},
    {"num_workers", Form::count, {"worker|workers", ""}, "preprocess|preprocessing|map|server"},
    {"prefetch_factor", Form::count, {"prefetch", ""}},
    {"per_device_batch_size",
     Form::count,
     {"batch|bs|bsz|minibatch|batchsize", ""},
     "max|num|total|global|eval|val|test|norm|accum|count|log|every"},
    {"global_batch_size",
     Form::count,
     {"batch|bs|bsz|batchsize", "global|total|effective"},
     "eval|val|test"},
    {"max_grad_norm", Form::rate, {"clip|clipping", ""}, "image|text|model|video|range|value"},
    {"weight_decay", Form::fraction, {"decay|wd", "weight|wd|l2"}},
    {"learning_rate",
     Form::fraction,
     {"lr|lrate|rate|stepsize", "lr|lrate|learning|learn|stepsize"},
     "min|end|final|decay|factor|mult|drop|scale|warmup|sample"},
    {"gpus_per_node", Form::count, {"gpus|ngpu|ngpus", ""}, "id|ids|index"},
    {"nodes", Form::count, {"nodes|machines|hosts", ""}, "hidden|graph|dim"},
    {"image_size",
     Form::count,
     {"image|img|crop|input|tile", "size|res|resolution|px|side"},
     "batch|vocab|hidden|kernel|patch|cache|eval|val|test"},
    {"sequence_length",
     Form::count,
     {"seq|sequence|context|ctx|block|token|tokens", "len|length|size|window|max"},
     "batch|vocab|cache|eval"},
    {"epochs",
     Form::count,
     {"epoch|epochs", ""},
     "warmup|every|save|eval|log|decay|start|val|freeze|patience|interval|per"},
    {"max_steps",
     Form::count,
     {"step|steps|iter|iters|iterations", "max|num|total|train|n"},
     "warmup|every|save|eval|log|decay|val|accum|interval|per"},
    {"mixed_precision", Form::flag, {"amp|autocast|fp16|bf16|half|mixed", ""}, "opt|level|dtype"},
    {"activation_checkpointing", Form::flag, {"checkpointing|recompute|remat", ""}, "save|every"},
}};

constexpr std::string_view kElsewhere =
    "eval|evaluation|validation|test|testing|inference|infer|serve|server|serving|deploy|"
    "deployment|"
    "api|generation|decode|predict|export|preprocess|preprocessing|sampling|rollout|search|sweep";

/// "trainOpts.batchSize" -> train, opts, batch, size.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(to_lower(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool starts_word =
        c >= 'A' && c <= 'Z' && i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z';
    if (!letter || starts_word) finish();
    if (letter) word += c;
  }
  finish();
  return words;
}

bool has_one_of(const std::vector<std::string>& words, std::string_view group) {
  if (group.empty()) return false;
  const std::vector<std::string_view> wanted = split(group, '|');
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

bool has_form(Form form, std::string_view value) {
  const std::optional<double> number = lenient_number(value);
  switch (form) {
    case Form::count:
      return number && *number >= 1 && *number == std::floor(*number);
    case Form::rate:
      return number && *number > 0;
    case Form::fraction:
      return number && *number >= 0 && *number < 1;
    case Form::flag:
      return !number && lenient_boolean(value).has_value();
  }
  return false;
}

}  // namespace

std::string_view guess_fact(std::string_view path, std::string_view value) {
  const std::size_t dot = path.rfind('.');
  const std::vector<std::string> leaf =
      words_of(dot == std::string_view::npos ? path : path.substr(dot + 1));
  if (has_one_of(words_of(path), kElsewhere)) return "";
  for (const Guess& guess : kGuesses) {
    const bool fits = has_one_of(leaf, guess.words[0]) &&
                      (guess.words[1].empty() || has_one_of(leaf, guess.words[1])) &&
                      !has_one_of(leaf, guess.not_with);
    if (fits && has_form(guess.form, value)) return guess.fact;
  }
  return "";
}

}  // namespace gpulint
