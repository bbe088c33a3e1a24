"""What the catalogue is made from: packages, releases, and where each one says what it takes.

A release per minor version is enough where keys change with minor versions; the last patch of each is read.
"""

import dataclasses


@dataclasses.dataclass
class Fields:
    """A dataclass, a pydantic model or an attrs class; nested ones get tables of their own. Those of one `table` are joined."""

    name: str
    file: str = ""  # where several files define the name: a part of the right one's path
    table: str = ""


@dataclasses.dataclass
class AllFields:
    """Every such class of the files whose path ends with one of `files`, in one table."""

    table: str
    files: tuple
    names_only: bool = False  # types and defaults of the classes differ


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
    names_only: bool = False  # forks take more types and choices


@dataclasses.dataclass
class Chosen:
    """Flags `--x` and `--x_conf` of every `call(name="x")` in files whose path holds one of `files`: a class, and its arguments."""

    table: str
    files: tuple
    call: str


@dataclasses.dataclass
class AllCalls:
    """Every public class and function of the files whose path holds `file`; `like` is a pattern of their names."""

    file: str
    like: str = ""


@dataclasses.dataclass
class Defaults:
    """A YAML file of defaults, whose keys are all there are; a mapping in it has a table of its own."""

    table: str
    file: str
    skip: tuple = ()  # sections in it that are left closed


@dataclasses.dataclass
class Nodes:
    """`_C.SOLVER.BASE_LR = 0.001`: defaults that Python writes into nodes, which refuse further keys."""

    table: str
    file: str
    name: str = "_C"


@dataclasses.dataclass
class Package:
    name: str  # in the index
    releases: tuple  # oldest first
    reads: tuple
    repository: str = ""  # where it is read instead of from the index
    commits: dict = dataclasses.field(default_factory=dict)  # release -> commit of the repository
    folder: str = ""  # of its Python files; "" = its name with underscores
    modules: tuple = ()  # dotted names that its calls are written with; "a.*" = whatever lies below a
    outside: dict = dataclasses.field(default_factory=dict)  # class of another package -> its table
    renamed: dict = dataclasses.field(default_factory=dict)  # key -> key, where no release says so in words
    choices: dict = dataclasses.field(default_factory=dict)  # "Table.key" -> (file, Enum) that it is turned into
    always: tuple = ()  # keys that its loader converts in every release, whether a class has them or not
    beside: dict = dataclasses.field(default_factory=dict)  # table -> keys that its reader takes out before the class sees them
    together: bool = False  # users run copies that mix releases: a key of any is a key
    also: tuple = ()  # further names that requirements have for it


TRAINER = "transformers/TrainingArguments"
CALLBACKS = (
    "ModelCheckpoint", "EarlyStopping", "LearningRateMonitor", "RichProgressBar", "TQDMProgressBar", "RichModelSummary",
    "ModelSummary", "DeviceStatsMonitor", "StochasticWeightAveraging", "GradientAccumulationScheduler", "Timer",
    "BatchSizeFinder", "LearningRateFinder", "BackboneFinetuning", "ThroughputMonitor", "WeightAveraging",
)

