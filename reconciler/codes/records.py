"""Codes about records, renames, and history."""

TEXTS = {
    "last-good": (
        "A file cannot be read. `ipam` uses its last readable version, and allocates no new "
        "addresses for it.",
        "Fix the errors of this file.",
    ),
    "history-cut": (
        "The clone is too shallow to determine earlier documents or manual edits of records.",
        "Run `git fetch --unshallow`. In a CI job, set `fetch-depth: 0`.",
    ),
    "base-ahead": (
        "The base has commits that the checked revision lacks, so the plan might differ from the "
        "result of the merge.",
        "Merge the base into your branch: `git merge BASE`.",
    ),
    "renamed": (
        "A document was renamed and keeps its addresses. The finding is a warning if the old "
        "document was removed in an earlier change.",
        "Check that the old and new name are the same cluster or service.",
    ),
    "rename-refused": (
        "`ipam` cannot determine which document keeps the addresses: names are swapped or chained, "
        "or several documents name the same former name.",
        "Keep the annotation `gitops-ipam.dev/formerly` on one document, and rename one step at a "
        "time, with `ipam reconcile` in between.",
    ),
    "rename-unused": (
        "The former name in a document still exists, never existed, or has only released records. "
        "The annotation has no effect.",
        "Remove the annotation, or correct the name in it.",
    ),
    "looks-renamed": (
        "A document seems to be renamed, but without the annotation it would lose its addresses.",
        "Add the annotation in the hint to keep the addresses. If it is a new document, ignore the "
        "finding.",
    ),
    "name-reused": (
        "A new document has a name that already has addresses, perhaps of another team. It would "
        "take them over.",
        "Run `ipam history NAME` to see the earlier owner. If the two are different, choose "
        "another name.",
    ),
    "handed-on": (
        "A document that does not name a team moves to the folder of another team, with its "
        "addresses.",
        "Let both teams approve the change, or move the document back.",
    ),
    "records-edited": (
        "Records differ from the newest reconcile commit, so `ipam reconcile` does not run.",
        "Restore them with the command in the hint. To accept the edit, merge an Override with "
        "`kind: record`.",
    ),
    "records-changed": (
        "A change edits files that only `ipam reconcile` writes.",
        "Undo the edit with the command in the hint. To permit it, merge an Override with `kind: "
        "record` first.",
    ),
    "records-imported": (
        "A change adds the first records of a root. After the merge, only `ipam reconcile` writes "
        "them.",
        "Compare the records with the addresses in use before you approve.",
    ),
    "records-left": (
        "A root was moved or removed without its records, so claims would get new addresses.",
        "Move the records in the same commit, with the command in the hint.",
    ),
    "record-unreadable": (
        "A record cannot be read, because it was damaged or a newer version of `ipam` wrote it. "
        "Its pool does not allocate addresses until you restore the record.",
        "Restore it: `git log -p -- PATH`, then `git checkout COMMIT -- PATH`. If a newer version "
        "wrote it, upgrade `ipam`.",
    ),
    "record-edited": (
        "A record differs from the text that `ipam reconcile` wrote, or its release date is in the "
        "future.",
        "Revert the edit. `git log -p -- PATH` shows the author.",
    ),
    "record-misplaced": (
        "A record is not at the path of its claim. `ipam reconcile` moves it, unless another "
        "record is there.",
        "Revert the move, or let `ipam reconcile` correct the path.",
    ),
    "record-overlap": (
        "Two records hold the same address. Neither of them is moved.",
        "Find out which tenant uses the address, merge an Override with `kind: record` for the "
        "other record, then delete that record.",
    ),
    "record-duplicate": (
        "Two records are for the same claim. Both keep their addresses.",
        "Find out which range is in use, merge an Override with `kind: record` for the other "
        "record, then delete that record.",
    ),
    "record-outside-pool": (
        "A record holds addresses that its pool no longer contains. If a change removes them from "
        "the pool, this is an error.",
        "Add the addresses back to the pool, or move the claim first: `ipam move NAMESPACE/NAME "
        "--to POOL`.",
    ),
    "record-stale": (
        "A record no longer matches its claim, for example because the claim asks for another "
        "pool. The claim keeps its addresses.",
        "Restore the previous claim. To move it, run `ipam move NAMESPACE/NAME --to POOL`.",
    ),
    "commit-carried": (
        "A change contains a commit with an `Ipam-Plan` line that is not in the base.",
        "If the base is behind, run `git fetch` and pass `--base origin/main`. Otherwise drop the "
        "commit: `git rebase -i BASE`.",
    ),
    "commit-dated-back": (
        "A change with releases is dated before its base, or has a date from which their retention "
        "is over. The addresses would be free too early.",
        "Set a new date: `git commit --amend --no-edit`.",
    ),
    "claim-moves": (
        "A claim gets another range. `ipam check` blocks some moves until an Override permits "
        "them.",
        "Check that Services and hosts can change addresses. To keep the range, revert the edit.",
    ),
    "claim-left": (
        "A claim has moved or was removed. Its old range stays announced until no Service uses it.",
        "Move its Services to the new range. To undo the move, run `ipam move NAMESPACE/NAME --to "
        "OLD-POOL`.",
    ),
    "release-held": (
        "A record is not released yet, because a file has errors, its pool is paused, or "
        "growth records are released in steps.",
        "Fix the errors in the file, or end the pause. For growth records, wait for the next runs.",
    ),
}
