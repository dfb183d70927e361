"""Batched decoding against plain transformers, one prompt at a time, in float32 on randomly initialised models."""

from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")

from bridgebench.models import prefix  # noqa: E402
from bridgebench.models.generation import Generation, generate  # noqa: E402
from bridgebench.models.sampling import Sampling, draw  # noqa: E402

KINDS = [
    ("llama", {}),
    ("mistral", {"sliding_window": 12}),
    (
        "gemma3",
        {
            "sliding_window": 12,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "tie_word_embeddings": False,  # tied, a random one only repeats its last token
        },
    ),
]


def plain(weights: Any, ids: tuple[int, ...], new: int) -> list[int]:
    """Greedy tokens of transformers' own generate, with this prompt alone."""
    prompt = torch.tensor([ids])
    ends = sorted(weights.ends)
    out = weights.model.generate(
        prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=new, eos_token_id=ends
    )
    return list(out[0, len(ids) :].tolist())


def plain_logprobs(weights: Any, ids: list[int]) -> Any:
    """Log-probabilities of every next token after each position of one sequence: positions x vocabulary."""
    with torch.inference_mode():
        return weights.model(torch.tensor([ids])).logits[0].float().log_softmax(-1)


@pytest.mark.parametrize(("kind", "changes"), KINDS)
def test_a_batch_answers_as_each_prompt_alone(
    tiny_model: Any, prompts: Any, kind: str, changes: dict[str, Any]
) -> None:
    weights = tiny_model(kind, **changes).weights
    asked = prompts(weights)
    free = [plain(weights, ids, 20) for ids in asked]
    # The end token that makes rows leave the batch at the most different steps.
    tokens = {token for answer in free for token in answer}
    end = max(tokens, key=lambda token: len({answer.index(token) for answer in free if token in answer}))
    weights = replace(weights, ends=frozenset({end}))
    expected = [plain(weights, ids, 20) for ids in asked]
    assert len({len(answer) for answer in expected}) > 2
    assert [out.ids for out in generate(weights, [Generation(ids, 20) for ids in asked])] == expected


@pytest.mark.parametrize(("kind", "changes"), KINDS)
def test_a_shared_prefix_is_read_once_and_logits_are_those_of_each_prompt_alone(
    tiny_model: Any, prompts: Any, monkeypatch: pytest.MonkeyPatch, kind: str, changes: dict[str, Any]
) -> None:
    weights = tiny_model(kind, **changes).weights
    stem = prompts(weights)[-1] * 2
    asked = [stem + ids[-length:] for length, ids in zip((3, 9, 4, 4), prompts(weights), strict=False)]
    assert prefix.common_prefix(asked) == len(stem)
    read = []

    def count(module: Any, args: Any, options: dict[str, Any]) -> None:
        read.append(options["input_ids"].numel())

    hook = weights.model.register_forward_pre_hook(count, with_kwargs=True)
    with torch.inference_mode():
        shared = prefix.prefill(weights, asked, keep=3)
        # With a sliding window the prefix is not shared: padding after it would push tokens out of the window.
        assert read == ([4 * (len(stem) + 9)] if changes else [len(stem), 4 * 9])
        monkeypatch.setattr(prefix, "WORTHWHILE", 10**9)
        unshared = prefix.prefill(weights, asked, keep=3)
    hook.remove()
    assert read[-1] == 4 * (len(stem) + 9)
    torch.testing.assert_close(shared.logits, unshared.logits, atol=1e-4, rtol=1e-4)
    alone = torch.stack([plain_logprobs(weights, list(ids))[-3:] for ids in asked])
    torch.testing.assert_close(shared.logits.log_softmax(-1), alone, atol=1e-4, rtol=1e-4)
    assert int(shared.mask.sum()) == sum(map(len, asked))


def test_identical_prompts_share_all_but_their_last_token(tiny: Any, prompts: Any) -> None:
    ids = prompts(tiny.weights)[-1] * 2
    outs = generate(tiny.weights, [Generation(ids, 8)] * 4)
    assert [out.ids for out in outs] == [plain(tiny.weights, ids, 8)] * 4


def test_common_prefix() -> None:
    assert prefix.common_prefix([(1, 2, 3), (1, 2, 4, 5), (1, 2)]) == 2
    assert prefix.common_prefix([(1, 2), (3,)]) == 0
    assert prefix.common_prefix([(7, 8, 9)]) == 3


def test_prompts_over_the_same_documents_go_together() -> None:
    from bridgebench.batching import Request

    documents = tuple(range(40))
    sharing = [Request(Generation((*documents, 90 + question), 4), 45) for question in range(5)]
    others = [Request(Generation(tuple(range(100 + other, 141 + other)), 4), 45) for other in range(5)]
    select = prefix.prefix_aware(max_tokens=10**6, max_items=64)
    mixed = [request for pair in zip(sharing, others, strict=True) for request in pair]
    assert sorted(select(mixed)) == [0, 2, 4, 6, 8]
    assert sorted(select(mixed[1:])) == list(range(9)), "the oldest shares nothing: nearest in length"
    assert sorted(select(mixed[:4])) == [0, 1, 2, 3], "two that share are too few for a batch"
    assert len(prefix.prefix_aware(max_tokens=3 * 45, max_items=64)(mixed)) == 3


