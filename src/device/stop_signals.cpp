#include "device/stop_signals.h"

#include <csignal>

namespace gpulint::probe {
namespace {

// A handler may touch nothing else.
volatile std::sig_atomic_t received = 0;

struct sigaction previous_interrupt;
struct sigaction previous_terminate;

void remember(int signal) { received = signal; }

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous_interrupt);
  sigaction(SIGTERM, &action, &previous_terminate);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &previous_interrupt, nullptr);
  sigaction(SIGTERM, &previous_terminate, nullptr);
}

int stop_signal() { return received; }

}  // namespace gpulint::probe
