#!/usr/bin/env bash
# The check of one change, in the checkout that is the current folder. Reports are written beside it,
# never into it: there a stranger may have put a link.
set -euo pipefail
bin=$RUNNER_TEMP/ipam-requirements-check/bin
out=$RUNNER_TEMP/ipam-check
rm -rf "$out"
mkdir -p "$out"

if [ -z "$BASE" ] && [ "$GITHUB_EVENT_NAME" = pull_request ]; then
  parents=$(git cat-file commit HEAD 2>/dev/null | sed '/^$/q' | grep -c '^parent ' || true)
  if [ "$parents" = 1 ]; then
    echo "::error title=ipam::HEAD is no merge commit, so HEAD^1 is not what the change is merged into." \
      "Leave ref out of actions/checkout, or say base"
    echo "exit-code=64" >>"$GITHUB_OUTPUT"
    exit 64
  fi
fi
base=${BASE:-HEAD^1}

words=(--base="$base" --format="$FORMAT")
words+=(--out "json=$out/check.json" --out "markdown=$out/comment.md")
[ "$SARIF" != true ] || words+=(--out "sarif=$out/ipam.sarif")
[ "$JUNIT" != true ] || words+=(--out "junit=$out/ipam.xml")
while IFS= read -r word; do [ -z "$word" ] || words+=("$word"); done <<<"$ARGS"

code=0
"$bin/ipam" check "${words[@]}" || code=$?
{
  "$bin/python" -I "$GITHUB_ACTION_PATH/../outputs.py" "$code" "$out/check.json"
  [ ! -f "$out/comment.md" ] || echo "markdown=$out/comment.md"
  [ ! -f "$out/ipam.sarif" ] || echo "sarif=$out/ipam.sarif"
  [ ! -f "$out/ipam.xml" ] || echo "junit=$out/ipam.xml"
} >>"$GITHUB_OUTPUT"
[ ! -f "$out/comment.md" ] || cat "$out/comment.md" >>"$GITHUB_STEP_SUMMARY"

echo "::group::The plan of merging now"
"$bin/ipam" plan --base="$base" || true # the check has said already what is wrong
echo "::endgroup::"
exit "$code"
