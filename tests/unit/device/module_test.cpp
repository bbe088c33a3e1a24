#include "device/device_objects.h"
#include "unit/device/fake.h"

using namespace gpulint;
using namespace gpulint::probe;

namespace {

/// What a CUDA fat binary begins with.
constexpr char kFatbin[] = "\x50\xed\x55\xba machine code";
constexpr char kPtx[] = ".version 6.0\n.visible .entry gpulint_empty()\n";

struct Loaded {
  bool works = false;
  int fatbins = 0;
  std::string why;
};

Loaded load(const KernelImage& image, int fatbin_code, const char* failing_call = "") {
  FakeDriver& fake = fresh_fake();
  fake.fatbin_code = fatbin_code;
  fake.failing_call = failing_call;
  fake.failing_code = 221;
  const Driver driver = load_fake();
  const MachineFacts machine;
  Calls calls(driver.cuda, machine);
  Loaded loaded;
  {
    Module module(driver.cuda, calls, image);
    loaded.works = module.function("gpulint_empty") != nullptr;
    loaded.fatbins = fake.fatbins;
    loaded.why = calls.failure().detail;
  }
  CHECK(fake.live_objects == 0);
  return loaded;
}

}  // namespace

TEST_CASE("machine code is taken where there is some, else PTX") {
  CHECK(load({kPtx, kFatbin}, 0).works);
  CHECK(load({kPtx, kFatbin}, 0).fatbins == 1);
  CHECK(load({kPtx, nullptr}, 0).works);
  CHECK(load({kPtx, nullptr}, 0).fatbins == 0);
  CHECK(load({"no PTX", kFatbin}, 0).works);
}

TEST_CASE("machine code for other cards or drivers leaves the PTX") {
  for (const int code : {200, 209, 218, 222, 223, 999}) {
    CAPTURE(code);
    CHECK(load({kPtx, kFatbin}, code).works);
    CHECK_FALSE(load({"no PTX", kFatbin}, code).works);
  }
}

TEST_CASE("any other failure is the module's") {
  const Loaded failed = load({kPtx, kFatbin}, 2);
  CHECK_FALSE(failed.works);
  CHECK(failed.why == "cuModuleLoadData returned 2 (FAKE_ERROR)");
  CHECK(load({kPtx, nullptr}, 0, "cuModuleLoadData").why ==
        "cuModuleLoadData returned 221 (FAKE_ERROR)");
}
