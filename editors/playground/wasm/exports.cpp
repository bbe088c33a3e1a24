// What a page calls. Texts go through the memory of the module: the page asks for room, writes into
// it, and reads the answer from where gpulint_answer and gpulint_answer_size say.

#include "given_data.h"
#include "web/playground.h"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#define EXPORTED(name) __attribute__((export_name(#name), used))

namespace {

using gpulint::web::Playground;

std::unique_ptr<Playground> playground;
std::string answer;

}  // namespace

extern "C" {

/// Room for so many bytes at an address divisible by 16.
EXPORTED(gpulint_room) void* gpulint_room(std::size_t size) {
  constexpr std::size_t kAlignment = 16;
  return std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
}

EXPORTED(gpulint_free) void gpulint_free(void* room) { std::free(room); }

/// Takes the data archive, whose room stays the program's. 0: gpulint_answer says what is wrong.
EXPORTED(gpulint_open) int gpulint_open(const char* archive, std::size_t size) {
  gpulint::give_data(std::string_view(archive, size));
  try {
    auto opened = Playground::open();
    if (opened) {
      playground = std::make_unique<Playground>(std::move(*opened));
      return 1;
    }
    answer = opened.error().to_string();
  } catch (const std::exception& error) {
    answer = error.what();
  }
  return 0;
}

/// Answers a request (web/request.h); the answer stays until the next one.
EXPORTED(gpulint_ask) void gpulint_ask(const char* request, std::size_t size) {
  answer = playground->answer(std::string_view(request, size));
}

EXPORTED(gpulint_answer) const char* gpulint_answer() { return answer.data(); }

EXPORTED(gpulint_answer_size) std::size_t gpulint_answer_size() { return answer.size(); }
}
