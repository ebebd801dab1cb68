"""octoDNS, which plans DNS records of YAML files: `octodns-sync` without `--doit`."""

import subprocess
import sys
from pathlib import Path

RELEASE = "octodns==1.22.0"
_IN_A_ZONE = 200
_PROVIDER = "{{class: octodns.provider.yaml.YamlProvider, directory: {}, default_ttl: 300}}"


def installed(folder: Path) -> Path | None:
    """`octodns-sync` in an environment of its own; None where packages cannot be installed."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    done = subprocess.run(
        [folder / "bin" / "pip", "install", "--quiet", RELEASE], check=False, capture_output=True
    )
    return folder / "bin" / "octodns-sync" if done.returncode == 0 else None


def words(program: Path, folder: Path, records: int) -> list[str]:
    """The command that compares a number of records with the same records; makes their files."""
    for side in ("source", "target"):
        (folder / side).mkdir(parents=True)
        for zone in range(max(1, records // _IN_A_ZONE)):
            text = "---\n" + "".join(
                f"host-{number:03d}:\n  type: A\n  value: 10.{zone // 256}.{zone % 256}.{number}\n"
                for number in range(min(records, _IN_A_ZONE))
            )
            (folder / side / f"zone-{zone:04d}.example.com.yaml").write_text(text, "utf-8")
    config = folder / "config.yaml"
    config.write_text(
        f"providers:\n  source: {_PROVIDER.format(folder / 'source')}\n"
        f"  target: {_PROVIDER.format(folder / 'target')}\n"
        "zones:\n  '*': {sources: [source], targets: [target]}\n",
        "utf-8",
    )
    return [str(program), "--quiet", f"--config-file={config}"]
