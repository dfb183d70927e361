"""The world in Chinese: names by their sound, a notice about a company, passages about towns."""

import re
from random import Random

from bridgebench.benchmarks.world.facts import Entity, World

_WITH_VOWEL = {
    "b": "巴贝比博布", "c": "卡切奇科库", "d": "达德迪多杜", "f": "法费菲福富", "g": "加格吉戈古", "h": "哈赫希霍胡",
    "j": "贾杰吉乔朱", "k": "卡克基科库", "l": "拉莱利洛卢", "m": "马梅米莫穆", "n": "纳内尼诺努", "p": "帕佩皮波普",
    "q": "夸奎奇阔库", "r": "拉雷里罗鲁", "s": "萨塞西索苏", "t": "塔特蒂托图", "v": "瓦维维沃武", "w": "瓦韦维沃伍",
    "y": "亚耶伊约尤", "z": "扎泽齐佐祖", "": "阿埃伊奥乌",
}  # fmt: skip
_ALONE = dict(zip("bcdfghjklmnpqrstvwxyz", "布克德弗格赫杰克尔姆恩普克尔斯特夫沃斯伊兹", strict=True))
_VOWELS = "aeiou"
_KINDS = {"River": "河", "Province": "省", "County": "郡", "District": "区", "Press": "出版社", "Records": "唱片公司"}


def transcribe(name: str) -> str:
    """A name written by its sound; the words of several kinds of names are translated."""
    written = []
    for word in re.findall(r"\w+", name):
        if word in _KINDS:
            written.append(_KINDS[word])
            continue
        plain = re.sub(r"(.)\1", r"\1", word.lower().replace("ck", "k").replace("th", "t"))
        sounds = re.findall(rf"([b-df-hj-np-tv-wyz]?)([{_VOWELS}])|([^{_VOWELS}])", plain)
        written.append("".join(_ALONE[one] if one else _WITH_VOWEL[c][_VOWELS.index(v)] for c, v, one in sounds))
    joined = "·".join(written)
    return re.sub(f"·(?=(?:{'|'.join(_KINDS.values())})$)", "", joined)


class ChineseTexts:
    """Writes about companies and towns in Chinese.

    Args:
        world: What there is to tell.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def _name(self, entity: str, relation: str) -> str:
        return transcribe(self._world.text(self._world.facts_of[entity][relation].object))

    def _value(self, entity: str, relation: str) -> str:
        return self._world.facts_of[entity][relation].object

    def notice(self, companies: list[Entity], rng: Random) -> str:
        """A notice of an exhibition at which these companies show their goods."""
        year = rng.randrange(1995, 2020)
        parts = [f"关于举办{year}年工商展览会的通知\n各有关单位：\n为促进交流，现将参展企业的情况介绍如下。"]
        for number, company in enumerate(companies, 1):
            name, founder = transcribe(company.name), self._name(company.id, "founder")
            founded, town = self._value(company.id, "founded"), self._name(company.id, "headquarters")
            wording = rng.choice(
                (
                    f"{name}由{founder}创办，成立于{founded}年，总部设在{town}。",
                    f"{name}的总部位于{town}。该公司的创办人是{founder}，成立时间为{founded}年。",
                    f"成立于{founded}年的{name}，创办人为{founder}，其总部在{town}。",
                )
            )
            shares = self._value(company.id, "shares traded").replace(",", "")
            parts.append(f"{number}. {wording}该公司每日成交股票约{shares}股。请各单位派员参观其展台并索取产品目录。")
        parts.append(f"展览会于{year}年{rng.randrange(3, 11)}月{rng.randrange(1, 28)}日上午九时开幕。特此通知。")
        return "\n".join(parts)

    def company_question(self, company: Entity, rng: Random) -> tuple[str, str]:
        """A question that a notice answers, and its answer."""
        name = transcribe(company.name)
        return rng.choice(
            [
                (f"{name}的总部在哪里？", self._name(company.id, "headquarters")),
                (f"{name}的创办人是谁？", self._name(company.id, "founder")),
                (f"{name}成立于哪一年？", f"{self._value(company.id, 'founded')}年"),
            ]
        )

    def town_passage(self, town: Entity) -> str:
        """Title and text about a town."""
        name, region, river = transcribe(town.name), self._name(town.id, "region"), self._name(town.id, "river")
        people, founded = self._value(town.id, "population").replace(",", ""), self._value(town.id, "founded")
        return f"标题：{name}\n{name}是{region}的一座城市，建于{founded}年。{river}流经该城。城中居民共{people}人。"

    def town_question(self, town: Entity) -> tuple[str, list[str]]:
        """A question that a passage about the town answers, and ways to answer it."""
        river = self._name(town.id, "river")
        return f"流经{transcribe(town.name)}的是哪条河？", [river, f"流经{transcribe(town.name)}的是{river}。"]
