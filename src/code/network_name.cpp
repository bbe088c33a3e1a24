#include "code/network_name.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/trained_networks.h"
#include "source/document.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

using python::Interpreter;
using python::Value;

constexpr std::string_view kFact = "network";

/// A text that a file of the run states.
struct StatedName {
  std::string text;
  SourceSpan span;
  bool is_read = false;  // by the program
};

/// "wave_u_net" and `WaveUNet` are one name.
std::string plain(std::string_view name) {
  std::string made;
  for (const char each : name) {
    const auto letter = static_cast<unsigned char>(each);
    if (std::isalnum(letter) != 0) made += static_cast<char>(std::tolower(letter));
  }
  return made;
}

/// What a dotted name of Python names in the end: `nets.wave.WaveUNet`.
std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);  // the whole where there is no dot
}

class Namer {
 public:
  Namer(const CodeRequest& request, Interpreter& in) : request_(request), in_(in) {}

  bool is_own(const Value& network) const { return in_.class_place(network).known(); }

  double size_of(const Value& network) const {
    const std::vector<python::ObjectId> weights = in_.parameters_of(network).objects;
    return elements(in_, {weights.begin(), weights.end()});
  }

  /// What a class that only trains a network, or spreads it over GPUs, has in it.
  Value unwrapped(Value network) const {
    constexpr double kNearlyAll = 0.9;  // a loss or a metric beside it may have weights too
    constexpr int kMostWrappers = 4;
    for (int depth = 0; depth < kMostWrappers && wraps(network); ++depth) {
      const double whole = size_of(network);
      const std::vector<Value> parts = in_.networks_in(network);
      const auto inner = std::find_if(parts.begin(), parts.end(), [&](const Value& part) {
        return part.ref != network.ref && is_own(part) && whole > 0 &&
               size_of(part) >= kNearlyAll * whole;
      });
      if (inner == parts.end()) return network;
      network = *inner;
    }
    return network;
  }

  /// The value that names the class of the network, or of the larger part of it, or the file that
  /// defines it; the outermost counts. What only trains networks may have larger ones beside the
  /// one that is meant, which judge it.
  const StatedName* stated_for(const Value& network, const std::vector<StatedName>& stated) const {
    constexpr double kLarger = 0.5;         // chosen: a part that is most of the network
    constexpr double kMoreThanAFew = 0.05;  // chosen: a generator, but no fixed filter
    const double least = (wraps(network) ? kMoreThanAFew : kLarger) * size_of(network);
    for (const Value& part : in_.networks_in(network)) {
      const bool is_inner = part.ref != network.ref;
      if (!is_own(part) || (is_inner && (least <= 0 || size_of(part) < least))) continue;
      const std::string name = plain(in_.class_name(part));
      const std::string path = request_.code->path_of(in_.class_place(part).file);
      const std::string_view file = file_name(path);
      const std::string stem = plain(file.substr(0, file.rfind('.')));
      const auto names_class = [&](const StatedName& said) {
        return plain(said.text) == name || plain(last_part(said.text)) == name;
      };
      const auto names_file = [&](const StatedName& said) {
        return said.is_read && plain(said.text) == stem;
      };
      auto found = std::find_if(stated.begin(), stated.end(), names_class);
      if (found == stated.end() && !wraps(part))
        found = std::find_if(stated.begin(), stated.end(), names_file);
      if (found != stated.end()) return &*found;
    }
    return nullptr;
  }

  SeenFact by_class(const Value& network) const {
    SeenFact made;
    made.fact.fact = kFact;
    made.fact.value = std::string(in_.class_name(network));
    made.fact.span = in_.class_place(network);
    made.fact.call = made.fact.span;
    made.fact.fills = true;
    made.fact.taken_by = made.fact.value + "(...)";
    made.fact.source = "the class of the network that is trained";
    return made;
  }

  /// It trains a network, or spreads it over GPUs.
  bool wraps(const Value& network) const {
    const std::vector<std::string>& hooks =
        request_.code->consumers().scripts().optimizer_hooks;
    return in_.has_method(network, "__wraps__") ||
           std::any_of(hooks.begin(), hooks.end(),
                       [&](const std::string& each) { return in_.has_method(network, each); });
  }

 private:
  const CodeRequest& request_;
  Interpreter& in_;
};

bool may_be_a_name(std::string_view text) {
  constexpr std::size_t kShortest = 3;
  constexpr std::size_t kLongest = 100;  // chosen: with the packages in front
  return text.size() >= kShortest && text.size() <= kLongest &&
         text.find_first_of("/\\ :,") == text.npos &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

/// Of the config, the options of the command and `configs`: what the program looked at comes first,
/// as it may call an experiment by the same name.
std::vector<StatedName> stated_names(const CodeRequest& request, const python::Reach& reach,
                                     const std::set<std::string>& configs) {
  std::vector<SourceSpan> looked_at = reach.looked_at;
  std::sort(looked_at.begin(), looked_at.end());
  std::vector<StatedName> names;
  std::vector<StatedName> others;
  const auto add = [&](const Document* document) {
    std::vector<bool> is_key(document == nullptr ? 0 : document->size());
    for (NodeId id = 0; id < is_key.size(); ++id) {
      const NodeId key = document->node(id).key;
      if (key != kNoNode) is_key[key] = true;
    }
    for (NodeId id = 0; id < is_key.size(); ++id) {
      if (is_key[id]) continue;
      const NodeId value = document->resolve(id);
      if (value == kNoNode || document->kind(value) != NodeKind::scalar) continue;
      const std::string_view text = document->scalar(value);
      if (!may_be_a_name(text)) continue;
      const SourceSpan span = document->span(value);
      const bool is_read = std::binary_search(looked_at.begin(), looked_at.end(), span);
      (is_read ? names : others).push_back({std::string(text), span, is_read});
    }
  };
  add(request.document);
  add(request.arguments);
  for (const std::string& path : configs) add(request.open ? request.open(path) : nullptr);
  std::move(others.begin(), others.end(), std::back_inserter(names));
  return names;
}

}  // namespace

std::optional<SeenFact> network_name(const CodeRequest& request, Interpreter& in,
                                     const std::vector<Value>& trained,
                                     const python::Reach& reach,
                                     const std::set<std::string>& configs,
                                     const LoadedNetworks& loaded) {
  const Namer namer(request, in);
  std::vector<Value> networks;  // each class once
  for (const Value& each : trained) {
    if (!namer.is_own(each)) continue;
    const Value network = namer.unwrapped(each);
    const auto is_same = [&](const Value& other) {
      return in.class_name(other) == in.class_name(network);
    };
    if (std::none_of(networks.begin(), networks.end(), is_same)) networks.push_back(network);
  }
  if (networks.empty()) return std::nullopt;
  const std::vector<StatedName> stated = stated_names(request, reach, configs);
  for (const Value& network : networks) {
    const StatedName* said = namer.stated_for(network, stated);
    if (said == nullptr) continue;
    SeenFact made = namer.by_class(network);
    made.fact.value = said->text;
    made.fact.span = said->span;
    made.fact.from_config = true;
    return made;
  }
  if (loaded.holds_unknown()) return std::nullopt;
  if (auto held = loaded.held()) {
    held->fact.fact = kFact;
    held->fact.argument = nullptr;
    held->fact.fills = true;
    return held;
  }
  if (networks.size() != 1 || namer.wraps(networks.front())) return std::nullopt;
  return namer.by_class(networks.front());
}

}  // namespace gpulint