def test_stops_end_the_answer_before_themselves(tiny: Any, prompts: Any) -> None:
    ids = prompts(tiny.weights)[5]
    free = generate(tiny.weights, [Generation(ids, 12)])[0]
    assert free.stop == "max_tokens"
    assert len(free.ids) == 12
    assert free.text == tiny.weights.tokenizer.decode(free.ids)
    stop = free.text[4:6]  # may straddle tokens
    out = generate(tiny.weights, [Generation(ids, 12, stops=("never said", stop))])[0]
    assert out.text == free.text[: free.text.index(stop)]
    assert out.stop == "stop"
    assert len(out.ids) < 12
    assert out.ids == free.ids[: len(out.ids)]
    assert stop not in tiny.weights.tokenizer.decode(out.ids[:-1])


def test_an_end_token_counts_but_is_not_text(tiny: Any, prompts: Any) -> None:
    ids = prompts(tiny.weights)[5]
    free = generate(tiny.weights, [Generation(ids, 12)])[0]
    end = free.ids[6]
    first = free.ids.index(end)
    out = generate(replace(tiny.weights, ends=frozenset({end})), [Generation(ids, 12)])[0]
    assert out.ids == free.ids[: first + 1]
    assert out.text == tiny.weights.tokenizer.decode(free.ids[:first])
    assert out.stop == "stop"


def test_each_prompt_has_its_own_limit(tiny: Any, prompts: Any) -> None:
    limits = [1, 7, 3, 5]
    outs = generate(
        tiny.weights, [Generation(ids, new) for ids, new in zip(prompts(tiny.weights), limits, strict=False)]
    )
    assert [len(out.ids) for out in outs] == limits


def test_logprobs_are_those_of_the_model_at_every_step(tiny: Any, prompts: Any) -> None:
    asked = prompts(tiny.weights)[:6]
    hot = Sampling(temperature=1.5, top_k=20, top_p=0.9, seed=3)
    for ids, out in zip(asked, generate(tiny.weights, [Generation(ids, 6, hot, top=3) for ids in asked]), strict=True):
        expected = plain_logprobs(tiny.weights, [*ids, *out.ids])[len(ids) - 1 : -1]
        for position, (token, entry) in enumerate(zip(out.ids, out.logprobs, strict=True)):
            assert entry.token == token
            assert entry.logprob == pytest.approx(float(expected[position, token]), abs=1e-4)
            best = expected[position].topk(3)
            assert [token for token, _ in entry.top] == best.indices.tolist()
            assert [logprob for _, logprob in entry.top] == pytest.approx(best.values.tolist(), abs=1e-4)


def test_scored_tokens_beside_generated_ones(tiny: Any, prompts: Any) -> None:
    long, short, other = prompts(tiny.weights)[9], prompts(tiny.weights)[2], prompts(tiny.weights)[4]
    asked = [
        Generation(long, 0, top=0, scored=5),
        Generation(other, 4),
        Generation(short, 0, top=2, scored=2),
    ]
    outs = generate(tiny.weights, asked)
    for request, out in [(asked[0], outs[0]), (asked[2], outs[2])]:
        expected = plain_logprobs(tiny.weights, list(request.ids))
        places = range(len(request.ids) - request.scored, len(request.ids))
        assert [entry.token for entry in out.prompt_logprobs] == [request.ids[place] for place in places]
        wanted = [float(expected[place - 1, request.ids[place]]) for place in places]
        assert [entry.logprob for entry in out.prompt_logprobs] == pytest.approx(wanted, abs=1e-4)
        assert [len(entry.top) for entry in out.prompt_logprobs] == [request.top] * request.scored
        assert out.ids == []
    assert outs[1].ids == plain(tiny.weights, other, 4)


def test_a_seed_gives_the_same_answer_in_any_batch(tiny: Any, prompts: Any) -> None:
    asked = [Generation(ids, 10, Sampling(temperature=1.0, seed=11)) for ids in prompts(tiny.weights)]
    together = [out.ids for out in generate(tiny.weights, asked)]
    assert together == [generate(tiny.weights, [prompt])[0].ids for prompt in asked]
    other = generate(tiny.weights, [replace(asked[0], sampling=Sampling(temperature=1.0, seed=12))])[0].ids
    assert other != together[0]
    unseeded = [generate(tiny.weights, [replace(asked[0], sampling=Sampling(temperature=1.0))])[0].ids for _ in "ab"]
    assert unseeded[0] != unseeded[1]


def test_draws_follow_the_distribution_that_was_asked_for() -> None:
    logits = torch.tensor([0.5, 2.0, 1.0, -1.0, 1.5])
    probabilities = (logits / 0.8).softmax(0)

    def frequencies(sampling: Sampling) -> Any:
        generator = sampling.generator()
        drawn = torch.tensor([draw(logits, sampling, generator) for _ in range(1500)])
        return drawn.bincount(minlength=5) / 1500

    torch.testing.assert_close(frequencies(Sampling(0.8, seed=1)), probabilities, atol=0.04, rtol=0)
    two = torch.where(torch.tensor([False, True, False, False, True]), probabilities, 0)
    torch.testing.assert_close(frequencies(Sampling(0.8, top_k=2, seed=1)), two / two.sum(), atol=0.04, rtol=0)
    # 0.43 + 0.23 < 0.7 <= 0.43 + 0.23 + 0.12: the third likeliest is the last one in.
    three = torch.where(torch.tensor([False, True, True, False, True]), probabilities, 0)
    torch.testing.assert_close(frequencies(Sampling(0.8, top_p=0.8, seed=1)), three / three.sum(), atol=0.04, rtol=0)
    assert frequencies(Sampling(0.8, top_p=1e-6, seed=1))[1] == 1
