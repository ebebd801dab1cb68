"""New repositories."""

import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from shlex import quote

from msgspec import Struct

from reconciler.documents.document import Kind
from reconciler.documents.validators import folder, schema
from reconciler.families.plain.kinds import GROUP, KINDS, TARGET
from reconciler.gitio.files import TargetDirectory
from reconciler.gitio.objects import check_branch
from reconciler.model.errors import UsageError
from reconciler.model.settings import Settings
from reconciler.planning.documents import every_kind, schema_files
from reconciler.planning.settings import read_settings


class Forge(StrEnum):
    """The forge that hosts a repository and runs its CI."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GITEA = "gitea"
    FORGEJO = "forgejo"


WORKFLOWS = {
    Forge.GITHUB: ".github/workflows/ipam.yml",
    Forge.GITLAB: ".gitlab-ci.yml",
    Forge.GITEA: ".gitea/workflows/ipam.yml",
    Forge.FORGEJO: ".forgejo/workflows/ipam.yml",
}
"""The path of the CI workflow, by forge."""

# A forge is recognized by a word in its host name. These two hosts have no such word.
_HOSTS = {"codeberg.org": Forge.FORGEJO, "gitea.com": Forge.GITEA}
_URL = re.compile(r"[a-z+]+://(?:[^/@]*@)?(?P<host>[^/:]+)")
_SSH = re.compile(r"(?:[^/@:]+@)?(?P<host>[^/@:]+):(?!/)")


# A package at a commit of a GitHub repository:
# `git+https://github.com/acme/gitops-ipam@<commit>`.
_COMMIT = re.compile(
    r"git\+https://github\.com/(?P<repository>[\w-]+/[\w.-]+?)(?:\.git)?@(?P<commit>[0-9a-f]{40})"
)


def action_of(package: str) -> tuple[str, str] | None:
    """Return the GitHub repository and the commit of a package; None if pip installs it."""
    found = _COMMIT.fullmatch(package)
    return (found["repository"], found["commit"]) if found else None


def forge_of(url: str) -> Forge | None:
    """Return the forge in the URL of a remote; None if it is unknown."""
    found = _URL.match(url) or _SSH.match(url)
    host = found["host"].lower() if found else ""
    if host in _HOSTS:
        return _HOSTS[host]
    words = re.split(r"[.-]", host)
    return next((forge for forge in Forge if forge.value in words), None)


def forge_in(paths: Iterable[str]) -> Forge | None:
    """Return the forge whose files are in a repository; None if there is none, or more than one."""
    names = set(paths)
    found = [forge for forge in Forge if WORKFLOWS[forge].partition("/")[0] in names]
    return found[0] if len(found) == 1 else None


SCHEMAS = ".schemas"
SETTINGS = "ipam.yaml"
OWNERS = "CODEOWNERS"
HOOK = ".pre-commit-config.yaml"
UNNAMED = "<what pip installs ipam from>"
"""Placeholder for an unknown package. pip refuses it and shows the text."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9._+/:@=~-]*[A-Za-z0-9]")
PROPOSALS = "ipam/records"
_PROPOSING = re.compile(r"^.*__TO_BRANCH__.*\n", re.MULTILINE)


class Beginning(StrEnum):
    """The initial content of the folders of documents."""

    EXAMPLES = "examples"
    EMPTY = "empty"
    OWN = "own"


class Start(StrEnum):
    """The kinds of a new repository."""

    PLAIN = "plain"
    BUTLER = "butler"

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the folders of documents."""
        return _PLAIN_SOURCES if self is Start.PLAIN else Settings().sources

    @property
    def kinds(self) -> list[Kind]:
        """Return the kinds with a schema in the repository."""
        every = every_kind()
        if self is Start.PLAIN:
            return [it for it in every if it.id.group == GROUP]
        return [it for it in every if it.id == TARGET or it not in KINDS]


_PLAIN_SOURCES = ("pools", "clusters", "claims", "teams")


class InitOptions(Struct, frozen=True):
    """Options of a new repository. `package` is in pip's syntax, `root` is empty for the top."""

    branch: str
    forge: Forge | None
    package: str
    beginning: Beginning
    root: str = ""
    to_branch: str = ""
    start: Start = Start.BUTLER

    @property
    def up(self) -> str:
        """Return the prefix from the root to the top, where forges read their files."""
        return "../" * len(self.root.split("/")) if self.root else ""

    @property
    def workflow(self) -> str:
        """Return the path of the CI file, relative to the root; empty for none."""
        if self.forge is None:
            return ""
        path = WORKFLOWS[self.forge]
        # A forge with one file per workflow gets one per root.
        own = path.replace("/ipam.yml", f"/ipam-{_slug(self.root)}.yml") if self.root else path
        return f"{self.up}{own}"

    @property
    def comment(self) -> str:
        """Return the path of the workflow that comments; empty without an action."""
        has_action = self.forge is Forge.GITHUB and action_of(self.package) is not None
        return self.workflow.replace(".yml", "-comment.yml") if has_action else ""


