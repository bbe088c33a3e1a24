#include "model/footprint.h"
#include "model/timeline.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

Footprint dense_model(const std::string& name, TapeOptions tape = {}) {
  ModelLibrary library(model_files());
  FootprintRequest request{.model = name, .batch = 1};
  request.tape = std::move(tape);
  Result<Footprint> print = footprint(library, request);
  REQUIRE_MESSAGE(print, name);
  return std::move(*print);
}

}  // namespace

TEST_CASE("detectors have as many parameters as MMDetection 2.25.3 builds") {
  CHECK(dense_model("faster_rcnn_r50_fpn").parameters == 41'753'056);
  CHECK(dense_model("retinanet_r50_fpn").parameters == 37'968'692);
  CHECK(dense_model("libra_faster_rcnn_r50_fpn").parameters == 42'016'224);
  CHECK(dense_model("mask_rcnn_r50_fpn_gn_ws-all").parameters == 45'711'152);
  CHECK(dense_model("panoptic_fpn_r50_fpn").parameters == 46'027'110);
  CHECK(dense_model("faster-rcnn-s50-fpn").parameters == 44'991'008);
  CHECK(dense_model("mask-rcnn-s101-fpn").parameters == 68'427'088);
  CHECK(dense_model("cascade-mask-rcnn-s101-fpn").parameters == 103'980'894);
}

TEST_CASE("detectors on other backbones have as many parameters as MMDetection 2.28.2 builds") {
  CHECK(dense_model("faster_rcnn_r2_101_fpn").parameters == 61'421'944);
  CHECK(dense_model("cascade_mask_rcnn_r2_101_fpn").parameters == 96'993'494);
  CHECK(dense_model("mask_rcnn_swin-t-p4-w7_fpn").parameters == 47'794'602);
  CHECK(dense_model("retinanet_swin-t-p4-w7_fpn").parameters == 38'458'606);
  CHECK(dense_model("retinanet_pvt-s_fpn").parameters == 34'220'788);
  CHECK(dense_model("retinanet_pvtv2-b0_fpn").parameters == 12'947'028);
  CHECK(dense_model("retinanet_pvt_v2_b5_fpn").parameters == 91'692'980);
}

TEST_CASE("guided anchors have as many parameters as MMDetection 2.28.2 builds") {
  CHECK(dense_model("ga_rpn_r50_caffe_fpn").parameters == 28'034'520);
  CHECK(dense_model("ga_faster_x101_32x4d_fpn").parameters == 60'961'897);
  CHECK(dense_model("ga_retinanet_r101_caffe_fpn_mstrain").parameters == 56'592'567);
}

