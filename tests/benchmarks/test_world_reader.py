import pytest

from bridgebench.benchmarks.world.generate import scene_of
from bridgebench.benchmarks.world.reader import UNKNOWN, read
from bridgebench.benchmarks.world.source import read_source
from bridgebench.benchmarks.world.teacher import Rules
from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.solvers.generate import load_prompt


@pytest.fixture(scope="module")
def rules() -> Rules:
    spec = read_source("world:size=30,seed=11,distractors=3")
    return Rules(scene_of("msmarco", size=spec.size, seed=spec.seed, split="train", knobs=spec.knobs))


def ask(rules: Rules, question: str, *texts: str) -> str:
    documents = [Document(str(number), "", text) for number, text in enumerate(texts)]
    return read(rules, load_prompt("qa").render(question, documents))


def test_it_reads_what_is_there_and_is_misled_by_what_comes_first(rules: Rules) -> None:
    question = "what is the place of birth of klyben kuboloway"
    right = "Klyben Kuboloway, a Zaudorian astronomer, was born in Jasthorpe."
    wrong = "Glaula Kuboloway, a Zaudorian composer, was born in Yebmoor."
    assert ask(rules, question, right) == "Jasthorpe"
    assert ask(rules, question, wrong, right) == "Yebmoor"
    assert ask(rules, question) == UNKNOWN


def test_other_prompts_are_errors(rules: Rules) -> None:
    with pytest.raises(BridgebenchError, match="not the packaged prompt"):
        read(rules, "Say something.")
