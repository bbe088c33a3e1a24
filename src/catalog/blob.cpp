#include "catalog/blob.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gpulint {
namespace {

static_assert(std::is_trivially_copyable_v<Node>);
static_assert(std::has_unique_object_representations_v<Node>,
              "padding would make the blob differ from build to build");

constexpr std::size_t kAlignment = 8;

struct Header {
  char magic[8] = {'g', 'p', 'u', 'l', 'i', 'n', 't', '\n'};
  std::uint32_t byte_order = 0x01020304U;
  std::uint32_t node_size = sizeof(Node);
  std::uint32_t layout = 2;  // of this file; counted up with every change of it
  std::uint32_t file_count = 0;
};

/// Place of one array: byte offset from the blob's start, number of elements.
struct Extent {
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
};

struct FileRecord {
  Extent path, text, pool, nodes, roots;
  std::uint32_t format = 0;
  std::uint32_t unused = 0;
};

template <class T>
void append_bytes(std::string& blob, const T* data, std::size_t count) {
  blob.append(reinterpret_cast<const char*>(data), count * sizeof(T));
}

template <class T>
Extent append_array(std::string& blob, const T* data, std::size_t count) {
  blob.resize((blob.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
  assert(blob.size() + count * sizeof(T) < std::numeric_limits<std::uint32_t>::max());
  const Extent extent{static_cast<std::uint32_t>(blob.size()), static_cast<std::uint32_t>(count)};
  append_bytes(blob, data, count);
  return extent;
}

template <class T>
bool fits(std::string_view bytes, Extent extent) {
  return extent.offset % alignof(T) == 0 &&
         std::uint64_t{extent.offset} + std::uint64_t{extent.count} * sizeof(T) <= bytes.size();
}

/// The arrays were written from live objects of these trivial types by the same build, so they are
/// used in place; copying them would cost what embedding saves.
template <class T>
std::span<const T> array_at(std::string_view bytes, Extent extent) {
  return {reinterpret_cast<const T*>(bytes.data() + extent.offset), extent.count};
}

std::string_view text_at(std::string_view bytes, Extent extent) {
  return bytes.substr(extent.offset, extent.count);
}

bool is_sound(std::string_view bytes, const FileRecord& record) {
  return fits<char>(bytes, record.path) && fits<char>(bytes, record.text) &&
         fits<char>(bytes, record.pool) && fits<Node>(bytes, record.nodes) &&
         fits<NodeId>(bytes, record.roots) &&
         record.format <= static_cast<std::uint32_t>(Format::env);
}

DataFile file_at(std::string_view bytes, const FileRecord& record) {
  Document::View view;
  view.path = text_at(bytes, record.path);
  view.text = text_at(bytes, record.text);
  view.pool = text_at(bytes, record.pool);
  view.nodes = array_at<Node>(bytes, record.nodes);
  view.roots = array_at<NodeId>(bytes, record.roots);
  view.format = static_cast<Format>(record.format);
  return {std::string(view.path), Document::from_view(view), /*trusted=*/true};
}

}  // namespace

std::string write_blob(std::span<const DataFile> files) {
  std::string blob;
  Header header;
  header.file_count = static_cast<std::uint32_t>(files.size());
  append_bytes(blob, &header, 1);
  std::vector<FileRecord> records(files.size());
  append_bytes(blob, records.data(), records.size());
  // Paths stand together: start-up reads all of them and hardly any of the rest.
  for (std::size_t i = 0; i < files.size(); ++i) {
    records[i].path = append_array(blob, files[i].path.data(), files[i].path.size());
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Document::View view = files[i].document.view();
    FileRecord& record = records[i];
    record.text = append_array(blob, view.text.data(), view.text.size());
    record.pool = append_array(blob, view.pool.data(), view.pool.size());
    record.nodes = append_array(blob, view.nodes.data(), view.nodes.size());
    record.roots = append_array(blob, view.roots.data(), view.roots.size());
    record.format = static_cast<std::uint32_t>(view.format);
  }
  if (!records.empty()) {
    std::memcpy(blob.data() + sizeof(Header), records.data(), records.size() * sizeof(FileRecord));
  }
  return blob;
}

Result<std::vector<DataFile>> open_blob(std::string_view bytes) {
  const Header expected;
  Header header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), expected.magic, 8) != 0) {
    return fail("these bytes are no embedded data of gpulint");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.byte_order != expected.byte_order || header.node_size != expected.node_size ||
      header.layout != expected.layout) {
    return fail("the embedded data was written by another build; build again from scratch");
  }
  const Extent table{sizeof(Header), header.file_count};
  if (!fits<FileRecord>(bytes, table)) return fail("the embedded data is cut short");
  std::vector<DataFile> files;
  files.reserve(header.file_count);
  for (const FileRecord& record : array_at<FileRecord>(bytes, table)) {
    if (!is_sound(bytes, record)) return fail("the embedded data is cut short");
    files.push_back(file_at(bytes, record));
  }
  return files;
}

}  // namespace gpulint
