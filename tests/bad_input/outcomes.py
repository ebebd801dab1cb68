"""Print a digest of what each bad input comes to: run under several hash seeds and file orders."""

import sys
from hashlib import sha256

from reconciler.reconcile.evaluation import exit_code
from reconciler.report.json import check_document, json_text, plan_document
from tests.bad_input.harness import Link, cases, files_of
from tests.world import evaluation_of


def main(order: str) -> None:
    """One line a case: its id and the digest of `check -o json`."""
    for case in cases():
        files = {path: data for path, data in files_of(case).items() if not isinstance(data, Link)}
        paths = sorted(files, reverse=order == "backward")
        evaluation = evaluation_of({path: files[path] for path in paths})
        document = check_document(evaluation, plan_document(evaluation), exit_code(evaluation))
        digest = sha256(json_text(document).encode()).hexdigest()
        sys.stdout.write(f"{case.id} {digest}\n")


main(sys.argv[1])
