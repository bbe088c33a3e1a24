"""The NVIDIA libraries as far as checks look past gpulint: free memory by NVML, and allocations by the driver.

Run as a program it is a process of its own, because a driver may hang, and its memory goes back when it ends:

    native.py uuid                  the UUID of the first visible device
    native.py hold BYTES            allocates BYTES, writes its end, prints "held", waits for a line, reads it back: "whole" or "damaged"
    native.py granules SIZE...      what free memory loses by one allocation of each size
    native.py product FOLDER [TEXT] operations/s of the wgmma product in bf16, whose PTX lies in FOLDER, without the lines that are TEXT
    native.py create BYTES          seconds that creating BYTES of device memory takes, in handles of 128 MiB
"""

import ctypes
import pathlib
import statistics
import sys
import time

MARK = b"gpulint hardware check: 64 bytes which must still be there.....!"
HANDLE = 128 << 20


class NativeError(Exception):
    """A library is missing, or a call of it failed."""


def load(name):
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise NativeError(str(error)) from error


def call(library, name, *arguments):
    try:
        function = getattr(library, name)
    except AttributeError as error:
        raise NativeError(f"{name} is missing") from error
    code = function(*arguments)
    if code != 0:
        raise NativeError(f"{name} returned {code}")


class Memory(ctypes.Structure):
    """nvmlMemory_v2_t"""

    _fields_ = [("version", ctypes.c_uint), ("total", ctypes.c_ulonglong), ("reserved", ctypes.c_ulonglong),
                ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Nvml:
    """What is free on one card, seen from a process without a context."""

    def __init__(self, bus_id):
        self.library = load("libnvidia-ml.so.1")
        call(self.library, "nvmlInit_v2")
        self.device = ctypes.c_void_p()
        call(self.library, "nvmlDeviceGetHandleByPciBusId_v2", bus_id.encode(), ctypes.byref(self.device))

    def used(self):
        memory = Memory(version=ctypes.sizeof(Memory) | 2 << 24)
        call(self.library, "nvmlDeviceGetMemoryInfo_v2", self.device, ctypes.byref(memory))
        return memory.used

    def close(self):
        self.library.nvmlShutdown()


class Location(ctypes.Structure):
    """CUmemLocation"""

    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Properties(ctypes.Structure):
    """CUmemAllocationProp; all but the first fields stay zero."""

    _fields_ = [("type", ctypes.c_int), ("handle_types", ctypes.c_int), ("location", Location),
                ("metadata", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]


class Device:
    """The first visible device with its primary context."""

    def __init__(self, context=True):
        self.cuda = load("libcuda.so.1")
        call(self.cuda, "cuInit", 0)
        self.device = ctypes.c_int()
        call(self.cuda, "cuDeviceGet", ctypes.byref(self.device), 0)
        if not context:
            return
        self.context = ctypes.c_void_p()
        call(self.cuda, "cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        call(self.cuda, "cuCtxSetCurrent", self.context)
        self.stream = ctypes.c_void_p()
        call(self.cuda, "cuStreamCreate", ctypes.byref(self.stream), 0)

    def uuid(self):
        raw = (ctypes.c_ubyte * 16)()
        name = "cuDeviceGetUuid_v2" if hasattr(self.cuda, "cuDeviceGetUuid_v2") else "cuDeviceGetUuid"
        call(self.cuda, name, raw, self.device)
        text = bytes(raw).hex()
        return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def free_memory(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        call(self.cuda, "cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def allocate(self, size):
        address = ctypes.c_ulonglong()
        call(self.cuda, "cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def release(self, address):
        call(self.cuda, "cuMemFree_v2", address)

    def write_end(self, address, size):
        end = ctypes.c_ulonglong(address.value + size - len(MARK))
        call(self.cuda, "cuMemcpyHtoDAsync_v2", end, MARK, ctypes.c_size_t(len(MARK)), self.stream)
        call(self.cuda, "cuCtxSynchronize")

    def read_end(self, address, size):
        text = ctypes.create_string_buffer(len(MARK))
        end = ctypes.c_ulonglong(address.value + size - len(MARK))
        call(self.cuda, "cuMemcpyDtoH_v2", text, end, ctypes.c_size_t(len(MARK)))
        return text.raw

    def create(self, size):
        """Seconds for so much physical memory, which is given back."""
        pinned, on_device = 1, 1
        wanted = Properties(type=pinned, location=Location(on_device, self.device.value))
        handles = []
        begin = time.perf_counter()
        for _ in range(size // HANDLE):
            handle = ctypes.c_ulonglong()
            call(self.cuda, "cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(HANDLE), ctypes.byref(wanted),
                 ctypes.c_ulonglong(0))
            handles.append(handle)
        seconds = time.perf_counter() - begin
        for handle in handles:
            call(self.cuda, "cuMemRelease", handle)
        return seconds


    def load(self, ptx):
        module = ctypes.c_void_p()
        call(self.cuda, "cuModuleLoadData", ctypes.byref(module), ptx.encode())
        return module

    def function(self, module, name, shared_bytes=0):
        function = ctypes.c_void_p()
        call(self.cuda, "cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        most_dynamic_shared = 8
        if shared_bytes:
            call(self.cuda, "cuFuncSetAttribute", function, most_dynamic_shared, shared_bytes)
        return function

    def launch(self, function, grid, threads, shared_bytes, arguments):
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(each) for each in arguments))
        call(self.cuda, "cuLaunchKernel", function, *grid, threads, 1, 1, shared_bytes, self.stream, pointers, None)

    def seconds(self, run, times):
        """Of one run, by the device's clock."""
        start, stop = ctypes.c_void_p(), ctypes.c_void_p()
        call(self.cuda, "cuEventCreate", ctypes.byref(start), 0)
        call(self.cuda, "cuEventCreate", ctypes.byref(stop), 0)
        call(self.cuda, "cuEventRecord", start, self.stream)
        for _ in range(times):
            run()
        call(self.cuda, "cuEventRecord", stop, self.stream)
        call(self.cuda, "cuEventSynchronize", stop)
        milliseconds = ctypes.c_float()
        call(self.cuda, "cuEventElapsedTime", ctypes.byref(milliseconds), start, stop)
        return milliseconds.value / 1000 / times


def product(device, folder, without):
    """As src/device/kernels.cpp launches it, on random numbers."""
    size, rows, columns, threads = 8192, 128, 256, 256
    shared_bytes = 4 * (rows + columns) * 128
    files = {name: (pathlib.Path(folder) / f"{name}.ptx").read_text(encoding="utf-8") for name in ("memory", "hopper")}
    lines = [line for line in files["hopper"].splitlines() if not without or line.strip() != without]
    left_out = len(files["hopper"].splitlines()) - len(lines)
    if without and left_out == 0:
        raise NativeError(f"no line is {without}")
    fill = device.function(device.load(files["memory"]), "gpulint_fill")
    multiply = device.function(device.load("\n".join(lines) + "\n"), "gpulint_wgmma_gemm_bf16", shared_bytes)
    a, b, c = (device.allocate(size * size * width) for width in (2, 2, 4))
    for each in (a, b):
        values = [each, ctypes.c_ulonglong(size * size // 2), ctypes.c_uint(7), ctypes.c_uint(0x807F807F), ctypes.c_uint(0x3F003F00)]
        device.launch(fill, (1024, 1, 1), 256, 0, values)
    edge = ctypes.c_int(size)

    def run():
        device.launch(multiply, (size // columns, size // rows, 1), threads, shared_bytes, [c, a, b, edge, edge, edge])

    device.seconds(run, 50)
    print(2 * size ** 3 / statistics.median(device.seconds(run, 10) for _ in range(9)))


def hold(device, size):
    address = device.allocate(size)
    device.write_end(address, size)
    print("held", flush=True)
    sys.stdin.readline()
    print("whole" if device.read_end(address, size) == MARK else "damaged", flush=True)
    device.release(address)


def granules(device, sizes):
    for size in sizes:
        before = device.free_memory()
        address = device.allocate(size)
        print(before - device.free_memory(), flush=True)
        device.release(address)


def main(arguments):
    task = arguments[0]
    try:
        device = Device(context=task != "uuid")
        if task == "uuid":
            print(device.uuid())
        elif task == "hold":
            hold(device, int(arguments[1]))
        elif task == "granules":
            granules(device, [int(size) for size in arguments[1:]])
        elif task == "product":
            product(device, arguments[1], arguments[2] if len(arguments) > 2 else "")
        elif task == "create":
            print(device.create(int(arguments[1])))
        else:
            sys.exit(f"unknown: {task}")
    except NativeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
