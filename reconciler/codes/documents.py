"""Codes about documents, Settings, and Overrides."""

TEXTS = {
    "document-not-mapping": (
        "A document is a list or a single value. It must be a mapping with `apiVersion`, `kind`, "
        "and `metadata`.",
        "Begin the document with `apiVersion`, `kind`, and `metadata`.",
    ),
    "kind-unknown": (
        "The `apiVersion` or `kind` of the document is not supported, often because of a typing "
        "error.",
        "Correct the name. `ipam schema` lists all kinds. For output of `kubectl get`, run `ipam "
        "import manifests FILE`.",
    ),
    "kind-unexpected": (
        "The kind is allowed only in another file or folder: Settings in `ipam.yaml`, Overrides in "
        "`overrides/`.",
        "Move the document to the path that the hint names.",
    ),
    "kind-in-wrong-folder": (
        "The document is in a folder for other kinds, so CODEOWNERS might request the wrong "
        "reviewers. If `spec.kinds` names the folder, this is an error.",
        "Move the document to the folder for its kind, or change `spec.kinds` in `ipam.yaml`.",
    ),
    "name-invalid": (
        "A name or namespace has an invalid character or is too long: at most 63 characters, or "
        "253 with dots for pools, Clusters, and claims.",
        "Use a-z, 0-9, and `-`, with a letter or digit at both ends.",
    ),
    "name-reserved": (
        "The name of a ClusterTarget is the name that `ipam` uses for the management cluster.",
        "Choose another name.",
    ),
    "field-required": ("A required field is missing.", "Add the field."),
    "field-unknown": (
        "The kind does not have this field, so a typing error could change the result unnoticed.",
        "Correct the name of the field, or remove the field.",
    ),
    "field-type": (
        "The value has the wrong type, for example a string in place of a number.",
        "Write a value of the type that the message names.",
    ),
    "field-value": (
        "The value is not allowed in this field, or contradicts another field.",
        "Set a value that the message permits, or remove the field to use its default.",
    ),
    "cluster-field": (
        "The file has a field that only a cluster sets, such as `metadata.uid`. The field is "
        "ignored, except for addresses in a copied `status`.",
        "Remove the field. If addresses are taken from `status`, remove it after they are "
        "recorded.",
    ),
    "document-duplicate": (
        "Two documents describe the same object.",
        "Remove one of the two documents.",
    ),
    "settings-changed": (
        "A change edits Settings. The check still uses the Settings of the base. If later runs "
        "could not use the new Settings, this is an error.",
        "Review each field that the message lists. If `spec.records` changed, run `git mv OLD NEW` "
        "in the same commit.",
    ),
    "settings-loosened": (
        "Settings are less strict than in the newest reconcile commit. The stricter values apply "
        "until `ipam reconcile` has committed a change with the new ones.",
        "Merge the Settings and wait for one reconcile commit. To permit a change now, merge an "
        "Override.",
    ),
    "settings-gone": (
        "`ipam.yaml` was deleted. Without it, addresses are not allocated, released, or expired.",
        "Restore the file: `git log -p -- ipam.yaml`, then `git checkout COMMIT -- ipam.yaml`. To use all defaults, keep kind "
        "Settings with an empty `spec`.",
    ),
    "annotation-invalid": (
        "An annotation or label of `gitops-ipam.dev` is unknown or has an invalid value, or its "
        "thresholds do not rise.",
        "Correct the name or value as the hint shows.",
    ),
    "override-misplaced": (
        "An Override is outside of `overrides/`, shares its file with another one, or is not named "
        "like its file.",
        "Put each Override in its own file `overrides/DATE-NAME.yaml`, and set `metadata.name` to "
        "`DATE-NAME`.",
    ),
    "override-added": (
        "A change adds or edits an Override. It takes effect after it is merged, so it cannot "
        "permit its own change.",
        "Review its scope, reason, and end. Merge it first, then merge the change that needs it.",
    ),
    "override-expired": ("The Override has expired and has no effect.", "Remove the file."),
    "override-used": (
        "An Override permits something that would otherwise block the change.",
        "Read its reason before you approve the change.",
    ),
    "override-long": (
        "The Override is valid for more than 92 days from the date in its name.",
        "Set `spec.expires` to an earlier date.",
    ),
    "override-short": (
        "The Override allows fewer releases than this plan needs, including records still in "
        "retention.",
        "Set `spec.releases` to the number in the message, if all these releases are intended.",
    ),
    "override-unused": (
        "The Override has no effect in this revision: the change that needs it is merged already "
        "or still missing, or its scope does not exist.",
        "Remove the file after its change is merged. If it was never used, correct its scope.",
    ),
}
