#include "web/catalogue_json.h"

#include "report/json_text.h"
#include "report/report.h"

namespace gpulint::web {

std::string catalogue_json(const Catalog& catalog) {
  Json gpus = Json::array();
  for (const Gpu* gpu : catalog.gpus()) {
    gpus.push_back(
        {{"id", gpu->id},
         {"name", gpu->names.empty() ? gpu->id : gpu->names.front()},
         {"architecture", gpu->architecture},
         {"usable", gpu->usable_memory ? Json(gpu->usable_memory->low.count()) : Json()}});
  }
  Json hosts = Json::array();
  for (const Host* host : catalog.hosts()) {
    hosts.push_back({{"id", host->id},
                     {"gpu", host->gpu.empty() ? Json() : Json(host->gpu)},
                     {"gpus", host->gpu_count ? Json(*host->gpu_count) : Json()}});
  }
  Json common = Json::array();
  if (const GpuFleet* fleet = catalog.described<GpuFleet>("common")) common = fleet->gpus;
  return json_text({{"version", kVersion},
                    {"gpus", std::move(gpus)},
                    {"hosts", std::move(hosts)},
                    {"common", std::move(common)}});
}

}  // namespace gpulint::web
