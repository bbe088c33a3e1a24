#pragma once

// JSON-RPC 2.0: what comes in, and what goes out.

#include "lsp/framing.h"
#include "lsp/json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace gpulint::lsp {

/// Codes of JSON-RPC and of the Language Server Protocol.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kNotInitialized = -32002;
inline constexpr int kRequestCancelled = -32800;
inline constexpr int kRequestFailed = -32803;

struct Message {
  enum class Kind : std::uint8_t { request, notification, response };
  Kind kind = Kind::notification;
  Json id = {};
  std::string method = {};
  Json params = {};        // of a response: its result; null where it is an error
  bool cancelled = false;  // taken back before anybody began with it
};

struct RpcError {
  int code = kInternalError;
  std::string message;
};
/// Of a request.
using Answer = std::variant<Json, RpcError>;

Json response(const Json& id, Json result);
Json error_response(const Json& id, const RpcError& error);
Json notification(std::string_view method, Json params);
Json request(std::int64_t id, std::string_view method, Json params);

/// A message, or the response that says why it is none.
std::variant<Message, Json> read_message(const Frame& frame);

}  // namespace gpulint::lsp
