#pragma once

#include "catalog/consumers.h"
#include "catalog/hardware.h"
#include "catalog/knowledge.h"
#include "catalog/launcher.h"
#include "catalog/network_form.h"
#include "catalog/package_keys.h"

namespace gpulint {

template <class... Types>
struct TypeList {};

/// What is one data file each, read whole and when it is asked for. Each type says its kind and its
/// loader; being listed here makes its files known to the build's check, to `--data` and to
/// `Catalog::described`.
using DescribedTypes =
    TypeList<Architecture, GpuFleet, OptimizerTraits, AdapterTraits, ImplementationTraits,
             EngineTraits, WordList, Consumers, Launcher, NetworkForm, PackageKeys>;

}  // namespace gpulint
