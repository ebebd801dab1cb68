"""What each verb is used for, as its help shows it. Tests run each line on the demo's repository."""

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "init": (
        ("ipam init addresses", "a new repository in a new folder"),
        ("ipam init . --forge gitlab", "here, with CI of GitLab"),
        ("ipam init --dry-run", "what it would write"),
    ),
    "import": (
        ("ipam import csv sheet.csv --dry-run", "what a sheet would become"),
        ("ipam import netbox prefixes.json --out .", "write what is in an export"),
        ("ipam import cluster one.kubeconfig two.kubeconfig", "what lives in clusters"),
    ),
    "schema": (
        ("ipam schema", "the kinds"),
        ("ipam schema Settings", "the schema of one"),
        ("ipam schema --all .schemas", "all of them, for editors"),
        ("ipam schema --codeowners", "whose folder is whose, by the teams"),
    ),
    "demo": (("ipam demo /tmp/ipam-demo", "in a folder that may be deleted afterwards"),),
    "move": (
        (
            "ipam move team-platform/gpu-farm --to vlan41-pool",
            "write what moves it, to be reviewed",
        ),
    ),
    "check": (
        ("ipam check", "what is committed"),
        ("ipam check --worktree", "what is on disk"),
        ("ipam check --base main", "a branch beside the one it goes to"),
        ("ipam check --base main --out junit=../ipam.xml", "for CI, too"),
    ),
    "plan": (
        ("ipam plan", "what reconcile would do now"),
        ("ipam plan --base main -o markdown", "as a comment on a pull request"),
        ("ipam plan --rev main --all", "another revision, with what stays"),
        ("ipam plan --detailed-exitcode", "2 when changes are pending"),
    ),
    "simulate": (
        ("ipam simulate --tenants 4", "tenants like those that there are"),
        ("ipam simulate --tenants 4 --lb 2 --nodes 3", "of another shape"),
    ),
    "reconcile": (
        ("ipam reconcile", "commit, and push where there is a remote"),
        ("ipam reconcile --no-apply --branch main", "as a job of CI"),
        (
            "ipam reconcile --kubeconfig management.kubeconfig --clusters kubeconfigs/",
            "and bring clusters to it",
        ),
        (
            "ipam reconcile --remote ssh://git@git.example.com/addresses.git --watch",
            "run on, without a checkout",
        ),
    ),
    "apply": (
        (
            "ipam apply --kubeconfig management.kubeconfig --clusters kubeconfigs/ --dry-run",
            "what would change in clusters",
        ),
        ("ipam apply --crds --require-all", "with the cluster of $KUBECONFIG"),
    ),
    "render": (
        ("ipam render --out ../rendered", "a folder for each cluster"),
        ("ipam render --out ../rendered -o json", "how many files each has, for programs"),
    ),
    "doctor": (
        ("ipam doctor", "of Git"),
        ("ipam doctor --kubeconfig management.kubeconfig", "of clusters, too"),
    ),
    "status": (
        ("ipam status", "a line for each pool"),
        ("ipam status --bars", "a bar for each, with its last 90 days"),
        ("ipam status --rev HEAD~1 -o json", "as it was, for programs"),
    ),
    "map": (
        ("ipam map", "a few rows for each pool"),
        ("ipam map vlan40-pool", "a pool, with who holds what"),
        ("ipam map vlan40-pool --svg", "as a picture"),
        ("ipam map vlan40-pool --rev HEAD~1 -o json", "as it was, for programs"),
    ),
    "report": (
        ("ipam report --out ../report.html", "what is committed"),
        ("ipam report --base main --out ../change.html", "and what merging a branch changes"),
    ),
    "get": (
        ("ipam get pools", "what kinds there are: ipam get --help"),
        ("ipam get tenants -o wide", "with all columns"),
        ("ipam get allocations -o json", "for programs"),
    ),
    "who": (
        ("ipam who 10.92.90.49", "who has an address, since when, by whose commit"),
        ("ipam who 10.40.0.0/24 -o csv", "all who have one of a network, for a sheet"),
        ("ipam who 10.92.90.49 --history", "who had it before"),
    ),
    "history": (
        ("ipam history", "the newest first"),
        ("ipam history vlan40-pool -n 5", "of one pool"),
    ),
    "forecast": (
        ("ipam forecast", "of all pools"),
        ("ipam forecast vlan40-pool", "of one"),
        ("ipam forecast --apply-result applied.json", "with what Services leave idle"),
    ),
    "find": (
        ("ipam find --count 8", "the runs where eight addresses fit"),
        ("ipam find --count 4 --pool vlan40-pool", "in one pool"),
    ),
    "explain": (
        ("ipam explain team-platform/gpu-farm", "a claim"),
        ("ipam explain gpu-farm --apply-result applied.json", "with what is idle"),
        ("ipam explain 10.40.0.70", "what stands at an address"),
        ("ipam explain --codes", "what the codes of findings mean"),
    ),
    "verify": (
        ("ipam verify", "all commits of the branch"),
        ("ipam verify HEAD~1..HEAD", "the newest ones"),
    ),
    "help": (("ipam help plan", "as ipam plan --help"), ("ipam help --all", "every verb")),
    "completion": (
        ('eval "$(ipam completion bash)"', "in ~/.bashrc"),
        ("ipam completion zsh", "what is evaluated"),
    ),
    "version": (("ipam version -o json", "for programs"),),
}
"""By verb: a command line, and what it is for."""
