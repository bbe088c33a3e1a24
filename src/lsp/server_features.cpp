// What an editor asks about a place in a document.

#include "lsp/actions.h"
#include "lsp/completion.h"
#include "lsp/hints.h"
#include "lsp/hover.h"
#include "lsp/navigation.h"
#include "lsp/server.h"
#include "lsp/uri.h"
#include "lsp/what_if.h"

#include <fmt/format.h>

namespace gpulint::lsp {

/// What was said about the document as it is now; nullptr where it is not open.
Check* Server::settled(const OpenDocument* document) {
  if (document == nullptr) return nullptr;
  const std::string path = document->path;
  if (auto outcome = checks_.settle(path)) show(std::move(*outcome));
  return checks_.of(path);
}

std::uint32_t Server::offset_in(const OpenDocument& document, const Json& params) const {
  const Json* position = member(params, {"position"});
  const LineIndex lines(document.text);
  return TextPlaces(document.text, lines, client_.units)
      .offset(position == nullptr ? Position{} : position_from(*position));
}

Answer Server::hover(const Json& params) {
  const OpenDocument* document = open_document(params);
  Check* check = settled(document);
  if (check == nullptr) return Json();
  return hover_at(*check, document->path, offset_in(*document, params), client_.units,
                  client_.markdown);
}

Answer Server::code_action(const Json& params) {
  const OpenDocument* document = open_document(params);
  Check* check = settled(document);
  if (check == nullptr) return Json::array();
  return code_actions(*check, document->path, params, documents_, client_);
}

/// What is being typed is judged later: the answer is wanted at once, and needs the last verdict
/// alone.
Answer Server::completion(const Json& params) {
  const OpenDocument* document = open_document(params);
  if (document == nullptr) return Json();
  const Check* check = checks_.of(document->path);
  if (check == nullptr) check = settled(document);
  if (check == nullptr) return Json();
  return completions_at(*check, models_, document->path, document->text,
                        offset_in(*document, params), client_.units);
}

Answer Server::inlay_hint(const Json& params) {
  const OpenDocument* document = open_document(params);
  Check* check = settled(document);
  if (check == nullptr) return Json::array();
  const Json* range = member(params, {"range"});
  return inlay_hints(*check, document->path, range == nullptr ? Json::object() : *range,
                     client_.units);
}

Answer Server::code_lens(const Json& params) {
  const OpenDocument* document = open_document(params);
  Check* check = settled(document);
  if (check == nullptr) return Json::array();
  return code_lenses(*check, document->path, document->uri, client_.units,
                     offers_diff(document->path));
}

/// Where somebody can ask git, and the file is below the folder of a repository.
bool Server::offers_diff(const std::string& path) const {
  if (!options_.diff_to_head) return false;
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos;
       slash = slash == 0 ? std::string::npos : path.rfind('/', slash - 1)) {
    if (disk_.kind(path.substr(0, slash) + "/.git") != FileKind::missing) return true;
  }
  return false;
}

Answer Server::definition(const Json& params) {
  const OpenDocument* document = open_document(params);
  Check* check = settled(document);
  if (check == nullptr) return Json();
  return definition_at(*check, document->path, offset_in(*document, params), documents_,
                       client_.units);
}

Answer Server::document_link(const Json& params) {
  const OpenDocument* document = open_document(params);
  Check* check = settled(document);
  if (check == nullptr) return Json::array();
  return document_links(*check, document->path, documents_, client_.units);
}

/// The text is the result, for clients that show it; the others are shown it as a message.
Answer Server::execute_command(const Json& params) {
  const std::string command = text_at(params, {"command"}).value_or("");
  const Json& arguments = items_at(params, {"arguments"});
  const auto uri = arguments.empty() || !arguments.front().is_string()
                       ? std::nullopt
                       : std::optional(arguments.front().get<std::string>());
  const auto path = uri ? path_of_uri(*uri) : std::nullopt;
  const OpenDocument* document = path ? documents_.find(*path) : nullptr;
  const Check* check = settled(document);
  if (check == nullptr) {
    return RpcError{kInvalidParams, "the first argument is not the URI of an open document"};
  }
  if (command == kWhatIfCommand) {
    static const Json kNoChanges = Json::object();
    std::string why;
    const bool has_changes = arguments.size() > 1 && arguments[1].is_object();
    auto answer = what_if_of(*check, document->path, has_changes ? arguments[1] : kNoChanges, why);
    if (!answer) return RpcError{kInvalidParams, why};
    return *std::move(answer);
  }
  std::optional<std::string> text;
  if (command == kDiffCommand && options_.diff_to_head) {
    auto changes = options_.diff_to_head(check->view, check->request, document->path);
    if (!changes) return RpcError{kRequestFailed, changes.error().to_string()};
    text = *std::move(changes);
  } else {
    text = command_text(command, *check, document->path);
  }
  if (!text) {
    return RpcError{kInvalidParams,
                    fmt::format("there is no command \"{}\"", escape_for_display(command))};
  }
  constexpr int kInformation = 3;
  if (!client_.shows_results) {
    tell("window/showMessage", {{"type", kInformation}, {"message", *text}});
  }
  return Json(*text);
}

}  // namespace gpulint::lsp
