"""What a recipe says of training, its launcher and the evaluation; a comment gives the reason of each default."""

from typing import Annotated, Any, Literal

from pydantic import Field

from bridgebench.models.training.served import ServedModel, Settings

Positive = Annotated[int, Field(ge=1)]
Rate = Annotated[float, Field(gt=0, strict=False)]
"""YAML takes 1e-5, without a point, for a string."""
Fraction = Annotated[float, Field(ge=0, le=1)]


class Lora(Settings):
    """Low-rank adapters on all linear layers, in place of training all weights.

    Attributes:
        rank: Of the adapters.
        alpha: Scale; the update is multiplied by alpha / rank.
        dropout: Of the adapters' input.
    """

    # Rank 64 is close to full training on instruction data of this size; alpha = rank / 2 keeps its steps small.
    rank: Positive = 64
    alpha: Positive = 32
    # The paper trains for two epochs at most: there is little to regularise.
    dropout: Fraction = 0.0


class TrainSettings(Settings):
    """What SFT and DPO have in common.

    Attributes:
        epochs: Passes over the training rows.
        batch_size: Rows a device takes at once.
        accumulate: Batches a step adds up; the effective batch is batch_size x accumulate x processes.
        learning_rate: The highest of the schedule.
        schedule: How it falls after the warmup.
        warmup: Share of all steps in which it rises.
        weight_decay: Of AdamW.
        max_grad_norm: Gradients are scaled down to this norm.
        max_length: Most tokens of a row, prompt and completion; a longer one is an error, never cut.
        precision: Of the computation; weights are kept in float32, with adapters or ZeRO-3 in this precision too.
        gradient_checkpointing: Compute activations twice rather than keep them.
        lora: Adapters in place of full training.
        device: ``cpu``, or ``auto``: a GPU where there is one.
        save_every: Steps between checkpoints to resume from.
        seed: Of the order of rows, dropout and adapters.
    """

    epochs: Annotated[float, Field(gt=0)] = 1.0
    # With ZeRO-3 offload, 3B weights and 6,144 tokens two rows fit 48 GB.
    batch_size: Positive = 2
    accumulate: Positive = 1
    learning_rate: Rate = 1e-5
    # The usual choice for fine-tuning of instruct models; the paper says nothing.
    schedule: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.03
    # No regularisation beyond one or two epochs; the paper says nothing.
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    max_grad_norm: Annotated[float, Field(gt=0)] = 1.0
    # Ten MS MARCO passages are 1.2k to 2k tokens, their rewrites 1k to 2k: 6,144 leaves room for long ones.
    max_length: Positive = 6144
    # bfloat16 needs no loss scaling, and halves the memory.
    precision: Literal["float32", "bfloat16"] = "bfloat16"
    # Long rows of a 3B model do not fit otherwise; it costs a third more time.
    gradient_checkpointing: bool = True
    lora: Lora | None = None
    device: Literal["cpu", "auto"] = "auto"
    save_every: Positive = 50
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0  # numpy takes no others


class SftSettings(TrainSettings):
    """Supervised fine-tuning (arXiv 2509.15577, equation 8): the loss covers the rewrites, never the prompt.

    Attributes:
        model: The student: ``smollm2``, a local folder, or a hub id.
        revision: Branch, tag or commit of a hub id.
        pad_token: For a tokenizer that has none, one of its special tokens that ends no turn.
        dev_rows: Most held-out rows that the loss is measured on, the first ones; None for all. The others are kept
            from training all the same.
    """

    # The paper's student.
    model: str = "meta-llama/Llama-3.2-3B-Instruct"
    revision: str | None = None
    pad_token: str | None = None
    dev_rows: Positive | None = None
    # Not in the paper; related rewriters use 1 (EXIT) to 7 (CompAct).
    epochs: Annotated[float, Field(gt=0)] = 2.0
    # 2 x 4 x 8 GPUs: an effective batch of 64.
    accumulate: Positive = 4


class DpoSettings(TrainSettings):
    """Preference optimisation (arXiv 2509.15577, equation 9); the reference is the frozen SFT model.

    Attributes:
        beta: How far the policy may leave the reference.
        precompute_reference: Compute the reference's log-probabilities once, before training, and keep no second model.
    """

    # TRL's and the original paper's; R2U says nothing.
    beta: Annotated[float, Field(gt=0)] = 0.1
    # Half of TRL's 1e-6, which is for smaller models; R2U says nothing.
    learning_rate: Rate = 5e-7
    # Preferences come late and are few: a longer rise than in SFT.
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.1
    # A pair is two rows: 1 x 4 x 8 GPUs is an effective batch of 32 pairs.
    batch_size: Positive = 1
    accumulate: Positive = 4
    # The reference never changes: one pass over the pairs saves its memory and a forward pass a step.
    precompute_reference: bool = True


class Launcher(Settings):
    """How the two trainings are started.

    Attributes:
        accelerate: A configuration file of accelerate, or the name of a packaged one (``acc_cpu``, ``zero3_cpu``,
            ``zero3_gpu``); None starts one plain process.
        processes: Number of processes, in place of the file's.
        arguments: Further arguments of ``accelerate launch``, such as those of several machines.
        environment: Environment variables of the processes.
    """

    accelerate: str | None = None
    processes: Positive | None = None
    arguments: list[str] = Field(default_factory=list)
    environment: dict[str, str] = Field(default_factory=dict)


class EvaluateSettings(Settings):
    """The trained rewriter beside what it must be compared with.

    Attributes:
        benchmarks: Tasks with their arguments, as a suite names them.
        generator: The reader.
        limit: Questions of each benchmark.
        provider: Inspect's provider of the checkpoints: ``local``, or ``vllm``.
        provider_args: Its arguments.
        prompted: Whether the student before training is a row too.
        truncate: Whether documents cut to the rewriter's length are a row too.
        max_tokens: Most tokens of a rewriter's output.
        generation: Settings of the generator.
        seed: Of the draw of questions.
    """

    # The paper's four datasets with EM and F1.
    benchmarks: list[str | dict[str, Any]] = Field(["ambigqa", "hotpotqa", "twowiki", "musique"], min_length=1)
    # The paper's fixed generator.
    generator: ServedModel = ServedModel(model="vllm/meta-llama/Llama-3.1-8B-Instruct")
    limit: Positive | None = None
    provider: str = "vllm"
    provider_args: dict[str, Any] = Field(default_factory=dict)
    prompted: bool = True
    truncate: bool = True
    # Twice the passages' usual length.
    max_tokens: Positive = 2048
    generation: dict[str, Any] = Field(default_factory=dict)
    seed: int = 0
