#include "code/loader_role.h"

#include "base/text.h"
#include "code/call_text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

using python::Argument;
using python::Call;
using python::Interpreter;
using python::Kind;
using python::Value;

/// Lower-case words of a name: "val_loader", "valLoader", "ds[\"val\"]" all hold "val".
std::vector<std::string> words_of_name(std::string_view text) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = c >= 'a' && c <= 'z';
    if (is_upper && before >= 'a' && before <= 'z') words.emplace_back();
    if (is_upper || is_lower) {
      words.back() += static_cast<char>(c | 0x20);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
    before = c;
  }
  return words;
}

LoaderRole role_of_text(std::string_view text) {
  for (const std::string& word : words_of_name(text)) {
    for (const char* each : {"val", "valid", "validation", "eval", "evaluation", "test", "testing",
                             "dev", "inference", "predict", "infer", "valset", "testset", "vals",
                             "valloader", "testloader", "validloader"}) {
      if (word == each) return LoaderRole::evaluation;
    }
    for (const char* each :
         {"train", "training", "trn", "trainset", "trainloader", "traindata", "trainval"}) {
      if (word == each) return LoaderRole::training;
    }
  }
  return LoaderRole::unknown;
}

/// What the functions around are told: `split="val"`, `is_train=False`.
LoaderRole role_of_locals(const Interpreter& in, std::size_t outwards) {
  for (const char* name :
       {"split", "mode", "phase", "subset", "stage", "partition", "set_name", "flag"}) {
    const Value* value = in.local(outwards, name);
    if (value == nullptr || value->kind != Kind::text) continue;
    const LoaderRole role = role_of_text(in.text(value->ref));
    if (role != LoaderRole::unknown) return role;
  }
  for (const char* name : {"is_train", "train", "training", "is_training"}) {
    const Value* value = in.local(outwards, name);
    if (value == nullptr || value->kind != Kind::boolean) continue;
    return value->integer != 0 ? LoaderRole::training : LoaderRole::evaluation;
  }
  return LoaderRole::unknown;
}

/// `make_loader(folder, validation=True)`: of a function that makes loaders for either, and does
/// not train. Where the flag is off, nobody knows.
LoaderRole role_of_flag(const Interpreter& in) {
  const std::vector<std::string_view> running = in.running();
  const bool trains = running.empty() || running.front() == "main" || running.front() == "fit" ||
                      role_of_text(running.front()) == LoaderRole::training;
  for (const char* name : {"validation", "is_validation", "valid", "val", "is_val", "evaluation",
                           "is_eval", "test", "is_test"}) {
    const Value* value = trains ? nullptr : in.local(0, name);
    if (value != nullptr && value->kind == Kind::boolean && value->integer != 0)
      return LoaderRole::evaluation;
  }
  return LoaderRole::unknown;
}

/// `train, test_loader = make(...)`: of what a function makes, the names that its caller gives to
/// loaders; where they differ, nobody knows which it is.
LoaderRole role_of_result(const Interpreter& in) {
  LoaderRole role = LoaderRole::unknown;
  for (const std::string_view name : split(in.outer_target(), ',')) {
    if (to_lower(name).find("load") == std::string::npos) continue;
    const LoaderRole found = role_of_text(name);
    if (found == LoaderRole::unknown || (role != LoaderRole::unknown && found != role))
      return LoaderRole::unknown;
    role = found;
  }
  return role;
}

/// `{x: DataLoader(sets[x]) for x in ("train", "val")}`: what a name in the call stands for.
LoaderRole role_of_names(const Interpreter& in, const Call& call) {
  const python::SyntaxNode& node = call.module->tree.node(call.node);
  const std::string_view text =
      std::string_view(call.module->text).substr(node.begin, node.end - node.begin);
  LoaderRole role = LoaderRole::unknown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const bool is_name = end > at && (at == 0 || (text[at - 1] != '.' && text[at - 1] != '"' &&
                                                  text[at - 1] != '\''));
    const Value* value = is_name ? in.local(0, text.substr(at, end - at)) : nullptr;
    const bool is_text = value != nullptr && value->kind == Kind::text;
    if (is_text && in.text(value->ref).find_first_of(" _/.-") == std::string_view::npos) {
      const LoaderRole found = role_of_text(in.text(value->ref));
      if (found != LoaderRole::unknown && role != LoaderRole::unknown && found != role)
        return LoaderRole::unknown;
      if (found != LoaderRole::unknown) role = found;
    }
    at = std::max(at, end);
  }
  return role;
}

}  // namespace

LoaderRole role_of_name(std::string_view text) { return role_of_text(text); }

LoaderRole loader_role(const Interpreter& in, const Call& call) {
  if (call.is_listed) return LoaderRole::unknown;  // its batches are looked through once
  const Argument* data = argument_of(in, call, "dataset", 0);
  LoaderRole role = role_of_text(argument_text(call, data));
  if (role == LoaderRole::unknown) role = role_of_names(in, call);
  if (role == LoaderRole::unknown) role = role_of_text(call.target);
  for (std::size_t i = 0; i < 2 && role == LoaderRole::unknown; ++i) role = role_of_locals(in, i);
  if (role == LoaderRole::unknown) role = role_of_flag(in);
  if (role == LoaderRole::unknown) role = role_of_result(in);
  if (role != LoaderRole::unknown) return role;
  const std::vector<std::string_view> running = in.running();
  for (std::size_t i = 0; i < running.size() && i < 2; ++i) {
    role = role_of_text(running[i]);
    if (running[i] == "train" || running[i] == "main") break;  // both are made there
    if (role != LoaderRole::unknown) return role;
  }
  const Argument* shuffle = argument_of(in, call, "shuffle", 2);
  const bool shuffles = shuffle != nullptr && shuffle->value.kind == Kind::boolean;
  if (shuffles && shuffle->value.integer != 0) return LoaderRole::likely;
  return LoaderRole::unknown;
}

}  // namespace gpulint
