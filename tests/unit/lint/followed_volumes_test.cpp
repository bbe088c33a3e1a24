// Networks that read volumes: what a step keeps of them, and how large they are.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <string>

namespace followed_volumes_test {

using namespace gpulint;

namespace {

constexpr const char* kVolumeNet =
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.first = nn.Conv3d(1, 16, 3, padding=1)\n"
    "        self.last = nn.Conv3d(16, 2, 1)\n"
    "    def forward(self, x):\n"
    "        return self.last(F.relu(self.first(x)))\n";

constexpr const char* kMeanStep = "            loss = net(x).mean()\n";

std::string fact(const Followed& run, const std::string& name) {
  if (run.report == nullptr || !run.report->run) return "unknown";
  const TrainingPlan& plan = run.report->run->facts();
  const auto of = [](const Maybe<std::int64_t>& value) {
    return value ? std::to_string(value->value) : std::string("unknown");
  };
  if (name == "volume_size") return of(plan.volume_size);
  if (name == "volume_height") return of(plan.volume_height);
  if (name == "volume_width") return of(plan.volume_width);
  return of(plan.sequences_per_sample);
}

bool is_bounded(const Followed& run) {
  return run.report != nullptr && run.report->estimate.vram &&
         run.report->estimate.vram->bounded_above;
}

std::string edges(const Followed& run) {
  return fact(run, "volume_size") + " " + fact(run, "volume_height") + " " +
         fact(run, "volume_width");
}

const std::string kConfig = "lr: 0.001\nbatch_size: 2\nepochs: 3\n";

/// A run whose project crops with a transform of MONAI.
Followed cropped(const std::string& transform, const std::string& config = kConfig) {
  return followed(std::string("from monai import transforms as mt\n") + kVolumeNet, "Net()",
                  std::string(kMeanStep) + "            crop = " + transform + "\n", config);
}

}  // namespace

TEST_CASE("what a step keeps of volumes follows from their edge") {
  const Followed run = followed(kVolumeNet, "Net()", kMeanStep);
  // The input, what ReLU makes, and nothing of the last convolution but its input.
  const auto kept = [](std::int64_t edge) { return 2 * edge * edge * edge * (1 + 16) * 4; };
  CHECK(saved(run, 2, "volume_size", 64) == kept(64));
  CHECK(saved(run, 2, "volume_size", 96) == kept(96));
  CHECK_FALSE(is_bounded(run));
}

TEST_CASE("a config states volumes by three edges") {
  CHECK(is_bounded(followed(kVolumeNet, "Net()", kMeanStep, kConfig + "roi_size: [96, 96, 64]\n")));
  const auto of = [](const std::string& line) {
    return edges(followed(kVolumeNet, "Net()", kMeanStep, kConfig + line));
  };
  CHECK(of("roi_size: [96, 96, 64]\n") == "96 96 64");
  CHECK(of("patch_size: [128, 128, 128]\n") == "128 128 128");
  CHECK(of("img_size: [64, 96, 96]\n") == "64 96 96");
  CHECK(of("roi_x: 96\nroi_y: 80\nroi_z: 64\n") == "96 80 64");
  // Patches that become a vector, an image with channels, and a single number.
  CHECK(of("patch_size: [2, 16, 16]\n") == "unknown unknown unknown");
  CHECK(of("img_size: [3, 224, 224]\n") == "unknown unknown unknown");
  CHECK(of("img_size: [224, 224, 3]\n") == "unknown unknown unknown");
  CHECK(of("patch_size: 16\n") == "unknown unknown unknown");
}

TEST_CASE("a crop of three edges states volumes, and how many it makes of a sample") {
  const Followed several = cropped(
      "mt.RandCropByPosNegLabeld(keys=['image', 'label'], label_key='label', "
      "spatial_size=(96, 96, 64), pos=1, neg=1, num_samples=4)");
  CHECK(edges(several) == "96 96 64");
  CHECK(fact(several, "sequences_per_sample") == "4");
  CHECK(is_bounded(several));
  CHECK(edges(cropped("mt.RandSpatialCropd(['image'], roi_size=[80, 80, 80])")) == "80 80 80");
  CHECK(edges(cropped("mt.RandSpatialCropd(['image'], roi_size=[80, 80])")) ==
        "unknown unknown unknown");
}

TEST_CASE("crops of a sample that nobody can count leave a batch open") {
  const Followed run = cropped(
      "mt.RandCropByPosNegLabeld(['image', 'label'], 'label', (96, 96, 96), 1, 1, crops())");
  CHECK(edges(run) == "96 96 96");
  CHECK(fact(run, "sequences_per_sample") == "unknown");
  CHECK_FALSE(is_bounded(run));
}

}  // namespace followed_volumes_test
