#include "model/footprint.h"

#include "base/text.h"
#include "model/interpreter.h"
#include "model/model_names.h"

#include <algorithm>

namespace gpulint::model {

Footprint summarise(const Tape& tape) {
  Footprint result;
  for (std::size_t id = 0; id < tape.storages().size(); ++id) {
    const Storage& storage = tape.storages()[id];
    if (storage.kind != StorageKind::parameter) continue;
    const std::int64_t times = tape.times_of_storage(id);
    const std::int64_t each = storage.bytes / size_of(storage.dtype);
    const std::int64_t elements = saturating_multiply(each, times);
    const Bytes bytes = Bytes::of(saturating_multiply(storage.bytes, times));
    result.parameters = saturating_add(result.parameters, elements);
    result.largest_parameter = std::max(result.largest_parameter, each);
    result.parameter_tensors += times;
    result.parameter_bytes += bytes;
    if (!storage.trainable) continue;
    result.trainable_parameters = saturating_add(result.trainable_parameters, elements);
    result.trainable_bytes += bytes;
  }
  for (std::size_t i = 0; i < tape.operators().size(); ++i) {
    const Operator& op = tape.operators()[i];
    const std::int64_t times = tape.times_of_operator(i);
    result.forward.value += op.forward.value * static_cast<double>(times);
    result.backward.value += op.backward.value * static_cast<double>(times);
    result.bytes_moved_forward =
        saturating_add(result.bytes_moved_forward, saturating_multiply(op.bytes_moved, times));
  }
  result.buffer_bytes = Bytes::of(tape.total_bytes(StorageKind::buffer));
  result.input_bytes = Bytes::of(tape.total_bytes(StorageKind::input));
  result.target_bytes = Bytes::of(tape.total_bytes(StorageKind::target));
  result.saved_bytes = Bytes::of(tape.saved_bytes(StorageKind::activation));
  result.saved_weight_cast_bytes = Bytes::of(tape.saved_bytes(StorageKind::weight_cast));
  return result;
}

bool has_dimension(const ModelLibrary::Found& found, std::string_view name) {
  return std::any_of(found.program->dimensions.begin(), found.program->dimensions.end(),
                     [&](const Dimension& dimension) { return dimension.name == name; });
}

Result<Footprint> footprint(ModelLibrary& library, const FootprintRequest& request) {
  Result<ModelLibrary::Found> found = library.find(request.model);
  if (!found) return fail(found.error());
  std::map<std::string, expr::Value> dimensions = found->entry.dimensions;
  for (const auto& [name, value] : request.dimensions) dimensions.insert_or_assign(name, value);
  dimensions.insert_or_assign("batch", request.batch);
  Result<Tape> tape = run_program(*found->program, dimensions, request.tape, request.execution);
  if (!tape) return fail(tape.error());
  Footprint result = summarise(*tape);
  result.tape = std::move(*tape);
  result.published_parameters = found->entry.published_parameters;
  return result;
}

}  // namespace gpulint::model
