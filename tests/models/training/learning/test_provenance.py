from pathlib import Path

import pytest

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.provenance import begin, content_hash, read_provenance, write_provenance
from bridgebench.models.training.settings import DpoSettings
from bridgebench.models.training.sft_data import SftDataSettings


def test_a_step_runs_until_it_is_complete_and_is_then_skipped(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "train.jsonl").write_text("{}")
    folder, settings = tmp_path / "dpo", DpoSettings()
    assert begin(folder, "dpo", settings, {"pairs": data})
    with pytest.raises(BridgebenchError, match="not complete"):
        read_provenance(folder)
    assert begin(folder, "dpo", settings, {"pairs": data})
    (folder / "model").mkdir()
    write_provenance(folder, "dpo", settings, {"pairs": data}, {"rows": 1})
    assert not begin(folder, "dpo", settings, {"pairs": data})
    made = read_provenance(folder)
    assert made["extra"] == {"rows": 1}
    assert made["seed"] == 0
    assert "trl" in made["versions"]


def test_other_settings_or_inputs_are_named(tmp_path: Path) -> None:
    data = tmp_path / "train.jsonl"
    data.write_text("{}")
    folder = tmp_path / "dpo"
    begin(folder, "dpo", DpoSettings(), {"pairs": data})
    assert begin(folder, "dpo", DpoSettings(beta=0.3), {"pairs": data})  # nothing came of the first one
    (folder / "checkpoints").mkdir()
    with pytest.raises(BridgebenchError, match=r"settings.beta: 0.3, now 0.1"):
        begin(folder, "dpo", DpoSettings(), {"pairs": data})
    data.write_text("{} ")
    with pytest.raises(BridgebenchError, match=r"inputs.pairs: "):
        begin(folder, "dpo", DpoSettings(beta=0.3), {"pairs": data})


def test_a_prompt_that_was_edited_is_another_input(tmp_path: Path) -> None:
    prompt = tmp_path / "rewrite.jinja"
    prompt.write_text("{{ question }}")
    folder, settings = tmp_path / "sft-data", SftDataSettings(template=str(prompt))
    begin(folder, "sft-data", settings, {})
    (folder / "train.jsonl").write_text("{}")
    write_provenance(folder, "sft-data", settings, {}, {})
    assert not begin(folder, "sft-data", settings, {})
    prompt.write_text("Rewrite for {{ question }}")
    with pytest.raises(BridgebenchError, match=r"inputs.template: "):
        begin(folder, "sft-data", settings, {})


def test_hash_of_a_folder_is_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = content_hash(tmp_path)
    (tmp_path / ".hidden").write_text("2")
    (tmp_path / "provenance.json").write_text("{}")
    assert content_hash(tmp_path) == first
    (tmp_path / "a").rename(tmp_path / "b")
    assert content_hash(tmp_path) != first
    with pytest.raises(BridgebenchError, match="no file or folder"):
        content_hash(tmp_path / "nowhere")
