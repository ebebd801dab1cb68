"""Templates and paths, as `kubectl -o jsonpath` and `-o custom-columns` take them."""

import pytest

from reconciler.report.listing.template import TemplateError, parse_path, parse_template, shown

POOL = {
    "metadata": {"name": "edge", "labels": {"example.com/team": "red"}},
    "spec": {"cidr": "10.0.0.0/24", "reserved": [{"cidr": "10.0.0.0/30"}, {"cidr": "10.0.0.8/30"}]},
    "status": {
        "total": 256,
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "Full", "status": "False"}, 3],
    },
}
LIST = {"items": [POOL, {"metadata": {"name": "second"}}]}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".metadata.name", "edge"), ("metadata.name", "edge"), ("{.metadata.name}", "edge"),
        ("$.metadata.name", "edge"), (r".metadata.labels.example\.com/team", "red"),
        (".metadata.labels['example.com/team']", "red"), (".status.total", "256"),
        (".spec.reserved[0].cidr", "10.0.0.0/30"), (".spec.reserved[-1].cidr", "10.0.0.8/30"),
        (".spec.reserved[2].cidr", ""), (".spec.reserved[*].cidr", "10.0.0.0/30 10.0.0.8/30"),
        (".spec.reserved.*.cidr", "10.0.0.0/30 10.0.0.8/30"), (".metadata.labels.*", "red"),
        ('.status.conditions[?(@.type=="Full")].status', "False"),
        (".status.conditions[?(@.type=='Ready')].status", "True"),
        (".status.conditions[?(@.type!=Full)].status", "True"),
        (".nothing.here", ""), (".metadata.name.more", ""), (".spec.reserved[0]", '{"cidr":"10.0.0.0/30"}'),
    ],
)  # fmt: skip
def test_a_path_leads_where_it_leads_for_kubectl(path: str, text: str) -> None:
    assert shown(parse_path(path)(POOL)) == text


def test_a_path_of_nothing_is_the_object() -> None:
    assert parse_path("{}")(POOL) == [POOL]
    assert parse_path(".")(POOL) == [POOL]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("plain", "plain"),
        ("{.items[0].metadata.name}: {.items[0].status.total}", "edge: 256"),
        ('{range .items[*]}{.metadata.name}{"\\t"}{.spec.cidr}{"\\n"}{end}!', "edge\t10.0.0.0/24\nsecond\t\n!"),
        ('{range .items[*]}<{range .spec.reserved[*]}{.cidr};{end}>{end}', "<10.0.0.0/30;10.0.0.8/30;><>"),
        ('{"{braces}"}', "{braces}"),
    ],
)  # fmt: skip
def test_a_template_says_what_kubectl_says(template: str, text: str) -> None:
    assert parse_template(template)(LIST) == text


@pytest.mark.parametrize(
    "template",
    [
        "{.a", "a}", "{range .items[*]}", "{end}", "{range .a}{end}{end}", '{"\\x"}', "{.a[}", "{.a[?(@.b>3)]}",
        "{.a..b}",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        parse_template(template)


def test_values_cannot_act_on_a_terminal() -> None:
    assert shown(["\x1b[31mred"]) == "\\u001b[31mred"