def wanted(wish: InitOptions) -> dict[str, str]:
    """Return files by path, in display order. Raises UsageError for invalid branches."""
    check_branch(wish.branch)
    if wish.to_branch and check_branch(wish.to_branch) == wish.branch:
        message = f"--to-branch {wish.to_branch} is the branch that ipam reconciles"
        raise UsageError(message, "pass another branch")
    words = {"__BRANCH__": wish.branch, "__PACKAGE__": _scalar(wish.package)}
    if (action := action_of(wish.package)) is not None:
        words |= {"__REPOSITORY__": action[0], "__COMMIT__": action[1]}
    starter = folder("starter")
    found = _base(starter, wish.start)
    if wish.beginning is Beginning.EXAMPLES:
        found |= examples(wish.start)
    elif wish.beginning is Beginning.EMPTY:
        found |= {f"{name}/.gitkeep": "" for name in wish.start.sources}
    if wish.forge is not None:
        # Forgejo runs the workflow of Gitea. GitHub uses actions if the package has them.
        name = (Forge.GITEA if wish.forge is Forge.FORGEJO else wish.forge).value
        name += "-action" if wish.comment else ""
        found[wish.workflow] = _workflow(starter / "ci" / f"{name}.yml", wish.to_branch)
    if wish.comment:
        found[wish.comment] = (starter / "ci" / "github-comment.yml").read_text("utf-8")
    found = _in_root(found, wish) if wish.root else found
    for word, meaning in words.items():
        found = {path: text.replace(word, meaning) for path, text in found.items()}
    return {**dict(sorted(found.items(), key=_place)), **schemas(wish.start.kinds)}


def _workflow(path: Path, to_branch: str) -> str:
    """Return a workflow, with or without the lines that propose records on another branch."""
    text = path.read_text("utf-8")
    filled = text.replace("__TO_BRANCH__", to_branch).replace("requests: read", "requests: write")
    return filled if to_branch else _PROPOSING.sub("", text)


def _in_root(files: dict[str, str], wish: InitOptions) -> dict[str, str]:
    found, root = dict(files), wish.root
    owners, hook = found.pop(OWNERS), found.pop(HOOK)
    command = "ipam check --worktree --allow-empty"
    rooted = f"{command} --root {quote(root)}"
    if quote(root) != root:  # pre-commit splits it as a shell does
        rooted = json.dumps(rooted, ensure_ascii=False)
    spelled = root.replace(" ", "\\ ")
    owned = re.compile(r"^# (?:\*|/(\S*))(?= )", re.MULTILINE)
    found[f"{wish.up}{OWNERS}"] = owned.sub(lambda it: f"# /{spelled}/{it[1] or ''}", owners)
    found[f"{wish.up}{HOOK}"] = hook.replace(f"entry: {command}", f"entry: {rooted}")
    for path in filter(None, (wish.workflow, wish.comment)):
        said = _with_root(found[path], _scalar(root))
        found[path] = re.sub(r"\bipam-(check|comment|reconcile)\b", rf"ipam-\1-{_slug(root)}", said)
    return found


def _with_root(workflow: str, root: str) -> str:
    beside = re.compile(r"^( +)IPAM_PACKAGE: __PACKAGE__\n", re.MULTILINE)
    if beside.search(workflow):
        return beside.sub(lambda it: f"{it[0]}{it[1]}IPAM_ROOT: {root}\n", workflow)
    return workflow.replace("\njobs:\n", f"\nenv:\n  IPAM_ROOT: {root}\n\njobs:\n")


