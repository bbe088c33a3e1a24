#include "lsp/serve.h"

#include "lsp/framing.h"
#include "lsp/inbox.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gpulint::lsp {
namespace {

/// Writes whole messages from both threads; a client that is gone takes nothing more.
class Outlet {
 public:
  explicit Outlet(int descriptor) : descriptor_(descriptor) {}

  void send(const Json& message) {
    const std::string text = framed(message);
    const std::scoped_lock lock(mutex_);
    std::string_view rest = text;
    while (!rest.empty()) {
      constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
      const auto most = static_cast<unsigned>(std::min(rest.size(), kMostAtOnce));
      const auto written = write(descriptor_, rest.data(), most);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  int descriptor_;
  std::mutex mutex_;
};

/// Reads until the input ends or the client says that nothing follows.
void read_messages(int input, Inbox& inbox, Outlet& outlet) {
  FrameReader frames;
  std::array<char, 65536> chunk;
  bool ended = false;
  while (!ended) {
    const auto size = read(input, chunk.data(), static_cast<unsigned>(chunk.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    frames.feed({chunk.data(), static_cast<std::size_t>(size)});
    while (auto frame = frames.next()) {
      auto message = read_message(*frame);
      if (const Json* refusal = std::get_if<Json>(&message)) {
        outlet.send(*refusal);
        continue;
      }
      ended = ended || std::get<Message>(message).method == "exit";
      inbox.push(std::get<Message>(std::move(message)));
    }
  }
  inbox.close();
}

}  // namespace

int serve(const FileReader& disk, ServerOptions options, int input, int output) {
  Server server(disk, std::move(options));
  Inbox inbox;
  Outlet outlet(output);
  std::thread reader([&] { read_messages(input, inbox, outlet); });
  while (!server.exit_code()) {
    std::optional<Message> message = inbox.take();
    if (!message && server.has_work()) {
      for (const Json& each : server.work()) outlet.send(each);
      continue;
    }
    if (!message) message = inbox.wait();
    if (!message) break;
    for (const Json& each : server.handle(*message)) outlet.send(each);
  }
  reader.join();
  return server.exit_code().value_or(1);
}

}  // namespace gpulint::lsp
