#include "probe/measured.h"

#include "base/text.h"
#include "device/wire.h"
#include "probe/rate_checks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace gpulint::probe {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::sys_days;

constexpr std::string_view kSchema = "gpulint.measured/1";
/// Long enough for a quarter's work, short enough that a changed machine shows.
constexpr std::chrono::days kMostAge{90};
/// A card that does less than a fifth of its data sheet, or a third more, is another card or a
/// broken file.
constexpr double kLeastOfNominal = 0.2;
constexpr double kMostOfNominal = 1.3;
/// Half of the smallest anybody reported, and three times what eager module loading adds.
constexpr Bytes kLeastContext = Bytes::mib(32);
constexpr Bytes kMostContext = Bytes::gib(4);

std::optional<unsigned> digits(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The figures travel in the form the measuring process sends; its reader checks them.
DeviceReport as_report(const MeasuredGpu& measured) {
  DeviceReport report;
  report.name = measured.name;
  report.driver_version = measured.driver_version;
  report.card = measured.card;
  report.library = measured.library;
  report.under_load.power_limit = measured.power_limit;
  report.nvml_total = measured.memory_total;
  report.cuda_total = measured.cuda_total;
  report.context = measured.context;
  report.rates = measured.rates;
  return report;
}

/// Of copies on the device and of products; nobody publishes the others.
std::optional<PerSecond> nominal(const Gpu& gpu, RateKind kind) {
  if (const auto product = product_of(kind)) {
    return gpu.peak_flops[static_cast<std::size_t>(precision_of(product->format))];
  }
  const bool on_device =
      kind == RateKind::copy || kind == RateKind::driver_copy || kind == RateKind::read;
  return on_device ? gpu.memory_bandwidth : std::nullopt;
}

Result<void> check_figure(std::string_view name, double value, double low, double high) {
  if (value >= kLeastOfNominal * low && value <= kMostOfNominal * high) return {};
  return fail(fmt::format("{} is {:.3g}, outside of {} to {} of the database's {:.3g}", name, value,
                          kLeastOfNominal, kMostOfNominal, high));
}

std::string line_for(const MeasuredOf& each) {
  const MeasuredGpu& measured = each.measured;
  std::string line =
      fmt::format("{}  measured {}, driver {}: CUDA {} MiB", each.gpu->id, day_text(measured.day),
                  measured.driver_version.empty() ? "unknown" : measured.driver_version,
                  measured.cuda_total.count() >> 20);
  if (const auto& usable = each.gpu->usable_memory) {
    line += fmt::format(" (database {} to {} MiB)", usable->low.count() >> 20,
                        usable->high.count() >> 20);
  }
  if (measured.context) line += fmt::format(", context {} MiB", measured.context->count() >> 20);
  for (const Rate& rate : measured.rates) {
    line += fmt::format(", {} {}", name_of(rate.kind), words_of(rate.kind, rate.value));
    if (const auto of = nominal(*each.gpu, rate.kind)) {
      line += fmt::format(" (nominal {})", words_of(rate.kind, of->value));
    }
  }
  return escape_for_display(line) + "\n";
}

/// Cards of one name and memory differ by their PCI id.
Result<const Gpu*> look_up(std::string_view name, std::string_view pci_device_id, Bytes memory,
                           const Catalog& catalog) {
  if (const Gpu* gpu = catalog.find_gpu(name, memory)) return gpu;
  if (const Gpu* gpu =
          pci_device_id.empty() ? nullptr : catalog.gpu_by_pci(pci_device_id, memory)) {
    return gpu;
  }
  return fail(fmt::format("\"{}\" is not in the database", name));
}

Result<void> load_card(std::string_view text, const Catalog& catalog, sys_days today,
                       MeasuredSet& set) {
  auto measured = read_measured(text);
  if (!measured) return fail(measured.error());
  const auto gpu =
      look_up(measured->name, measured->pci_device_id, measured->memory_total, catalog);
  if (!gpu) return fail(gpu.error());
  if (auto good = check_measured(*measured, **gpu, today); !good) return good;
  set.kept.push_back({*gpu, std::move(*measured)});
  return {};
}

Result<void> load_links(std::string_view text, const Catalog& catalog, sys_days today,
                        MeasuredSet& set) {
  auto links = read_measured_links(text);
  if (!links) return fail(links.error());
  const auto gpu = look_up(links->name, links->pci_device_id, links->memory_total, catalog);
  if (!gpu) return fail(gpu.error());
  if (auto good = check_measured_links(*links, **gpu, today); !good) return good;
  set.links.push_back({*gpu, std::move(*links)});
  return {};
}

Result<void> load_one(const disk::PrivateFile& file, const Catalog& catalog, sys_days today,
                      MeasuredSet& set) {
  if (!file.text) return fail(file.text.error());
  if (is_measured_links(*file.text)) return load_links(*file.text, catalog, today, set);
  return load_card(*file.text, catalog, today, set);
}

std::string line_for(const LinksOf& each) {
  return escape_for_display(
             fmt::format("{}  measured {}, driver {}: {} GPUs exchange {:.0f} GB/s, {}",
                         each.gpu->id, day_text(each.links.day),
                         each.links.driver_version.empty() ? "unknown" : each.links.driver_version,
                         each.links.gpus, each.links.bus / 1e9, each.links.nccl)) +
         "\n";
}

}  // namespace

