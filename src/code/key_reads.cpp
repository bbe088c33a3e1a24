#include "code/key_reads.h"

#include "base/text.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostLoaders = 3;  // scripts that are followed for one config

void add(KeyReads& all, ScriptRun&& run) {
  all.looked_at.insert(all.looked_at.end(), run.reads.looked_at.begin(), run.reads.looked_at.end());
  all.words.read.merge(run.reads.words.read);
  all.words.unpacked.merge(run.reads.words.unpacked);
  std::vector<std::string>& beginnings = run.reads.words.beginnings;
  std::vector<std::string>& endings = run.reads.words.endings;
  all.words.beginnings.insert(all.words.beginnings.end(), beginnings.begin(), beginnings.end());
  all.words.endings.insert(all.words.endings.end(), endings.begin(), endings.end());
}

/// A program whose decorator names another config.
bool takes_another(const CodeRequest& request, const Script& script) {
  if (!script.is_entry) return false;
  const std::string named = entry_config(*request.code, request.root, script.path).name;
  const auto stem = [](std::string_view path) {
    const std::string_view name = file_name(path);
    return name.substr(0, name.rfind('.'));
  };
  return !named.empty() && stem(named) != stem(loaded_name(request));
}

/// Files near the config that speak of configs, and that nobody saw load this one: an evaluation
/// that looks for the file beside a checkpoint. They may read any key they name. False: there
/// are many, or one cannot be read.
bool add_other_readers(const CodeRequest& request, std::size_t near,
                       const std::set<std::string>& followed, KeyReads& reads) {
  constexpr std::size_t kMostFiles = 400;
  CodeBase& code = *request.code;
  std::set<std::string> others;
  for (const Script& script : code.scripts(request.root)) {
    if (takes_another(request, script)) others.insert(script.path);
  }
  const std::vector<std::string>& speaks = code.consumers().scripts().takes_config;
  const std::vector<std::string> files =
      code.python_files(request.root, std::string_view(request.path).substr(0, near));
  if (files.size() > kMostFiles) return false;
  for (const std::string& path : files) {
    if (followed.contains(path) || others.contains(path)) continue;
    const python::Module* module = code.module(request.root, path);
    if (module == nullptr) return false;
    const auto has = [&](const std::string& word) { return module->text.find(word) != word.npos; };
    if (std::any_of(speaks.begin(), speaks.end(), has)) add_key_words(*module, reads.words);
  }
  return true;
}

std::unordered_set<std::string> all_names(std::string_view text) {
  const std::vector<std::string> names = names_in(text);
  return {names.begin(), names.end()};
}

/// True where a YAML or JSON config states values beside those that were looked at (sorted), and
/// not so many that the script is for another config.
bool has_unread_key(const Document& document, const std::vector<SourceSpan>& looked_at) {
  if (document.format() != Format::yaml && document.format() != Format::json) return false;
  const auto is_read = [&](NodeId value) {
    return std::binary_search(looked_at.begin(), looked_at.end(), document.span(value));
  };
  const NodeId root = document.resolve(document.root());
  std::size_t unread = 0;
  std::size_t read = 0;
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId key = document.node(id).key;
    const NodeId value = key == kNoNode ? kNoNode : document.resolve(id);
    if (value == kNoNode || document.kind(value) == NodeKind::sequence) continue;
    if (is_read(value)) {
      ++read;
    } else if (document.kind(value) == NodeKind::mapping || !document.scalar(value).empty()) {
      const NodeId around = document.node(id).parent;
      if (around == root || is_read(around)) ++unread;
    }
  }
  return unread > 0 && unread <= read;
}

/// Fewer than half of many values are looked at, or lie in a mapping that leaves the project whole.
/// In programs that were known to be meant the share was 0.69 and more, and hardly ever between 0.3
/// and 0.6 in any.
bool takes_little(const Document& document, const std::vector<SourceSpan>& looked_at,
                  std::span<const SourceSpan> unpacked, std::span<const SourceSpan> handed_on) {
  if (document.format() == Format::shell || document.format() == Format::env) return false;
  std::vector<SourceSpan> leaving(unpacked.begin(), unpacked.end());
  leaving.insert(leaving.end(), handed_on.begin(), handed_on.end());
  std::sort(leaving.begin(), leaving.end());
  const auto leaves_whole = [&](NodeId id) {
    return std::binary_search(leaving.begin(), leaving.end(),
                              document.span(document.resolve(id)));
  };
  constexpr std::size_t kManyValues = 8;
  std::vector<bool> is_whole(document.size());  // parents come before what they hold
  std::size_t taken = 0;
  std::size_t stated = 0;
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId around = document.node(id).parent;
    is_whole[id] = (around != kNoNode && around < id && is_whole[around]) || leaves_whole(id);
    const NodeId key = document.node(id).key;
    const NodeId value = key == kNoNode ? kNoNode : document.resolve(id);
    if (value == kNoNode || document.kind(value) != NodeKind::scalar) continue;
    ++stated;
    const bool is_read = is_whole[id] || std::binary_search(looked_at.begin(), looked_at.end(),
                                                            document.span(value));
    taken += is_read ? 1 : 0;
  }
  return stated >= kManyValues && 2 * taken < stated;
}

