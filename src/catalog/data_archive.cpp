#include "catalog/data_archive.h"

#include "base/text.h"
#include "catalog/archive_layout.h"
#include "catalog/packed_document.h"
#include "catalog/strict_reader.h"

#include <cstring>
#include <span>

namespace gpulint {
namespace {

using namespace archive;

/// The arrays were written from live objects of these trivial types by the same build, so they are
/// used in place; empty when they would reach beyond the end.
template <class T>
std::span<const T> array_at(std::string_view bytes, Extent extent) {
  const bool fits =
      extent.offset % alignof(T) == 0 &&
      std::uint64_t{extent.offset} + std::uint64_t{extent.count} * sizeof(T) <= bytes.size();
  if (!fits) return {};
  return {reinterpret_cast<const T*>(bytes.data() + extent.offset), extent.count};
}

std::string_view text_at(std::string_view bytes, Extent extent) {
  const std::span<const char> text = array_at<char>(bytes, extent);
  return {text.data(), text.size()};
}

const Header& header_of(std::string_view bytes) {
  static constexpr Header kNothing;
  const std::span<const Header> header = array_at<Header>(bytes, {0, 1});
  return header.empty() ? kNothing : header.front();
}

FileRecord file_at(std::string_view bytes, std::uint32_t number) {
  const Extent table{sizeof(Header), header_of(bytes).files.back()};
  const std::span<const FileRecord> records = array_at<FileRecord>(bytes, table);
  return number < records.size() ? records[number] : FileRecord{};
}

NameRecord name_at(std::string_view bytes, std::uint32_t number) {
  const Header& header = header_of(bytes);
  const std::size_t begin = sizeof(Header) + header.files.back() * sizeof(FileRecord);
  const Extent table{static_cast<std::uint32_t>(begin), header.names.back()};
  const std::span<const NameRecord> records = array_at<NameRecord>(bytes, table);
  return number < records.size() ? records[number] : NameRecord{};
}

/// The first number of `range` whose text is not less than `wanted`.
template <class TextOf>
std::uint32_t lower_bound(DataArchive::Range range, std::string_view wanted, TextOf text_of) {
  while (range.begin < range.end) {
    const std::uint32_t middle = range.begin + range.size() / 2;
    if (text_of(middle) < wanted) {
      range.begin = middle + 1;
    } else {
      range.end = middle;
    }
  }
  return range.begin;
}

}  // namespace

Result<DataArchive> DataArchive::open(std::string_view bytes) {
  const Header expected;
  Header header;
  if (bytes.size() < sizeof header ||
      std::memcmp(bytes.data(), expected.magic.data(), expected.magic.size()) != 0) {
    return fail("these bytes are not embedded data of gpulint");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.byte_order != expected.byte_order || header.layout != expected.layout) {
    return fail("the embedded data was written by another build; build again from scratch");
  }
  if (header.size != bytes.size()) return fail("the embedded data is cut short");
  DataArchive archive;
  archive.bytes_ = bytes;
  return archive;
}

DataArchive::Range DataArchive::files(DataKind kind) const {
  const auto& begins = header_of(bytes_).files;
  const auto index = static_cast<std::size_t>(kind);
  return {begins[index], begins[index + 1]};
}

std::string_view DataArchive::path(std::uint32_t file) const {
  return text_at(bytes_, file_at(bytes_, file).path);
}

std::string_view DataArchive::id(std::uint32_t file) const { return stem_of(path(file)); }

std::optional<std::uint32_t> DataArchive::find(DataKind kind, std::string_view wanted) const {
  const Range range = files(kind);
  const std::uint32_t at = lower_bound(range, wanted, [&](std::uint32_t file) { return id(file); });
  if (at == range.end || id(at) != wanted) return std::nullopt;
  return at;
}

Document DataArchive::document(std::uint32_t file) const {
  const FileRecord record = file_at(bytes_, file);
  return unpack(text_at(bytes_, record.path), text_at(bytes_, record.body));
}

std::string_view DataArchive::head(std::uint32_t file) const {
  return text_at(bytes_, file_at(bytes_, file).head);
}

DataArchive::Range DataArchive::names(ModelNameKind kind) const {
  const auto& begins = header_of(bytes_).names;
  const auto index = static_cast<std::size_t>(kind);
  return {begins[index], begins[index + 1]};
}

DataArchive::NamedFile DataArchive::name(std::uint32_t number) const {
  const NameRecord record = name_at(bytes_, number);
  return {text_at(bytes_, record.name), record.file};
}

std::vector<DataArchive::NamedFile> DataArchive::named(ModelNameKind kind,
                                                       std::string_view key) const {
  const Range range = names(kind);
  const auto key_of = [&](std::uint32_t number) {
    return text_at(bytes_, name_at(bytes_, number).key);
  };
  std::vector<NamedFile> found;
  for (std::uint32_t at = lower_bound(range, key, key_of); at < range.end && key_of(at) == key;
       ++at) {
    found.push_back(name(at));
  }
  return found;
}

}  // namespace gpulint
