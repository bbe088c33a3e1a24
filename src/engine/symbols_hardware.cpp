// gpu.* and host.*: the target hardware. What the plan or the project states about the machine
// (cpu_cores, ram, shm, gpu_memory) wins over the database.

#include "catalog/hardware.h"
#include "engine/symbols.h"

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

template <auto Member>
Value gpu_member(Environment environment) {
  const Gpu* gpu = environment.gpu();
  if (gpu == nullptr) return {};
  if constexpr (std::is_same_v<std::decay_t<decltype(gpu->*Member)>, bool> ||
                std::is_same_v<std::decay_t<decltype(gpu->*Member)>, std::string>) {
    return Value(gpu->*Member);
  } else {
    return known_or_unknown(gpu->*Member);
  }
}

template <Precision Mode>
Value gpu_peak(Environment environment) {
  const Gpu* gpu = environment.gpu();
  if (gpu == nullptr) return {};
  return known_or_unknown(gpu->peak_flops[static_cast<std::size_t>(Mode)]);
}

Value gpu_name(Environment environment) {
  const Gpu* gpu = environment.gpu();
  if (gpu == nullptr) return {};
  return Value(gpu->names.empty() ? gpu->id : gpu->names.front());
}

Value gpu_memory(Environment environment) {
  if (environment.facts().gpu_memory) return Value(environment.facts().gpu_memory->value.count());
  return gpu_member<&Gpu::memory_total>(environment);
}

Value usable_low(Environment environment) {
  const std::optional<BytesRange>& usable = environment.estimate().usable_vram;
  return usable ? Value(usable->low.count()) : Value();
}

Value usable_high(Environment environment) {
  const std::optional<BytesRange>& usable = environment.estimate().usable_vram;
  return usable ? Value(usable->high.count()) : Value();
}

Value host_id(Environment environment) {
  const Host* host = environment.host();
  return host == nullptr ? Value() : Value(host->id);
}

Value host_cpu_cores(Environment environment) {
  if (environment.facts().cpu_cores) return Value(environment.facts().cpu_cores->value);
  const Host* host = environment.host();
  return host == nullptr ? Value() : known_or_unknown(host->cpu_cores);
}

Value host_is_share_of_cores(Environment environment) {
  const auto& cores = environment.facts().cpu_cores;
  return Value(cores && cores->from.origin == Origin::stated);
}

Value host_ram(Environment environment) {
  if (environment.facts().ram) return Value(environment.facts().ram->value.count());
  const Host* host = environment.host();
  return host == nullptr ? Value() : known_or_unknown(host->ram);
}

Value host_gpu_count(Environment environment) {
  const Host* host = environment.host();
  return host == nullptr ? Value() : known_or_unknown(host->gpu_count);
}

Value host_price(Environment environment) {
  if (environment.facts().price_per_hour) {
    return Value(environment.facts().price_per_hour->value);
  }
  const Host* host = environment.host();
  if (host == nullptr || !host->price) return {};
  return Value(host->price->per_hour.dollars);
}

std::vector<SymbolRow> gpu_feature_symbols() {
  return {
      {"gpu.tensor_cores",
       boolean_type(),
       "has matrix units for half precision",
       {"gpu"},
       gpu_member<&Gpu::tensor_cores>},
      {"gpu.bf16_native",
       boolean_type(),
       "computes bf16 in hardware",
       {"gpu"},
       gpu_member<&Gpu::bf16_native>},
      {"gpu.tf32",
       boolean_type(),
       "has TensorFloat-32 matrix units",
       {"gpu"},
       gpu_member<&Gpu::tf32>},
      {"gpu.fp8", boolean_type(), "has fp8 matrix units", {"gpu"}, gpu_member<&Gpu::fp8>},
      {"gpu.fp4", boolean_type(), "has fp4 matrix units", {"gpu"}, gpu_member<&Gpu::fp4>},
      {"gpu.flash_attention_2",
       boolean_type(),
       "runs FlashAttention 2",
       {"gpu"},
       gpu_member<&Gpu::flash_attention_2>},
      {"gpu.flash_attention_3",
       boolean_type(),
       "runs FlashAttention 3",
       {"gpu"},
       gpu_member<&Gpu::flash_attention_3>},
      {"gpu.sdpa_flash",
       boolean_type(),
       "the framework's own attention has a flash kernel for it",
       {"gpu"},
       gpu_member<&Gpu::sdpa_flash>},
      {"gpu.torch_compile",
       boolean_type(),
       "torch.compile's Triton kernels run on it",
       {"gpu"},
       gpu_member<&Gpu::torch_compile>},
      {"gpu.mig", boolean_type(), "can be partitioned (MIG)", {"gpu"}, gpu_member<&Gpu::mig>},
  };
}