TEST_CASE("YOLOX and YOLOv5 have as many parameters as MMYOLO 0.6 builds") {
  CHECK(dense_model("yolox_nano").parameters == 1'365'039);
  CHECK(dense_model("mmdet_yolox_nano").parameters == 912'159);
  CHECK(dense_model("yolox_l").parameters == 54'208'895);
  CHECK(dense_model("yolov5_n-p6-v62_syncbn").parameters == 3'246'940);
  CHECK(dense_model("yolov5_x-p6-v62").parameters == 140'794'780);
}

TEST_CASE("YOLOv6, RTMDet and PP-YOLOE have as many parameters as MMYOLO 0.6 builds") {
  CHECK(dense_model("yolov6_t_syncbn").parameters == 10'628'988);
  CHECK(dense_model("yolov6_m").parameters == 37'127'124);
  CHECK(dense_model("yolov6_l").parameters == 58'531'625);
  CHECK(dense_model("rtmdet_tiny").parameters == 4'896'168);
  CHECK(dense_model("rtmdet_x_syncbn").parameters == 94'855'572);
  CHECK(dense_model("ppyoloe_m").parameters == 24'134'892);
  CHECK(dense_model("ppyoloe_plus_l").parameters == 54'078'574);
}

TEST_CASE("hybrid task cascades and R3Det have as many parameters as their frameworks build") {
  CHECK(dense_model("htc_r50_fpn").parameters == 80'258'293);
  CHECK(dense_model("htc_without_semantic_r50_fpn").parameters == 77'456'190);
  CHECK(dense_model("htc_r2_101_fpn").parameters == 99'927'181);
  CHECK(dense_model("r3det_kld_r50_fpn").parameters == 42'129'416);
  CHECK(dense_model("r3det_tiny_r50_fpn").parameters == 37'408'776);
}

TEST_CASE(
    "detectors that ask by queries have the parameters MMDetection builds, biases once a layer") {
  // A bias belongs to its layer here where MMDetection's output layers share one: five more of 81,
  // 256, 256 and 4 numbers and as many norms in DETR, of 80, 256, 256 and 4 in Deformable DETR,
  // nine more and their norms in Mask2Former.
  CHECK(dense_model("detr_r50").parameters == 41'575'061 + 5 * (597 + 512));
  CHECK(dense_model("deformable_detr_r50").parameters == 40'118'934 + 5 * 596);
  CHECK(dense_model("mask2former_r50_lsj").parameters == 44'023'377 + 9 * (849 + 512));
}

TEST_CASE("YOLOv3, Grid R-CNN and ConvNeXt have as many parameters as their frameworks build") {
  CHECK(dense_model("yolov3_d53_mstrain-608").parameters == 61'949'149);
  CHECK(dense_model("grid_rcnn_r101_fpn_gn-head").parameters ==
        83'540'329 + 1152);  // a norm is used twice
  // torchvision's ConvNeXt-T without its last norm and classifier, four norms, and the heads on
  // maps of Swin-T's widths.
  CHECK(dense_model("mask_rcnn_convnext-t_p4_w7_fpn").parameters ==
        27'818'592 + 2'880 + 20'273'904);
}

TEST_CASE("Mask2Former's losses hold whole masks as 64-bit numbers") {
  const Footprint print = dense_model("mask2former_r50_lsj");
  const std::int64_t pixels = 93 * 1024 * 1024;  // of the objects of one image
  CHECK(play(print.tape).forward_peak.count() - print.saved_bytes.count() > (8 + 20) * pixels);
}

TEST_CASE("K-Net has as many parameters as MMSegmentation 0.30 builds") {
  CHECK(dense_model("knet_s3_fcn_r50-d8").parameters == 62'810'508);
  CHECK(dense_model("knet_s3_upernet_r50-d8").parameters == 79'728'012);
  CHECK(dense_model("knet_s3_upernet_swin-l").parameters == 246'971'840);
}

TEST_CASE("STDC, BiSeNetV2 and Segmenter have as many parameters as MMSegmentation 0.30 builds") {
  CHECK(dense_model("stdc1_in1k-pre").parameters ==
        8'573'022 - 3);  // less a constant kernel of three numbers
  CHECK(dense_model("stdc2").parameters == 12'603'486 - 3);
  CHECK(dense_model("bisenetv2_fcn_ohem").parameters == 14'804'255);
  CHECK(dense_model("segmenter_vit-t_mask").parameters == 6'713'388);
  CHECK(dense_model("segmenter_vit-s_linear").parameters == 22'041'366);
}

TEST_CASE("a SiLU of the framework's own keeps its input and its sigmoid") {
  CHECK(dense_model("mmdet_yolox_s").saved_bytes > dense_model("yolox_s").saved_bytes);
}

TEST_CASE("FCOS that samples centres compares more numbers per position and box") {
  const auto beyond_saved = [](const std::string& name) {
    const Footprint print = dense_model(name);
    return play(print.tape).forward_peak - print.saved_bytes;
  };
  CHECK(beyond_saved("fcos_center_r50_caffe_fpn_gn-head") >
        beyond_saved("fcos_r50_caffe_fpn_gn-head"));
}

TEST_CASE("windows of Swin and Twins are padded along the side that needs it") {
  CHECK(dense_model("mask_rcnn_swin-t-p4-w7_fpn").saved_bytes.count() > 0);  // 200 x 336 patches
}

TEST_CASE("recognisers of actions have as many parameters as MMAction2 0.24.1 builds") {
  CHECK(dense_model("tsn_r50_1x1x3").parameters == 24'327'632);
  CHECK(dense_model("tsm_nl_gaussian_r50_1x1x8").parameters == 28'007'888);
  CHECK(dense_model("tsm_nl_dot_product_r50_1x1x8").parameters == 31'682'000);
  CHECK(dense_model("i3d_r50_video_32x2x1").parameters == 28'043'472);
  CHECK(dense_model("slowonly_r50_4x16x1_flow").parameters == 32'450'960);
  CHECK(dense_model("slowfast_r50_8x8x1").parameters == 34'565'560);
  CHECK(dense_model("slowfast_r152_r50_4x16x1").parameters == 84'843'704);
  CHECK(dense_model("ircsn_ig65m_pretrained_r152_32x2x1").parameters == 29'703'568);
  CHECK(dense_model("ipcsn_bnfrozen_r152_32x2x1").parameters == 33'016'592);
  CHECK(dense_model("r2plus1d_r34_video_8x8x1").parameters == 63'759'281);
  CHECK(dense_model("trn_r50_1x1x8").parameters == 26'641'154);
}

TEST_CASE("a clip keeps what its frames would, and moved channels once more") {
  const Bytes frames = dense_model("tsn_r50_1x1x8").saved_bytes;
  CHECK(dense_model("tsn_r50_1x1x16").saved_bytes.count() > 2 * frames.count() * 99 / 100);
  CHECK(dense_model("tsm_r50_1x1x8").saved_bytes > frames);
}

TEST_CASE("nnU-Net takes slices and volumes") {
  CHECK(dense_model("nnunet").parameters == 20'613'092);
  CHECK(dense_model("nnunet-3d").parameters == 31'192'868);
}

TEST_CASE("BiSeNetV1 has as many parameters as MMSegmentation 0.24.1 builds") {
  CHECK(dense_model("bisenetv1_r18-d32").parameters == 13'425'721);
  CHECK(dense_model("bisenetv1_r50-d32_in1k-pre").parameters == 59'243'385);
}

TEST_CASE("FastFCN has as many parameters as MMSegmentation 0.24.1 builds") {
  CHECK(dense_model("fastfcn_r50-d32_jpu_psp").parameters == 68'711'046);
  CHECK(dense_model("fastfcn_r50-d32_jpu_aspp").parameters == 87'848'582);
  CHECK(dense_model("fastfcn_r50-d32_jpu_enc").parameters == 55'627'513);
}

TEST_CASE("segmentation on MobileNetV2 has as many parameters as MMSegmentation 0.24.1 builds") {
  CHECK(dense_model("fcn_m-v2-d8").parameters == 9'718'822);
  CHECK(dense_model("pspnet_m-v2-d8").parameters == 13'620'262);
  CHECK(dense_model("deeplabv3_m-v2-d8").parameters == 18'602'022);
  CHECK(dense_model("deeplabv3plus_m-v2-d8").parameters == 15'244'374);
}

TEST_CASE("segmentation on ResNeSt has as many parameters as MMSegmentation 0.24.1 builds") {
  CHECK(dense_model("fcn_s101-d8").parameters == 72'196'486);
  CHECK(dense_model("pspnet_s101-d8").parameters == 71'674'246);
  CHECK(dense_model("deeplabv3_s101-d8").parameters == 90'811'782);
  CHECK(dense_model("deeplabv3plus_s101-d8").parameters == 66'288'630);
}

TEST_CASE("a Caffe ResNet keeps less: the stride is in the first convolution of a stage") {
  CHECK(dense_model("faster_rcnn_r50_caffe_fpn").parameters ==
        dense_model("faster_rcnn_r50_fpn").parameters);
  CHECK(dense_model("faster_rcnn_r50_caffe_fpn").saved_bytes <
        dense_model("faster_rcnn_r50_fpn").saved_bytes);
}

TEST_CASE(
    "older releases keep what is not rectified in place: Detectron2's heads, HRNet's fused maps") {
  TapeOptions older;
  older.relu_keeps_input = true;
  CHECK(dense_model("faster_rcnn_r50_fpn", older).saved_bytes ==
        dense_model("faster_rcnn_r50_fpn").saved_bytes);
  CHECK(dense_model("detectron2_faster_rcnn_R_50_FPN", older).saved_bytes >
        dense_model("detectron2_faster_rcnn_R_50_FPN").saved_bytes);
  CHECK(dense_model("fcn_hr18", older).saved_bytes > dense_model("fcn_hr18").saved_bytes);
}

TEST_CASE("MMDetection writes the masks of positive regions out while it cuts their targets") {
  const auto beyond_saved = [](const std::string& name) {
    const Footprint print = dense_model(name);
    return play(print.tape).forward_peak - print.saved_bytes;
  };
  const Bytes targets = Bytes::of(5LL * 128 * 800 * 1344);
  CHECK(beyond_saved("mask_rcnn_r50_fpn") > targets);
  CHECK(beyond_saved("mask_rcnn_r50_fpn_mstrain-poly") < targets);  // polygons are cut on the host
}
