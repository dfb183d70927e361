"""log P(gold | question, documents) against a plain forward pass, and how two runs are compared."""

import math

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageUser,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    get_model,
)

import bridgebench.models.local  # noqa: F401 (registers the provider)
from bridgebench.errors import BridgebenchError
from bridgebench.scorers.utility import read_likelihood, utility
from bridgebench.scorers.utility_change import rank_correlation, utility_change
from bridgebench.store import BridgeStore

TEMPLATE = (
    "{% for message in messages %}<|start|>{{ message['role'] }}\n{{ message['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
PROMPT = "Lake Orin feeds the river Vess.\nQuestion: Which river?"


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """A random two-layer Llama with a byte-level tokenizer."""
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason="the extra 'local' is not installed")
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    bytes_ = Tokenizer(models.BPE())
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<|start|>", "<|end|>"], initial_alphabet=alphabet)
    bytes_.train_from_iterator([PROMPT], trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=bytes_, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = TEMPLATE
    path = tmp_path_factory.mktemp("tiny")
    tokenizer.save_pretrained(path)
    transformers.set_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.3,
        eos_token_id=1,
        pad_token_id=1,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


def by_hand(checkpoint, gold: str) -> tuple[float, int]:
    """Sum over the answer's tokens of log softmax at the position before each, in one unbatched pass."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    model = transformers.AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32).eval()
    before = f"<|start|>user\n{PROMPT}<|end|>\n<|start|>assistant\n"
    start = len(tokenizer(before, add_special_tokens=False)["input_ids"])
    ids = tokenizer(before + gold, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return sum(logits[place - 1, ids[place]].item() for place in range(start, len(ids))), len(ids) - start


def asked(state) -> None:
    state.store_as(BridgeStore).prompt = "qa@0"
    state.messages = [ChatMessageUser(content=PROMPT), ChatMessageAssistant(content="the sea")]


def test_equals_a_plain_forward_pass(run_scorer, figures, checkpoint) -> None:
    golds = ["Vess", "the Vess river", "Väss"]
    samples = [Sample(id=gold, input="Which river?", target=gold) for gold in golds]
    samples.append(Sample(id="best", input="Which river?", target=golds))
    log = run_scorer(
        utility(), samples, {}, prepare=asked, model=get_model(f"local/{checkpoint}", dtype="float32", device="cpu")
    )
    assert log.status == "success", log.error
    scores = {sample.id: sample.scores["utility"] for sample in log.samples}
    expected = {gold: by_hand(checkpoint, gold) for gold in golds}
    for gold, (total, tokens) in expected.items():
        assert scores[gold].value["log_probability"] == pytest.approx(total, abs=1e-3)
        assert scores[gold].value["log_probability_per_token"] == pytest.approx(total / tokens, abs=1e-3)
        assert scores[gold].metadata["tokens"] == tokens > 1
    best = max(expected, key=lambda gold: expected[gold][0])
    # The batch a score comes from moves its last bits, so the two passes over one gold are equal only to rounding.
    assert scores["best"].answer == best
    assert scores["best"].value == pytest.approx(scores[best].value, abs=1e-3)
    mean = sum(score.value["log_probability"] for score in scores.values()) / 4
    assert figures(log)["log_probability"].metrics["mean"].value == pytest.approx(mean)


def scored_output(tokens: list[tuple[str, float]] | None, input_tokens: int, stop_reason="stop") -> ModelOutput:
    content = None if tokens is None else [Logprob(token=token, logprob=value) for token, value in tokens]
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content=""),
        stop_reason=stop_reason,
        prompt_logprobs=None if content is None else Logprobs(content=content),
    )
    usage = ModelUsage(input_tokens=input_tokens, output_tokens=1, total_tokens=input_tokens + 1)
    return ModelOutput(model="served", choices=[choice], usage=usage)


WHOLE_PROMPT = [("user", -9.0), ("\n", -9.0), ("assistant", -9.0), ("\n", -9.0), ("Ve", -1.0), ("ss", -0.5)]


def test_a_served_prompt_comes_whole_and_is_cut_to_the_answer() -> None:
    likelihood = read_likelihood(scored_output(WHOLE_PROMPT, 7), "Vess")
    assert (likelihood.total, likelihood.tokens) == (-1.5, 2)


def test_a_local_answer_turn_is_taken_as_it_is() -> None:
    broken = [("V", -1.0), ("\ufffd", -2.0), ("\ufffd", -3.0)]  # a letter of two tokens cannot be spelled from them
    assert read_likelihood(scored_output(broken, 40), "Vä").total == -6.0


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (scored_output(None, 7), "no prompt_logprobs"),
        (scored_output([], 7), "no prompt_logprobs"),
        (scored_output(WHOLE_PROMPT, 7, stop_reason="model_length"), "too long"),
        (scored_output([*WHOLE_PROMPT, ("<|end|>", -0.1)], 8), "does not end in the answer"),
        (scored_output(WHOLE_PROMPT[:-1], 6), "does not end in the answer"),
        (ModelOutput(model="served"), "did not score"),
    ],
)
def test_anything_else_is_no_likelihood(output, says) -> None:
    with pytest.raises(BridgebenchError, match=says):
        read_likelihood(output, "Vess")


def test_unusable_providers_and_unasked_generators_are_unscored(run_scorer, figures) -> None:
    def maybe_asked(state) -> None:
        if state.sample_id == "asked":
            asked(state)

    samples = [Sample(id=id, input="?", target="Vess") for id in ("asked", "answered by a bridge")]
    model = get_model("mockllm/model", custom_outputs=[scored_output(None, 7)])
    log = run_scorer(utility(), samples, {}, prepare=maybe_asked, model=model)
    reasons = {sample.id: sample.scores["utility"].reason for sample in log.samples}
    assert reasons == {"asked": "scoring_failed", "answered by a bridge": "no_prompt"}
    assert figures(log)["log_probability"].unscored_samples == 2


def test_a_served_model_is_told_not_to_close_the_turn(run_scorer) -> None:
    seen = []

    def reply(input, tools, tool_choice, config) -> ModelOutput:
        seen.append((config.extra_body, config.prompt_logprobs, [message.role for message in input], input[-1].text))
        return scored_output(WHOLE_PROMPT, 7)

    extra = {"continue_final_message": True, "add_generation_prompt": False}
    log = run_scorer(
        utility(extra_body=extra),
        [Sample(id="a", input="?", target="Vess")],
        {},
        prepare=asked,
        model=get_model("mockllm/model", custom_outputs=reply),
    )
    assert log.samples[0].scores["utility"].value["log_probability"] == -1.5
    assert seen == [(extra, 1, ["user", "assistant"], "Vess")]


def test_change_is_a_mean_of_log_ratios_over_shared_questions() -> None:
    before = {"a": -4.0, "b": -1.0, "c": -2.0, "only": -1.0, "nan": math.nan}
    after = {"a": -1.0, "b": -2.0, "c": -2.0, "other": -9.0, "nan": -1.0}
    change = utility_change(before, after)
    assert (change.n, change.mean_log_ratio) == (3, pytest.approx((3 - 1 + 0) / 3))
    assert change.share_above_zero == pytest.approx(1 / 3)
    with pytest.raises(BridgebenchError, match="no scored question"):
        utility_change(before, {"elsewhere": -1.0})


def test_rank_correlation() -> None:
    one = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": math.nan}
    assert rank_correlation(one, {"a": 0.1, "b": 0.2, "c": 0.9, "d": 8.0, "e": 0.0}) == pytest.approx(1.0)
    # Ranks 1 2 3 4 and 1.5 1.5 4 3: by the definition, Pearson's correlation of the ranks.
    assert rank_correlation(one, {"a": 0.0, "b": 0.0, "c": 1.0, "d": 0.5}) == pytest.approx(3.5 / math.sqrt(5 * 4.5))
    assert math.isnan(rank_correlation(one, {"a": 1.0, "b": 1.0, "c": 1.0}))
    assert math.isnan(rank_correlation(one, {"a": 1.0, "b": 2.0}))


def test_rank_correlation_equals_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    one = {str(i): ((7 * i) % 11) / 3 for i in range(40)}
    other = {str(i): float((5 * i) % 13 // 2) for i in range(40)}
    expected = stats.spearmanr(list(one.values()), list(other.values())).statistic
    assert rank_correlation(one, other) == pytest.approx(expected)
