// What an editor asks about a place in a document.

#include "lsp/actions.h"
#include "lsp/completion.h"
#include "lsp/hover.h"
#include "lsp/server.h"

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

}  // namespace gpulint::lsp
