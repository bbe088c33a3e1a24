// What ranks exchange, at the bandwidth their links achieve, and how much of it the computation
// does not hide. Ring algorithms move 2 (N-1)/N of the bytes for an all-reduce and (N-1)/N for a
// gather or a scatter. DDP and ZeRO reduce gradients during backward and hide most of it there;
// sharded weights are gathered ahead of the layers that need them; tensor-parallel ranks wait for
// each other inside every layer. Sources: FSDP and DDP design notes of PyTorch; Megatron-LM,
// arXiv:1909.08053.

#include "run/fact_access.h"
#include "time/time_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

// Of NVLink's rate in one direction, what NCCL's bus bandwidth reaches: 370 of 450 GB/s on H100
// (NVIDIA/nccl-tests#212), 230 of 300 on A100 (NVIDIA/nccl-tests#149).
constexpr Range kNvlinkShare{0.65, 0.78, 0.88};
// Switches that add up an all-reduce themselves lift what is counted as bus bandwidth above what a
// link carries: 475 GB/s between eight H200 (NVIDIA/nccl-tests#272), 480 between eight H100 (#212),
// with messages of gigabytes; smaller ones stay below.
constexpr double kNvlinkSharpShare = 1.07;
// Of a measured bus bandwidth, whose message was 128 MiB: buckets of gradients are smaller and
// slower, whole layers larger. Chosen, and no narrower than what is assumed without a measurement.
constexpr Range kMeasuredShare{0.8, 1.0, 1.1};
// Bus bandwidth over PCIe with the traffic of two neighbours, bytes per second and lane at
// generation 4 (20-24 GB/s on 16 lanes where peers may talk; half through the host).
constexpr double kPcieLane = 1.3e9;
constexpr Range kPcieShare{0.4, 0.75, 1.0};
constexpr int kReferenceGeneration = 4;
// A node's network where nobody stated it: 25 Gbit/s to 8 x 400 Gbit/s, bytes per second.
constexpr Range kUnknownNetwork{3e9, 25e9, 360e9};
constexpr double kNetworkShare = 0.9;

// Of backward (and forward for gathers), the part that communication can hide behind; the last
// bucket, and the first layer's gather, never can. No published figure: chosen, and wide; checked
// through the tables of several GPUs in docs/accuracy.md only.
constexpr Range kOverlap{0.5, 0.85, 0.95};
// Kernels of NCCL take multiprocessors and bandwidth from the ones they run beside. Chosen
// likewise.
constexpr Range kInterference{0.0, 0.03, 0.10};  // of the communication time
// Messages per layer and direction under tensor parallelism: one after attention, one after the
// feed-forward. Source: Shoeybi et al. 2019 (Megatron-LM), section 3, arXiv:1909.08053.
constexpr double kTensorParallelReductions = 2;

struct RankLink {
  Range bandwidth;  // bytes per second each rank gets
  std::string_view name;
};

RankLink inside_host(const Gpu& gpu, std::int64_t ranks_on_host, ExchangeKind kind) {
  if (gpu.collectives && gpu.collectives->gpus == ranks_on_host) {
    return {exactly(gpu.collectives->bus.value) * kMeasuredShare, "the links as measured"};
  }
  const bool joined = gpu.nvlink_bandwidth && (!gpu.nvlink_bridge || ranks_on_host <= 2);
  const double lanes = gpu.pcie_lanes.value_or(16);
  const double generation = gpu.pcie_generation.value_or(kReferenceGeneration);
  double scale = 1;
  for (double g = kReferenceGeneration; g < generation; ++g) scale *= 2;
  for (double g = generation; g < kReferenceGeneration; ++g) scale /= 2;
  const Range pcie = exactly(lanes * kPcieLane * scale) * kPcieShare;
  if (!joined) return {pcie, "PCIe"};
  Range share = kNvlinkShare;
  if (gpu.nvlink_sharp && kind == ExchangeKind::all_reduce) share.high = kNvlinkSharpShare;
  const Range nvlink = exactly(gpu.nvlink_bandwidth->value / 2) * share;
  // Whether a bridge is plugged in is not known.
  if (gpu.nvlink_bridge) return {{pcie.low, pcie.central, nvlink.high}, "PCIe or an NVLink bridge"};
  return {nvlink, "NVLink"};
}

RankLink link_of(const TrainingPlan& plan, const Gpu& gpu, const Layout& layout, ExchangeKind kind,
                 UnknownFacts& unknown) {
  const RankLink inside = inside_host(gpu, layout.ranks_on_host, kind);
  if (layout.hosts.value_or(1) <= 1) return inside;
  const auto stated = positive(plan.network_bandwidth);
  if (!stated) unknown.push_back("network_bandwidth");
  const Range network = stated ? exactly(stated->as_double() * kNetworkShare)
                               : exactly(kNetworkShare) * kUnknownNetwork;
  // A ring crosses each host's network once for all its ranks.
  const auto slower = [](double a, double b) { return std::min(a, b); };
  return {
      {slower(network.low, inside.bandwidth.low), slower(network.central, inside.bandwidth.central),
       slower(network.high, inside.bandwidth.high)},
      "the network between hosts"};
}

