// Networks of torchvision, which projects train as they are or build theirs on.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace torchvision_networks_test {

using namespace gpulint;

namespace {

/// Parameters of what `made` is; -1 where its step has no bound.
std::int64_t trained(const std::string& made) {
  const Followed run = followed("from torchvision import models\n", "models." + made, kStep,
                                "lr: 0.001\nbatch_size: 8\nepochs: 3\nimage_size: 224\n");
  if (run.report == nullptr || !run.report->run) return 0;
  const PlanReport& report = *run.report;
  const bool is_bounded = report.estimate.vram && report.estimate.vram->bounded_above;
  const auto& parameters = report.run->facts().parameters;
  return is_bounded && parameters ? parameters->value : -1;
}

}  // namespace

// Published with the weights (num_params).
TEST_CASE("networks of torchvision have the parameters of their published weights") {
  CHECK(trained("vit_b_16()") == 86'567'656);
  CHECK(trained("vit_b_32()") == 88'224'232);
  CHECK(trained("vit_l_16()") == 304'326'632);
  CHECK(trained("mobilenet_v3_large()") == 5'483'032);
  CHECK(trained("mobilenet_v3_small()") == 2'542'856);
  CHECK(trained("efficientnet_v2_s()") == 21'458'488);
  CHECK(trained("efficientnet_v2_m()") == 54'139'356);
  CHECK(trained("densenet161()") == 28'681'000);
  CHECK(trained("vgg13_bn()") == 133'053'736);
}

}  // namespace torchvision_networks_test
