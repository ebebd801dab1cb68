"""What is wrong in the tree, where, and how to mend it: findings and their codes.

A finding is the user's mistake as a value. It is collected, sorted and shown with all others; it
is never raised. `CODES` is the one list of codes: a code that is not in it is a bug.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SHOWN_CHARACTERS = 120


class Severity(StrEnum):
    """How much a finding weighs: an error makes the exit code 1, a gate 3, all others nothing."""

    ERROR = "error"
    GATE = "gate"
    WARNING = "warning"
    INFO = "info"


class Location(NamedTuple):
    """A place in the tree. Line and column start at 1; 0 means that the place has none.

    `pointer` is an RFC 6901 JSON pointer into the document.
    """

    path: str
    line: int = 0
    column: int = 0
    pointer: str = ""

    def __str__(self) -> str:
        """`path:line`, as far as known, for messages that name a second place."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with its place and the way to mend it."""

    code: str
    severity: Severity
    message: str
    location: Location
    hint: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(self.code)


def error(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding that makes the content wrong."""
    return Finding(code, Severity.ERROR, message, location, hint)


def warning(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding that stops nothing."""
    return Finding(code, Severity.WARNING, message, location, hint)


def info(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding about what is right, and should be known to whoever reviews a change."""
    return Finding(code, Severity.INFO, message, location, hint)


def cut_off(location: Location, message: str) -> Finding:
    """A warning that something is behind the end of this clone."""
    hint = "git fetch --unshallow; in a CI job: fetch-depth: 0"
    return warning("history-cut", location, message, hint)


def gate(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding about right content that may not pass: capacity, a refused claim, a brake."""
    return Finding(code, Severity.GATE, message, location, hint)


def has_error(findings: Iterable[Finding]) -> bool:
    """Some of the findings are errors."""
    return any(item.severity is Severity.ERROR for item in findings)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by place, then code and message; each once."""
    unique = {
        (found.location, found.code, found.message, found.severity, found.hint): found
        for found in findings
    }
    return tuple(unique[key] for key in sorted(unique))


def shown(value: object) -> str:
    """A value as read, quoted and cut to a length that fits a line of a log."""
    text = value if isinstance(value, str) else str(value)
    if len(text) > SHOWN_CHARACTERS:
        text = f"{text[:SHOWN_CHARACTERS]}…({len(text)} characters)"
    return f"'{text}'"


def article_list(words: Iterable[str], last: str = "or") -> str:
    """`a, b or c`."""
    listed = list(words)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} {last} {listed[-1]}"


NAMED = 5


def few(words: Sequence[str], last: str = " and ") -> str:
    """`a, b and c`; of more than five the first ones, and how many there are besides."""
    if len(words) > NAMED:
        return f"{', '.join(words[:NAMED])} and {len(words) - NAMED} more"
    return last.join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


CODES: dict[str, str] = {
    # Files
    "file-too-large": "A file may have 256 KiB. Split it into several.",
    "not-a-file": "Only plain files are read: no symlinks, no submodules.",
    "not-a-folder": "A file stands where Settings name a folder.",
    "name-clash": "Two files are one where upper and lower case are not told apart. Rename one.",
    "name-unfit": "A name that Windows keeps for itself or does not take. Choose another.",
    "file-not-read": "A file that ends with .json or .YAML holds nothing. Write YAML, and name it .yaml.",
    "not-utf8": "Files must be UTF-8 text.",
    "control-character": "A control or bidirectional character hides in the text. Remove it.",
    "line-break": "Lines end with LF or CR LF; other Unicode line breaks are refused.",
    "merge-conflict": "A merge conflict was committed, or merging into the base makes one. Resolve it.",
    "lfs-pointer": "The file is a Git LFS pointer. Store YAML in Git itself.",
    # YAML
    "yaml-syntax": "The text is not YAML.",
    "yaml-directive": "YAML directives (lines that begin with %) are not allowed.",
    "yaml-anchor": "Anchors, aliases and merge keys are not allowed. Write the value out.",
    "yaml-tag": "Tags (!!…) are not allowed. Quote a text to keep it a text.",
    "yaml-duplicate-key": "A key stands twice in one mapping. Remove one.",
    "yaml-key": "Keys must be texts of at most 1,024 characters.",
    "yaml-number": "The number has more digits than any field takes.",
    "yaml-ambiguous": "YAML 1.1 readers such as kubectl read this value as another type. Quote it.",
    "yaml-too-deep": "A document may nest 32 levels deep.",
    "yaml-too-large": "A document may have 10,000 values.",
    "document-empty": "A file of a source folder holds no document.",
    "document-not-mapping": "A document must be a mapping with apiVersion, kind and metadata.",
    # Documents
    "kind-unknown": "No such kind in this API group and version.",
    "kind-unexpected": "This kind does not belong in this place.",
    "kind-in-wrong-folder": "A kind stands in a folder of others, past the eyes that guard its own.",
    "name-invalid": "Names are RFC 1123 labels: a-z, 0-9 and -, at most 63 characters.",
    "name-reserved": "The name is kept for something else.",
    "field-required": "A field that must be there is missing.",
    "field-unknown": "No such field.",
    "field-type": "The value has another type than the field takes.",
    "field-value": "The value is outside what the field takes.",
    "cluster-field": "A field that only a cluster sets was read from a file; it is ignored.",
    "document-duplicate": "Two documents describe one object.",
    "settings-changed": "Settings changed: the base's judge a change, and no record may be left in another folder.",
    "records-left": "A root was moved, and its records were not, or were removed. Move them along.",
    "settings-loosened": "Settings are looser than reconcile went by last; the stricter ones count.",
    "override-misplaced": "An Override stands in overrides/, in one file that bears its date and name.",
    "override-added": "An Override is new or changed. It counts when it has been merged.",
    "override-expired": "An Override has expired, and lets nothing pass any more. Remove it.",
    "override-used": "An Override lets something pass that would stop the change.",
    "override-unused": "An Override lets nothing pass in this revision.",
    "nothing-to-check": "No document is in any folder that is read. Name the right folder.",
    "base-ahead": "The base has commits that the revision under check lacks, and that could not be merged.",
    "more-findings": "More was found than is listed: 100 findings a file, 5,000 in all.",
    # Pools
    "address-invalid": "Not an IP address in canonical form.",
    "cidr-invalid": "Not a CIDR in canonical form.",
    "family-mismatch": "An address of the wrong IP version.",
    "special-purpose": "The range is set aside by RFC 6890 and cannot be given out.",
    "pool-too-large": "A pool may hold a /8 of IPv4 or a /32 of IPv6.",
    "reserved-outside-pool": "A reserved range lies outside its pool.",
    "reserved-overlap": "Two reserved ranges overlap.",
    "reserved-straddles-range": "A reserved range crosses the border of an allocatable range.",
    "range-reversed": "A range starts after its end.",
    "range-outside-pool": "A range lies outside its pool.",
    "ranges-unsorted": "Ranges must be sorted and must not overlap.",
    "range-ignored": "start and end are not used: half a range, or ranges stand beside them.",
    "pool-empty": "A pool has no address to give out.",
    "pool-ambiguous": "Two pools serve one class of clusters for one role; the order of names decides.",
    "label-unfit": "A label of a pool selects nobody, or no API server takes it.",
    "pool-overlap": "Two pools of one address space hold the same addresses, or one holds some in use, or of pods or services.",
    "pool-shrunk": "A pool's CIDR may grow; it must keep every address that it had.",
    "pool-added": "A change brings a pool that its base does not have.",
    "pool-changed": "A change edits a pool.",
    "gate-changed": "A change edits the gate or thresholds of a pool; those of its base judge it.",
    "pool-removed": "A pool with live records was removed.",
    "gateway-in-pool": "A gateway lies among the addresses to give out; it is held back.",
    "address-space-added": "A change brings an address space, in which addresses may be given anew.",
    "address-space-changed": "A change puts a pool into another address space; an error while it holds addresses.",
    "address-space-unknown": "A pool names an address space that Settings do not list.",
    "annotation-invalid": "An annotation of gitops-ipam.dev has a value that cannot be used.",
    # Providers and tenants
    "variable-missing": "A class of clusters lacks the variable that the address is written to.",
    "claim-paused": "Who claims is paused or being deleted, and gets nothing new meanwhile.",
    "reference-not-found": "A document names another one that is not in the repository.",
    "provider-added": "A change brings a provider that its base does not have.",
    "provider-changed": "A change edits a provider.",
    "team-added": "A change brings a team that its base does not have.",
    "team-changed": "A change edits a team.",
    "not-yours": "Something is asked for that a team's document does not let its team ask for, or in another team's name.",
    "provider-without-pools": "A provider of mode ipam needs at least one pool in poolRefs.",
    "provider-mode": "This provider cannot use mode ipam.",
    "team-mismatch": "The provider belongs to another team.",
    "manual-range": "A range or address that was set by hand cannot be used as written.",
    "manual-range-added": "A change brings a range or address set by hand: it has no record.",
    "manual-range-changed": "A change edits a range or address set by hand: it has no record.",
    "pin-count": "A count or size differs from that of the range that is pinned; the range decides.",
    "pin-conflict": "Two ranges are pinned, each as the tenant's own. Let both say one range.",
    "pin-contested": "Two files pin one address, and no record says whose it is.",
    "pin-stands-for-claim": "A pinned request is its tenant's own claim, which gets no other range.",
    "request-beside-claim": "A request is additional: its tenant gets addresses of its own beside it.",
    "size-smaller": "A tenant asks for less than it holds. It keeps all of it.",
    "adoption-conflict": "What a copied manifest holds in its cluster cannot be taken over as it is.",
    "last-good": "What cannot be read counts as it last could be, and gets nothing new.",
    "history-cut": "The clone is too shallow to tell what something was before it broke.",
    "settings-gone": "ipam.yaml is gone. Nothing is given, released or expired without it.",
    "import-conflict": "What an import found cannot be told, or is somebody else's. A person decides.",
    # What was observed
    "observed-edited": "What was observed is written by `ipam reconcile` alone. Revert the change.",
    "demand-unused": "A tenant grew, but its provider grows nobody now. What it holds stays.",
    "demand-unasked": "A cluster cannot be asked what it needs. It neither grows nor shrinks meanwhile.",
    # Renames
    "renamed": "A document has another name, and keeps its addresses.",
    "rename-refused": "It is not clear whose addresses a renamed document would keep.",
    "rename-unused": "What a document says that it was called before is still there.",
    "announcement-lost": "A cluster that stays loses addresses that it announces by this change.",
    "announcement-moved": "Addresses go from one cluster to another at once. Give them up first.",
    "name-reused": "A new document has a name that has addresses from before, perhaps another team's.",
    "looks-renamed": "A document seems to have another name, but would lose its addresses.",
    # Records
    "record-unreadable": "A record cannot be read. It counts as it last could be, until mended.",
    "record-edited": "A record differs from what `ipam reconcile` wrote.",
    "commit-unproven": "A commit says that reconcile made it, but its base gives other files.",
    "commit-carried": "A change carries a commit that says reconcile made it; its base lacks it.",
    "commit-dated-back": "A change is dated before its base: what it releases would be free too early.",
    "record-removed": "A record was removed by hand; its claim is planned anew.",
    "freed-by-hand": "A change takes addresses that were another's until somebody changed the record by hand.",
    "record-put-back": "A brake puts a record back that was taken away or edited by hand.",
    "record-misplaced": "A record stands at another path than its claim says; it will be moved.",
    "record-overlap": "Two records hold the same address. Neither is moved.",
    "record-duplicate": "Two records state one claim. Both hold their addresses.",
    "record-outside-pool": "A record holds addresses that its pool does not give out.",
    "record-stale": "A record no longer answers its claim. It stays until a person lets the claim move.",
    "claim-moves": "The plan moves a claim to another range, as an Override lets it.",
    "claim-left": "A claim moved; what it held stays announced until nobody uses it.",
    "expiry-held": "A released record was kept, because some cluster may still announce its range.",
    "clock-behind": "This machine's clock is behind the date of the commit: what falls due waits.",
    "release-held": "A record was not released: some document cannot be read, or its pool is paused.",
    # Objects that are in the management cluster alone
    "intake-rejected": "An object of the management cluster is not taken in. Its last copy counts, if any.",
    "intake-held": "Much is gone from the management cluster at once. The copies stay until a person says so.",
    "intake-doubt": "It cannot be told whether objects of the management cluster are gone. Their copies stay.",
    # Gates: reasons of a refusal, capacity, brakes
    "pool-exhausted": "No candidate pool has enough free addresses.",
    "pool-fragmented": "Enough addresses are free, but no run of them is long enough.",
    "pool-not-found": "No candidate pool is in the repository.",
    "no-matching-pool": "No pool matches the claim.",
    "auto-assign-disabled": "The pool gives out no address of itself.",
    "pin-outside-pool": "The pinned range lies outside the pool.",
    "pin-straddles-ranges": "The pinned range crosses the border between two ranges of the pool.",
    "pin-reserved": "The pinned range holds reserved addresses.",
    "pin-taken": "The pinned range holds addresses that are taken.",
    "quota-exceeded": "The claim would take its tenant over the provider's quota.",
    "request-too-large": "No candidate pool could hold the claim even when empty.",
    "pool-frozen": "Nothing is given out while a record of the pool, or a file, cannot be read, or the pool is paused.",
    "capacity": "The plan takes a pool to a tier that Settings do not let pass.",
    "brake": "The plan releases more than Settings let pass.",
    "brake-held": "A release is held back by a brake; who asked for it is told.",
    "clock-ahead": "A commit is dated over an hour ahead of now. Nothing expires meanwhile.",
}


def alike(text: str, names: Iterable[str], most: int, likeness: float) -> list[str]:
    """Names that a person may have meant, the likeliest first.

    Args:
        text: What was written.
        names: All that there are.
        most: So many at most.
        likeness: How alike they have to be: 1.0 is the same.
    """
    from difflib import get_close_matches  # a run in which all is spelt right needs none of it

    return get_close_matches(text, list(names), most, likeness)


def nearest(text: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """The name that a person may have meant; empty for none. Args: as of `alike`."""
    return next(iter(alike(text, names, 1, likeness)), "")


def meant(text: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """`did you mean …?`; empty where nothing is near. Args: as of `alike`."""
    near = nearest(text, names, likeness)
    return f"did you mean {near}?" if near else ""
