#pragma once

// The table of output formats. A format is one file of src/report/formats that describes itself and
// writes; the build puts every file of that folder into the table (cmake/formats.cmake). The
// command line, its help, the completions, the manual page and `gpulint list formats` read the
// table.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class Catalog;
struct DiffResult;
struct FileReport;
struct FitRow;
struct LintResult;
struct Rule;
struct RuleManual;
namespace probe {
struct Confirmation;
struct Fleet;
struct HostConfirmation;
struct NodeConfirmation;
}  // namespace probe

struct ReportOptions {
  bool color = false;
  bool verbose = false;                   // all evidence, and each skipped file with its reason
  bool quiet = false;                     // findings alone
  bool statistics = false;                // how many findings each rule has, in place of them
  bool unread = false;                    // of facts: also the keys that nobody understood
  std::string_view why = {};              // of facts: how this key or fact comes about; "" = all
  int width = 100;                        // columns of the terminal
  std::string_view explain_silence = {};  // also say why this rule said nothing; "" = do not
};

/// Where the run took place; CI systems want paths relative to the repository.
struct Surroundings {
  std::string root = {};               // absolute folder of the repository; "" = unknown
  std::string working_directory = {};  // absolute; paths of a result are relative to it
  int exit_code = 0;
};

/// Everything a report of findings may use.
struct FindingsReport {
  const LintResult& result;
  const Catalog& catalog;
  const Surroundings& surroundings;
  ReportOptions options = {};
};

/// What `gpulint list` shows.
struct Listing {
  const Catalog& catalog;
  std::string_view topic;                 // one of the words of the command
  std::span<const std::string> models{};  // their ids, for the topic "models"
};

/// How a format is written, which decides how a value is escaped in the log of a CI system.
enum class Syntax : std::uint8_t {
  plain,     // for people
  json,      // or one JSON value per line
  markup,    // XML, HTML or Markdown
  commands,  // for the runner of a CI system, which obeys them
};

/// What a report is of, named after the command that shows it; `merge` is `confirm --merge`.
enum class ReportKind : std::uint8_t {
  check,
  facts,
  estimate,
  fit,
  diff,
  confirm,
  merge,
  runs,
  list,
  explain
};

struct OutputFormat {
  std::string_view id;         // as typed; also the name of its file in src/report/formats
  std::string_view readers;    // who reads it, and what they get, in a few words
  std::string_view file_name;  // how a file of it is usually called
  Syntax syntax = Syntax::plain;
  bool streams = false;        // each finding is one line, which means the same alone
  bool applies_fixes = false;  // its readers may apply an edit unseen: fixes are proven before
  bool shows_fleet = false;    // every config on every GPU of LintOptions::fleet; wants keep_plans

  // What it can show; nullptr = it cannot. Each returns the whole text and is deterministic, and
  // escapes values of configs for the readers of the format.
  std::string (*check)(const FindingsReport& report) = nullptr;
  std::string (*facts)(const FileReport& file, const LintResult& result,
                       const ReportOptions& options) = nullptr;
  std::string (*estimate)(std::span<const FileReport> files,
                          const ReportOptions& options) = nullptr;
  std::string (*fit)(std::string_view path, std::span<const FitRow> rows,
                     const ReportOptions& options) = nullptr;
  std::string (*diff)(const DiffResult& result, const ReportOptions& options) = nullptr;
  std::string (*confirm)(const probe::Confirmation& confirmation) = nullptr;
  std::string (*confirm_host)(const probe::HostConfirmation& confirmation) = nullptr;
  std::string (*confirm_links)(const probe::NodeConfirmation& confirmation) = nullptr;
  std::string (*merge)(const probe::Fleet& fleet) = nullptr;
  std::string (*runs)(const LintResult& result, const ReportOptions& options) = nullptr;
  std::string (*list)(const Listing& listing) = nullptr;
  std::string (*explain)(const Rule& rule, const RuleManual& manual) = nullptr;
};

/// All of them: text first, which is the default, then by id.
std::span<const OutputFormat* const> output_formats();
const OutputFormat& default_format();
/// nullptr for an unknown id.
const OutputFormat* find_format(std::string_view id);

bool can_show(const OutputFormat& format, ReportKind kind);
/// Those that can show `kind`, in the order of the table.
std::vector<const OutputFormat*> formats_of(ReportKind kind);
/// The commands that can write it: "check diff".
std::string commands_of(const OutputFormat& format);

}  // namespace gpulint
