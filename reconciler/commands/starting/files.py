"""Which files a new repository gets, and their bytes: from the folder `starter` of the program."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from shlex import quote

from msgspec import Struct

from reconciler.commands.starting.forges import WORKFLOWS, Forge, action_of
from reconciler.documents.shipped import folder, schema
from reconciler.model.settings import Settings
from reconciler.ports import UsageError
from reconciler.sources import schema_files

SCHEMAS = ".schemas"
SETTINGS = "ipam.yaml"
OWNERS = "CODEOWNERS"
HOOK = ".pre-commit-config.yaml"
UNNAMED = "<what pip installs ipam from>"
"""Stands where nobody knows what CI installs. pip refuses it, and says what it was given."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9._+/:@=~-]*[A-Za-z0-9]")
# What may stand in all files unquoted: a line of shell, an expression of CI, YAML.
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_CI = {Forge.FORGEJO: Forge.GITEA}


class Beginning(StrEnum):
    """What stands in the folders of documents at first."""

    EXAMPLES = "examples"
    EMPTY = "empty"
    OWN = "own"


class Wish(Struct, frozen=True):
    """What a new repository shall be.

    Attributes:
        branch: The branch that holds the truth.
        forge: Whose CI it gets; None for none.
        package: What CI installs the program from, as pip takes it.
        beginning: A pool, a provider and a tenant, to be changed; folders without a file; or what
            the person has in them.
        root: The folder of a bigger repository that it is; empty for a whole one.
    """

    branch: str
    forge: Forge | None
    package: str
    beginning: Beginning
    root: str = ""

    @property
    def up(self) -> str:
        """From the root to the top, where forges and pre-commit look for their files."""
        return "../" * len(self.root.split("/")) if self.root else ""

    @property
    def workflow(self) -> str:
        """The file of CI, as it is from the root; empty for none."""
        if self.forge is None:
            return ""
        path = WORKFLOWS[self.forge]
        # A forge that has a file for each workflow takes one for each root.
        own = path.replace("/ipam.yml", f"/ipam-{_slug(self.root)}.yml") if self.root else path
        return f"{self.up}{own}"

    @property
    def comment(self) -> str:
        """The file of what tells beside a pull request what it does; empty where no action does."""
        has_action = self.forge is Forge.GITHUB and action_of(self.package) is not None
        return self.workflow.replace(".yml", "-comment.yml") if has_action else ""


def wanted(wish: Wish) -> dict[str, str]:
    """The files of a new repository: path to text, in the order in which they are shown.

    Raises:
        UsageError: The branch has a name that CI would not take as it is.
    """
    if not _BRANCH.fullmatch(wish.branch):
        message = f"branch {wish.branch!r} cannot be written into files of CI as it is"
        raise UsageError(message, "name another with --branch: letters, digits, dots, - _ and /")
    words = {"__BRANCH__": wish.branch, "__PACKAGE__": _scalar(wish.package)}
    if (action := action_of(wish.package)) is not None:
        words |= {"__REPOSITORY__": action[0], "__COMMIT__": action[1]}
    starter = folder("starter")
    found = dict(_below(starter / "repository"))
    if wish.beginning is Beginning.EXAMPLES:
        found |= examples()
    elif wish.beginning is Beginning.EMPTY:
        found |= {f"{name}/.gitkeep": "" for name in Settings().sources}
    if wish.forge is not None:
        name = _template(wish.forge, wish.package)
        found[wish.workflow] = (starter / "ci" / f"{name}.yml").read_text("utf-8")
    if wish.comment:
        found[wish.comment] = (starter / "ci" / "github-comment.yml").read_text("utf-8")
    found = _in_root(found, wish) if wish.root else found
    found = {path: _filled(text, words) for path, text in sorted(found.items(), key=_place)}
    return {**found, **schemas()}


def _template(forge: Forge, package: str) -> str:
    """What CI does, by the name of its file in `starter`: by actions, where the package has them."""
    if forge is Forge.GITHUB and action_of(package) is not None:
        return "github-action"
    return _CI.get(forge, forge).value


def _in_root(files: dict[str, str], wish: Wish) -> dict[str, str]:
    """The same for a folder of a bigger repository: what others read stands at its top."""
    root = wish.root
    entry = "entry: ipam check --worktree --allow-empty"
    found = dict(files)
    owners, hook = found.pop(OWNERS), found.pop(HOOK)
    spelled = root.replace(" ", "\\ ")
    owned = re.compile(r"^# (?:\*|/(\S*))(?= )", re.MULTILINE)
    found[f"{wish.up}{OWNERS}"] = owned.sub(lambda it: f"# /{spelled}/{it[1] or ''}", owners)
    found[f"{wish.up}{HOOK}"] = hook.replace(entry, _entry(entry, root))
    for path in filter(None, (wish.workflow, wish.comment)):
        said = _with_root(found[path], _scalar(root))
        found[path] = re.sub(r"\bipam-(check|comment|reconcile)\b", rf"ipam-\1-{_slug(root)}", said)
    return found


def _with_root(workflow: str, root: str) -> str:
    """The same with the root beside the package, or where no package is named, for all jobs."""
    beside = re.compile(r"^( +)IPAM_PACKAGE: __PACKAGE__\n", re.MULTILINE)
    if beside.search(workflow):
        return beside.sub(lambda it: f"{it[0]}{it[1]}IPAM_ROOT: {root}\n", workflow)
    return workflow.replace("\njobs:\n", f"\nenv:\n  IPAM_ROOT: {root}\n\njobs:\n")


def _entry(entry: str, root: str) -> str:
    """The line of a hook: pre-commit splits it as a shell does."""
    key, _, command = entry.partition(": ")
    quoted = quote(root)
    if quoted == root:
        return f"{entry} --root {root}"
    return f"{key}: {json.dumps(f'{command} --root {quoted}', ensure_ascii=False)}"


def _slug(root: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", root).strip("-") or "root"


def examples() -> dict[str, str]:
    """The pool, the provider and the tenant that a person changes."""
    return dict(_below(folder("starter") / "examples"))


def schemas() -> dict[str, str]:
    """The JSON Schema of each kind that people write, for editors: path to text."""
    return {
        f"{SCHEMAS}/{name}.json": json.dumps(schema(path), indent=2, ensure_ascii=False) + "\n"
        for name, path in schema_files().items()
    }


def _place(item: tuple[str, str]) -> tuple[bool, bool, str]:
    """Settings first, then what people write, then what stands around it."""
    path = item[0]
    return path != SETTINGS, path.startswith(".") or "/" not in path, path


def _below(place: Path, prefix: str = "") -> Iterator[tuple[str, str]]:
    for item in sorted(place.iterdir(), key=lambda it: it.name):
        if item.is_dir():
            yield from _below(item, f"{prefix}{item.name}/")
        else:
            yield f"{prefix}{item.name}", item.read_text("utf-8")


def _filled(text: str, words: dict[str, str]) -> str:
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


def _scalar(text: str) -> str:
    """A text as YAML takes it on one line."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
