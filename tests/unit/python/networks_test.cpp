// Networks are built with the layers that a host describes in Python.

#include "python/interpreter.h"
#include "python/parser.h"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace networks_python_test {

using namespace gpulint::python;

namespace {

constexpr const char* kLibrary = R"(
class Module:
    __network__ = True
    def __init__(self): pass
    def parameters(self): return __parameters__(self)
class Linear(Module):
    def __init__(self, a, b, bias=True):
        self.weight = __parameter__(__tensor__(b, a), True)
        self.bias = __parameter__(__tensor__(b), True) if bias else None
class List(Module):
    def __init__(self, modules): __extend__(self, modules)
def wrapped(module): return module
)";

/// One file, with "lib" described beside it.
struct Host : gpulint::python::Host {
  Module main;
  Module library;
  std::array<const Module*, 1> described_modules = {&library};
  std::vector<std::string> calls;

  explicit Host(std::string text) {
    library.path = "lib";
    library.text = kLibrary;
    library.tree = parse(library.text);
    library.is_library = true;
    main.path = "main.py";
    main.text = "import lib\n" + std::move(text);
    main.tree = parse(main.text);
    main.file = 0;
  }
  const Module* module(const std::string&) override { return nullptr; }
  bool is_folder(const std::string&) override { return false; }
  Behaviour behaviour(std::string_view) override { return Behaviour::none; }
  std::optional<Value> load(Interpreter&, const Value&, std::string_view) override { return {}; }
  std::optional<Value> entry_config(Interpreter&, std::span<const Argument>) override { return {}; }
  void called(Interpreter&, const Call& call) override { calls.emplace_back(call.name); }
  void looped(Interpreter&, const Loop&) override {}
  std::span<const Module* const> described(std::string_view prefix) override {
    if (prefix == "lib") return described_modules;
    return {};
  }
};

/// "elements of all parameters", with "+" where there may be more, of the variable `net`.
std::string counted(Host& host) {
  Interpreter in(host, {});
  const ObjectId scope = in.run(host.main, true);
  const Entry* net = in.find(scope, in.intern("net"));
  if (net == nullptr) return "none";
  const NetworkParameters found = in.parameters_of(net->value);
  std::int64_t sum = 0;
  for (const ObjectId each : found.objects)
    sum += std::max<std::int64_t>(0, in.object(each).elements);
  return std::to_string(sum) + (found.is_whole() ? "" : "+");
}

std::string counted(std::string text) {
  Host host(std::move(text));
  return counted(host);
}

}  // namespace

TEST_CASE("constructors of described classes and of those that derive from them are run") {
  CHECK(counted(R"(
class Net(lib.Module):
    def __init__(self, width):
        super().__init__()
        self.first = lib.Linear(2, width)
        self.rest = lib.List([lib.Linear(width, width, bias=False) for i in range(3)])
net = lib.wrapped(Net(4))
)") == "60");
}

TEST_CASE("ranges beyond those of a script's loops are run in a constructor") {
  CHECK(counted(R"(
class Net(lib.Module):
    def __init__(self):
        layers = []
        width = 1
        while width < 64:
            width *= 2
        for i in range(40, 0, -1):
            layers.append(lib.Linear(width, 1))
        self.rest = lib.List(layers[::-1])
net = Net()
)") == "2600");
}

TEST_CASE("layers in a plain list are no part of a network") {
  CHECK(counted(R"(
class Net(lib.Module):
    def __init__(self):
        self.first = lib.Linear(1, 1)
        self.hidden = [lib.Linear(8, 8)]
net = Net()
)") == "2");
}

TEST_CASE("text is looped over by its letters, an opened file is not") {
  const std::string network = R"(
class Net(lib.Module):
    def __init__(self, of):
        self.rest = lib.List([lib.Linear(1, 1) for each in of])
)";
  CHECK(counted(network + "net = Net('a\u00e9b')\n") == "6");
  CHECK(counted(network + "net = Net(open('abc'))\n") == "0+");
}

TEST_CASE("sizes are read from lists and tuples that are repeated, from either side") {
  CHECK(counted(R"(
net = lib.Linear(((3,) * 2)[1], (2 * [5])[0])
)") == "20");
}

TEST_CASE("attributes that nobody knows leave a network open") {
  CHECK(counted(R"(
class Net(lib.Module):
    def __init__(self):
        self.first = lib.Linear(1, 1)
        self.second = somewhere.load()
net = Net()
)") == "2+");
  CHECK(counted(R"(
class Net(lib.Module):
    def __init__(self):
        self.first = lib.Linear(1, 1)
        if unknown():
            self.second = lib.Linear(8, 8)
net = Net()
)") == "2+");
  CHECK(counted(R"(
class Net(lib.Module):
    def __init__(self):
        self.first = lib.Linear(1, 1)
        raise ValueError()
net = Net()
)") == "2+");
}

TEST_CASE("an item that is replaced or deleted is no part any more") {
  const std::string network = R"(
class Net(lib.Module):
    def __init__(self):
        self.rest = lib.List([lib.Linear(8, 8), lib.Linear(1, 1)])
)";
  CHECK(counted(network + "        self.rest[0] = lib.Linear(1, 1)\nnet = Net()\n") == "4");
  CHECK(counted(network + "        self.rest[-2] = lib.Linear(1, 1)\nnet = Net()\n") == "4");
  CHECK(counted(network + "        del self.rest[0]\nnet = Net()\n") == "0+");
}

TEST_CASE("a method of a network that nobody describes may add to it") {
  CHECK(counted(R"(
class Net(lib.Module):
    def __init__(self):
        self.first = lib.Linear(1, 1)
        self.add(lib.Linear(8, 8))
net = Net()
)") == "2+");
}

TEST_CASE("a network made on one side of a condition is whole on that side") {
  Host host(R"(
class Net(lib.Module):
    def __init__(self):
        self.first = lib.Linear(1, 1)
def train():
    net = Net()
    if unknown():
        net = Net()
    outside.optimizer(list(net.parameters()))
    return net
if unknown():
    outside.spawn()
    raise SystemExit()
net = train()
)");
  CHECK(counted(host) != "none");
}

TEST_CASE("calls inside a constructor of a network are not reported") {
  Host host(R"(
class Net(lib.Module):
    def __init__(self):
        outside.load()
net = Net()
outside.train(net)
)");
  CHECK(counted(host) == "0");
  CHECK(host.calls == std::vector<std::string>{"outside.train"});
}

TEST_CASE("a constructor that does not end leaves the script its steps") {
  Host host(R"(
class Net(lib.Module):
    def __init__(self):
        while True:
            self.first = lib.Linear(1, 1)
net = Net()
outside.train(net)
)");
  CHECK(counted(host).ends_with("+"));
  CHECK(host.calls == std::vector<std::string>{"outside.train"});
}

}  // namespace networks_python_test
