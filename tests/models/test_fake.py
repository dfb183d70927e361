import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from bridgebench.errors import BridgebenchError
from bridgebench.models.fake import calls, fake

assert fake  # registers the provider

pytestmark = pytest.mark.anyio


async def ask(prompt: str, config: GenerateConfig | None = None, **script: Any) -> Any:
    return await get_model("fake/test", memoize=False, **script).generate(prompt, config=config or GenerateConfig())


async def test_it_says_its_answer_and_counts_words_and_calls() -> None:
    calls.clear()
    output = await ask("one two three", answer="Paris it is")
    assert output.completion == "Paris it is"
    assert output.stop_reason == "stop"
    assert (output.usage.input_tokens, output.usage.output_tokens, output.usage.total_tokens) == (3, 3, 6)
    await ask("again")
    assert calls == {"test": 2}


async def test_rules_answer_in_order_and_may_echo_what_they_found() -> None:
    rules = {r"capital of (\w+)\?": r"The capital of \1", "capital": "second"}
    assert (await ask("What is the capital of France?", answers=rules)).completion == "The capital of France"
    assert (await ask("a capital", answers=rules)).completion == "second"
    assert (await ask("nothing", answers=rules, answer="default")).completion == "default"
    model = get_model("fake/test", answers={"(?s)system words.*user words": "both"}, memoize=False)
    messages = [ChatMessageSystem(content="system words"), ChatMessageUser(content="user words")]
    assert (await model.generate(messages)).completion == "both"


async def test_stop_sequences_cut() -> None:
    assert (await ask("x", GenerateConfig(stop_seqs=["\n"]), answer="one\ntwo")).completion == "one"


@pytest.mark.parametrize("reason", ["model_length", "content_filter", "max_tokens"])
async def test_it_can_stop_for_other_reasons(reason: str) -> None:
    output = await ask("the bad one", stop_reason=reason, when="bad", answer="text")
    assert output.stop_reason == reason
    assert output.choices[0].stop_details.explanation == "scripted"
    assert output.completion == ("text" if reason == "max_tokens" else "")
    assert (await ask("the good one", stop_reason=reason, when="bad")).stop_reason == "stop"


async def test_it_can_fail() -> None:
    with pytest.raises(RuntimeError, match="no power"):
        await ask("x", fail="no power")
    assert (await ask("fine", fail="no power", when="bad")).completion == "fake"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ({"anser": "x"}, r"fake/test: model argument anser: Extra inputs .*known: answer, answers, "),
        ({"latency": -1}, "latency: Input should be greater"),
        ({"answers": {"(": "x"}}, r"'\(' is not a regular expression"),
        ({"when": "("}, r"'\(' is not a regular expression"),
    ],
)
async def test_wrong_scripts_are_refused(script: dict[str, Any], message: str) -> None:
    with pytest.raises(BridgebenchError, match=message):
        await ask("x", **script)


def test_calls_are_counted_across_an_eval_and_in_a_file(tmp_path: Path) -> None:
    calls.clear()
    counted = tmp_path / "calls"
    task = Task([Sample(input=str(n), target="yes") for n in range(30)], solver=generate(), scorer=match())
    [log] = eval(
        task, model="fake/counted", model_args={"answer": "yes", "count_file": str(counted)}, log_dir=str(tmp_path)
    )
    assert log.status == "success"
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1
    assert calls["counted"] == 30
    assert counted.read_text() == "counted\n" * 30


def test_it_needs_no_torch() -> None:
    code = "import sys, json, bridgebench.models.fake, bridgebench.models.local; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert "bridgebench.models.fake" in loaded
    assert not {"torch", "transformers"} & set(loaded)
