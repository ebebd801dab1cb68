"""The HTML of the page: a script with all modules, and a policy that permits only this script."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from reconciler.report.page.html import Parts, data_text, join_modules, page_html
from tests.report.hostile import corpus

TEMPLATE = (
    '<meta content="{{csp}}"><style>{{style}}</style><i>{{data}}</i><script>{{script}}</script>'
)
MODULES = {
    "main": 'import {\n  a,\n  b,\n} from "./words.js";\nimport "./more.js";\n\nconst at = a + b;\n',
    "more": 'import { a } from "./words.js";\nexport async function more() { return a; }\n',
    "words": "export const a = 1;\nexport const b = 2;\n",
}


def page(document: dict[str, object]) -> str:
    return page_html(Parts(TEMPLATE, MODULES, ["a{}", "b{}"]), document)


def test_only_the_script_and_the_style_of_the_page_may_run() -> None:
    text = page({})
    found = re.search(r'content="([^"]*)"', text)
    assert found is not None
    for name, source in (("script", join_modules(MODULES)), ("style", "a{}\nb{}")):
        digest = b64encode(sha256(source.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in found.group(1)
        assert f"<{name}>{source}</{name}>" in text
    assert found.group(1).startswith("default-src 'none'; ")


@pytest.mark.parametrize(
    "hostile", [*corpus(), "</script><script>alert(1)</script>", "<!--", "{{csp}}"]
)
def test_no_text_of_a_document_ends_its_element(hostile: str) -> None:
    text = data_text({hostile: [hostile]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {hostile: [hostile]}
    shown = page({"text": hostile})
    assert shown.count("<i>") == shown.count("</i>") == 1
