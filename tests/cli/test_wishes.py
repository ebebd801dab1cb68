"""What a person asks of an apply, as the command line says it."""

import click
import pytest
from click.testing import CliRunner

from reconciler.apply.target import ApplyOptions
from reconciler.cli.cluster_options import wishing_options


@click.command
@wishing_options
def verb(wish: ApplyOptions) -> None:
    click.echo(wish.default_port)


@pytest.mark.parametrize(
    ("words", "port"), [((), "6443\n"), (("--default-port", "9443"), "9443\n")]
)
def test_an_endpoint_without_a_port_gets_the_one_that_is_asked_for(
    words: tuple[str, ...], port: str
) -> None:
    assert CliRunner().invoke(verb, words).output == port


@pytest.mark.parametrize("port", ["0", "65536", "https"])
def test_what_is_no_port_is_refused(port: str) -> None:
    done = CliRunner().invoke(verb, ("--default-port", port))
    assert done.exit_code == 2
    assert "--default-port" in done.output
