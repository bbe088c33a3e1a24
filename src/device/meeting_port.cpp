// The first process listens; each of the others sends one line and reads one. Whatever else comes
// to the port is answered with nothing.

#include "device/meeting.h"
#include "disk/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace gpulint::probe {
namespace {

using Clock = std::chrono::steady_clock;
using disk::Descriptor;

constexpr std::size_t kMostLine = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kRetryPause{100};     // between two tries to connect
constexpr std::chrono::milliseconds kGuestPatience{500};  // with who connected and says nothing

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses resolve(const std::string& meet, bool listen) {
  const auto colon = meet.rfind(':');
  const std::string host = meet.substr(0, colon);
  const std::string port = meet.substr(colon + 1);
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  wish.ai_flags = listen ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &wish, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

/// A socket that started programs do not inherit. macOS has neither SOCK_CLOEXEC nor accept4.
Descriptor own_socket(int number) {
  if (number >= 0) fcntl(number, F_SETFD, FD_CLOEXEC);
  return Descriptor(number);
}

bool wait_for(int socket, short events, Deadline deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd wait{socket, events, 0};
  return left > 0 && poll(&wait, 1, static_cast<int>(std::min<long>(left, 1'000'000))) > 0;
}

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<std::string> read_line(int socket, Deadline deadline) {
  std::string line;
  char chunk[4096];
  while (line.size() <= kMostLine && wait_for(socket, POLLIN, deadline)) {
    // What follows the line may be there already, and is for another reader.
    const ssize_t seen = recv(socket, chunk, sizeof chunk, MSG_PEEK);
    if (seen < 0 && errno == EINTR) continue;
    if (seen <= 0) return std::nullopt;
    const std::string_view text(chunk, static_cast<std::size_t>(seen));
    const std::size_t end = text.find('\n');
    const std::size_t wanted = end == std::string_view::npos ? text.size() : end + 1;
    const ssize_t got = recv(socket, chunk, wanted, 0);
    if (got <= 0) return std::nullopt;
    line.append(chunk, static_cast<std::size_t>(got));
    if (line.back() == '\n') return line;
  }
  return std::nullopt;
}

Result<Descriptor> listen_at(const std::string& meet) {
  const Addresses addresses = resolve(meet, true);
  std::string why = "the host is not known";
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    Descriptor socket_ = own_socket(socket(each->ai_family, each->ai_socktype, 0));
    const int yes = 1;
    setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (socket_.is_open() && bind(socket_.number(), each->ai_addr, each->ai_addrlen) == 0 &&
        listen(socket_.number(), SOMAXCONN) == 0) {
      return socket_;
    }
    why = std::strerror(errno);
  }
  return fail(fmt::format("{}: cannot listen: {}", meet, why));
}

constexpr std::string_view kDone = "done\n";

std::string words_for(int rank) { return fmt::format("process {} of the job ended", rank); }

/// What has come to a socket so far. The kernel closes it with its process, however that ends.
struct Line {
  Descriptor socket;
  std::string heard = {};
  bool closed = false;

  void listen() {
    char chunk[256];
    while (!closed && heard.size() < sizeof chunk) {
      const ssize_t got = recv(socket.number(), chunk, sizeof chunk, MSG_DONTWAIT);
      if (got < 0) return;
      closed = got == 0;
      heard.append(chunk, static_cast<std::size_t>(got));
    }
  }
  bool is_done() const { return heard.find(kDone) != std::string::npos; }
};

/// The first process hears all others and tells them who ended.
class Guests : public Companions {
 public:
  explicit Guests(std::map<int, Descriptor> guests) {
    for (auto& [rank, socket] : guests) lines_.emplace(rank, Line{std::move(socket)});
  }
  std::string lost() override {
    for (auto& [rank, line] : lines_) {
      line.listen();
      if (!line.closed || line.is_done()) continue;
      for (auto& [other, guest] : lines_) send_all(guest.socket.number(), words_for(rank) + "\n");
      return words_for(rank);
    }
    return "";
  }
  void done() override {
    for (auto& [rank, line] : lines_) send_all(line.socket.number(), kDone);
  }

 private:
  std::map<int, Line> lines_;
};

class Host : public Companions {
 public:
  explicit Host(Descriptor socket) : line_{std::move(socket)} {}
  std::string lost() override {
    line_.listen();
    if (line_.is_done()) return "";
    if (const auto end = line_.heard.find('\n'); end != std::string::npos) {
      return line_.heard.substr(0, end);
    }
    return line_.closed ? words_for(0) : "";
  }
  void done() override { send_all(line_.socket.number(), kDone); }

 private:
  Line line_;
};

Result<Roll> gather(const JobPlace& place, const Hello& own, const MakeId& make_id,
                    Deadline deadline, std::unique_ptr<Companions>& others) {
  auto door = listen_at(place.meet);
  if (!door) return fail(door.error());
  std::vector<Hello> hellos(static_cast<std::size_t>(place.processes));
  std::map<int, Descriptor> guests;
  hellos.front() = own;
  while (guests.size() + 1 < hellos.size()) {
    if (!wait_for(door->number(), POLLIN, deadline)) {
      return fail(fmt::format("of {} processes {} came to {} in time", place.processes,
                              guests.size() + 1, place.meet));
    }
    Descriptor guest = own_socket(accept(door->number(), nullptr, nullptr));
    if (!guest.is_open()) continue;
    const auto line = read_line(guest.number(), std::min(deadline, Clock::now() + kGuestPatience));
    if (!line) continue;
    const auto hello = read_hello(*line);
    if (!hello || hello->rank < 1 || hello->rank >= place.processes) continue;
    if (guests.emplace(hello->rank, std::move(guest)).second) {
      hellos[static_cast<std::size_t>(hello->rank)] = *hello;
    }
  }
  auto roll = call_roll(hellos, make_id);
  if (!roll) return roll;
  const std::string text = write_roll(*roll);
  for (const auto& [rank, guest] : guests) {
    if (!send_all(guest.number(), text)) {
      return fail(fmt::format("process {} of the job is gone", rank));
    }
  }
  others = std::make_unique<Guests>(std::move(guests));
  return roll;
}

Result<Roll> visit(const JobPlace& place, const Hello& own, Deadline deadline,
                   std::unique_ptr<Companions>& others) {
  while (Clock::now() < deadline) {
    const Addresses addresses = resolve(place.meet, false);
    for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
      Descriptor door = own_socket(socket(each->ai_family, each->ai_socktype, 0));
      if (!door.is_open() || connect(door.number(), each->ai_addr, each->ai_addrlen) != 0 ||
          !send_all(door.number(), write_hello(own))) {
        continue;
      }
      const auto line = read_line(door.number(), deadline);
      if (!line) continue;
      others = std::make_unique<Host>(std::move(door));
      return read_roll(*line);
    }
    std::this_thread::sleep_for(kRetryPause);
  }
  return fail(fmt::format("the first process was not found at {} in time", place.meet));
}

}  // namespace

Result<Roll> meet_at_port(const JobPlace& place, const Hello& own, const MakeId& make_id,
                          Deadline deadline, std::unique_ptr<Companions>& others) {
  return place.rank == 0 ? gather(place, own, make_id, deadline, others)
                         : visit(place, own, deadline, others);
}

}  // namespace gpulint::probe
