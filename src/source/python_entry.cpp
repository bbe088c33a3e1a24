#include "source/python_entry.h"

#include <algorithm>

namespace gpulint {

using python::kNoSyntax;
using python::Syntax;
using python::SyntaxId;

std::uint32_t PythonEntries::begin_of(SyntaxId id) const {
  std::uint32_t begin = tree_.node(id).begin;
  const Syntax kind = tree_.node(id).kind;
  if (kind != Syntax::function && kind != Syntax::class_type) return begin;
  for (SyntaxId child = tree_.node(id).first; child != kNoSyntax; child = tree_.node(child).next) {
    if (tree_.node(child).kind == Syntax::decorator)
      begin = std::min(begin, tree_.node(child).begin);
  }
  return begin;
}

std::uint32_t PythonEntries::end_of(std::uint32_t begin) const {
  SyntaxId around = tree_.root();
  while (around != kNoSyntax) {
    const bool is_dict = tree_.node(around).kind == Syntax::dict;
    bool is_key = is_dict;
    SyntaxId inside = kNoSyntax;
    for (SyntaxId at = tree_.node(around).first; at != kNoSyntax; at = tree_.node(at).next) {
      const std::uint32_t end = tree_.node(at).end;
      const bool found = begin_of(at) == begin && tree_.node(at).kind != Syntax::block;
      const SyntaxId value = tree_.node(at).next;
      if (found && is_key && value != kNoSyntax) return tree_.node(value).end;
      if (found) return end;
      if (begin_of(at) <= begin && begin < end) inside = at;
      is_key = is_dict && (!is_key || tree_.node(at).kind == Syntax::double_star);
    }
    around = inside;
  }
  return begin;
}

}  // namespace gpulint
