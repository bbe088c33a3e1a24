// Constructors that are looked at as a trial. What they read (files of samples, their lists) is not
// there, so what raises, stops or takes long in one says nothing of the program: the object is then
// as unknown as one whose constructor nobody ran, and what was changed on the way is undone.
// Loops over the parts of a network, whose steps are not the script's, have their limits here too.

#include "python/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {
namespace {

constexpr std::uint32_t kStepsOfOne = 10'000;
constexpr std::uint32_t kStepsOfAll = 40'000;
constexpr std::size_t kObjectsOfOne = 5'000;

}  // namespace

/// Whether the body came to its end, with the program's own limits as they were.
bool Interpreter::ends_in_trial(std::uint32_t function, const Value* self, Arguments arguments) {
  const InterpreterLimits limits = limits_;
  const std::uint32_t steps = steps_;
  const std::map<const Module*, ObjectId> modules = modules_;
  limits_.max_steps =
      std::min(limits.max_steps, steps + std::min(kStepsOfOne, kStepsOfAll - tried_steps_));
  limits_.max_objects =
      std::min(limits.max_objects, objects_.size() - built_objects_ + kObjectsOfOne);
  const int doubts = std::exchange(doubts_, 1);  // of itself: what it refuses is not certain
  const bool stopped = std::exchange(stopped_, false);
  const bool may_have_ended = std::exchange(may_have_ended_, false);
  trials_.emplace_back();
  ++trying_;
  const Value left = call_function(function, self, std::move(arguments));
  --trying_;
  share_of_both(take_trial(), {});
  const bool is_cut = std::exchange(truncated_, false);
  const bool ends = left.kind == Kind::none && !is_cut && !stopped_ && !may_have_ended_;
  may_have_ended_ = may_have_ended;
  stopped_ = stopped;
  doubts_ = doubts;
  converted_no_number_ = false;
  limits_ = limits;
  tried_steps_ += std::min(steps_ - steps, kStepsOfAll - tried_steps_);
  steps_ = steps;
  if (is_cut) modules_ = modules;  // one that was imported on the way may not be whole
  return ends;
}

void Interpreter::try_constructor(std::uint32_t function, const Value& self,
                                  Arguments arguments) {
  const bool has_room = tried_steps_ < kStepsOfAll && objects_.size() < limits_.max_objects / 2;
  if (building_ > 0 || truncated_ || !has_room) return;
  const std::size_t mark = changes_.size();
  const std::size_t noted = host_.noted();
  const ObjectId fresh = std::exchange(fresh_, static_cast<ObjectId>(objects_.size()));
  const bool ends = ends_in_trial(function, &self, std::move(arguments));
  fresh_ = fresh;
  if (!ends) {
    undo(mark);
    host_.doubt_since(noted);
    return;
  }
  // Around it only what was there before needs to be undone.
  const bool keeps = !sides_.empty() || trying_ > 0;
  const auto is_needless = [&](const Change& each) { return !keeps || is_built(each.object); };
  const auto first = changes_.begin() + static_cast<std::ptrdiff_t>(mark);
  changes_.erase(std::remove_if(first, changes_.end(), is_needless), changes_.end());
}

void Interpreter::try_sample(const Value& callee, std::string_view method) {
  const bool has_room = tried_steps_ < kStepsOfAll && objects_.size() < limits_.max_objects / 2;
  if (building_ > 0 || truncated_ || !has_room) return;
  Value function = callee;
  Value self;
  Arguments given;
  if (callee.kind == Kind::instance) {
    const std::uint32_t type = objects_[callee.ref].type;
    const Value* own = type == kNone ? nullptr : own_method(type, intern(method), 0);
    function = own == nullptr ? Value{} : *own;
    self = callee;
  } else if (callee.kind == Kind::method) {
    const Method bound = methods_[callee.ref];
    function = bound.function;
    self = bound.self;
    given.list = bound.given;
  }
  if (function.kind != Kind::function || functions_[function.ref].module->is_library) return;
  given.list.push_back({kNone, Value{}, kNoSyntax});
  Frame frame;
  frame.module = functions_[function.ref].module;
  frame.scope = modules_.at(frame.module);
  frame.module_scope = frame.scope;
  frames_.push_back(std::move(frame));
  const std::size_t mark = changes_.size();
  ends_in_trial(function.ref, self.known() ? &self : nullptr, std::move(given));
  undo(mark);
  frames_.pop_back();
}

bool Interpreter::begin_parts(const Value& over) {
  const bool has_room = part_steps_ < limits_.max_build_steps;
  if (building_ > 0 || trying_ > 0 || over_parts_ || !has_room || !holds_parameters(over))
    return false;
  over_parts_ = true;
  steps_before_ = steps_;
  steps_lent_ = limits_.max_build_steps - part_steps_;
  limits_.max_steps += steps_lent_;
  return true;
}

void Interpreter::end_parts() {
  limits_.max_steps -= steps_lent_;
  part_steps_ += steps_ - steps_before_;
  steps_ = steps_before_;
  over_parts_ = false;
}

}  // namespace gpulint::python
