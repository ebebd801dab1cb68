"""Texts that the fast parser accepts: the strict reader agrees about each of them."""

from pathlib import Path
from random import Random

import pytest

from reconciler.documents.text import decode
from reconciler.documents.yaml import YamlReading, read, read_text

KEYS = ["a", "b", "c", "spec", "on", "y", "true", "x.y/z", "no-op", "_u", "on.x", "1"]
SCALARS = """v|b|10|010|0|-1|1.5|1.2.3.4|10.0.0.0/24|10.0.0.1-10.0.0.9|yes|null|true|True|8Gi|1e3|0x1f
2020-01-01|1:30|2001:db8::1|::1|1::|a:b|a b|a: b|"q"|"a: b"|""|"a#b"|{a: b}|{a: b, a: c}|[a, b]|[1, 10]|[]|{}
[a, b, ]|-x|- a|--1|a-|12m|1_000|~|/x|http://x/y|-|---|1m::|"x" y|00.1.2.3|1.2.3.4.|123456789012345678
1234567890123456789|12:30:45|1e5m|0b1|.inf|nan|-k|{a: {b: c}}|a #c|a# c|"a" # x|#|&a b|*a|!!str x|'q'|a,b
(a)|it's|a@b|<<|? a|a b: c|1::a b""".replace("\n", "|").split("|")
LINES = ["---", "# c: d", "", "  # x: y", "  ", "...", "%YAML 1.1", "\ta: b", "a: |"]


def text(random: Random) -> str:
    lines, indent = list[str](), 0
    for _ in range(random.randint(1, 8)):
        if random.random() < 0.06:
            lines.append(random.choice(LINES))
            continue
        indent = max(0, indent + random.choice([-4, -2, -2, 0, 0, 0, 0, 0, 2, 2, 1]))
        head = " " * indent + "- " * random.choice([0, 0, 0, 0, 1, 1, 2])
        value = random.choice(SCALARS) if random.random() < 0.5 else "v"
        key = random.choice(KEYS)
        if random.random() < 0.1:
            inner = [
                random.choice([f"{random.choice(KEYS)}: ", ""]) + random.choice(SCALARS)
                for _ in "ab"
            ]
            value = (
                random.choice("[{") + random.choice([", ", ","]).join(inner) + random.choice("]}")
            )
        lines.append(head + random.choice([f"{key}:", f"{key}: {value}", f"{key}: {value}", value]))
    return "\n".join(lines) + random.choice(["\n", "\n", "\n", ""])


def strict(data: bytes) -> YamlReading:
    read_as, problem = decode(data)
    return YamlReading((), (problem,), ()) if problem else read_text(read_as)


@pytest.mark.parametrize("seed", range(8))
def test_generated_texts_are_read_alike(seed: int) -> None:
    random = Random(seed)
    for _ in range(2_500):
        data = text(random).encode()
        # `repr` distinguishes `1` from `True`, and shows the order of keys.
        assert repr(read(data)) == repr(strict(data)), data


def test_files_of_tests_and_examples_are_read_alike() -> None:
    top = Path(__file__).parents[2]
    files = [*top.glob("tests/**/*.y*ml"), *top.glob("example-repo/**/*.y*ml")]
    assert files
    for file in files:
        data = file.read_bytes()
        assert repr(read(data)) == repr(strict(data)), file
