#include "web/request.h"

#include "base/text.h"
#include "report/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint::web {
namespace {

constexpr std::pair<std::string_view, Ask> kAsks[] = {{"catalogue", Ask::catalogue},
                                                      {"check", Ask::check},
                                                      {"explain", Ask::explain},
                                                      {"facts", Ask::facts},
                                                      {"estimate", Ask::estimate},
                                                      {"fit", Ask::fit},
                                                      {"diff", Ask::diff}};

/// Reads the members of one request; the first thing that is wrong is kept.
class RequestReader {
 public:
  Result<PageRequest> read(const Json& value) {
    if (!value.is_object()) return fail("a request is an object");
    for (const auto& [key, item] : value.items()) {
      read(key, item);
      if (!wrong_.empty()) return fail(std::move(wrong_));
    }
    return std::move(request_);
  }

 private:
  void refuse(std::string_view key, std::string_view expected) {
    if (wrong_.empty()) wrong_ = fmt::format("\"{}\": expected {}", key, expected);
  }

  void read(const std::string& key, const Json& item) {
    if (key == "ask") {
      read_ask(item);
    } else if (key == "files") {
      read_files(key, item, request_.files);
    } else if (key == "before") {
      read_files(key, item, request_.before);
    } else if (key == "config") {
      request_.config = normalize_path(text_of(key, item));
    } else if (key == "rule") {
      request_.rule = text_of(key, item);
    } else if (key == "gpu") {
      request_.options.gpu = name_of(key, item);
    } else if (key == "host") {
      request_.options.host = name_of(key, item);
    } else if (key == "gpus") {
      read_gpus(key, item);
    } else if (key == "set") {
      read_facts(key, item, request_.options.facts);
    } else if (key == "default") {
      read_facts(key, item, request_.options.default_facts);
    } else if (key == "preview") {
      if (!item.is_boolean()) return refuse(key, "true or false");
      request_.options.previews = item.get<bool>();
    } else if (key == "today") {
      request_.today = date_from(text_of(key, item));
      if (!request_.today) refuse(key, "a date as 2026-11-24");
    } else {
      wrong_ = fmt::format("there is no key \"{}\"", escape_for_display(key));
    }
  }

  void read_ask(const Json& item) {
    const std::string name = text_of("ask", item);
    const auto* const ask = std::find_if(std::begin(kAsks), std::end(kAsks),
                                         [&](const auto& each) { return each.first == name; });
    if (ask == std::end(kAsks)) {
      return refuse("ask", "catalogue, check, explain, facts, estimate, fit or diff");
    }
    request_.ask = ask->second;
  }

  void read_files(const std::string& key, const Json& item, std::vector<PageFile>& files) {
    if (!item.is_array()) return refuse(key, "a list of files with path and text");
    for (const Json& each : item) {
      const bool known = each.is_object() && each.contains("path") && each.contains("text");
      if (!known) return refuse(key, "a list of files with path and text");
      PageFile file{normalize_path(text_of(key, each["path"])), text_of(key, each["text"])};
      const bool outside = file.path.empty() || file.path == "." || file.path == ".." ||
                           file.path.starts_with('/') || file.path.starts_with("../");
      if (outside) return refuse(key, "paths within the one folder there is");
      files.push_back(std::move(file));
    }
  }

  void read_gpus(const std::string& key, const Json& item) {
    if (!item.is_array()) return refuse(key, "a list of GPUs");
    for (const Json& each : item) request_.gpus.push_back(text_of(key, each));
  }

  void read_facts(const std::string& key, const Json& item,
                  std::vector<std::pair<std::string, std::string>>& facts) {
    if (!item.is_object()) return refuse(key, "facts and their values");
    for (const auto& [name, value] : item.items()) {
      facts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  std::string text_of(std::string_view key, const Json& item) {
    if (item.is_string()) return item.get<std::string>();
    refuse(key, "a text");
    return {};
  }

  /// Unset where the page leaves it to the config: "" or null.
  std::optional<std::string> name_of(std::string_view key, const Json& item) {
    if (item.is_null()) return std::nullopt;
    std::string name = text_of(key, item);
    if (name.empty()) return std::nullopt;
    return name;
  }

  PageRequest request_;
  std::string wrong_;
};

}  // namespace

Result<PageRequest> read_request(std::string_view json) {
  const Json value = Json::parse(json, nullptr, false);
  if (value.is_discarded()) return fail("a request is not JSON");
  return RequestReader().read(value);
}

}  // namespace gpulint::web
