"""Mutants of metrics and of the HTTP server."""

from tests.mutants.mutant import Mutant

SERVER = ("tests/adapters/http/test_server.py",)
HOOK = ("tests/adapters/http/test_hook.py",)
PAGES = ("tests/adapters/http/test_pages.py",)
GET = ("tests/cli/test_get.py",)
METERING = ("tests/commands/watching/test_metering.py",)
VIPS = ("tests/families/capi/test_metering.py",)

TELLING = (
    Mutant("http: who knows nothing rings", "adapters/http/pages.py",
           "if not is_signed(known, request.headers, request.body):", "if False:", PAGES),
    Mutant("http: an empty secret is one", "adapters/http/hook.py",
           "return bool(secret) and any(proofs)", "return any(proofs)", HOOK),
    Mutant("http: a signature is of no body", "adapters/http/hook.py",
           "hmac.new(secret, body, sha256)", 'hmac.new(secret, b"", sha256)', HOOK),
    Mutant("http: a call takes as long as it likes", "adapters/http/server.py",
           "left = self._end - self._served.clock()", "left = self._served.limits.seconds", SERVER),
    Mutant("http: the newest connection gives way", "adapters/http/listener.py",
           "self._open.pop(next(iter(self._open)))", "self._open.popitem()[1]", SERVER),
    Mutant("http: headers have no end", "adapters/http/server.py",
           "while _END not in data and len(data) <= HEAD_BYTES:", "while _END not in data:",
           SERVER),
    Mutant("http: a certificate is read once", "adapters/http/files.py",
           "if self._context is None or stamps != self._stamps:", "if self._context is None:",
           SERVER),
    Mutant("metrics: a pool that is gone is shown still", "adapters/metrics.py",
           "self._parts[part] = samples", "self._parts[part + str(len(self._parts))] = samples",
           METERING),
    Mutant("metrics: names that tenants make up have no end", "commands/watching/metering.py",
           "if short not in known and len(known) >= _MANAGERS:", "if False:", METERING),
    Mutant("metrics: a failed round is a success", "commands/watching/metering.py",
           "if done.ending in _DONE:", "if True:", METERING),
    Mutant("metrics: who does not lead shows what is stale", "commands/watching/metering.py",
           "for part in _OF_LEADERS:", "for part in ():", METERING),
    Mutant("metrics: who does not let us in is up", "report/metrics.py",
           "return is_asked and applied.state is not State.UNREACHABLE",
           "return applied.state is not State.UNREACHABLE", METERING),
    Mutant("metrics: who could not be asked is told of no more when nobody looks",
           "commands/watching/metering.py", "metrics.of_findings(evaluation, unasked)",
           "metrics.of_findings(evaluation)", ("tests/commands/watching/test_unasked.py",)),
    Mutant("metrics: what is planned counts as done", "report/metrics.py",
           "return plan.after if is_committed else plan.before", "return plan.after", METERING),
    Mutant("metrics: a pool makes classes up", "families/capi/metering.py",
           "for class_ in sorted(classes):",
           "for class_ in sorted({*classes, *(it for it, _ in found)}):", VIPS),
    Mutant("get: a name with its namespace is nobody's", "report/listing/items.py",
           'return (self.name, f"{self.namespace}/{self.name}") if self.namespace else (self.name,)',
           "return (self.name,)", GET),
    Mutant("get: a name is meant that has no namespace", "report/listing/choosing.py",
           'if ("/" in it) is ("/" in name)', 'if "/" not in it', GET),
    Mutant("simulate: what is held is nothing", "commands/simulate.py",
           "Step(count, key, allocated, usage.held, usage.total, share, tier)",
           "Step(count, key, allocated, 0, usage.total, share, tier)",
           ("tests/commands/test_simulate.py",)),
)  # fmt: skip
