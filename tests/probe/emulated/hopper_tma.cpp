#include "probe/emulated/cuda.h"
// after it: the file uses what it defines
#include "device/kernels/hopper_tma.cu"
