#include "probe/emulated/cuda.h"
// after it: the file uses what it defines
#include "device/kernels/wide.cu"
