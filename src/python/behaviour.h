#pragma once

#include <cstdint>

namespace gpulint::python {

/// How something outside the project acts, as far as values go.
enum class Behaviour : std::uint8_t {
  none,             // its result is unknown, an instance where its name begins with a capital
  load,             // reads the file it is given: yaml.safe_load
  load_attributes,  // the same, and a missing item is refused as an attribute too: OmegaConf.load
  mapping,          // a dict of its arguments, which refuses a missing item: EasyDict
  strict_mapping,   // the same, and a file laid over it brings no new keys or types: yacs' CfgNode
  lenient_mapping,  // the same, and it refuses none: addict.Dict
  merge,            // its arguments laid over each other
  merge_method,    // method of a mapping that lays a file or a mapping over it: cfg.merge_from_file
  allow_new,        // method of a strict mapping after which new keys are taken
  same,            // its first argument: OmegaConf.to_container, tqdm
  cast,            // its second argument, whose type the first one names: typing.cast
  copy,            // a copy of its first argument
  structure,       // a class filled from a dict, or of its defaults: dacite.from_dict(C, d)
  load_class,      // a class filled from the file that is named: Serializable.load(path)
  parser,          // argparse.ArgumentParser
  fields,          // decorator or base of a class whose annotated names are its arguments
  coerced_fields,  // the same, and nested dicts become the annotated classes: pydantic.BaseModel
  spawn,           // calls its first argument: torch.multiprocessing.spawn
  project_root,    // the folder that programs are started in: os.getcwd
  command,         // calls what it is given with the command line as arguments: fire.Fire
  process,         // calls its `target`: multiprocessing.Process
  entry,           // decorator that hands the config to a function: hydra.main
  import_named,    // the module of that name: importlib.import_module
  instantiate,     // builds what a config names: hydra.utils.instantiate
  enumeration,     // a class whose members are values: enum.Enum
  locate,          // what a dotted name stands for: hydra.utils.get_class
  opaque,          // base of classes whose construction tells nothing: torch.nn.Module
  tried,           // the same, and it is looked at as a trial: torch.utils.data.Dataset
  yes,             // taken for true: torch.cuda.is_available
  no,              // and for false: whether there is another kind of device
  something,       // neither None nor false: torch.float16
  partial,         // functools.partial
  usage_text,      // the options that a help text declares: docopt(__doc__)
  class_parser,    // makes its classes of the config or the command line: HfArgumentParser((C, D))
  class_from_config,  // makes its one class of the config: pyrallis.parse(config_class=C)
  devices,            // how many GPUs take part: torch.cuda.device_count
  ranks,              // how many processes do, on all machines: torch.distributed.get_world_size
  stepping_ranks,     // the same, where a schedule is stepped once for each: Accelerator's
  schemas,            // keeps classes that configs are filled from: hydra's ConfigStore
  define_option,      // an option of the parser that all modules share: flags.DEFINE_integer
  define_config,      // the same, whose value is the config: config_flags.DEFINE_config_file
  options,            // holds what these are given: flags.FLAGS
  adds_options,       // adds options nobody knows to its first argument, and returns it
  plain,              // makes something that holds no network: numpy.arange
  initialize,         // names the folder of the configs that are composed: hydra.initialize
  compose,            // a config composed of what it names: hydra.compose
  import_file,        // the module in a file: importlib.util.spec_from_file_location
  keep_config,        // keeps the config that it is given: wandb.init(config=…)
  keep_sweep,         // keeps what each run of a sweep is given: wandb.sweep({"parameters": …})
  kept_config,        // holds what was kept: wandb.config
  environment,        // holds the environment variables: os.environ
  variable,           // one of them, or a default: os.getenv
  submit,             // calls a function with the arguments behind it: executor.submit(f, a)
  declares_command,   // a decorator: the function gets its options from the command line
  declares_group,     // the same, with commands below it: click.group
  declares_option,    // a decorator that gives such a function an option: click.option
  gives_context,      // a decorator that hands it something in front of them: click.pass_context
  loads_network,      // what it makes has the name it is given: AutoModel.from_pretrained
  fills_class,        // a decorator: the options fill the class of its first parameter
  one_of,             // one of several values, as a search draws them: ray.tune.choice([…])
  trial,              // calls its first argument with a config: ray.tune.run(f, config=…)
};

}  // namespace gpulint::python
