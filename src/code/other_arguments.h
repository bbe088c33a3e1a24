#pragma once

// What other arguments of a call say of one of them. Internal to this room.

#include "code/consumer_index.h"
#include "python/interpreter.h"

#include <optional>
#include <string_view>

namespace gpulint {

/// -1: by name only.
int position_in(const ConsumingCall& known, std::string_view name);

/// What an object holds by this name; nullptr: nothing that is known.
const python::Value* member_of(const python::Interpreter& in, const python::Value& holder,
                               std::string_view name);

/// `batch_sampler=Sampler(batch_size=8)`: what makes the batches has the argument.
const python::Value* of_another(const python::Interpreter& in, const python::Call& call,
                                const ConsumingCall& known, const ConsumedArgument& argument);

/// `DataLoader(data, batch_size=None)`: the data set yields batches of its own `batch_size`.
python::Value of_batches(const python::Interpreter& in, const python::Call& call,
                         const ConsumedArgument& argument);

/// `schedule(optimizer, int(0.1 * total), total)`, where nobody knows how many these are.
std::optional<double> share_of_another(const python::Interpreter& in, const python::Call& call,
                                       const ConsumedArgument& argument,
                                       const python::Argument& given);

}  // namespace gpulint
