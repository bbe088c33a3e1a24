#include "base/system_path.h"
#include "base/text.h"
#include "base/text_windows.h"
#include "cli/child_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <windows.h>

namespace gpulint::cli {
namespace {

/// One end of a pipe, closed with its holder.
struct End {
  HANDLE handle = nullptr;
  End() = default;
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End() { reset(); }
  void reset() {
    if (handle != nullptr) CloseHandle(std::exchange(handle, nullptr));
  }
};

/// `childs` is the end that the child inherits.
bool open_ends(End& read, End& write, const End& childs) {
  return CreatePipe(&read.handle, &write.handle, nullptr, 0) != 0 &&
         SetHandleInformation(childs.handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) != 0;
}

bool open_nowhere(End& end) {
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  const HANDLE handle =
      CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                  &inherited, OPEN_EXISTING, 0, nullptr);
  end.handle = handle == INVALID_HANDLE_VALUE ? nullptr : handle;
  return end.handle != nullptr;
}

Failure cannot_start(const std::string& program) {
  return fail(fmt::format("{} cannot be started: {}", program, std::strerror(errno)));
}

/// In the folders of PATH alone: Windows itself would look into the working directory first, which
/// holds what is under review.
std::wstring find_program(const std::string& name) {
  std::wstring path(GetEnvironmentVariableW(L"PATH", nullptr, 0), L'\0');
  path.resize(GetEnvironmentVariableW(L"PATH", path.data(), static_cast<DWORD>(path.size())));
  const std::string folders = narrow(path);
  for (const std::string_view folder : split(folders, ';')) {
    const std::string plain = with_slashes(std::string(trim(folder)));
    if (drive_size(plain) == 0) continue;
    const std::wstring program = wide_path(join_path(plain, name + ".exe"));
    const DWORD attributes = GetFileAttributesW(program.c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
      return program;
    }
  }
  return {};
}

/// As CommandLineToArgvW takes it apart again: a backslash counts before a quote alone.
std::wstring quoted(const std::vector<std::string>& words) {
  std::wstring line;
  for (const std::string& word : words) {
    line += line.empty() ? L"\"" : L" \"";
    std::size_t backslashes = 0;
    for (const wchar_t c : wide(word)) {
      if (c == L'"') line.append(backslashes + 1, L'\\');
      backslashes = c == L'\\' ? backslashes + 1 : 0;
      line += c;
    }
    line.append(backslashes, L'\\');
    line += L'"';
  }
  return line;
}

/// The environment with `own` in the place of what it replaces, as Windows wants it: each ended by
/// a zero, and the whole by another.
std::wstring merged_environment(const std::vector<std::string>& own) {
  std::vector<std::wstring> variables;
  wchar_t* const block = GetEnvironmentStringsW();
  for (const wchar_t* at = block; at != nullptr && *at != L'\0'; at += std::wcslen(at) + 1) {
    const std::wstring_view variable = at;
    const bool replaced = std::any_of(own.begin(), own.end(), [&](const std::string& mine) {
      const std::wstring start = wide(std::string_view(mine).substr(0, mine.find('=') + 1));
      return variable.size() >= start.size() &&
             CompareStringOrdinal(at, static_cast<int>(start.size()), start.data(),
                                  static_cast<int>(start.size()), TRUE) == CSTR_EQUAL;
    });
    if (!replaced) variables.emplace_back(variable);
  }
  if (block != nullptr) FreeEnvironmentStringsW(block);
  for (const std::string& mine : own) {
    if (!mine.ends_with('=')) variables.push_back(wide(mine));
  }
  std::wstring joined;
  for (const std::wstring& variable : variables) joined += variable + L'\0';
  return joined + L'\0';
}

/// Appends what is there; false at the end of the stream.
bool take(HANDLE end, std::string& text) {
  std::array<char, 1 << 14> chunk{};
  DWORD got = 0;
  const bool read =
      ReadFile(end, chunk.data(), static_cast<DWORD>(chunk.size()), &got, nullptr) != 0;
  if (!read || got == 0) return false;
  text.append(chunk.data(), got);
  return true;
}

/// The handles a child inherits, and no others that another thread may be making.
class Inherited {
 public:
  explicit Inherited(std::array<HANDLE, 3> handles) : handles_(handles) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    memory_.resize(size);
    list_ = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
    made_ = InitializeProcThreadAttributeList(list_, 1, 0, &size) != 0;
    UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                              sizeof(handles_), nullptr, nullptr);
  }
  Inherited(const Inherited&) = delete;
  Inherited& operator=(const Inherited&) = delete;
  ~Inherited() {
    if (made_) DeleteProcThreadAttributeList(list_);
  }
  LPPROC_THREAD_ATTRIBUTE_LIST list() const { return list_; }

 private:
  std::array<HANDLE, 3> handles_;
  std::vector<std::byte> memory_;
  LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
  bool made_ = false;
};

}  // namespace

