#include "lsp/framing.h"
#include "lsp/inbox.h"
#include "lsp/message.h"

#include <doctest/doctest.h>

namespace lsp_messages_test {

using namespace gpulint::lsp;

namespace {

std::string frame_text(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

Message message_from(std::string body) {
  auto result = read_message({.body = std::move(body)});
  REQUIRE(std::holds_alternative<Message>(result));
  return std::get<Message>(std::move(result));
}

/// The error of the response to something that is no message.
Json refusal_of(Frame frame) {
  auto result = read_message(frame);
  REQUIRE(std::holds_alternative<Json>(result));
  return std::get<Json>(result);
}

Message request_message(int id, std::string method) {
  return {.kind = Message::Kind::request, .id = id, .method = std::move(method)};
}

}  // namespace

TEST_CASE("bytes that come in any pieces give whole messages") {
  FrameReader reader;
  const std::string bytes = frame_text("{\"a\": 1}") + frame_text("[2]");
  std::vector<std::string> bodies;
  for (const char byte : bytes) {
    reader.feed({&byte, 1});
    while (auto frame = reader.next()) bodies.push_back(frame->body);
  }
  CHECK(bodies == std::vector<std::string>{"{\"a\": 1}", "[2]"});
}

TEST_CASE("headers besides the length are skipped, and case and line ends do not matter") {
  FrameReader reader;
  reader.feed("content-type: x\ncontent-length:3\n\nabc");
  const auto frame = reader.next();
  REQUIRE(frame);
  CHECK(frame->body == "abc");
}

TEST_CASE("a message over the limit is skipped and the next one is read") {
  FrameReader reader(10);
  reader.feed("Content-Length: 25\r\n\r\n1234567");
  auto frame = reader.next();
  REQUIRE(frame);
  CHECK(frame->kind == Frame::Kind::oversized);
  CHECK_FALSE(reader.next());
  reader.feed("890123456789012345" + frame_text("ok"));
  frame = reader.next();
  REQUIRE(frame);
  CHECK(frame->body == "ok");
  CHECK(refusal_of({.kind = Frame::Kind::oversized})["error"]["code"] == kInvalidRequest);
}

TEST_CASE("headers without a length are refused, and the next message is read") {
  FrameReader reader;
  reader.feed("Hello: world\r\n\r\nstray" + frame_text("ok"));
  auto frame = reader.next();
  REQUIRE(frame);
  CHECK(frame->kind == Frame::Kind::malformed);
  frame = reader.next();
  REQUIRE(frame);
  CHECK(frame->body == "ok");
  CHECK(refusal_of({.kind = Frame::Kind::malformed})["error"]["code"] == kParseError);
}

TEST_CASE("headers that never end are dropped") {
  FrameReader reader;
  reader.feed(std::string(9000, 'x'));
  const auto frame = reader.next();
  REQUIRE(frame);
  CHECK(frame->kind == Frame::Kind::malformed);
  CHECK_FALSE(reader.next());
}

TEST_CASE("what is no JSON is a parse error without an id") {
  const Json refusal = refusal_of({.body = "{\"jsonrpc\": "});
  CHECK(refusal["id"].is_null());
  CHECK(refusal["error"]["code"] == kParseError);
}

TEST_CASE("what is JSON and no message is an invalid request") {
  CHECK(refusal_of({.body = "[]"})["error"]["code"] == kInvalidRequest);
  CHECK(refusal_of({.body = "{\"id\": 1, \"method\": \"x\"}"})["error"]["code"] == kInvalidRequest);
  const Json refusal = refusal_of({.body = "{\"jsonrpc\": \"2.0\", \"id\": 7}"});
  CHECK(refusal["id"] == 7);
  CHECK(refusal["error"]["code"] == kInvalidRequest);
  CHECK(refusal_of(
            {.body = "{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"x\"}"})["error"]["code"] ==
        kInvalidRequest);
}

TEST_CASE("nesting that no request has is refused before it is parsed") {
  const std::string deep(200, '[');
  CHECK(refusal_of({.body = deep + std::string(200, ']')})["error"]["code"] == kInvalidRequest);
}

TEST_CASE("requests have an id, notifications none, responses a result or an error") {
  CHECK(message_from("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"m\"}").kind ==
        Message::Kind::request);
  CHECK(message_from("{\"jsonrpc\":\"2.0\",\"method\":\"m\"}").kind == Message::Kind::notification);
  const Message answer = message_from("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":[1]}");
  CHECK(answer.kind == Message::Kind::response);
  CHECK(answer.params == Json::array({1}));
}

TEST_CASE("a request that waits can be taken back") {
  Inbox inbox;
  inbox.push(request_message(1, "a"));
  inbox.push(request_message(2, "b"));
  inbox.push({.method = "$/cancelRequest", .params = {{"id", 2}}});
  inbox.push({.method = "$/cancelRequest", .params = {{"id", 9}}});
  CHECK_FALSE(inbox.take()->cancelled);
  CHECK(inbox.take()->cancelled);
  CHECK_FALSE(inbox.take());
}

TEST_CASE("a closed inbox gives what it holds, and then nothing") {
  Inbox inbox;
  inbox.push(request_message(1, "a"));
  inbox.close();
  CHECK(inbox.wait()->id == 1);
  CHECK_FALSE(inbox.wait());
}

}  // namespace lsp_messages_test
