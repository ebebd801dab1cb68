"""Settings and environment variables of every Git call."""

CONFIG = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.sshCommand", "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes"),
    ("ssh.variant", "auto"),
    ("core.askPass", ""),
    ("core.pager", "cat"),
    # Without a command, Git runs for-each-ref in each alternate.
    ("core.alternateRefsCommand", "true"),
    # A commit graph can contradict the commits themselves.
    ("core.commitGraph", "false"),
    ("core.quotePath", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "no"),
    ("push.recurseSubmodules", "no"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("push.negotiate", "false"),
    ("push.pushOption", ""),
    ("credential.helper", ""),
    # With signatures shown, `git log` runs a program to verify each one.
    ("log.showSignature", "false"),
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.x509.program", "gpgsm"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("gpg.ssh.defaultKeyCommand", ""),
    # Encodings are fixed, so that commits and output have the same bytes on every machine.
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("trailer.separators", ":"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("safe.bareRepository", "explicit"),
    ("advice.detachedHead", "false"),
    ("advice.graftFileDeprecated", "false"),
    # Another Git process can hold a lock for a moment, so wait for it.
    ("core.filesRefLockTimeout", "2000"),
    ("core.packedRefsTimeout", "2000"),
)
NETWORK = (
    # A server must not redirect requests, and the token, to another host.
    ("http.followRedirects", "false"),
    # Abort the transfer if a remote sends nothing for a minute.
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
    # Overrides all protocol settings, also in processes that Git starts.
    "GIT_ALLOW_PROTOCOL": "none",
    # The token is sent in a header, and only to the remote of the call.
    "IPAM_GIT_TOKEN": "",  # nosec B105  # clears the variable
    "LANGUAGE": "C",
    "LC_ALL": "C",
    "TZ": "UTC",
}
