// The rows of ops_general.h. Like operator_table.cpp they only translate arguments.

#include "model/operator_table.h"
#include "model/ops_general.h"

namespace gpulint::model {

namespace {

std::size_t spatial(const Tensor& x) { return x.rank() > 2 ? x.rank() - 2 : 0; }

Tensor apply_adaptive_max_pool(Machine& machine, const Tensor& x, const Arguments& a) {
  return adaptive_max_pool(machine.tape, x, a.sizes("output", spatial(x), 1));
}
Tensor apply_cast(Machine& machine, const Tensor& x, const Arguments& a) {
  if (a.has("like")) return cast(machine.tape, x, machine.tensor(a.word("like")).dtype);
  const std::string kind = a.word("kind");
  if (kind != "fp32") machine.tape.refuse("kind: expected fp32, found " + kind);
  return cast(machine.tape, x, DType::fp32);
}
Tensor apply_copy(Machine& machine, const Tensor& x, const Arguments& a) {
  return copy_to(machine.tape, x, a.list("sizes"));
}

Tensor apply_custom(Machine& machine, const Tensor& x, const Arguments& a) {
  Custom custom;
  custom.operands.push_back(x);
  for (const std::string& name : a.words("of")) custom.operands.push_back(machine.tensor(name));
  if (a.has("keeps")) {
    for (const std::int64_t index : a.list("keeps")) {
      if (index < 0 || index >= static_cast<std::int64_t>(custom.operands.size())) {
        machine.tape.refuse("keeps: " + std::to_string(index) + " is not an operand");
        return x;
      }
      custom.keeps.push_back(static_cast<std::size_t>(index));
    }
  }
  if (a.has("keeps_new")) custom.keeps_new = a.list("keeps_new");
  custom.sizes = a.list("sizes");
  custom.keeps_result = a.flag("keeps_result", false);
  custom.fp32 = a.flag("fp32", false);
  custom.view = a.flag("view", false);
  custom.detached = a.flag("detached", false);
  if (machine.tape.refused()) return x;
  return run_custom(machine.tape, custom);
}

Tensor apply_divide(Machine& machine, const Tensor& x, const Arguments& a) {
  return divide(machine.tape, x, machine.tensor(a.word("with")), a.flag("inplace", false));
}
Tensor apply_inplace_batch_norm(Machine& machine, const Tensor& x, const Arguments&) {
  return inplace_batch_norm(machine.tape, x);
}
Tensor apply_mask_fill(Machine& machine, const Tensor& x, const Arguments& a) {
  return mask_fill(machine.tape, x, machine.tensor(a.word("mask")));
}
Tensor apply_multiply_add(Machine& machine, const Tensor& x, const Arguments& a) {
  return multiply_add(machine.tape, x, machine.tensor(a.word("with")),
                      machine.tensor(a.word("plus")));
}
Tensor apply_power(Machine& machine, const Tensor& x, const Arguments&) {
  return power(machine.tape, x);
}
Tensor apply_reduce(Machine& machine, const Tensor& x, const Arguments& a) {
  const std::string name = a.word("kind");
  const std::optional<Reduction> kind = reduction_from(name);
  if (!kind) machine.tape.refuse("kind: \"" + name + "\" is not a reduction");
  return reduce(machine.tape, x, kind.value_or(Reduction::sum), a.list("dimensions"),
                a.flag("keep", false));
}
Tensor apply_squeeze(Machine& machine, const Tensor& x, const Arguments& a) {
  return squeeze(machine.tape, x, a.integer("dimension"));
}
Tensor apply_unsqueeze(Machine& machine, const Tensor& x, const Arguments& a) {
  return unsqueeze(machine.tape, x, a.integer("dimension"));
}
Tensor apply_windows(Machine& machine, const Tensor& x, const Arguments& a) {
  return windows(machine.tape, x, a.integer("dimension"), a.integer("size"), a.integer("step", 1));
}

constexpr OperatorRule kRules[] = {
    {"adaptive_max_pool", "output", apply_adaptive_max_pool},
    {"cast", "kind like", apply_cast},
    {"copy", "sizes!", apply_copy},
    {"custom", "sizes! name of keeps keeps_result keeps_new fp32 view detached", apply_custom},
    {"divide", "with! inplace", apply_divide},
    {"inplace_batch_norm", "", apply_inplace_batch_norm},
    {"mask_fill", "mask!", apply_mask_fill},
    {"multiply_add", "with! plus!", apply_multiply_add},
    {"power", "", apply_power},
    {"reduce", "kind! dimensions! keep", apply_reduce},
    {"squeeze", "dimension!", apply_squeeze},
    {"unsqueeze", "dimension!", apply_unsqueeze},
    {"windows", "dimension! size! step", apply_windows},
};

}  // namespace

std::span<const OperatorRule> general_rules() { return kRules; }

}  // namespace gpulint::model
