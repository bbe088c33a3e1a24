#pragma once

#include "host/host_facts.h"
#include "host/host_part.h"

#include <string>
#include <vector>

namespace gpulint::probe {

struct DiskWork {
  std::vector<std::string>
      paths;               // of the data, the first that is there counts; none: nothing is read
  bool may_write = false;  // temporary files there, where it holds too little to read
  int readers = 1;         // beside one alone
};

/// Sequential reads of large files and whole reads of small ones, past the page cache and from it.
void measure_disk(const DiskWork& work, const PartWriter& writer);

}  // namespace gpulint::probe
