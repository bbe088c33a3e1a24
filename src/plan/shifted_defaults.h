#pragma once

#include "plan/catalogue_keys.h"

namespace gpulint {

/// Observes keys that the config leaves out, that state a fact nobody else states, and whose
/// default is not the same in all releases which the project allows: list `shifted_defaults`. A
/// project that sets no upper bound is asking for the newest release, so only a bounded range
/// counts.
void observe_shifted_defaults(const CatalogueTerms& terms, Plan& plan);

}  // namespace gpulint