bool is_pci_device_id(std::string_view text) {
  return text.empty() ||
         (text.size() == 4 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

std::optional<sys_days> day_from(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5, 2));
  const auto day = digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

std::string measured_folder(const char* xdg_config_home, const char* home) {
  const auto absolute = [](const char* path) { return path != nullptr && *path == '/'; };
  if (absolute(xdg_config_home)) return join_path(xdg_config_home, "gpulint/measured");
  if (absolute(home)) return join_path(home, ".config/gpulint/measured");
  return "";
}

std::string day_text(sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

/// What is kept stands for the card for months: no disturbed rate, and none that scatters.
static std::vector<Rate> steady_rates(const DeviceReport& device) {
  constexpr double kMostNoise = 0.05;
  if (!device.disturbed_by.empty()) return {};
  std::vector<Rate> rates = device.rates;
  std::erase_if(rates, [](const Rate& rate) { return !(rate.noise <= kMostNoise * rate.value); });
  return rates;
}

std::optional<MeasuredGpu> measured_from(const DeviceReport& device, std::string pci_device_id,
                                         sys_days day) {
  const bool whole = device.cut_off.empty() && device.limited_by.empty();
  if (device.mig || !whole || !device.nvml_total) return std::nullopt;
  return MeasuredGpu{.name = device.name,
                     .pci_device_id = std::move(pci_device_id),
                     .driver_version = device.driver_version,
                     .card = device.card,
                     .library = device.library.substr(0, device.library.find(',')),
                     .power_limit = device.under_load.power_limit,
                     .memory_total = *device.nvml_total,
                     .cuda_total = device.cuda_total,
                     .context = device.context,
                     .rates = steady_rates(device),
                     .day = day};
}

std::string file_name_of(const MeasuredGpu& measured) {
  const std::string_view pci = measured.pci_device_id;
  std::string name = fmt::format("{}-{}{}{}-{}", measured.name, pci, pci.empty() ? "" : "-",
                                 measured.memory_total.count() >> 20, measured.driver_version);
  if (!measured.card.empty()) name += "-" + measured.card;
  if (measured.power_limit) name += fmt::format("-{:.0f}w", *measured.power_limit);
  if (!measured.library.empty()) name += "-" + measured.library;
  constexpr std::size_t kMostNameBytes = 200;  // file systems allow 255
  name = to_lower(name).substr(0, kMostNameBytes);
  for (char& c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.')) c = '-';
  }
  return name + ".json";
}

std::string write_measured(const MeasuredGpu& measured, std::string_view version) {
  const Json json = {{"schema", kSchema},
                     {"version", version},
                     {"day", day_text(measured.day)},
                     {"pci_device_id", measured.pci_device_id},
                     {"measured", Json::parse(write_wire(as_report(measured)))}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<MeasuredGpu> read_measured(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail("is not JSON, or cut off");
  const auto text_of = [&json](const char* key) {
    const auto member = json.is_object() ? json.find(key) : json.end();
    return member != json.end() && member->is_string() ? member->get<std::string>() : "";
  };
  if (text_of("schema") != kSchema) return fail(fmt::format("is not of schema {}", kSchema));
  const auto day = day_from(text_of("day"));
  const auto figures = json.find("measured");
  if (!day || figures == json.end()) return fail("lacks its day or its figures");
  const Outcome outcome = read_wire(figures->dump());
  const auto* device = std::get_if<DeviceReport>(&outcome);
  if (!is_pci_device_id(text_of("pci_device_id"))) return fail("has no valid pci_device_id");
  auto measured =
      device == nullptr ? std::nullopt : measured_from(*device, text_of("pci_device_id"), *day);
  if (!measured) return fail("has incomplete figures");
  return std::move(*measured);
}

Result<void> check_age(sys_days day, sys_days today) {
  if (day > today) return fail("is from the future: " + day_text(day));
  if (today - day <= kMostAge) return {};
  return fail(fmt::format("is older than {} days ({}); run gpulint confirm again", kMostAge.count(),
                          day_text(day)));
}

Result<void> check_measured(const MeasuredGpu& measured, const Gpu& gpu, sys_days today) {
  if (auto good = check_age(measured.day, today); !good) return good;
  if (const auto& total = gpu.memory_total) {
    const double nominal_total = total->as_double();
    if (auto good = check_figure("memory_total", measured.memory_total.as_double(), nominal_total,
                                 nominal_total);
        !good) {
      return good;
    }
  }
  if (const auto& usable = gpu.usable_memory) {
    if (auto good = check_figure("cuda_total", measured.cuda_total.as_double(),
                                 usable->low.as_double(), usable->high.as_double());
        !good) {
      return good;
    }
  }
  if (measured.context && (*measured.context < kLeastContext || *measured.context > kMostContext)) {
    return fail(fmt::format("context is {} MiB; one takes {} to {}",
                            measured.context->count() >> 20, kLeastContext.count() >> 20,
                            kMostContext.count() >> 20));
  }
  for (const Rate& rate : measured.rates) {
    const auto of = nominal(gpu, rate.kind);
    if (!of) continue;
    // Our own kernels may be far from a new card's peak: theirs are lower bounds.
    const auto product = product_of(rate.kind);
    const double low = product && product->tier == Tier::kernel ? 0 : of->value;
    if (auto good = check_figure(name_of(rate.kind), rate.value, low, of->value); !good) {
      return good;
    }
  }
  return {};
}

MeasuredSet load_measured(std::span<const disk::PrivateFile> files, const Catalog& catalog,
                          sys_days today) {
  MeasuredSet set;
  for (const disk::PrivateFile& file : files) {
    if (auto loaded = load_one(file, catalog, today, set); !loaded) {
      set.refused.push_back(fmt::format("{}: {}", file.name, loaded.error().message));
    }
  }
  std::stable_sort(set.kept.begin(), set.kept.end(), [](const auto& a, const auto& b) {
    return std::tie(a.gpu->id, a.measured.day) < std::tie(b.gpu->id, b.measured.day);
  });
  std::stable_sort(set.links.begin(), set.links.end(), [](const auto& a, const auto& b) {
    return std::tie(a.gpu->id, a.links.day) < std::tie(b.gpu->id, b.links.day);
  });
  return set;
}

std::string measured_text(const MeasuredSet& set) {
  std::string text;
  for (const MeasuredOf& each : set.kept) text += line_for(each);
  for (const LinksOf& each : set.links) text += line_for(each);
  return text;
}

}  // namespace gpulint::probe
