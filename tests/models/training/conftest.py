from collections.abc import Callable
from pathlib import Path

import pytest

from bridgebench.models.training.served import ServedModel
from bridgebench.models.training.supervision import SupervisionSettings

WORLD = "world:size=24,seed=11,distractors=3"


@pytest.fixture
def by_rules() -> SupervisionSettings:
    """The teacher by rules over the train split of a fictional world."""
    teacher = ServedModel(model="world_teacher/rules", args={"source": WORLD})
    return SupervisionSettings(teacher=teacher, source=WORLD, limit=None)


@pytest.fixture(scope="session")
def word_chat(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Folder of a chat tokenizer: a word is a token, and each message is one more."""
    transformers = pytest.importorskip("transformers", reason="needs the train extra")
    tokenizers = pytest.importorskip("tokenizers")
    chat = "{% for message in messages %}{{ message['role'] }} {{ message['content'] }} {% endfor %}"

    def save(template: str | None = chat) -> str:
        words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
        words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]")
        tokenizer.chat_template = template
        folder: Path = tmp_path_factory.mktemp("tokenizer")
        tokenizer.save_pretrained(folder)
        return str(folder)

    return save
