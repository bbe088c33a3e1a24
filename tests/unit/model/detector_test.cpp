#include "model/footprint.h"
#include "model/timeline.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

Footprint detector(const std::string& name, TapeOptions tape = {}) {
  ModelLibrary library(model_files());
  FootprintRequest request{.model = name, .batch = 1};
  request.tape = std::move(tape);
  Result<Footprint> print = footprint(library, request);
  REQUIRE_MESSAGE(print, name);
  return std::move(*print);
}

}  // namespace

TEST_CASE("detectors have as many parameters as MMDetection 2.25.3 builds") {
  CHECK(detector("faster_rcnn_r50_fpn").parameters == 41'753'056);
  CHECK(detector("retinanet_r50_fpn").parameters == 37'968'692);
  CHECK(detector("libra_faster_rcnn_r50_fpn").parameters == 42'016'224);
  CHECK(detector("mask_rcnn_r50_fpn_gn_ws-all").parameters == 45'711'152);
  CHECK(detector("panoptic_fpn_r50_fpn").parameters == 46'027'110);
}

TEST_CASE("a Caffe ResNet keeps less: the stride is in the first convolution of a stage") {
  CHECK(detector("faster_rcnn_r50_caffe_fpn").parameters ==
        detector("faster_rcnn_r50_fpn").parameters);
  CHECK(detector("faster_rcnn_r50_caffe_fpn").saved_bytes <
        detector("faster_rcnn_r50_fpn").saved_bytes);
}

TEST_CASE("older releases keep what Detectron2's heads rectify, MMDetection's are in place") {
  TapeOptions older;
  older.relu_keeps_input = true;
  CHECK(detector("faster_rcnn_r50_fpn", older).saved_bytes ==
        detector("faster_rcnn_r50_fpn").saved_bytes);
  CHECK(detector("detectron2_faster_rcnn_R_50_FPN", older).saved_bytes >
        detector("detectron2_faster_rcnn_R_50_FPN").saved_bytes);
}

TEST_CASE("MMDetection writes the masks of positive regions out while it cuts their targets") {
  const auto beyond_saved = [](const std::string& name) {
    const Footprint print = detector(name);
    return play(print.tape).forward_peak - print.saved_bytes;
  };
  const Bytes targets = Bytes::of(5LL * 128 * 800 * 1344);
  CHECK(beyond_saved("mask_rcnn_r50_fpn") > targets);
}
