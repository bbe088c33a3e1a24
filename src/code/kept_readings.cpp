// The same run is met again with each of its files: what the code does with it is read once.

#include "code/code_base.h"
#include "code/read_code.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace gpulint {
namespace {

/// Chosen: those of four configs, each of which is judged in 16 runs at most.
constexpr std::size_t kMostReadings = 64;

std::string key_of(const Document* document) {
  if (document == nullptr) return "-";
  const Document::Fingerprint print = document->fingerprint();
  return fmt::format("{:x} {:x}", print.nodes, print.texts);
}

/// All that a reading depends on, but the files of the project.
std::string key_of(const CodeRequest& request) {
  std::string key = fmt::format("{}{}{}\n", request.is_recognised, request.is_of_framework,
                                request.may_have_more);
  for (const std::string* each : {&request.path, &request.entry, &request.root, &request.program,
                                  &request.script, &request.subcommand})
    key += *each + '\n';
  const ProgramEnvironment& environment = request.environment;
  for (const Document* each : {request.document, request.arguments, environment.document})
    key += key_of(each) + '\n';
  key += fmt::format("{}\n", environment.variables);
  for (const auto& [name, value] : environment.first) key += fmt::format("{}={}\n", name, value);
  for (const std::string& each : environment.ranks) key += each + '\n';
  key += '\n';
  for (const std::string& each : environment.unset) key += each + '\n';
  return key;
}

}  // namespace

std::shared_ptr<const CodeReading> CodeBase::kept_reading(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto known = kept_readings_.find(key);
  return known == kept_readings_.end() ? nullptr : known->second;
}

void CodeBase::keep_reading(std::string key, std::shared_ptr<const CodeReading> reading) {
  const std::scoped_lock lock(mutex_);
  if (!kept_readings_.emplace(key, std::move(reading)).second) return;
  order_of_readings_.push_back(std::move(key));
  if (order_of_readings_.size() <= kMostReadings) return;
  kept_readings_.erase(order_of_readings_.front());
  order_of_readings_.pop_front();
}

CodeReading read_code(const CodeRequest& request) {
  std::string key = key_of(request);
  if (const auto known = request.code->kept_reading(key)) return *known;
  CodeReading made = read_scripts_of(request);
  request.code->keep_reading(std::move(key), std::make_shared<const CodeReading>(made));
  return made;
}

}  // namespace gpulint
