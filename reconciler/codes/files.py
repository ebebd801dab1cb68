"""Codes about files and YAML."""

TEXTS = {
    "file-too-large": (
        "The file is larger than 256 KiB, so `ipam` does not read it.",
        "Split the file into several files.",
    ),
    "not-a-file": (
        "The path is a symbolic link, a submodule, a device, or a folder, or its name has a "
        "character that is not allowed. `ipam` reads only regular files.",
        "Replace the link or submodule with the file itself, or rename the file.",
    ),
    "not-a-folder": (
        "Settings name this path as a folder, but the path is a file.",
        "Run `git log -p -- PATH` to find the commit that made it a file, and restore the folder.",
    ),
    "name-clash": (
        "Two paths are the same file on a file system that ignores case or Unicode form. Only one "
        "of them can be checked out there.",
        "Rename one of the two files.",
    ),
    "file-not-read": (
        "The file has documents, but `ipam` ignores it: its name ends with `.json` or `.YAML`, or "
        "its folder is not in `spec.sources` of Settings.",
        "Rename the file to `.yaml`, or move it to a source folder.",
    ),
    "path-invalid": (
        "A commit has a path that Git or a file system cannot use, for example because the name is "
        "too long.",
        "Remove the path from the commits of your branch with `git rebase -i BASE`, because a new "
        "commit cannot undo it.",
    ),
    "not-utf8": ("The file is not UTF-8 text.", "Save the file as UTF-8."),
    "control-character": (
        "The text has a control, invisible, or bidirectional character, which could hide content "
        "from a reviewer.",
        "Remove the character at the reported line and column.",
    ),
    "line-break": (
        "The text has a Unicode line break, such as NEL. Only LF and CR LF are allowed, because "
        "editors count lines differently.",
        "Replace the line break with LF.",
    ),
    "merge-conflict": (
        "The file has merge conflict markers, or Git cannot merge the change into its base.",
        "Run `git merge BASE`, resolve the conflict, and commit.",
    ),
    "lfs-pointer": (
        "The file is a Git LFS pointer, so its YAML is not in Git.",
        "Run `git lfs untrack PATTERN`, then add the file again.",
    ),
    "yaml-syntax": (
        "The text is not valid YAML.",
        "Fix the syntax at the reported line and column, for example the indentation or a missing "
        "`:`.",
    ),
    "yaml-directive": (
        "The file has a YAML directive (a line that begins with `%`). Directives are not "
        "supported.",
        "Remove the line.",
    ),
    "yaml-anchor": (
        "The file has an anchor, an alias, or a merge key. They are not supported, because a diff "
        "does not show their effect.",
        "Write the value out at each place.",
    ),
    "yaml-tag": (
        "A value has a YAML tag, such as `!!str`. Tags are not supported.",
        "Remove the tag. If the value must be a string, quote it.",
    ),
    "yaml-duplicate-key": (
        "A key appears twice in one mapping, so readers could disagree about its value.",
        "Remove one of the two keys.",
    ),
    "yaml-key": (
        "A key is not a string, or has more than 1,024 characters.",
        "Quote the key, or shorten it.",
    ),
    "yaml-number": (
        "A number has more than 39 digits, more than any field accepts.",
        "Quote the value if it is a string. Otherwise correct the number.",
    ),
    "yaml-ambiguous": (
        "`ipam` reads the value as a string, but YAML 1.1 readers such as `kubectl` read another "
        "type.",
        "Quote the value.",
    ),
    "yaml-too-deep": (
        "A document is nested deeper than 32 levels. Every supported kind needs fewer.",
        "Remove levels, for example by correcting the indentation.",
    ),
    "yaml-too-large": (
        "A document has more than 10,000 values.",
        "Split the document into several documents.",
    ),
    "document-empty": (
        "A file in a source folder has no document.",
        "Write a document, or delete the file.",
    ),
    "nothing-to-check": (
        "The repository has no documents or records in the folders that Settings name, often "
        "because `ipam` runs in the wrong folder.",
        "Name the right folder with `--root DIR`, or pass `--allow-empty` if the repository is "
        "new.",
    ),
    "more-findings": (
        "Findings were left out of the list: it has at most 100 per file and 5,000 in total.",
        "Fix the listed findings, then run `ipam check` again.",
    ),
}
