"""What the inventory of a tenant's cluster remembers of idle addresses."""

from reconciler.apply.elastic import read_idle, remembered, write_idle
from tests.world import CLOCK


def test_notes_are_read_as_they_were_written_and_what_is_odd_is_left_out() -> None:
    idle = {"1@a000008": CLOCK, "4@-": 5}
    assert read_idle(write_idle(idle)) == idle
    assert read_idle(f"x\nx y\nx -1\nx {'9' * 16}\n") == {}


def test_they_stand_in_the_first_config_map_of_the_inventory() -> None:
    def stored(name: str, **data: str) -> dict[str, object]:
        return {"metadata": {"name": name}, "data": data}

    assert remembered([]) is None
    assert remembered([stored("gitops-ipam-inventory")]) == ""
    other = stored("gitops-ipam-inventory-1", idle="2@x 2\n")
    assert remembered([other, stored("gitops-ipam-inventory", idle="1@x 1\n")]) == "1@x 1\n"
    assert remembered([other]) is None
