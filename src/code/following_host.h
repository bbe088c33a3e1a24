#pragma once

// What a script gets of its networks when calls of them are followed. Internal to this room.

#include "code/config_host.h"
#include "code/script_start.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpulint {

class FollowingHost : public ConfigHost {
 public:
  using ConfigHost::ConfigHost;

  python::TensorId open_tensor() override { return notes_.step.open_tensor(); }
  python::TensorId constant_tensor(std::span<const python::Lanes> sizes,
                                   std::string_view kind) override {
    return notes_.step.constant(sizes, kind);
  }
  python::TensorId weight_tensor(python::ObjectId parameter,
                                 std::span<const python::Lanes> sizes) override {
    return notes_.step.weight(parameter, sizes);
  }
  std::optional<python::Operated> operated(const python::Operation& operation) override {
    return notes_.step.operated(operation);
  }
  std::optional<std::vector<python::Lanes>> sizes_of(python::TensorId tensor) override {
    return notes_.step.sizes_of(tensor);
  }
  bool needs_gradient(python::TensorId tensor) override {
    return notes_.step.needs_gradient(tensor);
  }
  python::TensorId data_tensor(std::string_view by, python::TensorId from) override {
    return notes_.step.data_tensor(by, from);
  }
  std::optional<python::Lanes> open_rows(python::TensorId tensor) override {
    return notes_.step.open_rows(tensor);
  }
  std::optional<std::size_t> open_dimensions(python::TensorId tensor) override {
    return notes_.step.open_dimensions(tensor);
  }
  void has_dimensions(python::TensorId tensor, std::size_t count) override {
    notes_.step.has_dimensions(tensor, count);
  }
  bool follows_network(python::ObjectId network) override {
    return notes_.step.follows(network);
  }
  void begin_pass(std::span<const std::int64_t> sizes, bool is_stated) override {
    notes_.step.begin_pass(sizes, is_stated);
  }
  void cut_short() override { notes_.step.cut_short(); }
  bool is_refused() override { return notes_.step.is_refused(); }
  Pass end_pass() override { return notes_.step.end_pass(); }
  std::vector<std::int64_t> fitting_sizes() override { return notes_.step.fitting_sizes(); }
  void lost_beside(std::string_view what, SourceSpan place) override {
    notes_.step.lost_beside(what, place);
  }

 protected:
  ScriptNotes notes_;
};

}  // namespace gpulint
