#include "lsp/message.h"

#include <fmt/format.h>

#include <utility>

namespace gpulint::lsp {
namespace {

/// No request of the protocol nests half as deep.
constexpr std::size_t kMostNesting = 100;

bool is_id(const Json& value) { return value.is_string() || value.is_number_integer(); }

std::variant<Message, Json> message_of(Json&& value) {
  const auto refuse = [](const Json& id, std::string why) {
    return error_response(id, {kInvalidRequest, std::move(why)});
  };
  if (!value.is_object())
    return refuse(nullptr, "a message is a JSON object; batches are not read");
  Message message;
  if (const Json* id = member(value, {"id"})) {
    if (!is_id(*id)) return refuse(nullptr, "\"id\" is neither a number nor a text");
    message.id = *id;
  }
  if (text_at(value, {"jsonrpc"}) != "2.0") return refuse(message.id, "\"jsonrpc\" is not \"2.0\"");
  if (const auto method = text_at(value, {"method"})) {
    message.method = *method;
    message.kind = message.id.is_null() ? Message::Kind::notification : Message::Kind::request;
    if (value.contains("params")) message.params = std::move(value["params"]);
    return message;
  }
  if (message.id.is_null() || !(value.contains("result") || value.contains("error"))) {
    return refuse(message.id, "neither a \"method\" nor a \"result\" is stated");
  }
  message.kind = Message::Kind::response;
  if (value.contains("result")) message.params = std::move(value["result"]);
  return message;
}

}  // namespace

Json response(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_response(const Json& id, const RpcError& error) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", error.code}, {"message", error.message}}}};
}

Json notification(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Json request(std::int64_t id, std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

std::variant<Message, Json> read_message(const Frame& frame) {
  switch (frame.kind) {
    case Frame::Kind::oversized:
      return error_response(nullptr,
                            {kInvalidRequest, fmt::format("the message is over the limit of {} MiB",
                                                          kMostMessageBytes >> 20U)});
    case Frame::Kind::malformed:
      return error_response(nullptr, {kParseError, "headers without a Content-Length"});
    case Frame::Kind::body:
      break;
  }
  if (nesting_of(frame.body) > kMostNesting) {
    return error_response(nullptr,
                          {kInvalidRequest, fmt::format("nested more than {} deep", kMostNesting)});
  }
  auto value = parse_json(frame.body);
  if (!value) return error_response(nullptr, {kParseError, "the message is not JSON"});
  return message_of(std::move(*value));
}

}  // namespace gpulint::lsp
