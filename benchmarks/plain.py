"""A script next to `ipam`: PyYAML's C loader, and jsonschema.

`python -m benchmarks.plain REPOSITORY` reads each file of main once.
"""

import subprocess
import sys

import yaml
from jsonschema import Draft202012Validator

from reconciler.documents.validators import schema, shipped_file

_KINDS = ("NetworkPool", "ProviderConfig", "TenantCluster")
_RECORDS = "crds/butler.butlerlabs.dev_ipallocations.yaml"


def main(repository: str) -> None:
    git = ("git", f"--git-dir={repository}")
    validators = {it: Draft202012Validator(schema(f"butler/{it}.json")) for it in _KINDS}
    (served,) = yaml.safe_load(shipped_file(_RECORDS))["spec"]["versions"]
    validators["IPAllocation"] = Draft202012Validator(served["schema"]["openAPIV3Schema"])
    validators["Settings"] = Draft202012Validator(schema("own/Settings.json"))
    listing = subprocess.run(
        [*git, "ls-tree", "-r", "--format=%(objectname)", "main"], capture_output=True, check=True
    )
    batch = subprocess.run(
        [*git, "cat-file", "--batch"], input=listing.stdout, capture_output=True, check=True
    ).stdout
    at = 0
    while at < len(batch):
        head, _, _ = batch[at : at + 100].partition(b"\n")
        begin = at + len(head) + 1
        at = begin + int(head.rpartition(b" ")[2])
        for body in yaml.load_all(batch[begin:at], Loader=yaml.CSafeLoader):
            validators[body["kind"]].validate(body)
        at += 1


main(sys.argv[1])
