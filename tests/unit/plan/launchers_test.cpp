#include "catalog/catalog.h"
#include "plan/plan.h"

#include <doctest/doctest.h>

namespace {

TEST_CASE("what launchers say speaks of facts there are") {
  auto catalog = gpulint::Catalog::open(gpulint::embedded_data());
  REQUIRE(catalog);
  for (const gpulint::Launcher* launcher : catalog->all_described<gpulint::Launcher>()) {
    const auto checked = gpulint::check_dialect(launcher->facts, catalog->dialects(), &*catalog);
    CHECK_MESSAGE(checked, launcher->id << ": " << (checked ? "" : checked.error().message));
    const bool has_dialect =
        launcher->dialect.empty() || catalog->dialect(launcher->dialect) != nullptr;
    CHECK_MESSAGE(has_dialect, launcher->id);
  }
}

}  // namespace
