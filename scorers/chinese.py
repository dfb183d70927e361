"""LongBench's measures for its Chinese subsets, over words cut by jieba.

They are pinned to the packages LongBench itself uses (``jieba``, ``rouge``), because another segmenter or another
ROUGE gives other numbers.
"""

import logging
import re
import string
from functools import cache
from typing import Any

from bridgebench.errors import BridgebenchError, require
from bridgebench.paths import cache_dir
from bridgebench.scorers.bag_f1 import bag_f1

# LongBench deletes ASCII punctuation and this set, which is zhon's list of Chinese punctuation.
_CHINESE = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—"
    "‘’‛“”„‟…‧﹏"
)
_DELETED = re.compile(rf"[{re.escape(string.punctuation + _CHINESE)}\s]")


def f1_chinese(prediction: str, gold: str) -> float:
    """Token F1 of ``multifieldqa_zh``: jieba words, lower case, without punctuation and white space."""
    return bag_f1(_words(prediction), _words(gold))


def rouge_l_chinese(prediction: str, gold: str) -> float:
    """ROUGE-L of ``dureader``: F of the ``rouge`` package over jieba words; 0.0 where a side is empty.

    Raises:
        BridgebenchError: When a text is too long for that package's recursion (LongBench scores such an answer
            0 without saying so; its answers end at 128 tokens).
    """
    sides = [" ".join(_segmenter().cut(side, cut_all=False)) for side in (prediction, gold)]
    try:
        scores = _rouge().get_scores([sides[0]], [sides[1]])
    except (ValueError, ZeroDivisionError):  # how the package meets a text without a word
        return 0.0
    except RecursionError as error:
        lengths = " and ".join(str(len(side.split())) for side in sides)
        raise BridgebenchError(f"ROUGE-L: texts of {lengths} words are too long for the 'rouge' package") from error
    return float(scores[0]["rouge-l"]["f"])


def _words(text: str) -> list[str]:
    words = (_DELETED.sub("", word.lower()) for word in _segmenter().cut(text, cut_all=False))
    return [word for word in words if word]


@cache
def _segmenter() -> Any:
    jieba = require("jieba", "metrics")
    jieba.setLogLevel(logging.WARNING)
    segmenter = jieba.Tokenizer()
    segmenter.tmp_dir = str(cache_dir())  # it unmarshals its dictionary: never from a world-writable folder
    cache_dir().mkdir(parents=True, exist_ok=True)
    return segmenter


@cache
def _rouge() -> Any:
    return require("rouge", "metrics").Rouge(metrics=["rouge-l"])
