"""`make browser`: install Chromium, Node.js, and TypeScript for tests of the page, once."""

import os
import shutil
import subprocess
import sys

from tests.page.tools import NODE, chromium, tsc, types_folder


def main() -> int:
    """Install missing programs, and return the exit code."""
    packages = [] if chromium() else ["chromium"]
    if not (shutil.which("node") and shutil.which("npm")):
        packages += ["nodejs", "npm"]
    if packages and (why := _by_debian(packages)):
        print(f"browser: {why}", file=sys.stderr)  # noqa: T201 - a command
        return 1
    if tsc() is None:
        folder = types_folder()
        folder.mkdir(parents=True, exist_ok=True)
        for file in NODE.iterdir():
            shutil.copy(file, folder)
        quiet = ("--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts")
        subprocess.run(["npm", "ci", *quiet], cwd=folder, check=True)
    print(f"browser: {chromium()}; types: {tsc()}")  # noqa: T201 - a command
    return 0


def _by_debian(packages: list[str]) -> str:
    """Install packages. Return the reason of a failure, or empty."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return f"missing: {', '.join(packages)}; on Debian: apt-get install {' '.join(packages)}"
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=quiet)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    done = subprocess.run(install, check=False, env=quiet, stdout=subprocess.DEVNULL)
    return "" if done.returncode == 0 else f"apt-get cannot install {', '.join(packages)}"


if __name__ == "__main__":
    sys.exit(main())
