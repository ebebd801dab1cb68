"""Answers for each path, without sockets."""

import pytest

from reconciler.daemon.http import HTML, TEXT, Endpoints, HttpRequest, HttpResponse, Page
from reconciler.daemon.observer import HealthAnswer
from reconciler.model.errors import UsageError

SECRET = "0123456789abcdef-secret"


class Bell:
    """A server state that counts webhook calls."""

    def __init__(self) -> None:
        self.rung = 0
        self.secret: bytes | None = SECRET.encode()
        self.ready = HealthAnswer()

    def moved(self) -> None:
        self.rung += 1

    def read(self) -> bytes:
        if self.secret is None:
            raise UsageError("--hook-secret-file /run/secret: gone")
        return self.secret

    def doors(self) -> Endpoints:
        return Endpoints(
            lambda: b"frogs 1\n", HealthAnswer, lambda: self.ready, self.moved, self.read
        )

    def asked(self, method: str, path: str, **headers: str) -> HttpResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.doors().respond(HttpRequest(method, path, named, b"{}"))


@pytest.mark.parametrize(
    ("path", "body"), [("/healthz", b"ok\n"), ("/readyz", b"ready\n"), ("/metrics", b"frogs 1\n")]
)
def test_who_is_well_says_so(path: str, body: bytes) -> None:
    for method in ("GET", "HEAD"):
        assert Bell().asked(method, path)[:2] == (200, body)


def test_who_is_not_ready_says_why_a_line_a_reason_with_nothing_hidden_in_it() -> None:
    bell = Bell()
    bell.ready = HealthAnswer(False, ("git: the remote is not there", "push: \x1b[2Jno"))
    reply = bell.asked("GET", "/readyz")
    assert reply.status == 503
    assert reply.body == b"not ready\ngit: the remote is not there\npush: \\u001b[2Jno\n"


@pytest.mark.parametrize("path", ["/", "/healthz/", "/Metrics", "/hook/", "//hook", "/../metrics"])
def test_there_is_no_other_page(path: str) -> None:
    assert Bell().asked("GET", path).status == 404


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("POST", "/metrics", "GET, HEAD"),
        ("DELETE", "/healthz", "GET, HEAD"),
        ("GET", "/hook", "POST"),
        ("PUT", "/hook", "POST"),
    ],
)
def test_another_method_is_told_which_there_are(method: str, path: str, allow: str) -> None:
    bell = Bell()
    reply = bell.asked(method, path, x_gitlab_token=SECRET)
    assert (reply.status, reply.headers["Allow"], bell.rung) == (405, allow, 0)


def test_who_knows_the_secret_rings_once_a_call_whatever_the_body_says() -> None:
    bell = Bell()
    for at in range(1, 4):  # a call that is sent again is one more look at Git
        assert (
            bell.asked("POST", "/hook", x_gitlab_token=SECRET, content_type="image/png")[0] == 202
        )
        assert bell.rung == at


@pytest.mark.parametrize("token", ["", "wrong", SECRET[:-1]])
def test_a_webhook_without_the_secret_starts_no_round(token: str) -> None:
    bell = Bell()
    reply = bell.asked("POST", "/hook", x_gitlab_token=token)
    assert (reply.status, bell.rung) == (403, 0)
    assert SECRET.encode() not in reply.body


def test_without_a_secret_that_can_be_read_nobody_rings() -> None:
    bell = Bell()
    bell.secret = None
    reply = bell.asked("POST", "/hook", x_gitlab_token=SECRET)
    assert (reply.status, bell.rung) == (503, 0)
    assert b"/run" not in reply.body


def test_the_report_is_a_page_with_its_policy_and_may_be_read_only() -> None:
    page = Page("<p>é</p>".encode(), "default-src 'none'")
    doors = Endpoints(None, HealthAnswer, HealthAnswer, report=lambda: page)
    for method in ("GET", "HEAD"):
        reply = doors.respond(HttpRequest(method, "/report", {}))
        assert reply == HttpResponse(
            200, page.html, HTML, headers={"Content-Security-Policy": "default-src 'none'"}
        )
    for method in ("POST", "PUT", "DELETE"):
        reply = doors.respond(HttpRequest(method, "/report", {}))
        assert (reply.status, reply.headers["Allow"]) == (405, "GET, HEAD")


def test_where_there_is_no_report_words_say_why_or_there_is_no_such_page() -> None:
    doors = Endpoints(
        None, HealthAnswer, HealthAnswer, report=lambda: "no revision\x1b was read yet"
    )
    asked = HttpRequest("GET", "/report", {})
    assert doors.respond(asked) == HttpResponse(503, b"no revision\\u001b was read yet\n", TEXT)
    assert Endpoints(None, HealthAnswer, HealthAnswer).respond(asked).status == 404


def test_a_page_that_fails_is_one_line_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> HealthAnswer:
        raise KeyError("secret thing")

    reply = Endpoints(None, HealthAnswer, broken).respond(HttpRequest("GET", "/readyz", {}))
    assert reply.status == 500
    assert b"secret" not in reply.body
    assert "/readyz failed" in caplog.text
