#pragma once

// A part of the host's measurements in a process of its own. A dead network file system or a broken
// library holds up or ends that process alone, and what it had sent by then is kept.

#include "host/host_report.h"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace gpulint::probe {

/// Sends what a part finds out, one line of JSON each, at once.
class PartWriter {
 public:
  explicit PartWriter(int pipe) : pipe_(pipe) {}
  void facts(const HostFacts& facts) const;
  void figure(const Figure& figure) const;
  /// `what` could not be measured, and why.
  void missing(std::string_view what, std::string_view why) const;
  /// Nothing follows.
  void done() const;

 private:
  int pipe_;
};

struct HostPart {
  std::string name;  // "disk", for what is said of its end
  std::chrono::milliseconds limit{2000};
  std::function<void(const PartWriter&)> work;
};

/// Runs a part in a child process and adds what it sent. One that crashed, or was ended at its
/// limit, is named in `not_measured`. Processes it started end with it.
void run_part(const HostPart& part, HostReport& report);

/// Adds one line of a part to `report`: nothing in it is trusted. False: it is not one of ours.
/// `done` becomes true with the last line.
bool read_part_line(std::string_view line, HostReport& report, bool& done);

}  // namespace gpulint::probe
