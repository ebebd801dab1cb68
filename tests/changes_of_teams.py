"""Changes within the limits of a team, and changes outside them."""

from collections.abc import Mapping

from tests.planning.test_ownership import CLAIM, GLOBAL, POOL, team
from tests.world import pool, provider, request, settings, tenant

Change = Mapping[str, str | None]
OWN = {
    "folders": "tenants/a tenants/both",
    "namespaces": "team-a",
    "pools": POOL,
    "owners": "@acme/a",
}
THEIRS = {"folders": "tenants/b tenants/both", "namespaces": "team-b", "owners": "@acme/b"}

TEAMS: Mapping[str, str] = {
    "README.md": "words",
    "pools/edge.yaml": pool(cidr="10.40.0.0/25"),
    "pools/nodes.yaml": pool("nodes", "10.50.0.0/24"),
    "providers/default.yaml": provider(),
    "teams/a.yaml": team("a", **OWN),
    "teams/b.yaml": team("b", **THEIRS),
    "tenants/a/one.yaml": tenant("one"),
    "tenants/b/one.yaml": tenant("one", "team-b"),
    "tenants/shared.yaml": tenant("shared", "team-c"),
}
BIG = "{lbPoolSize: 200}"
OVERRIDE = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\nmetadata: {name: 2026-02-15-x}\n"
    "spec: {kind: brake, releases: 9, reason: x, expires: '2026-03-01T00:00:00Z'}\n"
)
PASSES: Mapping[str, Change] = {
    "a tenant": {"tenants/a/new.yaml": tenant("new")},
    "two tenants": {"tenants/a/new.yaml": tenant("new"), "tenants/a/x/y.yml": tenant("other")},
    "a tenant that goes": {"tenants/a/one.yaml": None},
    "a tenant in another file": {"tenants/a/one.yaml": None, "tenants/a/uno.yaml": tenant("one")},
    "a request": {"tenants/a/more.yaml": request("one", count="4")},
    "a tenant in a folder of both": {"tenants/both/new.yaml": tenant("new")},
}
STOPS: Mapping[str, Change] = {
    "a file that cannot be read": {"tenants/a/one.yaml": "kind: ["},
    "another file": {"tenants/a/new.yaml": tenant("new"), "README.md": "other words"},
    "a workflow": {"tenants/a/new.yaml": tenant("new"), ".github/workflows/ipam.yml": "on: push"},
    "a file of another team": {"tenants/b/new.yaml": tenant("new")},
    "files of two teams": {
        "tenants/a/new.yaml": tenant("new"),
        "tenants/b/new.yaml": tenant("new", "team-b"),
    },
    "documents of two teams": {
        "tenants/both/new.yaml": tenant("new"),
        "tenants/both/other.yaml": tenant("new", "team-b"),
    },
    "another team's namespace": {"tenants/a/new.yaml": tenant("new", "team-b")},
    "a namespace of no team": {"tenants/a/new.yaml": tenant("new", "team-c")},
    "another team's name": {"tenants/a/new.yaml": tenant("new", teamRef="{name: b}")},
    "another pool": {"tenants/a/more.yaml": request("more", "nodes")},
    "another pool, of Cluster API": {"tenants/a/more.yaml": CLAIM, "pools/g.yaml": GLOBAL},
    "a pool": {"pools/edge.yaml": pool(cidr="10.40.0.0/24")},
    "a pool in the team's folder": {"tenants/a/pool.yaml": pool("mine", "10.90.0.0/24")},
    "a provider": {"providers/default.yaml": provider(pools="[{name: nodes}]")},
    "a provider in the team's folder": {"tenants/a/p.yaml": provider("mine")},
    "a team": {"tenants/a/new.yaml": tenant("new"), "teams/a.yaml": team("a", folders="tenants/a")},
    "a team in the team's folder": {"tenants/a/team.yaml": team("c", namespaces="team-a")},
    "a team that gives itself the folder": {
        "tenants/c/team.yaml": team("c", folders="tenants/c"),
        "tenants/c/new.yaml": tenant("new", "team-d"),
    },
    "Settings": {"ipam.yaml": settings()},
    "an Override": {"tenants/a/new.yaml": tenant("new"), "overrides/2026-02-15-x.yaml": OVERRIDE},
    "a record": {"allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml": None},
    "more than a limit permits": {"tenants/a/new.yaml": tenant("new", networking=BIG)},
    "an unreadable file": {"tenants/a/new.yaml": "kind: ["},
    "a file that is not YAML": {"tenants/a/README.md": "words"},
    "an unknown kind": {"tenants/a/x.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n"},
    "a file that only moves out": {"tenants/a/one.yaml": None, "tenants/one.yaml": tenant("one")},
    "nothing": {},
    "a tenant of another team that goes": {
        "tenants/b/one.yaml": None,
        "tenants/a/x.yaml": tenant("x"),
    },
    "a name that takes another's addresses": {
        "tenants/a/one.yaml": None,
        "tenants/a/new.yaml": tenant("new").replace(
            "namespace: team-a}",
            "namespace: team-a, annotations: {gitops-ipam.dev/formerly: team-a/one}}",
        ),
    },
}
