// Kinds of operators and the kernels they run.

#include "model/operator_cost.h"
#include "model/operator_kind.h"

#include <doctest/doctest.h>

#include <iterator>
#include <set>
#include <string>

using namespace gpulint::model;

TEST_CASE("a list of kernels loses none, however many an operator runs") {
  KernelList list;
  for (int i = 0; i < 20; ++i) {
    list.add({KernelKind::pointwise, DType::fp32, static_cast<double>(i)});
    REQUIRE(std::distance(list.begin(), list.end()) == i + 1);
  }
  double expected = 0;
  for (const Kernel& kernel : list) CHECK(kernel.flops == expected++);
  const KernelList copy = list;
  CHECK(std::distance(copy.begin(), copy.end()) == 20);
}

TEST_CASE("every kind of operator has a name of its own") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kOperatorKinds; ++i) {
    names.emplace(name_of(static_cast<OperatorKind>(i)));
  }
  CHECK(names.size() == kOperatorKinds);
  CHECK(names.contains("conv"));
  CHECK(names.contains("sdpa"));
  CHECK(!names.contains(""));
}
