#include "code/placed_samples.h"

#include "base/text.h"

#include <algorithm>
#include <string_view>

namespace gpulint {
namespace {

using python::Syntax;
using python::SyntaxId;

/// `x.cuda()`, `x.to(device)`, `torch.zeros(3, device="cuda")`; not `x.to(torch.float32)`.
std::size_t find_placing(std::string_view text) {
  const auto is_device = [](std::string_view arguments) {
    const bool names_one =
        arguments.find("cuda") != arguments.npos || arguments.find("device") != arguments.npos;
    return names_one && arguments.find("cpu") == arguments.npos;
  };
  if (const std::size_t at = text.find(".cuda("); at != text.npos) return at;
  for (const std::string_view word : {".to(", "device="}) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const std::size_t end = text.find_first_of(",)", at + word.size());
      const std::size_t begin = at + word.size();
      if (is_device(text.substr(begin, end == text.npos ? end : end - begin))) return at;
    }
  }
  return text.npos;
}

/// It gives one sample, or makes a batch of several.
bool makes_samples(const python::Module& module, SyntaxId id) {
  const python::SyntaxNode& node = module.tree.node(id);
  const std::string name = to_lower(module.tree.text(id));
  if (node.kind == Syntax::function)
    return name == "__getitem__" || name.find("collate") != name.npos;
  return node.kind == Syntax::class_type && name.find("collat") != name.npos;
}

/// Unknown: nowhere. `acting`: the module's text without comments.
SourceSpan place_on_gpu(const python::Module& module, const std::string& acting) {
  const bool may_place = acting.find("__getitem__") != acting.npos ||
                         acting.find("ollat") != acting.npos;
  if (!may_place || find_placing(acting) == std::string_view::npos) return {};
  for (SyntaxId id = 0; id < module.tree.size(); ++id) {
    if (!makes_samples(module, id)) continue;
    const python::SyntaxNode& node = module.tree.node(id);
    const std::size_t at =
        find_placing(std::string_view(acting).substr(node.begin, node.end - node.begin));
    if (at == std::string_view::npos) continue;
    const auto begin = node.begin + static_cast<std::uint32_t>(at);
    return {module.file, begin, begin + 1};
  }
  return {};
}

}  // namespace

void add_placed_samples(const CodeRequest& request, const std::set<std::string>& modules,
                        std::vector<SeenFact>& seen) {
  for (const std::string& path : modules) {
    const python::Module* module = request.code->module(request.root, path);
    if (module == nullptr) continue;
    const SourceSpan place = place_on_gpu(*module, request.code->acting(*module));
    if (!place.known()) continue;
    SeenFact& made = seen.emplace_back();
    made.fact.fact = "samples_on_gpu";
    made.fact.value = "true";
    made.fact.span = made.fact.call = place;
    made.fact.fills = true;
    return;
  }
}

}  // namespace gpulint
