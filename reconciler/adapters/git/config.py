"""The settings and variables that git is run with on every call: they beat the repository's own."""

CONFIG = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.sshCommand", "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes"),
    ("ssh.variant", "auto"),
    ("core.askPass", ""),
    ("core.pager", "cat"),
    # Without a command git asks the alternates themselves.
    ("core.alternateRefsCommand", "true"),
    # It may say of a commit what the commit does not.
    ("core.commitGraph", "false"),
    ("core.quotePath", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "no"),
    ("fetch.fsckObjects", "true"),
    ("transfer.fsckObjects", "true"),
    ("push.recurseSubmodules", "no"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("push.negotiate", "false"),
    ("push.pushOption", ""),
    ("credential.helper", ""),
    # `git log` would have each signature judged by a program.
    ("log.showSignature", "false"),
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.x509.program", "gpgsm"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("gpg.ssh.defaultKeyCommand", ""),
    # A commit is the same bytes everywhere, and what is read of one, too.
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("trailer.separators", ":"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("safe.bareRepository", "explicit"),
    ("advice.detachedHead", "false"),
    ("advice.graftFileDeprecated", "false"),
    # Memory for packing and unpacking does not grow with a machine's processors or a file's size.
    ("pack.threads", "4"),
    ("core.bigFileThreshold", "16m"),
    # Another git may hold a lock for a moment; wait for it.
    ("core.filesRefLockTimeout", "2000"),
    ("core.packedRefsTimeout", "2000"),
)
# What git calls wrong in what it fetches, and what is only old: imports and broken tools left such
# commits in many histories, and forges take them. What could lead a reader astray stays refused.
_ODD = (
    "badEmail",
    "badFilemode",
    "badTimezone",
    "missingEmail",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "multipleAuthors",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
)
NETWORK = (
    *((f"fetch.fsck.{what}", "ignore") for what in _ODD),
    # A server may not send us, and the token, elsewhere.
    ("http.followRedirects", "false"),
    # A remote that has gone silent is given up after a minute.
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", "60"),
)
ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    # Beats what any configuration says of protocols, also in what git itself starts.
    "GIT_ALLOW_PROTOCOL": "none",
    "HOME": "/nonexistent",
    "LANGUAGE": "C",
    "LC_ALL": "C",
    "TZ": "UTC",
}
