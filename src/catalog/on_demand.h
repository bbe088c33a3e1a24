#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace gpulint {

/// A value that is made when it is first asked for, once, whichever thread asks. What it is made
/// from must outlive it.
template <class T>
class OnDemand {
 public:
  OnDemand() : OnDemand(T{}) {}
  OnDemand(T value) : state_(std::make_unique<State>()) {  // NOLINT: a value stands for itself
    state_->value = std::move(value);
  }
  static OnDemand made_by(std::function<T()> make) {
    OnDemand result;
    result.state_->make = std::move(make);
    return result;
  }

  const T& operator*() const {
    if (state_->make) {
      std::call_once(state_->once, [this] { state_->value = state_->make(); });
    }
    return state_->value;
  }
  const T* operator->() const { return &**this; }

 private:
  struct State {
    std::once_flag once;
    std::function<T()> make;  // set before the value is shared, never changed afterwards
    T value;
  };
  std::unique_ptr<State> state_;
};

}  // namespace gpulint
