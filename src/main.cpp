#include "cli/run.h"

#include <exception>

int main(int argc, char** argv) {
  try {
    return gpulint::cli::run(argc, argv);
  } catch (const std::exception& error) {
    return gpulint::cli::report_internal_error(error.what());
  } catch (...) {
    return gpulint::cli::report_internal_error("unknown");
  }
}