def _slug(root: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", root).strip("-") or "root"


def _base(starter: Path, start: Start) -> dict[str, str]:
    own = starter / "plain" / "repository" if start is Start.PLAIN else starter / "repository"
    return dict(_below(starter / "repository")) | dict(_below(own))


def examples(start: Start) -> dict[str, str]:
    """Return the example documents."""
    starter = folder("starter")
    return dict(_below((starter / "plain" if start is Start.PLAIN else starter) / "examples"))


def schemas(kinds: Sequence[Kind] | None = None) -> dict[str, str]:
    """Return the JSON Schema of some or all documented kinds, for editors: path to text."""
    return {
        f"{SCHEMAS}/{name}.json": json.dumps(schema(path), indent=2, ensure_ascii=False) + "\n"
        for name, path in schema_files(kinds).items()
    }


def start_of(names: Container[str]) -> Start | None:
    """Return the kinds of which a folder has schemas; None for all or for no schemas."""
    has = {start: f"{name}.json" in names for start, name in _FIRST.items()}
    return next((start for start in Start if has[start] and sum(has.values()) == 1), None)


_FIRST = {Start.PLAIN: "AddressPool", Start.BUTLER: "NetworkPool"}


def _place(item: tuple[str, str]) -> tuple[bool, bool, str]:
    path = item[0]
    return path != SETTINGS, path.startswith(".") or "/" not in path, path


def _below(place: Path, prefix: str = "") -> Iterator[tuple[str, str]]:
    for item in sorted(place.iterdir(), key=lambda it: it.name):
        if item.is_dir():
            yield from _below(item, f"{prefix}{item.name}/")
        else:
            yield f"{prefix}{item.name}", item.read_text("utf-8")


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


_DOCUMENTS = (".yaml", ".yml")
# Other paths where forges read code owners. Only one file counts, so a second one is ignored.
_OTHER_OWNERS = (".github", ".gitlab", ".gitea", ".forgejo", "docs")


class FileState(StrEnum):
    """The state of a wanted file compared with the existing one."""

    NEW = "new"
    SAME = "same"
    YOURS = "yours"
    LEFT_OUT = "left out"


class WantedFile(Struct, frozen=True):
    """A wanted file, by its path from the root, and why it is not written, if not obvious."""

    path: str
    text: str
    state: FileState
    why: str = ""


def has_own_documents(folder: TargetDirectory) -> bool:
    """Return whether the repository has documents other than unchanged examples."""
    shown = [examples(start) for start in Start]
    there = {path: folder.text(path) for path in documents(folder)}
    return any(all(it.get(path) != text for it in shown) for path, text in there.items())


def named_branch(folder: TargetDirectory) -> str:
    """Return the branch that the existing Settings name, or empty."""
    settings = _settings(folder)
    return settings.branch if settings is not None else ""


def start_in(folder: TargetDirectory) -> Start:
    """Return the kinds of an existing repository by its folders; plain for a new one."""
    settings = _settings(folder)
    if settings is not None:
        is_butlers = settings.sources == Start.BUTLER.sources
    else:
        is_butlers = any(it.startswith(("providers/", "tenants/")) for it in documents(folder))
    return Start.BUTLER if is_butlers else Start.PLAIN


def _settings(folder: TargetDirectory) -> Settings | None:
    with suppress(OSError):
        text = folder.text(SETTINGS)
        return None if text is None else read_settings(text.encode())[0]
    return None


def documents(folder: TargetDirectory) -> list[str]:
    """Return the paths of all documents of users and records in the folders of a new repository."""
    default = Settings()
    names = (*default.sources, *_PLAIN_SOURCES, default.records, default.observed, "overrides")
    found = [path for name in dict.fromkeys(names) for path in folder.below(name)]
    return [path for path in found if path.endswith(_DOCUMENTS)]


def lay(items: Iterable[WantedFile], folder: TargetDirectory) -> list[WantedFile]:
    """Write and return the new files. Raises OSError after earlier writes."""
    written = [item for item in items if item.state is FileState.NEW]
    for item in written:
        folder.add(item.path, item.text)
    return written


def is_schema(item: WantedFile) -> bool:
    """Return whether the file is a schema."""
    return item.path.startswith(f"{SCHEMAS}/")


def judged(path: str, text: str, folder: TargetDirectory) -> WantedFile:
    """Compare a wanted file with the existing one."""
    try:
        there = folder.text(path)
    except OSError as failure:
        return WantedFile(path, text, FileState.LEFT_OUT, failure.strerror or str(failure))
    if there is None:
        other = _other_owners(path, folder)
        return WantedFile(path, text, FileState.LEFT_OUT if other else FileState.NEW, other)
    if there == text:
        return WantedFile(path, text, FileState.SAME)
    why = "" if path == SETTINGS else "run ipam init --dry-run to see the new content"
    if path.startswith(f"{SCHEMAS}/"):
        why = f"run ipam schema --out {SCHEMAS} to write it again"
    return WantedFile(path, text, FileState.YOURS, why)


def _other_owners(path: str, folder: TargetDirectory) -> str:
    top = path.removesuffix(OWNERS)
    for name in _OTHER_OWNERS if path in (OWNERS, f"{top}{OWNERS}") else ():
        with suppress(OSError):
            if folder.text(f"{top}{name}/{OWNERS}") is not None:
                return f"{top}{name}/{OWNERS} already exists"
    return ""
