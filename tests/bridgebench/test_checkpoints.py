from pathlib import Path
from typing import Any

import pytest

from bridgebench.checkpoints import device_name, refuse_changed, refuse_misfit, weight_files
from bridgebench.errors import BridgebenchError

COMPLETE: dict[str, Any] = {"missing_keys": set(), "unexpected_keys": set(), "mismatched_keys": set(), "error_msgs": []}


def test_a_complete_checkpoint_passes() -> None:
    refuse_misfit("here", "Net", COMPLETE)


def test_ignored_weights_may_be_missing_or_left_over() -> None:
    report = COMPLETE | {"missing_keys": {"pooler.w"}, "unexpected_keys": {"pooler.b", "head.b"}}
    with pytest.raises(BridgebenchError) as raised:
        refuse_misfit("here", "Net", report, ignore=("pooler.",))
    assert str(raised.value) == "checkpoint 'here' does not fit Net: 1 weights unexpected: head.b"


def test_every_kind_of_misfit_is_named_and_long_lists_are_cut() -> None:
    report = {
        "missing_keys": {f"layer.{n}" for n in range(7)},
        "unexpected_keys": set(),
        "mismatched_keys": {("norm", (3,), (4,))},
        "error_msgs": ["bad header"],
    }
    with pytest.raises(BridgebenchError, match="bad header; 7 weights missing: layer.0, .* and 2 more; 1 .*: norm"):
        refuse_misfit("here", "Net", report)


def test_a_device_without_a_product_name_is_called_by_its_kind() -> None:
    pytest.importorskip("torch", reason="needs the extra 'local'")
    assert device_name("cpu") == "cpu"
    assert device_name("cpu:0") == "cpu"


def test_other_weights_in_the_same_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"old")
    loaded = weight_files(str(tmp_path))
    (tmp_path / "README.md").touch()
    refuse_changed(str(tmp_path), loaded)
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(BridgebenchError, match="has changed since this process loaded it"):
        refuse_changed(str(tmp_path), loaded)
    refuse_changed("someone/model", weight_files("someone/model"))
