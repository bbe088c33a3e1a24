#include "code/absences.h"

#include "base/text.h"
#include "code/key_reads.h"
#include "code/key_words.h"
#include "code/script_choice.h"
#include "code/word_parts.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace gpulint {
namespace {

using python::Module;
using python::Syntax;
using python::SyntaxId;

void blank(std::string& text, const python::SyntaxNode& node) {
  for (std::size_t at = node.begin; at < node.end && at < text.size(); ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
}

/// The names that an `import` brings: "DDP" of `DistributedDataParallel as DDP`.
std::vector<std::string_view> names_of_import(const Module& module, SyntaxId id) {
  std::vector<std::string_view> names;
  for (SyntaxId at = module.tree.node(id).first; at != python::kNoSyntax;
       at = module.tree.node(at).next) {
    const SyntaxId other = module.tree.node(at).first;
    std::string_view name = module.tree.text(other == python::kNoSyntax ? at : other);
    if (other == python::kNoSyntax) name = name.substr(0, name.find('.'));
    names.push_back(name);
  }
  return names;
}

class OpenTexts {
 public:
  OpenTexts(const CodeRequest& request, const python::Reach& reach)
      : request_(request), reach_(reach) {}

  void add(const Module& module) { modules_.push_back(&module); }

  bool speak_of(const AbsentWords& words) {
    // Whoever starts the program may turn on what the defaults of its options leave out.
    const bool whole = words.may_be_asked_for && request_.arguments == nullptr;
    return std::any_of(modules_.begin(), modules_.end(), [&](const Module* each) {
      if (!request_.code->speaks_of(*each, words)) return false;
      if (!is_ready_) prepare();
      return has_any_part(whole ? whole_.at(each) : taken_.at(each), words.words,
                          words.apart_from);
    });
  }

 private:
  void prepare() {
    is_ready_ = true;
    OpenCode open;
    for (const Module* each : modules_) open.add(*each, marks_of(*each));
    std::map<const Module*, std::vector<SyntaxId>> closed;
    for (const OpenCode::Definition& each : open.closed(names_said(reach_)))
      closed[each.module].push_back(each.id);
    const std::span<const AbsentWords* const> absent = request_.code->consumers().absent();
    for (const Module* each : modules_) {
      const bool speaks = std::any_of(absent.begin(), absent.end(), [&](const AbsentWords* words) {
        return request_.code->speaks_of(*each, *words);
      });
      if (!speaks) continue;
      std::string text = request_.code->acting(*each);
      for (const SyntaxId id : closed[each]) blank(text, each->tree.node(id));
      std::string taken = text;
      if (const std::vector<std::uint8_t>* marks = marks_of(*each)) {
        for (const SyntaxId id : left_out(*each, *marks)) {
          blank(taken, each->tree.node(id));
          if (((*marks)[id] & python::Reach::kByConfig) != 0) blank(text, each->tree.node(id));
        }
      }
      blank_imports(*each, text);
      blank_imports(*each, taken);
      whole_.emplace(each, std::move(text));
      taken_.emplace(each, std::move(taken));
    }
  }

  /// Nodes that are left out, and of which nothing was run at another time.
  static std::vector<SyntaxId> left_out(const Module& module,
                                        const std::vector<std::uint8_t>& marks) {
    std::vector<std::uint32_t> run;
    std::vector<SyntaxId> candidates;
    for (SyntaxId id = 0; id < marks.size(); ++id) {
      if ((marks[id] & python::Reach::kRan) != 0) run.push_back(module.tree.node(id).begin);
      if (python::Reach::is_left_out(marks[id])) candidates.push_back(id);
    }
    std::sort(run.begin(), run.end());
    std::erase_if(candidates, [&](SyntaxId id) {
      const python::SyntaxNode& node = module.tree.node(id);
      const auto first = std::lower_bound(run.begin(), run.end(), node.begin);
      return first != run.end() && *first < node.end;
    });
    return candidates;
  }

  const std::vector<std::uint8_t>* marks_of(const Module& module) const {
    const auto found = reach_.marks.find(&module);
    return found == reach_.marks.end() ? nullptr : &found->second;
  }

  /// An import of names that nothing in the file uses; others may import them from a package.
  static void blank_imports(const Module& module, std::string& text) {
    if (module.path.ends_with("__init__.py")) return;
    std::vector<SyntaxId> imports;
    std::string rest = text;
    for (SyntaxId id = 0; id < module.tree.size(); ++id) {
      const Syntax kind = module.tree.node(id).kind;
      if (kind != Syntax::import && kind != Syntax::import_from) continue;
      imports.push_back(id);
      blank(rest, module.tree.node(id));
    }
    for (const SyntaxId id : imports) {
      const std::vector<std::string_view> names = names_of_import(module, id);
      const bool is_used = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return name == "*" || has_word(rest, name);
      });
      if (!is_used) blank(text, module.tree.node(id));
    }
  }

  const CodeRequest& request_;
  const python::Reach& reach_;
  std::vector<const Module*> modules_;
  bool is_ready_ = false;
  std::map<const Module*, std::string> taken_;  // what may be run, with the options at hand
  std::map<const Module*, std::string> whole_;  // with any
};

}  // namespace

void add_absent_facts(const CodeRequest& request, const std::set<std::string>& modules,
                      const python::Reach& reach, SourceSpan at, std::vector<SeenFact>& seen) {
  OpenTexts texts(request, reach);
  for (const std::string& path : modules) {
    if (const Module* module = request.code->module(request.root, path)) texts.add(*module);
  }
  std::set<std::string> spoken_of;
  std::set<std::string> told;  // what is more than a default of a library's trainer
  for (const SeenFact& each : seen) {
    spoken_of.insert(each.fact.fact);
    if (!each.is_left_to_trainer) told.insert(each.fact.fact);
    const bool divides = each.is_shared || each.fact.fact == kAccumulationOfAllRanks;
    if (divides) spoken_of.insert("world_size");  // a batch is divided by it
  }
  const auto add = [&](const AbsentWords& words, std::string_view fact, std::string_view value) {
    if ((value.empty() ? told : spoken_of).contains(std::string(fact))) return;
    SeenFact& made = seen.emplace_back();
    made.fact.fact = fact;
    made.fact.value = value;
    made.fact.known = !value.empty();
    made.fact.span = made.fact.call = at;
    made.fact.source = words.source;
    made.fact.fills = true;
  };
  for (const AbsentWords* each : request.code->consumers().absent()) {
    if (texts.speak_of(*each)) {
      for (const std::string& fact : each->doubts) add(*each, fact, {});
    } else {
      for (const auto& [fact, value] : each->states) add(*each, fact, value);
    }
  }
}

}  // namespace gpulint
