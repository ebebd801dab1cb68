"""`make image`: run the steps of the Containerfile without a container engine, and test the image.

Each `RUN` and `COPY` runs in a temporary overlay of the file system of this machine, with a virtual
environment instead of the Python of the base image. Then `ipam` commits to a remote over ssh, as the
user of the image and as an unknown user, on a read-only root file system. This needs root and
Debian. Without them, a line reports the reason.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.caches import ROOT
from tests.image.containerfile import image, of

# The path in the base image.
_PATH = "/usr/local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_BASE = "/opt/base"
# The user of the image, and one like on OpenShift, in group root.
USERS = ("65532:65532", "1000770000:0")
_UNFIT = 75
"""How the script ends where this machine has no place for it, or reaches no packages of Debian."""
_WORLD = Path(__file__).with_name("world.sh")


def main() -> int:
    """Run all steps, and return the exit code."""
    if why := _in_the_way():
        print(f"image: its steps were not run: {why}", file=sys.stderr)  # noqa: T201
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _prepare(folder / "context")
        script = "\n".join(_script(folder))
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    if done.returncode == _UNFIT:
        last = (done.stdout.splitlines() or ["no reason is given"])[-1]
        print(f"image: its steps were not run: {last}", file=sys.stderr)  # noqa: T201
        return 0
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)  # noqa: T201
    said = "its steps ran, and ssh knows its users" if done.returncode == 0 else "FAILED"
    print(f"image: {said}", file=sys.stderr)  # noqa: T201
    return done.returncode


def _in_the_way() -> str:
    if os.geteuid() != 0:
        return "that takes root"
    if not Path("/etc/debian_version").exists() or shutil.which("unshare") is None:
        return "that takes Debian"
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    done = subprocess.run(probe, capture_output=True, check=False)
    return "nothing can be mounted here" if done.returncode != 0 else ""


def _prepare(context: Path) -> None:
    """Prepare the build context: files, and the wheel built as in the documentation."""
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command = [*wheel, "--disable-pip-version-check", "--wheel-dir", str(context / "dist"), "."]
    subprocess.run(command, cwd=ROOT, check=True)
    for source in (path for text in of("COPY") for path in text.split()[:-1]):
        if "*" not in source:
            (context / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / source, context / source)


def _script(folder: Path) -> Iterator[str]:
    """Yield the lines of a shell script, which runs in a separate mount namespace."""
    over, root = shlex.quote(str(folder / "over")), shlex.quote(str(folder / "over" / "root"))
    place = (
        f"mkdir {over} && mount -t tmpfs tmpfs {over} && cd {over} && mkdir up work root",
        "mount -t overlay overlay -o lowerdir=/,upperdir=up,workdir=work root",
        f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev",
        f"mount -t tmpfs -o mode=1777 tmpfs {root}/tmp && mount -t tmpfs tmpfs {root}/srv",
        f"for it in resolv.conf hosts; do cat /etc/$it >{root}/etc/$it; done",
        _inside(root, "apt-get -o APT::Update::Error-Mode=any update --quiet=2"),
    )
    yield f"set -u; {{ {' && '.join(place)}; }} || exit {_UNFIT}"
    yield f"set -e; cd {shlex.quote(str(folder / 'context'))}"
    python = Path(sys.executable).resolve()
    # The Python of a person can be in a folder that other users cannot read.
    ways = " ".join(shlex.quote(str(path)) for path in python.parents)
    yield f"chroot {root} chmod a+x {ways}"
    yield f"chroot {root} {shlex.quote(str(python))} -m venv {_BASE}"
    for step in image():
        if step.verb == "RUN":
            yield _inside(root, step.text)
        elif step.verb == "COPY":
            *sources, target = step.text.split()
            if target.endswith("/"):
                yield f"mkdir -p {root}{target}"
            yield f"cp -p {' '.join(sources)} {root}{target}"
    yield f"cp {shlex.quote(str(_WORLD))} {root}/world.sh"
    yield _inside(root, "sh /world.sh make")
    yield f"mount -o remount,ro {root}"
    for user in USERS:
        yield _inside(root, "sh /world.sh use", user)


def _inside(root: str, command: str, user: str = "0:0") -> str:
    """Return a shell command that runs another one in the image, with its environment."""
    handed = [f"{name}={value}" for name, value in os.environ.items() if _is_of_network(name)]
    environment = ["env", "-i", f"PATH={_BASE}/bin:{_PATH}", "HOME=/tmp", *handed]
    groups = "" if user == "0:0" else " --groups="
    said = shlex.join([*environment, "sh", "-euc", command])
    return f"chroot --userspec={user}{groups} {root} {said}"


def _is_of_network(name: str) -> bool:
    """Return whether a variable configures downloads on this machine."""
    return name.startswith(("PIP_", "UV_")) or name.lower().endswith("_proxy") or "CERT" in name


if __name__ == "__main__":
    sys.exit(main())
