#pragma once

#include "search/conditions.h"
#include "search/least_devices.h"

#include <span>
#include <string>

namespace gpulint {

/// "ZeRO-3 or FSDP on 8 GPUs, full activation checkpointing": the facts of a condition in words.
std::string condition_words(const Condition& condition);

/// The block of `gpulint estimate` that says what a device needs under each condition; "" = none.
std::string conditions_text(std::span<const Condition> conditions);

/// "does not fit on fewer than 4 GPUs of this kind, however its states are split (nothing moved to
/// the host); ZeRO-3 or FSDP fits from 8 on".
std::string devices_text(const LeastDevices& devices);

}  // namespace gpulint
