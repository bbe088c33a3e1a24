#include "code/sampled_data.h"

#include "base/text.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace gpulint {
namespace {

using python::Interpreter;
using python::Kind;

constexpr std::string_view kItem = "__getitem__";
constexpr std::string_view kCall = "__call__";
constexpr std::size_t kMostMakers = 8;

bool is_function(const python::Value& value) {
  return value.kind == Kind::function || value.kind == Kind::method;
}

}  // namespace

void SampledData::add(const Maker& maker) {
  const auto is_same = [&](const Maker& each) {
    return each.value.kind == maker.value.kind && each.value.ref == maker.value.ref;
  };
  const auto found = std::find_if(makers_.begin(), makers_.end(), is_same);
  if (found != makers_.end()) {  // what is evaluated beside is trained on all the same
    const bool is_better = found->role == LoaderRole::evaluation || found->role < maker.role;
    if (maker.role != LoaderRole::evaluation && is_better) found->role = maker.role;
  } else if (makers_.size() < kMostMakers) {
    makers_.push_back(maker);
  }
}

void SampledData::given(Interpreter& in, const python::Call& call,
                        const ConsumerIndex& consumers) {
  if (call.is_own || call.in_network) return;
  const ConsumingCall* known = consumers.call(call.name);
  const bool is_loader = known != nullptr && known->feeds_a_loop;
  const std::string_view last = call.name.substr(call.name.rfind('.') + 1);
  const bool applies = contains(consumers.scripts().applies, std::string(last));
  const LoaderRole of_call = is_loader ? loader_role(in, call) : LoaderRole::unknown;
  for (const python::Argument& each : call.arguments) {
    if (!is_function(each.value) && each.value.kind != Kind::instance) continue;
    const std::string name = each.name == python::kNone ? "" : to_lower(in.text(each.name));
    const bool evaluates = role_of_name(name) == LoaderRole::evaluation;
    const LoaderRole role = evaluates ? LoaderRole::evaluation : of_call;
    const bool collates = name.find("collat") != name.npos;
    if (is_function(each.value)) {
      if (applies || collates) add({each.value, {}, role});
    } else {
      if (collates && in.has_method(each.value, kCall)) add({each.value, kCall, role});
      if (!collates && in.has_method(each.value, kItem)) add({each.value, kItem, role});
    }
  }
}

void SampledData::called(const Interpreter& in, const python::Call& call,
                         const ConsumerIndex& consumers) {
  const ConsumingCall* known = consumers.call(call.name);
  if (known == nullptr || !known->feeds_a_loop || call.node == python::kNoSyntax) return;
  for (SeenFact& each : facts_of(in, call, *known)) {
    each.role = std::max(each.role, role_);
    seen_.push_back(std::move(each));
  }
}

void SampledData::run(Interpreter& in, std::vector<SeenFact>& seen) {
  is_running_ = true;
  for (std::size_t at = 0; at < makers_.size(); ++at) {
    const Maker maker = makers_[at];
    if (maker.role == LoaderRole::evaluation) continue;
    role_ = maker.role;
    in.try_sample(maker.value, maker.method);
  }
  is_running_ = false;
  std::set<std::string> spoken_of;
  for (const SeenFact& each : seen) spoken_of.insert(each.fact.fact);
  std::copy_if(seen_.begin(), seen_.end(), std::back_inserter(seen), [&](const SeenFact& each) {
    return each.role != LoaderRole::evaluation && spoken_of.count(each.fact.fact) == 0;
  });
}

}  // namespace gpulint