std::vector<SymbolRow> gpu_symbols() {
  const expr::Unit rate = expr::kOperationsPerSecond;
  return {
      {"gpu.id", text_type(), "id of the target GPU in hardware_db", {"gpu"}, gpu_member<&Gpu::id>},
      {"gpu.name",
       text_type(),
       "name of the target GPU as its driver prints it",
       {"gpu"},
       gpu_name},
      {"gpu.vendor", text_type(), "maker of the target GPU", {"gpu"}, gpu_member<&Gpu::vendor>},
      {"gpu.architecture",
       text_type(),
       "generation of the target GPU",
       {"gpu"},
       gpu_member<&Gpu::architecture>},
      {"gpu.compute_capability",
       number_type(),
       "major x 10 + minor (86 = 8.6); NVIDIA only",
       {"gpu"},
       gpu_member<&Gpu::compute_capability>},
      {"gpu.sm_count",
       number_type(),
       "streaming multiprocessors",
       {"gpu"},
       gpu_member<&Gpu::sm_count>},
      {"gpu.memory",
       number_type(expr::kBytes),
       "capacity as nvidia-smi shows it, or as the user states it",
       {"gpu_memory", "gpu"},
       gpu_memory},
      {"gpu.usable_memory_low",
       number_type(expr::kBytes),
       "memory that CUDA can use, bottom of its range",
       {"gpu_memory", "gpu_memory_reserve", "gpu"},
       usable_low},
      {"gpu.usable_memory_high",
       number_type(expr::kBytes),
       "memory that CUDA can use, top of its range",
       {"gpu_memory", "gpu_memory_reserve", "gpu"},
       usable_high},
      {"gpu.memory_bandwidth",
       number_type(expr::kBytesPerSecond),
       "peak memory bandwidth",
       {"gpu"},
       gpu_member<&Gpu::memory_bandwidth>},
      {"gpu.peak_fp32", number_type(rate), "dense fp32 peak", {"gpu"}, gpu_peak<Precision::fp32>},
      {"gpu.peak_tf32", number_type(rate), "dense TF32 peak", {"gpu"}, gpu_peak<Precision::tf32>},
      {"gpu.peak_fp16", number_type(rate), "dense fp16 peak", {"gpu"}, gpu_peak<Precision::fp16>},
      {"gpu.peak_bf16", number_type(rate), "dense bf16 peak", {"gpu"}, gpu_peak<Precision::bf16>},
      {"gpu.peak_fp8", number_type(rate), "dense fp8 peak", {"gpu"}, gpu_peak<Precision::fp8>},
  };
}

std::vector<SymbolRow> host_symbols() {
  return {
      {"host.id", text_type(), "id of the target host in hardware_db", {"host"}, host_id},
      {"host.is_share_of_cores",
       boolean_type(),
       "its CPU cores are those that the run asks a batch system or a container for",
       {"cpu_cores"},
       host_is_share_of_cores},
      {"host.cpu_cores",
       number_type(),
       "CPU cores the operating system schedules on, stated or from the host",
       {"cpu_cores", "host"},
       host_cpu_cores},
      {"host.ram",
       number_type(expr::kBytes),
       "host memory, stated or from the host",
       {"ram", "host"},
       host_ram},
      {"host.gpu_count", number_type(), "GPUs in the host", {"host"}, host_gpu_count},
      {"host.price_per_hour",
       number_type(),
       "US dollars per hour of the whole host",
       {"price_per_hour", "host"},
       host_price},
  };
}

}  // namespace

std::vector<SymbolRow> hardware_symbols() {
  std::vector<SymbolRow> rows = gpu_symbols();
  for (auto* group : {&gpu_feature_symbols, &host_symbols}) {
    std::vector<SymbolRow> more = group();
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace gpulint
