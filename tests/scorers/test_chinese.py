"""LongBench's Chinese measures; sentences are our own."""

import pytest

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.qa_metrics import qa_scores

pytest.importorskip("jieba", reason="the extra 'metrics' is not installed")
pytest.importorskip("rouge", reason="the extra 'metrics' is not installed")


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("小明来自北京", "小明来自上海", 2 / 3),  # three words each, two shared
        ("小明，来自 北京。", "小明来自北京", 1.0),
        ("ABC 公司", "abc公司！", 1.0),
        ("the ABC", "abc", 2 / 3),  # English articles are words here
        ("", "", 0.0),
        ("。", "！", 0.0),
    ],
)
def test_f1(prediction, gold, expected) -> None:
    assert qa_scores("longbench_zh", prediction, [gold]) == {"f1": pytest.approx(expected)}


def test_rouge_l_follows_the_package_longbench_uses() -> None:
    # Words: 小明 来自 北京 / 小明 来自 上海; LCS 2 of 3 and 3; the package adds 1e-8 to the denominator.
    expected = 2 * (2 / 3) ** 2 / (4 / 3 + 1e-8)
    assert qa_scores("dureader", "小明来自北京", ["小明来自上海"])["rouge_l"] == pytest.approx(expected, abs=1e-12)
    assert qa_scores("dureader", "", ["小明"]) == {"rouge_l": 0.0}
    assert qa_scores("dureader", "...", ["小明"]) == {"rouge_l": 0.0}


def test_text_too_long_for_the_package_is_an_error_not_a_zero() -> None:
    with pytest.raises(BridgebenchError, match="1100 and 1100 words"):
        qa_scores("dureader", "你 " * 1100, ["你 他 " * 550])
