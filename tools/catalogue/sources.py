"""What the catalogue is made from: packages, releases, and where each one says what it takes.

A release per minor version is enough where keys change with minor versions; the last patch of each is read.
"""

import dataclasses


@dataclasses.dataclass
class Fields:
    """A dataclass, a pydantic model or an attrs class; `nested` ones get tables of their own."""

    name: str
    file: str = ""  # where several files define the name: a part of the right one's path
    table: str = ""


@dataclasses.dataclass
class AllFields:
    """Every such class of the files whose path ends with `file`, in one table."""

    table: str
    file: str


@dataclasses.dataclass
class Call:
    """Parameters of functions and of the __init__ of classes that configs name (`_target_`, `class_path`)."""

    names: tuple
    file: str = ""
    skip: tuple = ()
    table: str = ""  # all of them in one table, instead of one table each


@dataclasses.dataclass
class Arguments:
    """Flags of a command line, of all files whose path holds one of `files`."""

    table: str
    files: tuple


@dataclasses.dataclass
class Defaults:
    """A YAML file of defaults, whose keys are all there are."""

    table: str
    file: str


@dataclasses.dataclass
class Package:
    name: str  # in the index
    releases: tuple  # oldest first; none: it is read from a checkout of its repository
    reads: tuple
    folder: str = ""  # of its Python files; "" = its name with underscores
    modules: tuple = ()  # dotted names that its calls are written with; "a.*" = whatever lies below a
    outside: dict = dataclasses.field(default_factory=dict)  # class of another package -> its table
    renamed: dict = dataclasses.field(default_factory=dict)  # key -> key, where no release says so in words
    choices: dict = dataclasses.field(default_factory=dict)  # "Table.key" -> (file, Enum) that it is turned into
    always: tuple = ()  # keys that its loader converts in every release, whether a class has them or not
    also: tuple = ()  # further names that requirements have for it


TRAINER = "transformers/TrainingArguments"
CALLBACKS = (
    "ModelCheckpoint", "EarlyStopping", "LearningRateMonitor", "RichProgressBar", "TQDMProgressBar", "RichModelSummary",
    "ModelSummary", "DeviceStatsMonitor", "StochasticWeightAveraging", "GradientAccumulationScheduler", "Timer",
    "BatchSizeFinder", "LearningRateFinder", "BackboneFinetuning", "ThroughputMonitor", "WeightAveraging",
)

