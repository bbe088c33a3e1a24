#pragma once

#include "base/result.h"
#include "disk/descriptor.h"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace gpulint::disk {

inline constexpr mode_t kOwnerOnly = 0600;
inline constexpr mode_t kReadableByAll = 0644;  // less what the user's umask takes off

/// A new file beside the one it will replace, so that a reader sees the old text or the whole new
/// one, and a crash leaves one of both. Removed again unless it took its final name. What fails
/// leaves its reason in errno.
class PendingFile {
 public:
  /// In `folder`, under a name of its own; never through a symbolic link.
  PendingFile(const std::string& folder, mode_t mode);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  bool is_open() const { return file_.is_open(); }
  /// For its mode and owner.
  int descriptor() const { return file_.number(); }
  bool write(std::string_view text) const;
  /// Everything written is on the disk.
  bool finish();
  /// After `finish`. A symbolic link of this name is replaced, not followed.
  bool take_name(const std::string& path);

 private:
  std::string folder_;
  std::string path_;
  Descriptor file_;
  bool made_;  // and still under its temporary name
};

/// Makes `folder` and what is missing above it, for its owner alone.
Result<void> make_folder(const std::string& folder);

/// Writes `folder`/`name` in one step.
Result<void> write_atomically(const std::string& folder, const std::string& name,
                              std::string_view text, mode_t mode);

}  // namespace gpulint::disk
