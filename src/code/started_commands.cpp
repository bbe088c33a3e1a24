#include "code/started_commands.h"

#include "base/text.h"
#include "code/call_text.h"
#include "code/config_host.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace gpulint {
namespace {

using python::Interpreter;
using python::Kind;
using python::Value;

constexpr std::size_t kMostCommands = 64;

class CommandsReader final : public ConfigHost {
 public:
  using ConfigHost::ConfigHost;

  std::optional<ShellText> read() {
    main_ = module(script_.path);
    if (main_ == nullptr) return std::nullopt;
    const std::string top = request_.root == "." ? "" : request_.root;
    Interpreter in(*this, {std::string(parent_path(script_.path)), top, join_path(top, "src")});
    in.run(*main_, true);
    return commands_ == 0 ? std::nullopt : std::optional(std::move(script_text_));
  }

  python::Behaviour behaviour(std::string_view name) override {
    return request_.code->consumers().behaviour(name);
  }
  void looped(Interpreter&, const python::Loop&) override {}

  void called(Interpreter& in, const python::Call& call) override {
    const ScriptMarks& marks = request_.code->consumers().scripts();
    if (contains(marks.starts_commands, call.name) && commands_ < kMostCommands)
      add_command(in, call);
    for (const python::Argument& each : call.arguments) in.share(each.value);
  }

 private:
  void add_command(Interpreter& in, const python::Call& call) {
    place_ = call.module == main_ && call.node != python::kNoSyntax
                 ? main_->tree.node(call.node).begin
                 : kNowhere;
    const python::Argument* what = argument_of(in, call, "args", 0);
    if (what == nullptr) what = argument_of(in, call, "command", 0);
    if (what == nullptr) return;
    ShellText command = command_of(in, what->value);
    if (command.empty()) return;
    ShellText line;
    line.add('(', place_);  // for itself: the folder holds for no other
    add_folder(in, argument_of(in, call, "cwd", -1), line);
    add_variables(in, argument_of(in, call, "env", -1), line);
    line.add(command);
    line.add(')', place_);
    line.add('\n', place_);
    script_text_.add(line);
    ++commands_;
  }

  /// A text is for a shell; of a list, each item is a word.
  ShellText command_of(Interpreter& in, const Value& value) const {
    if (value.kind == Kind::text) return text_at(in, value);
    ShellText command;
    if (value.kind != Kind::list && value.kind != Kind::tuple) return command;
    bool all = true;
    for (const Value& item : in.known_items(value, all)) {
      if (!command.empty()) command.add(' ', place_);
      const std::optional<ShellText> word = word_of(in, item);
      if (word) {
        command.add_quoted(*word, place_);
      } else {
        command.add(kUnknownByte, place_);
      }
    }
    if (all || command.empty()) return command;
    command.add(' ', place_);
    command.add(kUnknownByte, place_);
    return command;
  }

  std::optional<ShellText> word_of(Interpreter& in, const Value& item) const {
    const ScriptMarks& marks = request_.code->consumers().scripts();
    if (item.kind == Kind::external && contains(marks.interpreters, in.text(item.ref)))
      return ShellText::computed("python");
    if (item.kind != Kind::text && !item.is_number()) return std::nullopt;
    return text_at(in, item);
  }

  /// Where a literal states the text, each byte stands in it; else all at what it was made of.
  ShellText text_at(Interpreter& in, const Value& value) const {
    const std::string text = native_text(in, value).value_or(std::string());
    const bool is_here = value.from.known() && value.from.file == main_->file;
    if (!is_here) {
      ShellText made = ShellText::computed(text);
      std::fill(made.origins.begin(), made.origins.end(), place_);
      return made;
    }
    const std::uint32_t size = value.from.end - value.from.begin;
    const std::string_view written =
        std::string_view(main_->text).substr(value.from.begin, size);
    const std::size_t at = written.find(text);
    if (at != written.npos)
      return ShellText::of(text, value.from.begin + static_cast<std::uint32_t>(at));
    ShellText made = ShellText::computed(text);
    std::fill(made.origins.begin(), made.origins.end(), value.from.begin);
    return made;
  }

  void add_folder(Interpreter& in, const python::Argument* folder, ShellText& line) const {
    if (folder == nullptr || folder->value.kind != Kind::text) return;
    line.add(computed("cd "));
    line.add_quoted(text_at(in, folder->value), place_);
    line.add(computed(" && "));
  }

  void add_variables(Interpreter& in, const python::Argument* variables, ShellText& line) const {
    if (variables == nullptr || variables->value.kind != Kind::dict) return;
    for (const python::Entry& each : in.object(variables->value.ref).entries) {
      const std::string_view name = in.text(each.key);
      if (each.value.kind != Kind::text || name.empty() ||
          !std::all_of(name.begin(), name.end(), is_name_part))
        continue;
      line.add(computed(std::string(name) + "="));
      line.add_quoted(text_at(in, each.value), place_);
      line.add(' ', place_);
    }
  }

  ShellText computed(std::string_view bytes) const {
    ShellText made = ShellText::computed(bytes);
    std::fill(made.origins.begin(), made.origins.end(), place_);
    return made;
  }

  const python::Module* main_ = nullptr;
  std::uint32_t place_ = kNowhere;  // of the call
  ShellText script_text_;
  std::size_t commands_ = 0;
};

}  // namespace

bool may_start_commands(std::string_view text, const ScriptMarks& marks) {
  return has_any(text, marks.starts_commands);
}

std::optional<ShellText> started_commands(const CodeRequest& request) {
  Script script;
  script.path = request.script;
  return CommandsReader(request, script, {}).read();
}

}  // namespace gpulint
