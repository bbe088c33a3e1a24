#include "launch/flag_values.h"

#include "source/data_files.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

/// `$(dirname "$0")/a.yaml`: nobody knows from where the script is started, and the file lies
/// beside it all the same. Such a name begins with the unknown folder of the script, which stands
/// nowhere.
ShellText beside_script(ShellText name) {
  const bool is_beside = name.size() > 2 && name.bytes.front() == kUnknownByte &&
                         name.origins.front() == kNowhere && name.bytes[1] == '/';
  if (!is_beside || !is_data_file_name(name.bytes)) return name;
  ShellText rest = part(name, 2, name.size());
  return rest.known() ? rest : name;
}

/// `launch/a.yaml` of `$ROOT/launch/a.yaml`; empty where no folder is left.
ShellText end_of_path(const ShellText& name) {
  const std::size_t last = name.bytes.find_last_of("\x01\x02");
  if (last == std::string::npos || last + 2 >= name.size() || name.bytes[last + 1] != '/')
    return {};
  ShellText end = part(name, last + 2, name.size());
  return end.bytes.find('/') == std::string::npos ? ShellText() : end;
}

/// `a-7b` of `$MODELS/a-7b`; empty where that is not known either.
ShellText last_of_path(const ShellText& name) {
  const std::size_t slash = name.bytes.rfind('/');
  if (slash == std::string::npos || slash + 1 == name.size()) return {};
  ShellText last = part(name, slash + 1, name.size());
  return last.known() ? last : ShellText();
}

ShellText trimmed(const ShellText& value) {
  const std::size_t begin = value.bytes.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  ShellText made = part(value, begin, value.bytes.find_last_not_of(' ') + 1);
  const char quote = made.bytes.front();
  if (made.size() >= 2 && (quote == '\'' || quote == '"') && made.bytes.back() == quote)
    made = part(made, 1, made.size() - 1);
  return made;
}

}  // namespace

ShellText part(const ShellText& text, std::size_t begin, std::size_t end) {
  return text.part(
      {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::min(end, text.size()))});
}

FlagNode switched(const ShellText& written, std::string_view value) {
  FlagNode node;
  node.written = written;
  node.items = {ShellText::computed(value)};
  node.is_switch = true;
  return node;
}

FlagNode with_items(const ShellText& written, std::vector<ShellText> items) {
  FlagNode node;
  for (ShellText& item : items) item = beside_script(std::move(item));
  node.written = written;
  node.is_unknown =
      std::any_of(items.begin(), items.end(), [](const ShellText& item) { return !item.known(); });
  if (node.is_unknown && items.size() == 1) {
    node.end = end_of_path(items.front());
    node.last = last_of_path(items.front());
  }
  node.items = std::move(items);
  if (node.is_unknown) node.items.clear();
  return node;
}

FlagNode with_value(const ShellText& written, ShellText value) {
  const std::string& text = value.bytes;
  const bool is_list = value.known() && text.size() >= 2 && text.front() == '[' &&
                       text.find_first_of("[{(\\", 1) == std::string::npos &&
                       text.find(']') == text.size() - 1;
  if (!is_list) return with_items(written, {std::move(value)});
  std::vector<ShellText> items;
  for (std::size_t begin = 1; begin < text.size() - 1;) {
    const std::size_t end = std::min(text.find(',', begin), text.size() - 1);
    items.push_back(trimmed(part(value, begin, end)));
    if (items.back().empty() || items.back().bytes.find_first_of("'\"") != std::string::npos)
      return with_items(written, {std::move(value)});
    begin = end + 1;
  }
  FlagNode node = with_items(written, std::move(items));
  node.is_list = true;
  return node;
}

}  // namespace gpulint
