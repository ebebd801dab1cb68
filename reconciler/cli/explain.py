"""`explain`: the reasons for an allocation or a refusal, and the meaning of codes."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import click

from reconciler.addresses import asked_range, mistaken
from reconciler.cli import opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.files import apply_result_of, apply_result_option, write_edit
from reconciler.cli.options import option
from reconciler.codes import CODES
from reconciler.documents.findings import article_list, plural
from reconciler.documents.text import escape
from reconciler.history.applied import ApplyResult
from reconciler.history.queries import idle_remedies
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.key import Key
from reconciler.planning.evaluate import Evaluation, matching
from reconciler.reconcile.remedies import described_remedies, remedies
from reconciler.report.ci import code_document
from reconciler.report.formats import envelope
from reconciler.report.queries import explanation, objects_at
from reconciler.report.text.queries import code_text, explanation_text, objects_at_text
from reconciler.report.text.table import table

_WITHOUT_NUMBER = 0


@click.command(cls=VerbCommand)
@click.argument("claim", metavar="[CLAIM|CODE]", required=False)
@option("--codes", is_flag=True, help="List the codes of all findings.")
@option(
    "--write",
    metavar="N",
    type=click.IntRange(0),
    is_flag=False,
    flag_value=_WITHOUT_NUMBER,
    help="Apply patch N to the work tree.",
)
@apply_result_option
@options.reading
@output.options("text", "json", "yaml")
def explain(
    claim: str | None,
    codes: bool,
    write: int | None,
    apply_result: str | None,
    reading: options.Reading,
    result: output.Result,
) -> int:
    """Explain the addresses of a claim, or why it has none.

    CLAIM is a key from plan -o json, namespace/name, or the name of a record. For an address, a
    CIDR, or a range, ipam lists the objects there: pools, records, routers, addresses in use, and
    networks of pods and services. For a finding code, such as pool-overlap, ipam shows cause, fix,
    and an example.

    For a refused claim, ipam shows patches that it has tried, the least disruptive first. --write N
    reads the work tree and applies patch N to it. Nothing is committed. With --apply-result, ipam
    also lists records that no Service uses and that would make room.
    """
    applied = apply_result_of(apply_result)
    if codes:
        every = sorted(CODES.items())
        listed = [{"code": code, "cause": it.cause, "fix": it.fix} for code, it in every]
        rows = [[code, it.cause] for code, it in every]
        result.show(
            lambda brush: table(("CODE", "CAUSE"), rows, brush),
            lambda: {**envelope("CodeList"), "items": listed},
        )
        return ExitCode.OK
    if claim is None:
        message = "name a claim, an address, or a code, or use --codes"
        raise UsageError(message, "run ipam get allocations to list claims")
    if claim in CODES:
        about = code_document(claim)
        result.show(lambda brush: code_text(about, brush), lambda: about)
        return ExitCode.OK
    if write is not None:
        reading = options.Reading(reading.repo, reading.rev, worktree=True)
    evaluation = opening.open_source(reading).evaluation(result.brush)
    found = matching(evaluation, claim)
    if not found and (asked := asked_range(claim)) is not None:
        there = objects_at(evaluation, asked)
        result.show(lambda brush: objects_at_text(there, brush), lambda: there)
        return ExitCode.OK
    if not found:
        raise _unknown(evaluation, claim, is_worktree=reading.worktree)
    if write is not None:
        return _write(reading, evaluation, found, write)
    explained = [_explained(evaluation, key, applied) for key in found]
    result.show(
        lambda brush: "\n".join(explanation_text(item, brush) for item in explained),
        lambda: {**envelope("ExplanationList"), "items": explained},
    )
    return ExitCode.OK


def _explained(evaluation: Evaluation, key: Key, applied: ApplyResult | None) -> dict[str, Any]:
    document = explanation(evaluation, key)
    document["patches"] = [
        described_remedies(at, it) for at, it in enumerate(remedies(evaluation, key), 1)
    ]
    if key in evaluation.state.claims and applied is not None:
        idle = idle_remedies(evaluation, key, applied)
        document["remedies"] = [*document["remedies"][:-1], *idle, *document["remedies"][-1:]]
    return document


def _write(
    reading: options.Reading, evaluation: Evaluation, found: Sequence[Key], number: int
) -> int:
    if len(found) != 1:
        names = article_list(map(str, found))
        raise UsageError(f"--write needs one claim, but {len(found)} match", f"name {names}")
    patches, short = remedies(evaluation, found[0]), found[0].short
    if number == _WITHOUT_NUMBER and patches:
        message = f"{short} has {plural(len(patches), 'patch')}: choose one"
        raise UsageError(message, "use --write 1, or omit --write to see them")
    if number > len(patches) or number == _WITHOUT_NUMBER:
        has = f"it has {plural(len(patches), 'patch')}" if patches else "it has none"
        which = f"patch {number}" if number != _WITHOUT_NUMBER else "patch"
        raise UsageError(f"no {which} for {short}: {has}", "omit --write to list them")
    chosen = patches[number - 1]
    write_edit(
        opening.open_source(reading).ground, chosen.change, "check the permissions of the file"
    )
    output.emit(f"{escape(chosen.change.path)}: {escape(chosen.says)}\n")
    return ExitCode.OK


def _unknown(evaluation: Evaluation, text: str, *, is_worktree: bool) -> UsageError:
    if (wrong := mistaken(text)) is not None:
        return UsageError(str(wrong), wrong.hint)
    keys = {decision.claim for decision in evaluation.plan.decisions}
    names = sorted({name for key in keys for name in (key.name, f"{key.namespace}/{key.name}")})
    meant = get_close_matches(text, [*CODES, *names], 3, 0.7)
    hint = "run ipam plan --all to list claims, or ipam explain --codes to list codes"
    if not is_worktree:
        hint += "; --worktree also reads files that are not committed"
    did = f"did you mean {article_list(meant)}? {hint}" if meant else hint
    return UsageError(f"no claim or code {text!r}", did)