PACKAGES = (
    Package(
        name="transformers",
        releases=(
            "4.30.2", "4.31.0", "4.32.1", "4.33.3", "4.34.1", "4.35.2", "4.36.2", "4.37.2", "4.38.2", "4.39.3", "4.40.2",
            "4.41.2", "4.42.4", "4.43.4", "4.44.2", "4.45.2", "4.46.3", "4.47.1", "4.48.3", "4.49.0", "4.50.3", "4.51.3",
            "4.52.4", "4.53.3", "4.54.1", "4.55.4", "4.56.2", "4.57.6", "5.0.0", "5.1.0", "5.2.0", "5.3.0", "5.4.0",
            "5.5.4", "5.6.2", "5.7.0", "5.8.1", "5.9.0", "5.10.4", "5.11.0", "5.12.1", "5.13.1", "5.14.1", "5.15.1",
            "5.16.1", "5.17.0", "5.18.0", "5.19.0", "5.20.2", "5.21.1", "5.22.2", "5.23.0",
        ),
        reads=(
            Fields("TrainingArguments", "training_args.py"),
            Fields("Seq2SeqTrainingArguments", "training_args_seq2seq.py"),
            Call(("BitsAndBytesConfig",), "quantization_config.py"),
        ),
        outside={"TrainingArguments": TRAINER},
        modules=("transformers.*",),
        renamed={"evaluation_strategy": "eval_strategy", "no_cuda": "use_cpu"},
    ),
    Package(
        name="trl",
        releases=(
            "0.7.11", "0.8.6", "0.9.6", "0.10.1", "0.11.4", "0.12.2", "0.13.0", "0.14.0", "0.15.2", "0.16.1", "0.17.0",
            "0.18.2", "0.19.1", "0.20.0", "0.21.0", "0.22.2", "0.23.1", "0.24.0", "0.25.1", "0.26.2", "0.27.2", "0.28.0",
            "0.29.1", "1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.1", "1.6.0", "1.7.1", "1.8.0", "1.9.2", "1.10.0",
            "1.11.0", "1.12.0", "1.13.0", "1.14.2", "1.15.0", "1.16.0",
        ),
        reads=tuple(
            Fields(name)
            for name in (
                "SFTConfig", "DPOConfig", "KTOConfig", "GRPOConfig", "ORPOConfig", "RewardConfig", "CPOConfig", "RLOOConfig",
                "PPOConfig", "GKDConfig", "OnlineDPOConfig", "NashMDConfig", "XPOConfig", "BCOConfig", "PRMConfig",
                "ModelConfig", "ScriptArguments", "SFTScriptArguments", "DPOScriptArguments", "GRPOScriptArguments",
                "DatasetMixtureConfig",
            )
        ),
        outside={"TrainingArguments": TRAINER},
        modules=("trl.*",),
        renamed={"max_seq_length": "max_length"},
    ),
    Package(
        name="peft",
        releases=(
            "0.3.0", "0.4.0", "0.5.0", "0.6.2", "0.7.1", "0.8.2", "0.9.0", "0.10.0", "0.11.1", "0.12.0", "0.13.2", "0.14.0",
            "0.15.2", "0.16.0", "0.17.1", "0.18.1", "0.19.1", "0.20.0", "0.21.2",
        ),
        reads=(Fields("LoraConfig"), AllFields("adapters", "/config.py")),
        modules=("peft.*",),
    ),
    Package(
        name="accelerate",
        releases=(
            "0.16.0", "0.18.0", "0.20.3", "0.21.0", "0.22.0", "0.23.0", "0.24.1", "0.25.0", "0.26.1", "0.27.2", "0.28.0",
            "0.29.3", "0.30.1", "0.31.0", "0.32.1", "0.33.0", "0.34.2", "1.0.1", "1.1.1", "1.2.1", "1.3.0", "1.4.0", "1.5.2",
            "1.6.0", "1.7.0", "1.8.1", "1.9.0", "1.10.1", "1.11.0", "1.12.0", "1.13.0", "1.14.0", "1.15.0",
        ),
        reads=(Fields("ClusterConfig", "config_args.py"), Fields("SageMakerConfig", "config_args.py")),
        always=("fp16", "dynamo_backend"),
    ),
    Package(
        name="deepspeed",
        releases=(
            "0.7.7", "0.8.3", "0.9.5", "0.10.3", "0.11.2", "0.12.6", "0.13.5", "0.14.5", "0.15.4", "0.16.9", "0.17.6",
            "0.18.9", "0.19.8",
        ),
        reads=(
            Fields("DeepSpeedZeroConfig", "runtime/zero/config.py"),
            Fields("DeepSpeedZeroOffloadParamConfig", "zero/offload_config.py"),
            Fields("DeepSpeedZeroOffloadOptimizerConfig", "zero/offload_config.py"),
            Fields("DeepSpeedFP16Config"),
            Fields("DeepSpeedBF16Config"),
            Fields("DeepSpeedFlopsProfilerConfig", "profiling/config.py"),
            Fields("TensorBoardConfig", "monitor/config.py"),
            Fields("WandbConfig", "monitor/config.py"),
            Fields("CSVConfig", "monitor/config.py"),
            Fields("CommsConfig", "comm/config.py"),
            Fields("CommsLoggerConfig", "comm/config.py"),
            Fields("CompileConfig", "compile/config.py"),
            Fields("HybridEngineConfig", "runtime/config.py"),
            Call(("WarmupLR", "WarmupDecayLR", "WarmupCosineLR", "OneCycle", "LRRangeTest"), "runtime/lr_schedules.py"),
        ),
    ),
    Package(
        name="pytorch-lightning",
        releases=(
            "0.7.6", "0.8.5", "0.9.0", "1.0.8", "1.1.8", "1.2.10", "1.3.8", "1.4.9", "1.5.10.post0", "1.6.5.post0", "1.7.7", "1.8.6", "1.9.5", "2.0.9.post0", "2.1.4", "2.2.5", "2.3.3", "2.4.0",
            "2.5.6", "2.6.6",
        ),
        reads=(
            Call(("Trainer",), "trainer/trainer.py"),
            Call(CALLBACKS, "/callbacks/"),
            Call(("DeepSpeedStrategy",), "strategies/deepspeed.py"),
            Call(("WandbLogger", "TensorBoardLogger", "CSVLogger", "MLFlowLogger"), "/loggers/"),
        ),
        modules=("pytorch_lightning.*", "lightning.pytorch.*", "lightning"),
        also=("lightning",),
    ),
    Package(
        name="torch",
        releases=(
            "2.0.1", "2.1.2", "2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.9.1", "2.10.0",
            "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0",
        ),
        reads=(
            Call(("Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "LBFGS", "Muon", "NAdam", "RAdam",
                  "RMSprop", "Rprop", "SGD", "SparseAdam"), "torch/optim/"),
            Call(("LambdaLR", "MultiplicativeLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR",
                  "SequentialLR", "CosineAnnealingLR", "ChainedScheduler", "ReduceLROnPlateau", "CyclicLR",
                  "CosineAnnealingWarmRestarts", "OneCycleLR", "PolynomialLR"), "torch/optim/lr_scheduler.py"),
            Call(("DataLoader",), "torch/utils/data/dataloader.py"),
            Call(("CrossEntropyLoss", "NLLLoss", "MSELoss", "L1Loss", "BCELoss", "BCEWithLogitsLoss", "SmoothL1Loss",
                  "HuberLoss", "KLDivLoss", "CTCLoss"), "torch/nn/modules/loss.py"),
        ),
        modules=("torch.optim.*", "torch.utils.data.*", "torch.nn.*"),
    ),
    Package(
        name="litgpt",
        releases=(
            "0.3.1", "0.4.0", "0.4.3", "0.4.7", "0.4.10", "0.4.12", "0.4.13", "0.5.0", "0.5.1", "0.5.2", "0.5.3", "0.5.4",
            "0.5.5", "0.5.6", "0.5.7", "0.5.8", "0.5.9", "0.5.10", "0.5.11", "0.5.12", "0.5.13",
        ),
        reads=(
            Call(("setup",), "finetune/lora.py", table="finetune_lora"),
            Call(("setup",), "finetune/full.py", table="finetune_full"),
            Call(("setup",), "finetune/adapter.py", table="finetune_adapter"),
            Call(("setup",), "finetune/adapter_v2.py", table="finetune_adapter_v2"),
            Call(("setup",), "litgpt/pretrain.py", table="pretrain"),
            Fields("TrainArgs", "litgpt/args.py"),
            Fields("EvalArgs", "litgpt/args.py"),
            Fields("LogArgs", "litgpt/args.py"),
        ),
    ),
    Package(
        name="llamafactory",
        releases=("0.7.1", "0.8.0", "0.8.1", "0.8.2", "0.8.3", "0.9.0", "0.9.1", "0.9.2", "0.9.3", "0.9.4", "0.9.5"),
        reads=tuple(
            Fields(name, "llamafactory/hparams/")
            for name in ("ModelArguments", "DataArguments", "TrainingArguments", "FinetuningArguments", "GeneratingArguments",
                         "EvaluationArguments", "RayArguments")
        ),
        outside={"Seq2SeqTrainingArguments": "transformers/Seq2SeqTrainingArguments"},
    ),
    Package(
        name="axolotl",
        releases=(
            "0.5.2", "0.6.0", "0.7.0", "0.8.1", "0.9.2", "0.10.0", "0.11.0", "0.12.2", "0.13.2", "0.14.0", "0.15.0", "0.16.1",
            "0.17.0", "0.18.0", "0.19.0",
        ),
        reads=(Fields("AxolotlInputConfig"),),
    ),
    Package(
        name="mosaicml",
        releases=(
            "0.11.1", "0.12.1", "0.13.5", "0.14.1", "0.15.1", "0.16.4", "0.17.2", "0.18.2", "0.19.1", "0.20.1", "0.21.3",
            "0.22.0", "0.23.5", "0.24.1", "0.25.0", "0.26.1", "0.27.0", "0.28.0", "0.29.0", "0.30.0", "0.31.0", "0.32.1",
        ),
        folder="composer",
        reads=(Call(("Trainer",), "composer/trainer/trainer.py"),),
        modules=("composer.*",),
        choices={"Trainer.precision": ("composer/core/precision.py", "Precision")},
    ),
    Package(
        name="torchtune",
        releases=("0.1.1", "0.2.1", "0.3.1", "0.4.0", "0.5.0", "0.6.1"),
        reads=(
            Call(("FullModelHFCheckpointer", "FullModelMetaCheckpointer", "FullModelTorchTuneCheckpointer"), "checkpoint"),
            Call(("DiskLogger", "StdoutLogger"), "metric_logging.py"),
        ),
        modules=("torchtune.*",),
    ),
    Package(
        name="ultralytics",
        releases=("8.0.100", "8.0.200", "8.1.0", "8.2.0", "8.2.100", "8.3.0", "8.3.100", "8.4.0", "8.4.190"),
        reads=(Defaults("default", "cfg/default.yaml"),),
    ),
)
