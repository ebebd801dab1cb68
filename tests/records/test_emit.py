"""Facts to bytes."""

import pytest
from msgspec.structs import replace

from reconciler.documents.yaml import dump, read
from reconciler.model.claim import Allocation, Owner
from reconciler.model.objects import LABEL
from reconciler.records.emit import record_document, record_object, record_text
from tests.records.examples import ALL, EXAMPLE, record

each_form = pytest.mark.parametrize("made", ALL.values(), ids=ALL)


def test_the_example_of_the_contract_is_written_byte_for_byte() -> None:
    assert record_text(record()) == EXAMPLE


@each_form
def test_the_fast_text_is_the_canonical_text_of_the_object(made: Allocation) -> None:
    assert record_text(made) == dump(record_document(made))
    reading = read(record_text(made).encode())
    assert (reading.problems, reading.doubts) == ((), ())
    assert reading.documents[0].value == record_document(made)


@each_form
def test_a_cluster_gets_the_object_without_labels_that_no_server_takes(made: Allocation) -> None:
    made = replace(made, announced=False)  # an annotation says so in a cluster
    whole, sent = record_document(made), record_object(made)
    labels = whole["metadata"]["labels"]
    left_out = labels.keys() - sent["metadata"]["labels"].keys()
    assert left_out == ({f"{LABEL}team"} if made.owner.team.startswith("Zürich") else set())
    sent["metadata"]["labels"] = labels
    assert sent == whole


def test_a_name_that_is_longer_than_a_label_is_none() -> None:
    made = record(owner=Owner("team-backend", "a" * 64, "team"))
    made = replace(made, pool=replace(made.pool, name="p" * 63))
    labels = record_object(made)["metadata"]["labels"]
    assert f"{LABEL}tenant" not in labels
    assert labels[f"{LABEL}network-pool"] == "p" * 63


def test_addresses_are_listed_up_to_1024() -> None:
    listed = record_document(ALL["1024 addresses"])["status"]
    assert len(listed["addresses"]) == 1024
    assert listed["cidr"] == "10.0.0.0/22"
    silent = record_document(ALL["1025 addresses"])["status"]
    assert "addresses" not in silent
    assert silent["allocatedCount"] == 1025
    assert "cidr" not in silent