Range seconds(double bytes, const Range& bandwidth) {
  return {bytes / bandwidth.high, bytes / bandwidth.central, bytes / bandwidth.low};
}

TimeInterval of_step(double times, const Range& once) {
  return {Seconds{times * once.low}, Seconds{times * once.central}, Seconds{times * once.high}};
}

// What of `busy` seconds of communication sticks out beside `cover` seconds of computation.
Range exposed(const Range& busy, double cover) {
  const auto at = [&](double time, double overlap, double interference) {
    return std::max(0.0, time - overlap * cover) + interference * time;
  };
  return {at(busy.low, kOverlap.high, kInterference.low),
          at(busy.central, kOverlap.central, kInterference.central),
          at(busy.high, kOverlap.low, kInterference.high)};
}

}  // namespace

Communication communication(const TrainingPlan& plan, const Gpu& gpu, const Layout& layout,
                            const StepTraffic& traffic, UnknownFacts& unknown) {
  Communication result;
  const double replicas = static_cast<double>(layout.same_weights());
  const bool alone = replicas <= 1 && layout.tensor <= 1;
  if (alone) return result;
  const bool gathers = at_least(plan.sharding_stage, 3).has_value();
  const RankLink link =
      link_of(plan, gpu, layout, gathers ? ExchangeKind::reduce_scatter : ExchangeKind::all_reduce,
              unknown);
  const double ring = (replicas - 1) / replicas;
  Range sum;
  if (replicas > 1) {
    const Range reduce =
        seconds((gathers ? 1 : 2) * ring * traffic.gradients.as_double(), link.bandwidth);
    // Sharded gradients are reduced after every micro-batch, whole ones only after the last.
    const double reductions = gathers ? traffic.micro_batches : 1;
    sum = exactly(reductions) * exposed(reduce, traffic.backward.value);
    const bool one_host = layout.hosts.value_or(1) <= 1;
    const auto ranks = layout.same_weights();
    result.exchanges.push_back(
        {gathers ? ExchangeKind::reduce_scatter : ExchangeKind::all_reduce, "gradients",
         "gradients", ranks, one_host,
         Bytes::rounded(reductions * (gathers ? 1 : 2) * ring * traffic.gradients.as_double()),
         of_step(reductions, reduce)});
    result.arithmetic = fmt::format("{:.2f} GB of gradients over {}",
                                    traffic.gradients.as_double() / 1e9, link.name);
    if (gathers) {
      const Range gather = seconds(ring * traffic.gathered.as_double(), link.bandwidth);
      const Range both =
          exposed(gather, traffic.forward.value) + exposed(gather, traffic.backward.value);
      sum = sum + exactly(traffic.micro_batches) * both;
      const double passes = 2 * traffic.micro_batches;
      result.exchanges.push_back({ExchangeKind::all_gather, "weights", "sharded weights", ranks,
                                  one_host,
                                  Bytes::rounded(passes * ring * traffic.gathered.as_double()),
                                  of_step(passes, gather)});
      result.arithmetic +=
          fmt::format(", {:.2f} GB of weights gathered twice", traffic.gathered.as_double() / 1e9);
    }
  }
  if (layout.tensor > 1) {
    const RankLink inside = inside_host(gpu, layout.ranks_on_host, ExchangeKind::all_reduce);
    const double tensor = static_cast<double>(layout.tensor);
    const double share = 2 * (tensor - 1) / tensor;
    const double bytes = share * traffic.boundary.as_double() *
                         static_cast<double>(traffic.layers) * kTensorParallelReductions * 2 *
                         traffic.micro_batches;
    sum = sum + seconds(bytes, inside.bandwidth);
    result.exchanges.push_back({ExchangeKind::all_reduce, "activations",
                                "activations between tensor-parallel ranks", layout.tensor, true,
                                Bytes::rounded(bytes),
                                of_step(1, seconds(bytes, inside.bandwidth))});
    result.arithmetic += fmt::format("{}{:.2f} GB between tensor-parallel ranks",
                                     result.arithmetic.empty() ? "" : ", ", bytes / 1e9);
  }
  result.exposed = {Seconds{sum.low}, Seconds{sum.central}, Seconds{sum.high}};
  return result;
}

std::string_view name_of(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::all_reduce:
      return "all_reduce";
    case ExchangeKind::all_gather:
      return "all_gather";
    case ExchangeKind::reduce_scatter:
      return "reduce_scatter";
  }
  return "";
}

HostLinkRate link_inside_host(const Gpu& gpu, std::int64_t ranks_on_host, ExchangeKind kind) {
  const auto [bandwidth, name] = inside_host(gpu, ranks_on_host, kind);
  return {{PerSecond{bandwidth.low}, PerSecond{bandwidth.central}, PerSecond{bandwidth.high}},
          std::string(name)};
}

}  // namespace gpulint
