"""`explain`: the reasons for an allocation or a refusal, and the meaning of codes."""

from pathlib import Path
from typing import Any

import click

from reconciler.addresses import asked_range
from reconciler.cli.files import apply_result_of, apply_result_option, write_edit
from reconciler.cli.opening import evaluated, open_source, uncommitted_evaluation
from reconciler.cli.options import Number, option, output_options, reading_options
from reconciler.cli.output import emit, emit_document, painter
from reconciler.codes import CODES
from reconciler.documents.findings import article_list
from reconciler.documents.text import escape
from reconciler.history.applied import ApplyResult
from reconciler.history.queries import idle_remedies
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.key import Key
from reconciler.planning.evaluate import Evaluation, matching
from reconciler.reconcile.remedies import described_remedies, remedies
from reconciler.report.ci import code_document, likely
from reconciler.report.json import envelope
from reconciler.report.queries import explanation, standing
from reconciler.report.text.queries import code_text, explanation_text, standing_text
from reconciler.report.text.table import Painter, table

_WHICH = 0
"""`--write` without a number."""


@click.command()
@click.argument("claim", metavar="[CLAIM|CODE]", required=False)
@option("--codes", is_flag=True, help="List the codes of all findings, a line each.")
@option(
    "--write",
    metavar="N",
    type=Number(),
    is_flag=False,
    flag_value=_WHICH,
    help="Apply patch N to the work tree.",
)
@apply_result_option
@reading_options
@output_options("text", "json", "yaml")
def explain(
    claim: str | None,
    codes: bool,
    write: int | None,
    apply_result: str | None,
    repo: Path,
    rev: str,
    worktree: bool,
    output: str,
    color: str,
) -> int:
    """Tell why a claim has, or cannot get, its addresses.

    CLAIM is a key as plan -o json shows it, or namespace/name, or the name of a record. Or an
    address, a CIDR or a range: then what stands there is told, pools, records, routers, addresses
    in use and networks of pods and services. Or the code of a finding, such as pool-overlap: then
    what it means is told, with an example.

    Of a refusal, patches are shown that were tried, the one that disturbs least first. --write N
    applies one to the work tree, which is what is read then; nothing is committed. With
    --apply-result records are named, too, that no Service uses and that would make room.
    """
    result = apply_result_of(apply_result)
    if codes:
        return _codes(output, painter(color))
    if claim is None:
        raise UsageError(
            "name a claim, an address or a code, or ask for --codes",
            "ipam get allocations lists claims",
        )
    if claim in CODES:
        return _code(claim, output, painter(color))
    evaluation = evaluated(repo, rev, color, worktree=worktree or write is not None)
    found = matching(evaluation, claim)
    if not found and (asked := asked_range(claim)) is not None:
        return _standing(standing(evaluation, asked), output, painter(color))
    if not found:
        reads_head = rev == "HEAD" and not worktree and write is None
        _require_committed(repo, evaluation, claim) if reads_head else None
        raise _unknown(evaluation, claim)
    if write is not None:
        return _write(repo, evaluation, found, write)
    explained = [_explained(evaluation, key, result) for key in found]
    if output == "text":
        emit("\n".join(explanation_text(item, painter(color)) for item in explained))
    else:
        emit_document({**envelope("ExplanationList"), "items": explained}, output)
    return ExitCode.OK


def _explained(evaluation: Evaluation, key: Key, result: ApplyResult | None) -> dict[str, Any]:
    """Return everything that is known of a claim, with fixes if it is refused."""
    told = explanation(evaluation, key)
    told["patches"] = [
        described_remedies(at, it) for at, it in enumerate(remedies(evaluation, key), 1)
    ]
    if key in evaluation.state.claims and result is not None:
        idle = idle_remedies(evaluation, key, result)
        told["remedies"] = [*told["remedies"][:-1], *idle, *told["remedies"][-1:]]
    return told


def _write(repo: Path, evaluation: Evaluation, found: list[Key], number: int) -> int:
    if len(found) != 1:
        names = article_list(map(str, found))
        raise UsageError(f"--write needs one claim, and {len(found)} are meant", f"name {names}")
    helping = remedies(evaluation, found[0])
    if number == _WHICH and helping:
        count = "1 patch" if len(helping) == 1 else f"{len(helping)} patches"
        message = f"{found[0].short} has {count}: say which one --write applies"
        raise UsageError(message, "--write 1; leave it out to see them")
    if number > len(helping) or number == _WHICH:
        has = f"there are {len(helping)}" if helping else "there is none"
        which = f"patch {number}" if number != _WHICH else "patch"
        raise UsageError(f"no {which} for {found[0].short}: {has}", "leave out --write to see")
    chosen = helping[number - 1]
    root = open_source(repo, "HEAD", worktree=True).ground
    write_edit(root, chosen.change, "look at the rights of the file")
    emit(f"{escape(chosen.change.path)}: {escape(chosen.says)}\n")
    return ExitCode.OK


def _standing(told: dict[str, Any], output: str, brush: Painter) -> int:
    if output == "text":
        emit(standing_text(told, brush))
    else:
        emit_document(told, output)
    return ExitCode.OK


def _require_committed(repo: Path, evaluation: Evaluation, text: str) -> None:
    """Refuse a claim that only the work tree has, and refer to `--worktree`.

    Raises:
        UsageError: The claim is only in the work tree.
    """
    beside = uncommitted_evaluation(repo, evaluation)
    if beside is not None and matching(beside, text):
        message = f"{text!r} is not committed"
        raise UsageError(message, f"ipam explain {text} --worktree reads the work tree")


def _unknown(evaluation: Evaluation, text: str) -> UsageError:
    """Return the error for an unknown claim, with a similar code or claim."""
    keys = {decision.claim for decision in evaluation.plan.decisions}
    names = sorted({name for key in keys for name in (key.name, f"{key.namespace}/{key.name}")})
    meant = likely(text, names)
    hint = "ipam plan --all lists all claims, ipam explain --codes all codes"
    did = f"did you mean {article_list(meant)}? {hint}" if meant else hint
    return UsageError(f"no claim and no code {text!r}", did)


def _code(code: str, output: str, brush: Painter) -> int:
    told = code_document(code)
    if output == "text":
        emit(code_text(told, brush))
    else:
        emit_document(told, output)
    return ExitCode.OK


def _codes(output: str, brush: Painter) -> int:
    if output == "text":
        emit(table(("CODE", "MEANING"), [[code, CODES[code]] for code in sorted(CODES)], brush))
    else:
        items = [{"code": code, "help": CODES[code]} for code in sorted(CODES)]
        emit_document({**envelope("CodeList"), "items": items}, output)
    return ExitCode.OK
