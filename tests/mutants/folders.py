"""Bugs of what a folder, a remote, a cache or a name may do to us."""

from tests.mutants.mutant import Mutant

CONFIG = ("tests/hostile/test_git_config.py",)
MEMORY = ("tests/hostile/test_git_memory.py",)
FOLDER_REMOTES = ("tests/hostile/test_folder_remotes.py",)
HONEST = ("tests/hostile/test_honest_config.py",)
MARKED = ("tests/hostile/test_marked_files.py",)
ENDS = ("tests/hostile/test_ends_of_lines.py",)
LINKED = ("tests/hostile/test_linked_work_trees.py",)
KINDS = ("tests/test_additions.py", "tests/hostile/test_kinds_and_folders.py")
ELSEWHERE = ("tests/hostile/test_elsewhere.py",)
UNRESERVED = ("tests/test_unreserved.py",)
ODD = ("tests/hostile/test_odd_history.py",)
PROOFS = ("tests/hostile/test_proofs_and_cache.py",)
CACHE = ("tests/hostile/test_cache_folder.py",)
PROGRAM = ("tests/adapters/test_program.py",)
SECRETS = ("tests/hostile/test_secrets.py",)
NAMES = ("tests/hostile/test_names_on_disks.py",)

FOLDERS = (
    Mutant("git: a remote is known by its own name", "adapters/git/process.py",
           'REMOTE = f"ipam-{os.urandom(16).hex()}"\n', 'REMOTE = ""\n', CONFIG),
    Mutant("git: the configuration says which protocols are allowed", "adapters/git/config.py",
           '    "GIT_ALLOW_PROTOCOL": "none",\n', "", CONFIG),
    Mutant("git: signatures are judged", "adapters/git/config.py",
           '    "log.showSignature=false",\n', "", CONFIG),
    Mutant("git: who asks for a password is the repository's", "adapters/git/config.py",
           '    "core.askPass=",\n', "", CONFIG),
    Mutant("git: programs are looked for in the repository", "adapters/git/process.py",
           'for part in path.split(os.pathsep) if part.startswith("/"))', "for part in path.split(os.pathsep))",
           CONFIG),
    Mutant("git: it takes what memory it likes", "adapters/git/starting.py",
           "ulimit -S -d {memory >> 10} 2>/dev/null; ", "", MEMORY),
    Mutant("git: a checkout is its own remote", "adapters/git/guard.py",
           "if any(place.is_relative_to(it) or it.is_relative_to(place) for it in around):", "if False:",
           FOLDER_REMOTES),
    Mutant("tree: ends of lines that a person made are git's", "adapters/git/conversion.py",
           "found.pop(path, None)", "found.get(path, None)", HONEST),
    Mutant("tree: what git does not look at was removed", "adapters/git/index.py",
           'line[0] == "S" or line[0].islower()', "False", MARKED),
    Mutant("tree: an edited file is as it was committed", "adapters/git/checkout.py",
           "return file_id(self.root / item.path, old.oid) == old.oid", "return True", ENDS),
    Mutant("git: a branch is moved under another work tree", "adapters/git/heads.py",
           'or shown_branch(there) != branch', "or True", LINKED),
    Mutant("additions: a pool lies over what another space holds", "additions.py",
           "if space_of(state.pools, record) not in (None, pool.space)", "if False", KINDS),
    Mutant("elsewhere: what a change brings where nobody reads it is not told", "commands/beside.py",
           "    found += not_read(repository, base_source, source, settings)\n", "", ELSEWHERE),
    Mutant("elsewhere: hidden folders are ours", "sources.py",
           ' and not f"/{path}".count("/.")', "", ELSEWHERE),
    Mutant("elsewhere: what another root reads is told", "commands/elsewhere.py",
           "if not it.path.startswith(tuple(roots))]", "]", ELSEWHERE),
    Mutant("elsewhere: what cannot be looked at fails the check", "commands/elsewhere.py",
           "except (GitError, LimitError):", "except GitError:", ELSEWHERE),
    Mutant("elsewhere: what is left out is not told", "commands/elsewhere.py",
           "    if left:\n", "    if False:\n", ELSEWHERE),
    Mutant("elsewhere: a file by itself in a checkout is fine", "commands/alone.py",
           "if is_elsewhere(place, settings) else None", "if False else None", ELSEWHERE),
    Mutant("unreserved: what may be given out since is not told", "additions.py",
           "if not any(pool.kept for pool in base.pools.values()):", "if True:", UNRESERVED),
    Mutant("unreserved: what another pool gave out is told of each", "unreserved.py",
           "            lost -= old.usable", "            pass", UNRESERVED),
    Mutant("unreserved: what stays reserved is told", "unreserved.py",
           "        kept -= _kept(it for it in base.pools_now.values() if it.space == now.space)\n", "",
           UNRESERVED),
    Mutant("unreserved: who gets the same in another space is named", "unreserved.py",
           "if space_of(pools, allocation) == pool.space:", "if True:", UNRESERVED),
    Mutant("additions: what a pool had before is told again", "additions.py",
           "if old is None or old.space != pool.space:", "if True:", KINDS),
    Mutant("additions: what a cache knows of other spaces hides them", "commands/beside.py",
           "    if adds_addresses(then, now) or ", "    if ", CACHE),
    Mutant("additions: a pool in use may leave its address space", "additions.py",
           "if not (held := _held(pool, evaluation)):", "if (held := 0) == 0:", KINDS),
    Mutant("git: a message says who committed", "adapters/git/objects.py",
           "_COMMITTED.search(head)", "_COMMITTED.search(item.data)", ODD),
    Mutant("git: what is about another host stops the run", "adapters/git/guard.py",
           "about is not None and about[1].lower() != parts.hostname", "False", HONEST),
    Mutant("cache: what it says of a commit is believed by a review", "cli/shared/opening.py",
           "    if trust is Trust.NONE:\n", "    if False:\n", PROOFS),
    Mutant("cache: what reads it alone writes it", "cli/shared/opening.py",
           "known if trust is Trust.FULL else FreshFacts(known)", "known", CACHE),
    Mutant("cache: what may read it does not", "cli/shared/opening.py",
           "known if trust is Trust.FULL else FreshFacts(known)",
           "known if trust is Trust.FULL else FreshFacts()", CACHE),
    Mutant("git: filters run", "adapters/git/guard.py",
           '_SECTIONS = {"filter": _FILTERS, ', '_SECTIONS = {', CONFIG),
    Mutant("git: connections are led elsewhere", "adapters/git/guard.py",
           "    return item.variable not in _HARMLESS\n", "    return False\n", CONFIG),
    Mutant("git: another user's repository counts", "adapters/git/guard.py",
           "return path.lstat().st_uid in users and path.stat().st_uid in users", "return True", CONFIG),
    Mutant("git: what a change laid out is the repository", "adapters/git/opening.py",
           '        if _is_file(inner / "HEAD"):\n',
           '        if _is_file(inner / "HEAD") and not _is_file(folder / "HEAD"):\n', CONFIG),
    Mutant("cache: check --base believes it", "cli/check.py",
           "    trust = Trust.FULL if base is None else ", "    trust = Trust.READING if base else ", CACHE),
    Mutant("cache: others may write it", "adapters/cache.py",
           "    if found[-1].st_mode & _WRITABLE:\n", "    if False:\n", CACHE),
    Mutant("cache: a program that is written just now is remembered", "adapters/program.py",
           "    if newest < now - _SETTLED_SECONDS:\n", "    if True:\n", PROGRAM),
    Mutant("cache: a program of the same times is the same", "adapters/program.py",
           "{it.st_mtime_ns} {it.st_ctime_ns} ", "{it.st_mtime_ns} ", PROGRAM),
    Mutant("cache: a mirror is used whoever made it", "adapters/git/mirror.py",
           "    if not _CONFIGURATION.fullmatch(text) or ", "    if ", CACHE),
    Mutant("secrets: what is refused is shown", "adapters/git/remote.py",
           "    if _HARMLESS.fullmatch(remote):\n", "    if True:\n", SECRETS),
    Mutant("secrets: ssh gets a password", "adapters/git/remote.py",
           "if parts.password is not None or (", "if (", SECRETS),
    Mutant("secrets: a stray argument is repeated", "cli/shared/failures.py",
           'if separator and ":" in about else word', "if False else word", SECRETS),
    Mutant("names: clashes are not noticed beside a cache", "commands/reading/listing.py",
           "if source.findings() or clashes(found) or", "if source.findings() or", NAMES),
    Mutant("names: clashes of records are not noticed beside a cache", "commands/reading/parts.py",
           "        if any(clashes(entry.path for entry in self._listed[path]) for path in folders):\n",
           "        if False:\n", NAMES),
)  # fmt: skip
