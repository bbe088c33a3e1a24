#include "device/reason.h"

#include "device/measure.h"
#include "unit/device/fake.h"

using namespace gpulint::probe;

TEST_CASE("every error of cuInit has its reason") {
  struct Row {
    int code;
    Reason reason;
  };
  constexpr Row kRows[] = {{2, Reason::out_of_memory},
                           {3, Reason::init_failed},
                           {34, Reason::stub_driver},
                           {46, Reason::busy},
                           {100, Reason::no_device},
                           {101, Reason::no_device},
                           {214, Reason::driver_needs_reboot},
                           {304, Reason::no_permission},
                           {800, Reason::no_permission},
                           {802, Reason::init_failed},
                           {803, Reason::driver_mismatch},
                           {804, Reason::compat_mismatch},
                           {805, Reason::mps},
                           {806, Reason::mps},
                           {807, Reason::mps},
                           {808, Reason::mps},
                           {809, Reason::mps},
                           {810, Reason::mps},
                           {999, Reason::init_failed},
                           {-1, Reason::init_failed}};
  for (const Row& row : kRows) {
    CAPTURE(row.code);
    FakeDriver& fake = fresh_fake();
    fake.failing_call = "cuInit";
    fake.failing_code = row.code;
    const Outcome outcome = measure(load_fake(), {});
    REQUIRE(std::holds_alternative<Unavailable>(outcome));
    CHECK(std::get<Unavailable>(outcome).reason == row.reason);
  }
}

TEST_CASE("a device file this user may not open explains a missing device") {
  MachineFacts machine;
  machine.nvidia_nodes = true;
  CHECK(explain_failure(100, "cuInit", "", machine).reason == Reason::no_permission);
  machine.nvidia_nodes_readable = true;
  CHECK(explain_failure(100, "cuInit", "", machine).reason == Reason::no_device);
}

TEST_CASE("a missing device quotes CUDA_VISIBLE_DEVICES") {
  MachineFacts machine;
  machine.cuda_visible_devices = "";
  CHECK(explain_failure(100, "cuInit", "CUDA_ERROR_NO_DEVICE", machine).detail ==
        "cuInit returned 100 (CUDA_ERROR_NO_DEVICE); CUDA_VISIBLE_DEVICES is \"\"");
}

TEST_CASE("a machine with only an AMD GPU is told so") {
  MachineFacts machine;
  machine.amd_node = true;
  CHECK(explain_missing_driver("x", machine).reason == Reason::unsupported_vendor);
  machine.nvidia_nodes = true;
  CHECK(explain_missing_driver("x", machine).reason == Reason::no_driver);
}

TEST_CASE("a static program is told that it loads no driver, not to install one") {
  MachineFacts machine;
  machine.static_program = true;
  const Unavailable told = explain_missing_driver("Dynamic loading not supported", machine);
  CHECK(told.reason == Reason::static_program);
  CHECK(remedy_for(told.reason).find("manylinux") != std::string_view::npos);
}

TEST_CASE("every reason has a name that leads back to it, and a remedy") {
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    CHECK(reason_from(name_of(reason)) == reason);
    CHECK_FALSE(remedy_for(reason).empty());
  }
  CHECK_FALSE(reason_from("no_such_reason").has_value());
}

TEST_CASE("a library that is not there is no driver") {
  const auto loaded = load_driver({"/nonexistent/libcuda.so.1", "/nonexistent/nvml"}, {});
  REQUIRE(std::holds_alternative<Unavailable>(loaded));
  CHECK(std::get<Unavailable>(loaded).reason == Reason::no_driver);
}

TEST_CASE("a library that lacks a function is an incomplete driver") {
  const auto loaded = load_driver({"libc.so.6", "libc.so.6"}, {});
  REQUIRE(std::holds_alternative<Unavailable>(loaded));
  CHECK(std::get<Unavailable>(loaded) ==
        Unavailable{Reason::incomplete_driver, "libc.so.6 lacks cuInit"});
}

TEST_CASE("an NVML that lacks a function is left out") {
  const auto loaded = load_driver({GPULINT_FAKE_DRIVER, "libc.so.6"}, {});
  REQUIRE(std::holds_alternative<Driver>(loaded));
  CHECK_FALSE(std::get<Driver>(loaded).nvml.has_value());
}

TEST_CASE("a part of a card that MPS grants is named, all of it is not") {
  const auto part = [](const char* threads, const char* memory) {
    return granted_part([=](const char* name) {
      return std::string_view(name) == "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" ? threads : memory;
    });
  };
  CHECK(part(nullptr, nullptr) == "");
  CHECK(part("50", nullptr) == "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50");
  CHECK(part("100", nullptr) == "");
  CHECK(part("", "0=10G") == "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=10G");
}
