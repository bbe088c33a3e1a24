// Detectors whose sections name the classes of a framework.

#include "unit/run/network_of.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;
using namespace gpulint::test;

namespace stated_detectors_test {

/// A detector on a ResNet with a feature pyramid; `head` has what stands behind the proposals.
std::string detector(const std::string& type, const std::string& depth, const std::string& head,
                     const std::string& neck = "FPN") {
  return "model:\n  type: " + type +
         "\n  backbone: {type: ResNet, depth: " + depth +
         ", frozen_stages: 1, norm_cfg: {type: BN, requires_grad: true}, norm_eval: true,"
         " style: pytorch}\n  neck: {type: " +
         neck +
         ", out_channels: 256, num_outs: 5, start_level: 1, add_extra_convs: on_input}\n"
         "  rpn_head: {type: RPNHead, anchor_generator: {scales: [8], ratios: [0.5, 1.0, 2.0]}}\n" +
         head;
}

const char* kRegions =
    "  roi_head:\n    type: StandardRoIHead\n"
    "    bbox_head: {type: Shared2FCBBoxHead, num_classes: 80, reg_class_agnostic: false}\n"
    "    mask_head: {type: FCNMaskHead, num_classes: 80}\n";

TEST_CASE("a detector is the one that the classes of its parts make") {
  const auto mask = network_of(detector("MaskRCNN", "50", kRegions));
  REQUIRE(mask);
  CHECK(mask->entry.family == "fpn-detector");
  CHECK(parameters_of(*mask) == 44'396'336);
  CHECK(mask->open == std::vector<std::string>{"bitmap_masks"});
  const std::string one = "{type: Shared2FCBBoxHead, num_classes: 80, reg_class_agnostic: true}";
  const auto cascade = network_of(detector(
      "CascadeRCNN", "101",
      "  roi_head: {type: CascadeRoIHead, num_stages: 3, bbox_head: [" + one + ", " + one + ", " +
          one + "]}\n"));
  REQUIRE(cascade);
  CHECK(parameters_of(*cascade) == 88'386'894);
  const auto dense = network_of(detector(
      "RetinaNet", "18",
      "  bbox_head: {type: RetinaHead, num_classes: 20, stacked_convs: 4,"
      " anchor_generator: {scales_per_octave: 3, ratios: [0.5, 1.0, 2.0]}}\n"));
  REQUIRE(dense);
  CHECK(parameters_of(*dense) == 20'165'400);
}

TEST_CASE("a detector with a part that its family does not have is not known") {
  CHECK_FALSE(network_of(detector("MaskRCNN", "50", kRegions, "PAFPN")));
  CHECK_FALSE(network_of(detector("DynamicRCNN", "50", kRegions)));
}

TEST_CASE("keys of Detectron2 that are left out have its defaults") {
  const std::string keys =
      "MODEL:\n  META_ARCHITECTURE: GeneralizedRCNN\n"
      "  BACKBONE: {NAME: build_resnet_fpn_backbone}\n"
      "  ANCHOR_GENERATOR: {SIZES: [[32], [64], [128], [256], [512]], ASPECT_RATIOS: [[0.5, 1.0, "
      "2.0]]}\n"
      "  ROI_HEADS: {NAME: StandardROIHeads, NUM_CLASSES: 80}\n"
      "  ROI_BOX_HEAD: {NAME: FastRCNNConvFCHead, NUM_FC: 2}\n";
  const auto faster = network_of(keys);
  REQUIRE(faster);
  CHECK(parameters_of(*faster) == 41'699'936);
  CHECK_FALSE(network_of(keys + "  PROPOSAL_GENERATOR: {NAME: RRPN}\n"));
}

}  // namespace stated_detectors_test