struct ChildProcess::System {
  End process;
  End in;
  End out;
  End err;
};

ChildProcess::ChildProcess(std::unique_ptr<System> system) : system_(std::move(system)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() {
  if (system_ == nullptr || system_->process.handle == nullptr) return;
  kill();
  wait();
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words,
                                         const std::vector<std::string>& environment,
                                         const Pipes& pipes) {
  const std::string& name = words.front();
  const std::wstring program = find_program(name);
  if (program.empty()) {
    return fail(fmt::format("{} was not found; install it or put it on PATH", name));
  }
  auto system = std::make_unique<System>();
  End in;
  End out;
  End err;
  if (!(pipes.in ? open_ends(in, system->in, in) : open_nowhere(in)) ||
      !(pipes.out ? open_ends(system->out, out, out) : open_nowhere(out)) ||
      !(pipes.err ? open_ends(system->err, err, err) : open_nowhere(err))) {
    keep_error();
    return cannot_start(name);
  }
  const Inherited inherited({in.handle, out.handle, err.handle});
  STARTUPINFOEXW info{};
  info.StartupInfo.cb = sizeof(info);
  info.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  info.StartupInfo.hStdInput = in.handle;
  info.StartupInfo.hStdOutput = out.handle;
  info.StartupInfo.hStdError = err.handle;
  info.lpAttributeList = inherited.list();
  std::wstring line = quoted(words);
  std::wstring variables = merged_environment(environment);
  PROCESS_INFORMATION made{};
  // No window of its own where gpulint has none, as in an editor.
  constexpr DWORD kHow =
      CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT;
  if (CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, kHow, variables.data(),
                     nullptr, &info.StartupInfo, &made) == 0) {
    keep_error();
    return cannot_start(name);
  }
  CloseHandle(made.hThread);
  system->process.handle = made.hProcess;
  return ChildProcess(std::move(system));
}

bool ChildProcess::write(std::string_view text) {
  DWORD put = 0;
  return WriteFile(system_->in.handle, text.data(), static_cast<DWORD>(text.size()), &put,
                   nullptr) != 0 &&
         put == text.size();
}

bool ChildProcess::read(std::string& text) { return take(system_->out.handle, text); }

// Windows waits for no two pipes at once: a thread reads the second.
bool ChildProcess::drain(std::string& out, std::size_t most_out, std::string& err,
                         std::size_t most_err) {
  std::thread second([&] {
    while (err.size() <= most_err && take(system_->err.handle, err)) {
    }
    // A child that goes on writing what nobody reads would wait for ever.
    if (err.size() > most_err) kill();
  });
  while (out.size() <= most_out && take(system_->out.handle, out)) {
  }
  if (out.size() > most_out) kill();
  second.join();
  return out.size() <= most_out && err.size() <= most_err;
}

void ChildProcess::kill() { TerminateProcess(system_->process.handle, 128); }

int ChildProcess::wait() {
  system_->in.reset();
  system_->out.reset();
  system_->err.reset();
  DWORD code = 128;
  WaitForSingleObject(system_->process.handle, INFINITE);
  GetExitCodeProcess(system_->process.handle, &code);
  system_->process.reset();
  return static_cast<int>(code);
}

}  // namespace gpulint::cli
