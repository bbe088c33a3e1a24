#include "lsp/inbox.h"

#include <utility>

namespace gpulint::lsp {

void Inbox::push(Message message) {
  const std::scoped_lock lock(mutex_);
  if (message.method == "$/cancelRequest") {
    const Json* id = member(message.params, {"id"});
    for (Message& each : messages_) {
      const bool is_meant = id != nullptr && each.kind == Message::Kind::request && each.id == *id;
      if (is_meant) each.cancelled = true;
    }
    return;
  }
  messages_.push_back(std::move(message));
  arrived_.notify_one();
}

void Inbox::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  arrived_.notify_one();
}

std::optional<Message> Inbox::take_locked() {
  if (messages_.empty()) return std::nullopt;
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

std::optional<Message> Inbox::take() {
  const std::scoped_lock lock(mutex_);
  return take_locked();
}

std::optional<Message> Inbox::wait() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return closed_ || !messages_.empty(); });
  return take_locked();
}

}  // namespace gpulint::lsp
