// An expression as the bytes of an archive, so that a run neither parses nor binds the conditions
// of the rules it was built with.

#include "expr/expression.h"
#include "expr/operation.h"

#include <bit>
#include <type_traits>
#include <utility>

namespace gpulint::expr {
namespace {

void store_value(ByteWriter& out, const Value& value) {
  out.number(value.data.index());
  std::visit(
      [&](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bool>) {
          out.number(data ? 1 : 0);
        } else if constexpr (std::is_same_v<Data, std::int64_t>) {
          out.signed_number(data);
        } else if constexpr (std::is_same_v<Data, double>) {
          out.number(std::bit_cast<std::uint64_t>(data));
        } else if constexpr (std::is_same_v<Data, std::string>) {
          out.text(data);
        } else if constexpr (std::is_same_v<Data, List>) {
          out.number(data.size());
          for (const Value& item : data) store_value(out, item);
        }
      },
      value.data);
}

/// The alternatives of Value::data, by their index.
Value restore_value(ByteReader& in) {
  switch (in.number()) {
    case 1:
      return in.number() != 0;
    case 2:
      return in.signed_number();
    case 3:
      return std::bit_cast<double>(in.number());
    case 4:
      return std::string(in.text());
    case 5: {
      List list;
      for (std::uint64_t left = in.number(); left > 0 && !in.at_end(); --left) {
        list.push_back(restore_value(in));
      }
      return list;
    }
    default:
      return {};
  }
}

// Most operations have no count and only some an index or a unit: what is not zero is said first.
constexpr unsigned kHasCount = 1;
constexpr unsigned kHasIndex = 2;
constexpr unsigned kHasUnit = 4;
constexpr unsigned kFlagBits = 3;

void store_operation(ByteWriter& out, const Operation& operation) {
  unsigned flags = 0;
  if (operation.count != 0) flags |= kHasCount;
  if (operation.index != 0) flags |= kHasIndex;
  if (operation.unit != Unit{}) flags |= kHasUnit;
  out.number(static_cast<std::uint64_t>(operation.code) << kFlagBits | flags);
  out.number(operation.begin);
  out.signed_number(std::int64_t{operation.end} - operation.begin);
  if ((flags & kHasCount) != 0) out.number(operation.count);
  if ((flags & kHasIndex) != 0) out.number(operation.index);
  if ((flags & kHasUnit) == 0) return;
  out.signed_number(operation.unit.bytes);
  out.signed_number(operation.unit.seconds);
  out.signed_number(operation.unit.operations);
  out.signed_number(operation.unit.dollars);
}

void restore_operation(ByteReader& in, Operation& operation) {
  const std::uint64_t head = in.number();
  operation.code = static_cast<Opcode>(head >> kFlagBits);
  operation.begin = static_cast<std::uint16_t>(in.number());
  operation.end = static_cast<std::uint16_t>(operation.begin + in.signed_number());
  if ((head & kHasCount) != 0) operation.count = static_cast<std::uint16_t>(in.number());
  if ((head & kHasIndex) != 0) operation.index = in.small();
  if ((head & kHasUnit) == 0) return;
  operation.unit.bytes = static_cast<std::int8_t>(in.signed_number());
  operation.unit.seconds = static_cast<std::int8_t>(in.signed_number());
  operation.unit.operations = static_cast<std::int8_t>(in.signed_number());
  operation.unit.dollars = static_cast<std::int8_t>(in.signed_number());
}

}  // namespace

void Expression::store(ByteWriter& out) const {
  out.text(text());
  out.number(stack_depth_);
  out.number(operations_.size());
  for (const Operation& operation : operations_) store_operation(out, operation);
  out.number(constants_.size());
  for (const Value& constant : constants_) store_value(out, constant);
}

Expression Expression::restore(ByteReader& in) {
  Expression expression;
  expression.stored_text_ = in.text();
  expression.stack_depth_ = in.number();
  const std::uint64_t operations = in.number();
  if (operations <= kMaximumLength) expression.operations_.reserve(operations);
  for (std::uint64_t left = operations; left > 0 && !in.at_end(); --left)
    restore_operation(in, expression.operations_.emplace_back());
  const std::uint64_t constants = in.number();
  if (constants <= kMaximumLength) expression.constants_.reserve(constants);
  for (std::uint64_t left = constants; left > 0 && !in.at_end(); --left)
    expression.constants_.push_back(restore_value(in));
  return expression;
}

}  // namespace gpulint::expr
