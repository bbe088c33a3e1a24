#include "cli/options.h"

#include "cli/choices.h"
#include "cli/shell_texts.h"
#include "report/schema.h"

#include <array>

namespace gpulint::cli {
namespace {

constexpr std::array<CommandName, 18> kCommands{{{"check", Command::check},
                                                 {"lint", Command::check},
                                                 {"facts", Command::facts},
                                                 {"runs", Command::runs},
                                                 {"estimate", Command::estimate},
                                                 {"fit", Command::fit},
                                                 {"diff", Command::diff},
                                                 {"list", Command::list},
                                                 {"step", Command::step},
                                                 {"explain", Command::explain},
                                                 {"confirm", Command::confirm},
                                                 {"config", Command::config},
                                                 {"schema", Command::schema},
                                                 {"completions", Command::completions},
                                                 {"man", Command::man},
                                                 {"init", Command::init},
                                                 {"lsp", Command::lsp},
                                                 {"watch", Command::watch}}};

void repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                const std::string& value_name, const std::string& help) {
  app.add_option(name, values, help)->allow_extra_args(false)->type_name(value_name);
}

/// Positive counts, described by their type name alone.
void add_count(CLI::App& app, const std::string& name, std::int64_t& value,
               const std::string& help) {
  CLI::Validator range = CLI::Range(std::int64_t{1}, std::int64_t{1'000'000});
  app.add_option(name, value, help)->type_name("N")->check(range.description(""));
}

void add_host_option(CLI::App& app, RawOptions& raw) {
  repeatable(app, "--host", raw.hosts, "ID", "target machine: an id of `gpulint list hosts`");
}

/// What a config leaves open, and which files are a run.
void add_run_options(CLI::App& app, RawOptions& raw) {
  add_count(app, "--gpus", raw.gpus_per_node, "GPUs per machine, if the config does not say");
  add_count(app, "--nodes", raw.nodes, "number of machines, if the config does not say");
  repeatable(
      app, "--set", raw.sets, "NAME=VALUE",
      "set a fact (`gpulint list facts`), which overrides the config, or change a key of the "
      "config: trainer.devices=4, +key=value, ~key; repeatable");
  repeatable(app, "--run", raw.runs, "FILES",
             "read these files (separated by commas) as one run; repeatable");
  app.add_flag("--no-code", raw.no_code,
               "read only the configs, not the Python code that loads them");
}

void add_target_options(CLI::App& app, RawOptions& raw) {
  repeatable(
      app, "--gpu", raw.gpus, "ID",
      "target GPU: an id of `gpulint list gpus`, a driver's name, or auto for this machine's");
  add_host_option(app, raw);
  add_run_options(app, raw);
  app.add_flag("--measured", raw.measured,
               "use the figures gpulint confirm measured on this machine (--gpu auto always does); "
               "ignored under CI=true");
}

void add_output_options(CLI::App& app, RawOptions& raw, Command command) {
  repeatable(app, "-o,--output", raw.outputs, "FORMAT[:PATH]",
             in_words(format_ids(command), default_format().id) +
                 ", to standard output or a file; repeatable");
  app.add_option("--color", raw.color,
                 in_words(kColorWords) + "; NO_COLOR and FORCE_COLOR are obeyed")
      ->type_name("WHEN");
}

void add_data_option(CLI::App& app, RawOptions& raw) {
  app.add_option("--data", raw.data,
                 "folder with more rules/, hardware_db/, dialects/ or knowledge/")
      ->type_name("DIR");
}

void add_stdin_option(CLI::App& app, RawOptions& raw) {
  app.add_option(
         "--stdin-filename", raw.stdin_filename,
         "file name for standard input (path -); its extension selects YAML, JSON, TOML or env")
      ->type_name("PATH");
}

void add_fix_options(CLI::App& app, RawOptions& raw) {
  app.add_flag("--fix", raw.fix, "write the safe fixes into the files and report what remains");
  app.add_flag("--unsafe-fixes", raw.unsafe_fixes,
               "with --fix, --fix-only or --diff: also fixes that can change what is trained");
  app.add_flag("--diff", raw.diff,
               "print what --fix would change as a diff; exit with 1 if there is anything");
  app.add_flag("--fix-only", raw.fix_only, "write the fixes and report nothing");
  app.add_flag("--follow-symlinks", raw.follow_symlinks,
               "fix the targets of symbolic links instead of refusing them");
}

void add_fail_on_option(CLI::App& app, RawOptions& raw) {
  app.add_option("--fail-on", raw.fail_on,
                 "exit with 1 from this severity on: " + in_words(kFailOnWords, kDefaultFailOn))
      ->type_name("SEVERITY");
  app.add_flag("--exit-zero", raw.exit_zero, "exit with 0 whatever is found, like --fail-on never");
}

/// Which findings are reported, and how much of them.
void add_report_options(CLI::App& app, RawOptions& raw) {
  repeatable(app, "--select", raw.select, "RULES",
             "report only these rules or families (`gpulint list rules`), separated by commas; "
             "repeatable");
  repeatable(app, "--ignore", raw.ignore, "RULES",
             "do not report these rules or families; repeatable");
  app.add_flag("-q,--quiet", raw.quiet, "print only findings and errors");
  app.add_flag("-v,--verbose", raw.verbose,
               "print all evidence of each finding, and each skipped file with the reason");
  app.add_flag("--statistics", raw.statistics,
               "print the number of findings per rule instead of the findings");
}

void add_check_options(CLI::App& app, RawOptions& raw) {
  app.add_option("PATHS", raw.positional, "files and folders; - is standard input")->type_name("");
  add_target_options(app, raw);
  add_fail_on_option(app, raw);
  add_output_options(app, raw, Command::check);
  add_review_options(app, raw.review);
  add_data_option(app, raw);
  add_stdin_option(app, raw);
  app.add_option("--jobs", raw.jobs, "threads; 0 (default) is one per core")
      ->type_name("N")
      ->check(CLI::Range(0U, 256U).description(""));
  add_report_options(app, raw);
  app.add_flag("--preview", raw.previews,
               "also run rules whose precision is not established yet (docs/precision.md)");
  app.add_flag("--force-exclude", raw.force_exclude,
               "treat named files like files found in folders: apply exclusions, and skip files "
               "that are not configs");
  add_fix_options(app, raw);
  app.add_option("--explain-silence", raw.explain_silence,
                 "say for each config why this rule did not fire")
      ->type_name("RULE");
}

/// `--host` is a flag here, so that a config may follow it.
void add_host_probe_options(CLI::App& app, RawOptions& raw) {
  app.add_flag("--host", raw.host_probe,
               "measure this machine apart from its GPU: CPUs, memory, /dev/shm, disk, decoding, "
               "Python");
  repeatable(app, "--target", raw.hosts, "ID",
             "the machine that the predictions assume: an id of `gpulint list hosts`");
  repeatable(app, "--gpu", raw.gpus, "ID", "with --host: the GPU that the loader has to keep busy");
  app.add_option("--data-path", raw.data_path,
                 "with --host: the data folder, whose files are read and decoded; if it has too "
                 "few, temporary files are written there")
      ->type_name("DIR");
}

void add_links_options(CLI::App& app, RawOptions& raw) {
  app.add_flag("--links", raw.links,
               "measure all visible cards: copies between them and from each NUMA node, NCCL's "
               "collectives, health; with a CONFIG, what its ranks exchange");
  app.add_option("--meet", raw.meet,
                 "with --links and several processes: a shared folder, or HOST:PORT of the first "
                 "process")
      ->type_name("WHERE");
  app.add_option("--nccl", raw.nccl, "with --links: the libnccl to use; default: PyTorch's")
      ->type_name("PATH");
}

}  // namespace

