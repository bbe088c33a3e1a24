#pragma once

#include "lsp/server.h"

namespace gpulint::lsp {

/// Serves one client over two descriptors until it says `exit` or the input ends. One thread reads
/// and sorts out what was cancelled, the calling thread works. Returns the exit code the protocol
/// asks for: 0 after `shutdown`, else 1.
int serve(const FileReader& disk, ServerOptions options, int input, int output);

}  // namespace gpulint::lsp
