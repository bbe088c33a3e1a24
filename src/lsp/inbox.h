#pragma once

// What a client has sent and nobody has looked at yet. The thread that reads fills it, the one that
// works empties it.

#include "lsp/message.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace gpulint::lsp {

class Inbox {
 public:
  /// In the order of arrival. `$/cancelRequest` marks the request it names and is not kept; a
  /// request that somebody has begun with is finished.
  void push(Message message);
  /// No more will come.
  void close();

  /// The next message; nullopt where there is none now.
  std::optional<Message> take();
  /// Waits for one; nullopt where none will come any more.
  std::optional<Message> wait();

 private:
  std::optional<Message> take_locked();

  std::mutex mutex_;  // guards all below
  std::condition_variable arrived_;
  std::deque<Message> messages_;
  bool closed_ = false;
};

}  // namespace gpulint::lsp