std::span<const CommandName> command_names() { return kCommands; }

void add_options(CLI::App& app, Command command, RawOptions& raw) {
  switch (command) {
    case Command::check:
    case Command::watch:
      add_check_options(app, raw);
      break;
    case Command::facts:
    case Command::estimate:
    case Command::fit:
      app.add_option("CONFIG", raw.single, "one config; - is standard input")->type_name("");
      add_target_options(app, raw);
      add_output_options(app, raw, command);
      add_data_option(app, raw);
      add_stdin_option(app, raw);
      if (command == Command::fit) {
        app.add_flag("-v,--verbose", raw.verbose,
                     "without --gpu: one line per GPU, with settings for each");
      }
      if (command == Command::facts) {
        app.add_flag("--unread", raw.unread, "also list the keys that were not understood");
        app.add_option(
               "--why", raw.why,
               "show where a key of the config, or a fact, comes from: the line that sets it, "
               "the script that loads it, the call that uses it")
            ->type_name("KEY");
      }
      break;
    case Command::runs:
      app.add_option("PATHS", raw.positional, "files and folders; default: this folder")
          ->type_name("");
      add_host_option(app, raw);
      add_run_options(app, raw);
      add_output_options(app, raw, command);
      add_data_option(app, raw);
      break;
    case Command::diff:
      app.add_option("BASE", raw.positional,
                     "a revision (default HEAD), A..B or A...B; then files and folders, default .")
          ->type_name("");
      add_diff_options(app, raw.review);
      add_target_options(app, raw);
      add_fail_on_option(app, raw);
      add_output_options(app, raw, command);
      add_data_option(app, raw);
      break;
    case Command::list:
      app.add_option("WHAT", raw.single, in_words(kListTopics))->type_name("");
      add_output_options(app, raw, command);
      add_data_option(app, raw);
      break;
    case Command::step:
      app.add_option("MODEL", raw.single, "an id of `gpulint list models`")->type_name("");
      repeatable(app, "--set", raw.sets, "NAME=VALUE",
                 "a size of the model (batch, image_size, sequence_length, ...) or a fact "
                 "(mixed_precision, activation_checkpointing, ...); repeatable");
      add_data_option(app, raw);
      break;
    case Command::explain:
      app.add_option("RULE", raw.single, "a rule's id, as shown in findings")->type_name("");
      add_output_options(app, raw, command);
      add_data_option(app, raw);
      break;
    case Command::config:
      app.add_option("ACTION", raw.positional,
                     "verify, then files or folders; default: this folder")
          ->type_name("");
      add_data_option(app, raw);
      break;
    case Command::schema:
      app.add_option("KIND", raw.single, in_words(kSchemaKinds))->type_name("");
      add_data_option(app, raw);
      break;
    case Command::completions:
      app.add_option("SHELL", raw.single, in_words(kShells))->type_name("");
      break;
    case Command::man:
      break;
    case Command::init:
      app.add_option("PATHS", raw.positional, "configs to look at; default: this folder")
          ->type_name("");
      app.add_flag("--stdout", raw.to_stdout,
                   "print the proposal instead of writing .gpulint.yaml");
      app.add_flag("--force", raw.force, "replace an existing .gpulint.yaml");
      add_data_option(app, raw);
      break;
    case Command::lsp:
      app.add_flag("--stdio", raw.stdio,
                   "accepted because editors pass it; standard input and output are always used");
      add_data_option(app, raw);
      break;
    case Command::confirm:
      app.add_option("CONFIG", raw.single,
                     "a config whose predictions are tested; default: only the device")
          ->type_name("");
      add_host_probe_options(app, raw);
      add_links_options(app, raw);
      add_run_options(app, raw);
      app.add_flag(
          "--share", raw.share,
          "allocate the footprint even if other processes run, in at most half of the free memory");
      app.add_option("--report", raw.report_folder, "write this rank's report into a shared folder")
          ->type_name("DIR");
      app.add_flag("--no-save", raw.no_save,
                   "do not store the figures for list gpus, --gpu auto and --measured");
      app.add_option("--cublaslt", raw.cublaslt,
                     "the libcublasLt used to time matrix products; default: the environment's")
          ->type_name("PATH");
      app.add_option("--python", raw.python,
                     "look for it in this Python's packages; only --host runs this Python")
          ->type_name("PATH");
      app.add_flag("--no-library", raw.no_library, "time only gpulint's own kernels");
      app.add_option("--deadline", raw.deadline,
                     "how long to measure after the driver has started; default 10, or 60 with "
                     "--find-batch and --links")
          ->type_name("SECONDS")
          ->check(CLI::Range(2.0, 3600.0).description(""));
      app.add_option(
             "--sustain", raw.sustain,
             "at the end, run one product for this long and watch clock, power and temperature")
          ->type_name("SECONDS")
          ->check(CLI::Range(1, 3600).description(""));
      app.add_option("--footprint", raw.footprint,
                     "allocate this much (100GiB) instead of what a config needs; times nothing")
          ->type_name("SIZE");
      app.add_flag(
          "--find-batch", raw.find_batch,
          "with a CONFIG: find the largest batch whose memory can be allocated; times nothing");
      app.add_flag("--no-timing", raw.no_timing, "measure only memory");
      app.add_flag("--trials-only", raw.trials_only,
                   "run every kernel once and compare its result; times nothing");
      app.add_flag("--no-wgmma", raw.no_wgmma, "time products with mma.sync instead of wgmma");
      app.add_option("--merge", raw.merge_folder,
                     "measure nothing; compare the reports of a folder and exit with 1 if a card "
                     "stands out")
          ->type_name("DIR");
      add_output_options(app, raw, command);
      add_data_option(app, raw);
      break;
  }
}

}  // namespace gpulint::cli
