"""Rows and owners of tables: headers, encodings, delimiters, and unreadable input."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from reconciler.addresses import format_short
from reconciler.importing import tables as limits
from reconciler.importing.run import files_found
from reconciler.importing.tables import Assumed, columns_of, type_of
from tests.importing.sources import conflicts, imported, lines, table


def describe(text: str | bytes, **assumed: Any) -> list[str]:
    return [
        f"{it.title} {it.type} {it.pool} {format_short(it.item)}".replace("  ", " ")
        for it in table(text, **assumed).holdings
    ]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("ip,name", "10.0.0.5,web"),
        ("IP Address,Host-Name", "10.0.0.5,Web"),
        ("name;address", "web;10.0.0.5"),
        ("start\tend\tdns_name", "10.0.0.5\t10.0.0.5\tweb"),
        ("hostname|range", "web|10.0.0.5-10.0.0.5"),
        ('"ip","the, name","name"', '10.0.0.5,x,"web"'),
        ("\ufeffip,name", "10.0.0.5,web"),
        ("start,name", "10.0.0.5,web"),
        ("ip,name", "10.0.0.5/24,web"),
    ],
)
def test_a_header_says_what_columns_mean(header: str, row: str) -> None:
    assert describe(f"{header}\r\n{row}\r\n") == ["default/web nodes 10.0.0.5"]


LIKE = "ip{0}name{0}type\r\n10.0.0.5-7{0}web{0}lb\r\n"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("first", ["", "sep={0}\r\n", "# from the wiki, by hand\r\n\r\n"])
def test_separators_encodings_and_first_lines_make_no_difference(
    mark: str, encoding: str, first: str
) -> None:
    text = f"{first}{LIKE}".format(mark)
    bom = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") and mark == ";" else ""
    found = table((bom + text).encode(encoding))
    (held,) = found.holdings
    assert (held.title, held.type) == ("default/web", "loadbalancer")
    assert format_short(held.item) == "10.0.0.5-10.0.0.7"
    assert held.place.line == text.count("\n")


def test_comments_are_not_rows_and_a_number_sign_is_a_header() -> None:
    found = table("ip,name\n# racks\n#10.0.0.9,old\n10.0.0.5,web\n")
    assert [it.name for it in found.holdings] == ["web"]
    assert found.notes == ("a.csv:3: a comment, ignored",)
    assert describe("#,ip,name\n#1,10.0.0.5,web\n") == ["default/web nodes 10.0.0.5"]
    assert describe("# ip,name\n10.0.0.5,web\n") == ["default/web nodes 10.0.0.5"]


def test_a_cell_that_says_nothing_names_nobody() -> None:
    found = table("ip,name,team\nn/a,web,-\n10.0.0.5,N/A,\u2014\n")
    assert found.notes == ("a.csv:2: 'n/a', so it has no address",)
    assert [it.title for it in found.holdings] == ["default/ip-10-0-0-5"]


@pytest.mark.parametrize(
    ("text", "networks"),
    [
        ("Section,Subnet,Mask\nMain,10.50.0.0,24\n", ["10.50.0.0-10.50.0.255"]),
        ("subnet;netmask\n10.50.0.0;255.255.255.128\n", ["10.50.0.0-10.50.0.127"]),
        ("Network\tMask\n10.50.0.0\t/24\n", ["10.50.0.0-10.50.0.255"]),
        ("IP,Mask,Description\n10.50.0.0,24,Lab\n", ["10.50.0.0-10.50.0.255"]),
        ("network\n10.50.0.0/24\n10.51.0.0/25\n", ["10.50.0.0-10.50.0.255", "10.51.0.0-10.51.0.127"]),
        ("network\n\"10.50.0.0/24, 10.51.0.0/25\"\n", ["10.50.0.0-10.50.0.255", "10.51.0.0-10.51.0.127"]),
        ("ip,description\n10.50.0.0/24,Lab\n", ["10.50.0.0-10.50.0.255"]),
    ],
)  # fmt: skip
def test_a_network_without_an_owner_is_a_pool(text: str, networks: list[str]) -> None:
    found = table(text)
    assert (found.holdings, found.conflicts) == ((), ())
    assert [format_short(it.extent) for it in found.described] == networks
    assert len({it.name for it in found.described}) == len(networks)


@pytest.mark.parametrize(
    ("text", "pools"),
    [
        ("prefix,name\n10.44.0.0/24,VLAN 44\n10.45.0.0/24,VLAN 45\n", ["vlan-44", "vlan-45"]),
        ("Netz;IP-Adresse;Name\n10.44.0.0/24;;VLAN 44\n10.44.0.0/24;10.44.0.9;web\n", ["vlan-44"]),
        ("network,ip,name,type\n10.44.0.0/24,,VLAN 44,\n,10.44.0.9,web,node\n", ["vlan-44"]),
    ],
)
def test_the_name_of_a_network_is_that_of_its_pool(text: str, pools: list[str]) -> None:
    found = table(text)
    assert [it.name for it in found.described] == pools
    assert {it.title for it in found.holdings} <= {"default/web"}


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("cluster", "web"),
        ("name,type", "web,nodes"),
        ("name,team", "web,default"),
        ("name,namespace", "web,default"),
        ("name", "default/web"),
    ],
)
def test_a_network_with_an_owner_is_held(header: str, row: str) -> None:
    found = table(f"prefix,{header}\n10.44.0.0/28,{row}\n")
    assert [it.title for it in found.holdings] == ["default/web"]
    assert found.described == ()


def test_a_network_without_its_length_is_no_pool_of_one_address() -> None:
    for header in ("subnet", "network", "prefix"):
        found = table(f"{header},description\n10.50.0.0,Lab\n")
        assert conflicts(found) == ["a.csv:2: '10.50.0.0' has no prefix length"]
        assert found.described == ()


def test_the_mask_of_a_host_is_not_a_range() -> None:
    assert describe("ip,netmask,name\n10.50.0.5,255.255.255.0,web\n") == [
        "default/web nodes 10.50.0.5"
    ]


def test_a_column_of_addresses_that_is_not_known_is_named_with_what_it_means() -> None:
    for cell, meaning in (("10.0.0.5", "address"), ("10.0.0.0/24", "cidr")):
        (found,) = table(f"Name,Indirizzo IP\nweb,{cell}\n").conflicts
        assert found.hint == f"pass --map 'Indirizzo IP={meaning}'"


WORDS = {
    "en": ("Network", "Subnet", "IP Address", "Host"),
    "de": ("Netz", "Subnetz", "IP-Adresse", "Rechner"),
    "fr": ("R\u00e9seau", "Sous-r\u00e9seau", "Adresse IP", "Nom"),
    "it": ("Rete", "Sottorete", "Indirizzo", "Name"),  # not known
}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("is_subnet", [True, False])
@pytest.mark.parametrize("gateway", ["Gateway", "Uscita"])
def test_a_host_next_to_its_network_is_its_own_address(
    language: str, is_first: bool, is_subnet: bool, gateway: str
) -> None:
    network, subnet, address, name = WORDS[language]
    both = [subnet if is_subnet else network, address]
    rows = [["10.0.0.0/24", f"10.0.0.{at}"] for at in (5, 6)]
    if not is_first:
        both, rows = both[::-1], [row[::-1] for row in rows]
    text = "\n".join(
        ";".join([*row, last, "10.0.0.1", "65000:1"])
        for row, last in zip([both, *rows], (name, "web", "shop"), strict=True)
    ).replace("10.0.0.1;65000:1", f"{gateway};VRF", 1)
    found = table(text)
    if found.conflicts:
        hint = shlex.split(found.conflicts[0].hint.partition(";")[0])
        mapped = dict(it.split("=") for it in hint if "=" in it)
        found = files_found([("a.csv", text.encode())], Assumed(mapped=mapped))
    assert [f"{it.title} {format_short(it.item)}" for it in found.holdings] == [
        "default/web 10.0.0.5",
        "default/shop 10.0.0.6",
    ]


def test_a_reserved_row_and_one_of_dhcp_have_no_holder() -> None:
    text = (
        "cidr,ip,name,type,status\n10.0.0.0/24,,,,\n,10.0.0.100-199,,dhcp,\n,10.0.0.7,,,Reserved\n"
    )
    found = table(f"{text},10.0.0.8,web,lb,reserved\n")
    assert [it.name for it in found.holdings] == ["web"]
    (made,) = imported(found).after.state.pools.values()
    left = "10.0.0.1-10.0.0.6 10.0.0.8-10.0.0.99 10.0.0.200-10.0.0.254"
    assert " ".join(map(format_short, made.usable)) == left


def test_ipv6_beside_ipv4_is_listed_and_stops_nothing() -> None:
    rows = "ip,ipv6,name,type\n10.0.0.5,2001:DB8::5,web,lb\n2001:db8::/64,,x,lb\n"
    result = imported(table(rows))
    assert lines(result) == ["default/web loadbalancer net-10-0-0-0-24 10.0.0.5 10.0.0.5"]
    assert conflicts(result) == []
    assert [it for it in result.notes if "IPv6" in it] == [
        "a.csv:2: IPv6 is not imported: 2001:db8::5 of default/web",
        "a.csv:3: IPv6 is not imported: 2001:db8::/64 of default/x",
    ]


def test_columns_of_clusters_are_load_balancers_and_a_type_says_otherwise() -> None:
    assert describe("ip,cluster\n10.0.0.5,team-a/web\n") == ["team-a/web loadbalancer 10.0.0.5"]
    assert describe("ip,cluster\n10.0.0.5,web\n", type="nodes") == ["default/web nodes 10.0.0.5"]
    rows = "ip,name,role,team\n10.0.0.5,web,VIP,A Team\n10.0.0.6,web,Node,A Team\n"
    assert describe(rows) == ["a-team/web loadbalancer 10.0.0.5", "a-team/web nodes 10.0.0.6"]


def test_the_table_of_the_docs_is_read_without_a_conflict() -> None:
    text = Path("docs/how-to/migrate-from-a-spreadsheet.md").read_text(encoding="utf-8")
    sample = text.partition("```csv\n")[2].partition("```")[0]
    found = table(sample)
    assert found.conflicts == ()
    assert [it.name for it in found.described] == ["vlan-60"]
    assert [it.title for it in found.holdings] == ["team-a/forum", "team-c/lake", "default/printer"]
    assert found.notes == ("a.csv:6: free, so it is not in use",)


def test_a_type_that_says_free_is_nobodys_and_one_that_says_nothing_is_told_once() -> None:
    text = (
        "ip,name,type\n10.0.0.5,,Free\n10.0.0.6,a,odd  one\n10.0.0.7,b,Odd one\n10.0.0.8,c,node\n"
    )
    found = table(text)
    assert [(it.name, it.type) for it in found.holdings] == [("c", "nodes")]
    assert found.notes == ("a.csv:2: free, so it is not in use",)
    assert conflicts(found) == ["a.csv:3: unknown type 'odd one', also at a.csv:4"]
    assert "--map-type 'odd one=loadbalancer', or =nodes" in found.conflicts[0].hint
    found = table(text, types={"odd one": "loadbalancer"})
    types = {it.name: it.type for it in found.holdings}
    assert types == {"a": "loadbalancer", "b": "loadbalancer", "c": "nodes"}


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("MetalLB pool", "loadbalancer"), ("k8s-LB", "loadbalancer"), ("Service", "loadbalancer"),
        ("Load Balancing (prod)", "loadbalancer"), ("worker node", "nodes"), ("Secondary", "nodes"),
        ("DHCP scope", "reserved"), ("pool", "network"), ("web server", ""), ("lb node", ""),
        ("no vip", ""), ("dhcp server", ""), ("vrrp", ""),
    ],
)  # fmt: skip
def test_words_of_a_type_count_and_nothing_becomes_nodes_by_guess(said: str, meaning: str) -> None:
    assert type_of(said, {}) == meaning
    assert type_of(said.upper(), {said.casefold(): "free"}) == "free"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ip,name\n10.0.0.300,web\n", "a.csv:2: '10.0.0.300' is not an IPv4 address: 300 is greater than 255"),
        ("ip,name\n,web\n", "a.csv:2: the row has no address"),
        ("ip,name,type\n10.0.0.1,web,LoadBalncer\n", "a.csv:2: unknown type 'loadbalncer'"),
        ("range,name\n10.0.0.9-10.0.0.5,web\n", "a.csv:2: '10.0.0.9-10.0.0.5' ends before it starts"),
        ("range,name\n10.0.0.9-2001:db8::1,web\n", "a.csv:2: '10.0.0.9-2001:db8::1' mixes IPv4 and IPv6"),
        ("ip,name\n10.0.0.5,***\n", "a.csv:2: '***' cannot become a Kubernetes name"),
        ("cidr,name\n10.0.0.5/24,web\n", "a.csv:2: '10.0.0.5/24' has host bits set"),
        ("ip,name\n10.0.0.5/x,web\n", "a.csv:2: '10.0.0.5/x': 'x' is not a prefix length of 0 to 32"),
        ("name,team\nweb,a\n", "a.csv:1: no column has addresses (columns: 'name', 'team')"),
        ("", "a.csv: the file is empty"),
        ('ip,name\n"10.0.0.5,web\n', "a.csv:2: the row cannot be read: unexpected end of data"),
        (b"ip,name\n10.0.0.5,\xff\n", "a.csv:2: the file is not UTF-8 text: byte 17 is 0xff"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_place(text: str | bytes, said: str) -> None:
    found = table(text)
    assert conflicts(found) == [said]
    assert all(it.hint for it in found.conflicts)
    assert found.holdings == ()


def test_columns_that_mean_nothing_are_named() -> None:
    (note,) = table("ip,colour\n10.0.0.5,red\n").notes
    assert note.startswith(
        "a.csv: not read: column 'colour'; to set a meaning, pass --map colour=MEANING"
    )


def test_an_unread_column_next_to_clusters_might_be_the_type_of_their_addresses() -> None:
    text = "network,ip,cluster,kind_of_host,Etage\n10.0.0.0/24,,,,\n,10.0.0.30,shop,node,3\n"
    (found,) = table(text).conflicts
    assert found.location.line == 3
    assert found.hint.startswith("--map kind_of_host=type --map Etage=type, or =ignore ")
    assert table(text).holdings == ()
    mapped = {"kind_of_host": "type", "Etage": "ignore"}
    held = files_found([("a.csv", text.encode())], Assumed(mapped=mapped)).holdings
    assert [it.type for it in held] == ["nodes"]
    (found,) = table("ip,cluster,\n10.0.0.30,shop,node\n10.0.0.31,shop,\n").conflicts
    assert (found.location.line, found.hint) == (2, "give each column a header")
    # Requested and read types decide, and rows of hosts are nodes anyway.
    assert not table(text, type="nodes").conflicts
    assert not table(text.replace("kind_of_host", "type")).conflicts
    assert not table(text.replace("cluster", "name")).conflicts


def test_german_and_french_headers_and_types_are_known() -> None:
    rows = (
        ";10.0.0.10-17;shop;LB;\n;10.0.0.30;shop;{0};x\n;10.0.0.200-220;;DHCP;\n"
        ";10.0.0.221;;{1};\n;10.0.0.222;;{2};\n"
    )
    german = "Netz;IP-Adresse;Mandant;Typ;Bemerkung\n10.0.0.0/24;;;;Prod\n"
    french = "R\u00e9seau;Adresse IP;Locataire;R\u00f4le;Remarque\n10.0.0.0/24;;;;Prod\n"
    for text in (
        german + rows.format("Knoten", "reserviert", "frei"),
        german.replace("Typ", "Art") + rows.format("Rechner", "Reserviert", "verf\u00fcgbar"),
        french + rows.format("serveur", "r\u00e9serv\u00e9", "libre"),
    ):
        found = table(text)
        assert found.conflicts == ()
        assert [it.name for it in found.described] == ["prod"]
        assert [(it.title, it.type) for it in found.holdings] == [
            ("default/shop", "loadbalancer"),
            ("default/shop", "nodes"),
        ]
        assert [format_short(it.item) for it in found.reserved] == [
            "10.0.0.200-10.0.0.220",
            "10.0.0.221",
        ]
    found = table("IP-Adresse;Kunde;Status\n10.0.0.5;A;belegt\n10.0.0.6;;frei\n")
    assert [(it.title, it.type) for it in found.holdings] == [("a/ip-10-0-0-5", "nodes")]
    assert type_of("kein LB", {}) == type_of("belegt", {}) == ""


@pytest.mark.parametrize(
    ("mapped", "said"),
    [
        ({"Adress": "address"}, "no column 'Adress' (columns: ip, name)"),
        ({"ip": "adress"}, "'adress' is not a meaning of a column; did you mean address?"),
        ({"ip": "x"}, "'x' is not a meaning of a column; meanings: address, range"),
    ],
)
def test_a_meaning_or_column_that_is_none_is_told(mapped: dict[str, str], said: str) -> None:
    found = files_found([("a.csv", b"ip,name\n10.0.0.5,x\n")], Assumed(mapped=mapped))
    assert found.conflicts[0].message.startswith(said)


def test_of_two_columns_that_name_somebody_the_better_one_counts() -> None:
    columns = columns_of(["device", "name", "ip"], {})
    assert columns["name"] == (1, 0)
    assert describe("device,name,ip\nrack,,10.0.0.5\nrack,web,10.0.0.6\n") == [
        "default/rack nodes 10.0.0.5",
        "default/web nodes 10.0.0.6",
    ]


def test_more_than_is_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 2)
    text = "ip\n10.0.0.1\n10.0.0.2\n10.0.0.3\n"
    assert conflicts(table(text)) == ["a.csv:4: the file has more than 2 rows"]
    monkeypatch.setattr(limits, "MAX_BYTES", 3)
    assert conflicts(table(text)) == ["a.csv: the file has 30 bytes, must have at most 3"]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("ip,vip", "10.1.2.200,10.1.2.1-10.1.2.8"),
        ("ip,range", "10.1.2.200,10.1.2.1-10.1.2.8"),
        ("start,end,ip", "10.1.2.1,10.1.2.8,10.1.2.200"),
    ],
)
def test_addresses_of_two_columns_are_a_conflict(header: str, row: str) -> None:
    found = table(f"{header},cluster\n{row},web\n")
    (said,) = conflicts(found)
    assert "two columns have addresses" in said


def test_one_address_in_two_columns_is_read_once() -> None:
    assert not conflicts(table("ip,vip,cluster\n10.1.2.200,10.1.2.200,web\n"))