KeyReads reads_of(const CodeRequest& request, const python::Reach& reach,
                  const std::set<std::string>& modules) {
  KeyReads reads;
  const std::unordered_set<std::string> said = names_said(reach);
  OpenCode open;
  for (const std::string& path : modules) {
    const python::Module* module = request.code->module(request.root, path);
    if (module == nullptr) continue;
    const auto marks = reach.marks.find(module);
    open.add(*module, marks == reach.marks.end() ? nullptr : &marks->second);
  }
  reads.words = open.words(said);
  for (const std::string& name : said) reads.words.read.insert(to_lower(name));
  const auto says = [&](std::string_view word) {
    return reads.words.read.contains(std::string(word));
  };
  reads.complete = !reach.imports_unknown && !says("import_module") && !says("__import__");
  return reads;
}

/// Values that the code asks for on a line beside which a comment gives a reason.
void note_explained(CodeBase& code, const python::Reach& reach, ScriptRun& run) {
  for (const python::Reach::Asked& each : reach.asked) {
    const std::vector<SourceSpan>& lines = code.explained_lines_of(*each.module);
    const bool is_explained = std::any_of(lines.begin(), lines.end(), [&](const SourceSpan& line) {
      return each.at >= line.begin && each.at < line.end;
    });
    if (is_explained) run.explained.push_back(each.value);
  }
}

}  // namespace

std::unordered_set<std::string> names_said(const python::Reach& reach) {
  std::unordered_set<std::string> said;
  for (const std::string& word : reach.words) {
    if (word.find(' ') == std::string::npos) said.merge(all_names(word));  // else it is prose
  }
  return said;
}

KeyReads key_reads(const CodeRequest& request, const std::vector<Candidate>& all) {
  std::vector<const Candidate*> loaders;
  for (const Candidate& each : all) {  // those that name it come first, then the nearest
    const bool is_behind = !loaders.empty() && !each.named &&
                           (loaders.front()->named || each.near < loaders.front()->near);
    if (is_behind) break;
    if (!profile_of(request, *each.script).loads || takes_another(request, *each.script)) continue;
    if (loaders.size() == kMostLoaders) return {};
    loaders.push_back(&each);
  }
  KeyReads reads;
  std::set<std::string> followed;
  for (const Candidate* each : loaders) {
    ScriptRun run;
    if (each->named) run = run_script_for_reads(request, *each->script, false);
    if (!run.loads_config) run = run_script_for_reads(request, *each->script, true);
    if (!run.loads_config || (!each->named && run.takes_little)) continue;
    if (!run.reads.complete) return {};
    if (reads.script.empty()) reads.script = each->script->path;
    followed.merge(run.modules);
    add(reads, std::move(run));
  }
  if (reads.script.empty()) return {};
  std::sort(reads.looked_at.begin(), reads.looked_at.end());
  reads.complete = add_other_readers(request, loaders.front()->near, followed, reads);
  return reads;
}

void note_reads(const CodeRequest& request, const python::Reach& reach,
                std::span<const SourceSpan> unpacked, bool words, ScriptRun& run) {
  std::vector<SourceSpan> looked_at = reach.looked_at;
  looked_at.insert(looked_at.end(), unpacked.begin(), unpacked.end());
  looked_at.insert(looked_at.end(), run.handed_on.begin(), run.handed_on.end());
  std::sort(looked_at.begin(), looked_at.end());
  run.takes_little = takes_little(*request.document, looked_at, unpacked, run.handed_on);
  note_explained(*request.code, reach, run);
  run.may_leave_keys_unread =
      !run.is_of_sibling && !reach.imports_unknown && has_unread_key(*request.document, looked_at);
  if (!words || !run.may_leave_keys_unread) return;
  run.reads = reads_of(request, reach, run.modules);
  run.reads.looked_at = std::move(looked_at);
}

}  // namespace gpulint