VERL_SKIPS = ("profiler", "global_profiler", "transfer_queue", "tool_config", "turbo_config", "reward_model", "custom_reward_function")

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
        reads=(Fields("LoraConfig"), AllFields("adapters", ("/config.py",))),
        modules=("peft.*",),
    ),
    Package(
        name="accelerate",
        releases=(
            "0.16.0", "0.18.0", "0.20.3", "0.21.0", "0.22.0", "0.23.0", "0.24.1", "0.25.0", "0.26.1", "0.27.2", "0.28.0",
            "0.29.3", "0.30.1", "0.31.0", "0.32.1", "0.33.0", "0.34.2", "1.0.1", "1.1.1", "1.2.1", "1.3.0", "1.4.0", "1.5.2",
            "1.6.0", "1.7.0", "1.8.1", "1.9.0", "1.10.1", "1.11.0", "1.12.0", "1.13.0", "1.14.0", "1.15.0",
        ),
        reads=(
            Fields("ClusterConfig", "config_args.py"),
            Fields("SageMakerConfig", "config_args.py"),
            Arguments("launch", ("accelerate/commands/launch.py",)),
        ),
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
            Call(("DeepSpeedStrategy", "DDPStrategy", "FSDPStrategy", "ModelParallelStrategy", "SingleDeviceStrategy"), "/strategies/"),
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
            AllCalls("litgpt/data/", r"^[A-Z](?!.*(Dataset|DataModule)$)"),
        ),
        modules=("litgpt.data", "litgpt.data.*"),
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
            Call(("DiskLogger", "StdoutLogger", "WandBLogger", "TensorBoardLogger", "CometLogger"), "metric_logging.py"),
            Call(("setup_torch_profiler",), "_profiler.py"),
            Call(("get_cosine_schedule_with_warmup",), "lr_schedulers.py"),
            Call(("LinearCrossEntropyLoss", "CEWithChunkedOutputLoss", "ForwardKLLoss", "ForwardKLWithChunkedOutputLoss"), "modules/loss/"),
            Call(("DPOLoss",), "/loss/"),
            AllCalls("_model_builders.py", r"\d"),
            AllCalls("torchtune/datasets/_", "_dataset$"),
        ),
        modules=("torchtune.*",),
    ),
    Package(
        name="ultralytics",
        releases=("8.0.100", "8.0.200", "8.1.0", "8.2.0", "8.2.100", "8.3.0", "8.3.100", "8.4.0", "8.4.190"),
        reads=(Defaults("default", "cfg/default.yaml"),),
    ),
    Package(
        name="ms-swift",
        releases=(
            "2.6.1", "3.0.3", "3.1.1.post1", "3.2.2", "3.3.1", "3.4.1.post1", "3.5.3", "3.6.4", "3.7.3", "3.8.3", "3.9.3",
            "3.10.3", "3.11.3", "3.12.6", "4.0.4", "4.1.3", "4.2.3", "4.3.2", "4.4.2", "4.5.3", "4.6.0",
        ),
        folder="swift",
        reads=(
            Fields("SftArguments", table="swift"),
            Fields("TrainArguments", "/train_args.py", table="swift"),
            Fields("RLHFArguments", table="swift"),
            Fields("MegatronSftArguments", "megatron/", table="megatron"),
            Fields("MegatronTrainArguments", "megatron/", table="megatron"),
            Fields("MegatronRLHFArguments", "megatron/", table="megatron"),
        ),
        outside={
            "HfSeq2SeqTrainingArguments": "transformers/Seq2SeqTrainingArguments",
            "Seq2SeqTrainingArguments": "transformers/Seq2SeqTrainingArguments",
            "HfTrainingArguments": TRAINER,
        },
    ),
    Package(
        name="openrlhf",
        releases=(
            "0.5.9.post1", "0.6.4", "0.7.5", "0.8.11", "0.9.0", "0.9.3", "0.9.6", "0.9.10", "0.10.0", "0.10.4", "0.11.2",
        ),
        reads=(Arguments("train", ("openrlhf/cli/train_",)),),
    ),
    Package(
        name="verl",
        releases=("0.2.0.post2", "0.3.0.post1", "0.4.1", "0.5.0", "0.6.1", "0.7.1", "0.8.0", "0.9.1"),
        reads=tuple(
            Defaults("ppo", f"trainer/config/{name}.yaml", VERL_SKIPS)
            for name in ("ppo_trainer", "ppo_megatron_trainer", "_generated_ppo_trainer", "_generated_ppo_megatron_trainer")
        ),
    ),
    Package(
        name="nemo-toolkit",
        releases=(
            "1.15.0", "1.17.0", "1.18.1", "1.19.1", "1.20.0", "1.21.0", "1.22.0", "1.23.0", "2.0.0", "2.1.0", "2.2.1", "2.3.3",
            "2.4.1", "2.5.3", "2.6.2", "2.7.3", "3.0.0",
        ),
        folder="nemo",
        reads=(
            Fields("ExpManagerConfig", "nemo/utils/exp_manager.py"),
            Call(("AudioToMelSpectrogramPreprocessor", "SpectrogramAugmentation", "ConformerEncoder", "ConvASREncoder",
                  "ConvASRDecoder", "RNNTDecoder", "RNNTJoint", "SpeakerDecoder"), "collections/asr/modules/"),
        ),
        modules=("nemo.collections.asr.*",),
        also=("nemo_toolkit",),
    ),
    Package(
        name="nemo-automodel",
        releases=("0.1.2", "0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0"),
        reads=(
            Call(("StepScheduler",), "training/step_scheduler.py", table="step_scheduler"),
            Fields("StepSchedulerConfig", "training/step_scheduler.py", table="step_scheduler"),
            Fields("CheckpointingConfig", "components/checkpoint/", table="checkpoint"),
            *(
                Fields(f"{engine}Config", "distributed/config.py", table="distributed")
                for engine in ("FSDP2", "MegatronFSDP", "DDP")
            ),
            *(
                Call((f"{engine}Manager",), "components/distributed/", table="distributed")
                for engine in ("FSDP2", "MegatronFSDP", "DDP")
            ),
            Fields("PipelineConfig", "distributed/"),
            Call(("PeftConfig",), "components/_peft/lora.py"),
            Call(("MaskedCrossEntropy", "ChunkedCrossEntropy", "FusedLinearCrossEntropy"), "components/loss/"),
            Call(("StatefulRNG",), "components/training/rng.py"),
        ),
        modules=("nemo_automodel.*",),
        beside={
            "step_scheduler": ("local_batch_size", "global_batch_size"),
            "checkpoint": ("restore_from",),
            "distributed": ("strategy", "dp_size", "dp_replicate_size", "tp_size", "pp_size", "cp_size", "ep_size", "pipeline", "moe",
                            "sequence_parallel", "activation_checkpointing"),
        },
        also=("nemo_automodel",),
    ),
    Package(
        name="llm-foundry",
        releases=(
            "0.5.0", "0.6.0", "0.7.0", "0.8.0", "0.9.1", "0.10.0", "0.11.0", "0.12.0", "0.13.1", "0.14.5", "0.15.1", "0.16.0",
            "0.17.1", "0.18.0", "0.19.0", "0.20.0", "0.21.0", "0.22.0",
        ),
        folder="llmfoundry",
        reads=(Fields("TrainConfig"), Fields("EvalConfig")),
    ),
    Package(
        name="fairseq",
        # Its main branch has been 0.12.2 ever since.
        releases=(),
        repository="github.com/facebookresearch/fairseq",
        commits={"0.12.2": "3d262bb25690e4eb2e7d3c1309b1e9c406ca4b99"},
        folder="fairseq",
        reads=tuple(
            Fields(name, "fairseq/dataclass/configs.py")
            for name in (
                "CommonConfig", "DistributedTrainingConfig", "DatasetConfig", "OptimizationConfig", "CheckpointConfig",
                "FairseqBMUFConfig", "GenerationConfig", "CommonEvalConfig", "EMAConfig",
            )
        ),
    ),
    Package(
        name="mmengine",
        releases=("0.3.2", "0.4.0", "0.5.0", "0.6.0", "0.7.4", "0.8.5", "0.9.1", "0.10.7"),
        reads=(
            Call(("EpochBasedTrainLoop", "IterBasedTrainLoop"), "runner/loops.py", skip=("runner", "dataloader")),
            Call(("CheckpointHook",), "hooks/checkpoint_hook.py"),
            Call(("LoggerHook",), "hooks/logger_hook.py"),
            Call(("OptimWrapper",), "optimizer/optimizer_wrapper.py"),
            Call(("AmpOptimWrapper",), "optimizer/amp_optimizer_wrapper.py"),
        ),
        modules=("mmengine.*",),
    ),
    Package(
        name="coqui-tts",
        releases=("0.22.1", "0.24.3", "0.25.3", "0.26.2", "0.27.5", "0.28.0"),
        folder="TTS",
        reads=(AllFields("configs", ("_config.py", "shared_configs.py"), names_only=True),),
        outside={"TrainerConfig": "coqui-tts-trainer/TrainerConfig"},
        also=("TTS",),
    ),
    Package(
        name="coqui-tts-trainer",
        releases=("0.1.7", "0.2.3", "0.3.3", "0.4.0"),
        folder="trainer",
        reads=(Fields("TrainerConfig"), Fields("TrainerArgs")),
        also=("trainer",),
    ),
    Package(
        name="bitsandbytes",
        releases=("0.40.2", "0.41.3", "0.42.0", "0.43.3", "0.44.1", "0.45.5", "0.46.1", "0.47.0", "0.48.2", "0.49.2", "0.50.2"),
        reads=(AllCalls("bitsandbytes/optim/", r"^(?!GlobalOptimManager|Optimizer|MockArgs)[A-Z]"),),
        modules=("bitsandbytes.optim.*",),
    ),
    Package(
        name="torchdata",
        releases=("0.8.0", "0.9.0", "0.10.1", "0.11.0"),
        reads=(Call(("StatefulDataLoader",), "stateful_dataloader/stateful_dataloader.py"),),
        modules=("torchdata.stateful_dataloader.*",),
    ),
    Package(
        name="speechbrain",
        releases=("0.5.13", "0.5.14", "0.5.15", "0.5.16", "1.0.3", "1.1.2"),
        reads=(
            AllCalls("speechbrain/nnet/schedulers.py", "^[A-Z]"),
            AllCalls("speechbrain/augment/time_domain.py", "^[A-Z]"),
            AllCalls("speechbrain/augment/freq_domain.py", "^[A-Z]"),
            AllCalls("speechbrain/augment/augmenter.py", "^[A-Z]"),
            Call(("EpochCounter", "EpochCounterWithStopper"), "utils/epoch_loop.py"),
            Call(("Checkpointer",), "utils/checkpoints.py"),
            Call(("Pretrainer",), "utils/parameter_transfer.py"),
            Call(("FileTrainLogger",), "utils/train_logger.py"),
            Call(("InputNormalization",), "processing/features.py"),
            Call(("Fbank", "MFCC"), "lobes/features.py"),
            Call(("Linear",), "nnet/linear.py"),
            Call(("Embedding",), "nnet/embedding.py"),
            Call(("TransformerASR",), "transformer/TransformerASR.py"),
            Call(("ConvolutionFrontEnd",), "lobes/models/convolution.py"),
            Call(("CRDNN",), "lobes/models/CRDNN.py"),
            Call(("ctc_loss", "nll_loss", "mse_loss", "kldiv_loss", "transducer_loss", "classification_error"), "nnet/losses.py"),
        ),
        modules=("speechbrain.*",),
    ),
    Package(
        name="monai",
        releases=("0.9.1", "1.0.1", "1.1.0", "1.2.0", "1.3.2", "1.4.0", "1.5.2", "1.6.1"),
        reads=(
            Call(("UNet", "BasicUNet", "DynUNet", "SegResNet", "SwinUNETR", "UNETR", "VNet", "AttentionUnet", "AutoEncoder",
                  "DiffusionModelUNet", "AutoencoderKL", "DenseNet121", "EfficientNetBN", "FlexibleUNet"), "networks/nets/"),
            Call(("DiceLoss", "DiceCELoss", "DiceFocalLoss", "GeneralizedDiceLoss", "FocalLoss", "TverskyLoss", "SSIMLoss"), "losses/"),
            Call(("SupervisedTrainer",), "engines/trainer.py"),
            Call(("SupervisedEvaluator",), "engines/evaluator.py"),
            Call(("CacheDataset", "PersistentDataset", "SmartCacheDataset", "Dataset"), "data/dataset.py"),
            Call(("DataLoader",), "data/dataloader.py"),
            Call(("SlidingWindowInferer", "SimpleInferer"), "inferers/inferer.py"),
            Call(("CheckpointSaver", "CheckpointLoader", "StatsHandler", "TensorBoardStatsHandler", "ValidationHandler",
                  "LrScheduleHandler", "MeanDice", "EarlyStopHandler", "GarbageCollector"), "handlers/"),
        ),
        modules=("monai.*",),
    ),
    Package(
        name="espnet",
        releases=(
            "0.9.10", "0.10.6", "202207", "202211", "202301", "202304", "202308", "202310", "202402", "202412", "202506",
            "202509", "202511", "202611",
        ),
        folder="espnet2",
        reads=(
            Arguments("train", ("espnet2/tasks/", "espnet2/train/"), names_only=True),
            Chosen("train", ("espnet2/tasks/",), "ClassChoices"),
        ),
        # Its flags of optimizers and schedules are put together from a number; GANs have two of each.
        beside={
            "train": tuple(
                f"{name}{number}{end}" for name in ("optim", "scheduler") for number in ("", "2") for end in ("", "_conf")
            )
        },
    ),
    Package(
        name="torchtitan",
        # Newer ones put their sections together from the classes that a model names.
        releases=("0.1.0", "0.2.0", "0.2.1", "0.2.2"),
        reads=(Fields("JobConfig"),),
    ),
    Package(
        name="nemo-run",
        releases=("0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.1", "0.9.0", "0.10.0", "0.11.1"),
        reads=(
            Call(("SlurmExecutor",), "core/execution/slurm.py"),
            Call(("LocalExecutor",), "core/execution/local.py"),
            Call(("DockerExecutor",), "core/execution/docker.py"),
            Call(("SkypilotExecutor",), "core/execution/skypilot.py"),
            Call(("DGXCloudExecutor",), "core/execution/dgxcloud.py"),
            Call(("LeptonExecutor",), "core/execution/lepton.py"),
            Call(("KubeflowExecutor",), "core/execution/kubeflow.py"),
            Call(("Torchrun", "FaultTolerance", "SlurmRay", "SlurmTemplate"), "core/execution/launcher.py"),
            Call(("GitArchivePackager",), "core/packaging/git.py"),
            Call(("PatternPackager",), "core/packaging/pattern.py"),
            Call(("SSHTunnel", "LocalTunnel"), "core/tunnel/client.py"),
        ),
        modules=("nemo_run.*", "nemo_run"),
        also=("nemo_run",),
    ),
    Package(
        name="unsloth",
        # The first that have its command line.
        releases=("2026.3.18", "2026.4.8", "2026.5.10", "2026.6.9", "2026.7.6", "2026.8.22", "2026.9.14", "2026.10.9"),
        folder="unsloth_cli",
        reads=(Fields("Config", "unsloth_cli/config.py"),),
        # Turned into the words that are taken.
        beside={"DataConfig": ("format_type",), "TrainingConfig": ("training_type", "gradient_checkpointing")},
    ),
    Package(
        name="detectron2",
        releases=(),
        repository="github.com/facebookresearch/detectron2",
        commits={
            "0.1": "1a7daee064eeca2d7fddce4ba74b74183ba1d4a0",
            "0.2": "a33fc5371625f8b5f46a3aa0e1548ec6e1c38128",
            "0.3": "4841e70ee48da72c32304f9ebf98138c2a70048d",
            "0.4": "4aca4bdaa9ad48b8e91d7520e0d0815bb8ca0fb1",
            "0.5": "82a57ce0b70057685962b352535147d9a8118578",
            # Its main branch has been 0.6 ever since.
            "0.6": "02b5c4e295e990042a714712c21dc79b731e8833",
        },
        folder="detectron2/config",
        reads=(Nodes("defaults", "detectron2/config/defaults.py"),),
    ),
    Package(
        name="pytorch-image-models",
        releases=(),
        together=True,
        repository="github.com/huggingface/pytorch-image-models",
        commits={
            "0.4.12": "7096b52a613eefb4f6d8107366611c8983478b19",
            "0.5.4": "e0c4eec4b66dc14ae96097c7b4a7ef2af45ba309",
            "0.6.13": "2696eedd1b1763b9da06e68c1af3c5ed360fe687",
            "0.9.16": "6e6f3686a7e06bcba37bbd3b7c755f04a516a1e7",
            "1.0.3": "cb0e4391beedcc5ac3ae4bce16561b95c326f32c",
            "1.0.15": "e44f14d7d2f557b9f3add82ee4f1ed2beefbb30d",
            "1.0.20": "234907eca5d801a369b536e001ec0b45d8ec9d60",
            "1.0.29.dev0": "aa4b5850c1543fa488abf260f18390eda46cf85d",
        },
        folder="train.py",
        reads=(Arguments("train", ("train.py",), names_only=True),),
    ),
    Package(
        name="megatron-lm",
        releases=(),
        together=True,
        repository="github.com/NVIDIA/Megatron-LM",
        commits={
            "0.7.0": "a645f89671be698612170539f2089dc15db66a80",
            "0.8.0": "baf94af3c667248865f23df73b9fb8e2395e6fd0",
            "0.9.0": "1afee592e85ac7994887eb5f4ef3998f76384333",
            "0.10.0": "7ee599a25ca15f042c1087176b73ebddb0566d02",
            "0.11.0": "aa6207e2da6bca789375f591c9124aa408d2509a",
            "0.12.1": "a845aa7e12b3a117e24c2352b9e3e60bad2e3a17",
            "0.13.1": "ea651a3b78b9b0c1dfd83975ff28853e38e5abaa",
            "0.14.0": "23e00ed0963c35382dfe8a5a94fb3cda4d21e133",
            "0.15.3": "309ffca6a40553362d44fd17efc56b772fa1aa44",
            "0.16.1": "55ac7082517c3878ae653c07c09c534b8aed49f6",
            "0.17.1": "266f1c97dca477ca8b92c16087506da2000b0b84",
            "0.18.2": "571370c829ca768fe37244f4e2e7f28d8accc4ab",
            "0.19.0": "5be9626709af2722333bf54797c954c09edeada3",
        },
        folder="megatron/",
        reads=(
            Arguments("arguments", ("megatron/training/arguments.py",), names_only=True),
            # Classes whose fields later releases make flags of.
            AllFields(
                "arguments",
                ("transformer_config.py", "model_parallel_config.py", "training_config.py", "common_config.py",
                 "resilience_config.py", "distributed_data_parallel_config.py", "optimizer_config.py"),
                names_only=True,
            ),
        ),
    ),
    Package(
        name="diffusers-examples",
        releases=(),
        together=True,
        repository="github.com/huggingface/diffusers",
        commits={
            "0.21.4": "f5942649f522f0ae87bcb659735b9fd894349ca8",
            "0.25.1": "1909952826ffb0609f5df172ac7948c46422614d",
            "0.28.2": "de9528ebc7725012cf097e43f565aeff24940eda",
            "0.31.0": "89e4d6219805975bd7d253a267e1951badc9f1c0",
            "0.33.1": "375ec930863ee74d0a0d5209f5627a5c89c752c2",
            "0.35.1": "0f252be0ed42006c125ef4429156cb13ae6c1d60",
            "0.37.0": "d791c5c024014784df4a8dac2601e19fb4d300fc",
            "0.40.0.dev0": "58eb52c0803ea9af3abec60841c2a093bdf1f951",
        },
        folder="examples/",
        reads=(
            Arguments(
                "train",
                tuple(
                    f"examples/{folder}/train_"
                    for folder in ("dreambooth", "text_to_image", "controlnet", "unconditional_image_generation",
                                   "instruct_pix2pix", "t2i_adapter", "custom_diffusion", "advanced_diffusion_training", "cogvideo")
                ),
                names_only=True,
            ),
        ),
    ),
)
