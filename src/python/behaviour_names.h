#pragma once

// What knowledge/consumers/ calls the ways in which something outside a project acts.

#include "python/behaviour.h"

#include <array>
#include <string_view>
#include <utility>

namespace gpulint::python {

inline constexpr std::array<std::pair<std::string_view, Behaviour>, 61> kBehaviourNames = {{
    {"load", Behaviour::load},
    {"load_attributes", Behaviour::load_attributes},
    {"mapping", Behaviour::mapping},
    {"strict_mapping", Behaviour::strict_mapping},
    {"allow_new", Behaviour::allow_new},
    {"lenient_mapping", Behaviour::lenient_mapping},
    {"merge", Behaviour::merge},
    {"merge_method", Behaviour::merge_method},
    {"same", Behaviour::same},
    {"cast", Behaviour::cast},
    {"copy", Behaviour::copy},
    {"structure", Behaviour::structure},
    {"load_class", Behaviour::load_class},
    {"parser", Behaviour::parser},
    {"usage_text", Behaviour::usage_text},
    {"fields", Behaviour::fields},
    {"coerced_fields", Behaviour::coerced_fields},
    {"spawn", Behaviour::spawn},
    {"command", Behaviour::command},
    {"process", Behaviour::process},
    {"project_root", Behaviour::project_root},
    {"entry", Behaviour::entry},
    {"import", Behaviour::import_named},
    {"instantiate", Behaviour::instantiate},
    {"locate", Behaviour::locate},
    {"enumeration", Behaviour::enumeration},
    {"opaque", Behaviour::opaque},
    {"tried", Behaviour::tried},
    {"yes", Behaviour::yes},
    {"no", Behaviour::no},
    {"something", Behaviour::something},
    {"partial", Behaviour::partial},
    {"define_config", Behaviour::define_config},
    {"devices", Behaviour::devices},
    {"ranks", Behaviour::ranks},
    {"stepping_ranks", Behaviour::stepping_ranks},
    {"class_parser", Behaviour::class_parser},
    {"class_from_config", Behaviour::class_from_config},
    {"plain", Behaviour::plain},
    {"schemas", Behaviour::schemas},
    {"define_option", Behaviour::define_option},
    {"options", Behaviour::options},
    {"adds_options", Behaviour::adds_options},
    {"initialize", Behaviour::initialize},
    {"compose", Behaviour::compose},
    {"import_file", Behaviour::import_file},
    {"keep_config", Behaviour::keep_config},
    {"keep_sweep", Behaviour::keep_sweep},
    {"kept_config", Behaviour::kept_config},
    {"environment", Behaviour::environment},
    {"variable", Behaviour::variable},
    {"submit", Behaviour::submit},
    {"declares_command", Behaviour::declares_command},
    {"declares_group", Behaviour::declares_group},
    {"declares_option", Behaviour::declares_option},
    {"gives_context", Behaviour::gives_context},
    {"fills_class", Behaviour::fills_class},
    {"loads_network", Behaviour::loads_network},
    {"one_of", Behaviour::one_of},
    {"trial", Behaviour::trial},
    {"unknown", Behaviour::none},
}};

}  // namespace gpulint::python
