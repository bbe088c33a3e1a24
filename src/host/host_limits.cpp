// What a machine's facts come to, wherever they were read.

#include "host/host_facts.h"

#include <algorithm>
#include <cmath>

namespace gpulint::probe {
namespace {

template <class T>
std::optional<T> smaller_of(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

std::optional<double> available_cpus(const HostFacts& facts) {
  std::optional<double> allowed;
  if (const auto cpus = facts.allowed_cpus ? facts.allowed_cpus : facts.online_cpus) {
    allowed = static_cast<double>(*cpus);
  }
  return smaller_of(allowed, facts.cpu_quota);
}

int parallel_workers(const HostFacts& facts) {
  constexpr double kMost = 1024;
  return static_cast<int>(std::clamp(std::round(available_cpus(facts).value_or(1)), 1.0, kMost));
}

std::optional<Bytes> usable_memory(const HostFacts& facts) {
  return smaller_of(facts.memory_total, facts.memory_limit);
}

std::optional<Bytes> free_memory(const HostFacts& facts) {
  return smaller_of(facts.memory_available, facts.memory_left);
}

}  // namespace gpulint::probe
