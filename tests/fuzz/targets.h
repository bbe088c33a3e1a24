#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// What each fuzz target does with one input; aborts on a broken promise, which both libFuzzer and
// fuzz_smoke report.
void fuzz_yaml(const std::uint8_t* data, std::size_t size);
void fuzz_json(const std::uint8_t* data, std::size_t size);
void fuzz_toml(const std::uint8_t* data, std::size_t size);
void fuzz_env(const std::uint8_t* data, std::size_t size);
void fuzz_python(const std::uint8_t* data, std::size_t size);
void fuzz_shell(const std::uint8_t* data, std::size_t size);
void fuzz_lsp(const std::uint8_t* data, std::size_t size);
