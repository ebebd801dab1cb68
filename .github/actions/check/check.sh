#!/usr/bin/env bash
# The check of one change, in the checkout that is the current folder. Reports are written beside it,
# never into it: there a stranger may have put a link.
set -euo pipefail
bin=$RUNNER_TEMP/ipam-requirements-check/bin
out=$RUNNER_TEMP/ipam-check
rm -rf "$out"
mkdir -p "$out"

refuse() {
  echo "::error title=ipam::$1"
  echo "exit-code=64" >>"$GITHUB_OUTPUT"
  exit 64
}

# HEAD^1 is what a change is merged into where HEAD is the merge that the forge made of it. A merge
# that its author made, or what another event checks out, would be judged by a part of itself.
if [ -z "$BASE" ]; then
  case $GITHUB_EVENT_NAME in
    pull_request)
      merged=$(git cat-file commit HEAD 2>/dev/null | sed '/^$/q' | sed -n 's/^parent //p' | sed -n 2p)
      if [ -z "$merged" ] || [ "$merged" != "${HEAD_SHA:-$merged}" ]; then
        refuse "HEAD is not the merge commit of this change, so HEAD^1 is not what it is merged into. \
Leave ref out of actions/checkout, or say base"
      fi
      ;;
    merge_group | push) ;;
    *) refuse "$GITHUB_EVENT_NAME does not tell what a change is merged into: say base" ;;
  esac
fi
base=${BASE:-HEAD^1}

# What reconcile proposed says what nobody can ask here. It is so where nobody else may push: at the tip of
# its own branch, and on the branch itself.
proposed=
case $GITHUB_EVENT_NAME in
  push) proposed=$(git rev-parse --quiet --verify 'HEAD^2^{commit}' || git rev-parse HEAD) ;;
  merge_group)
    [ -z "$PROPOSALS" ] || proposed=$(git ls-remote origin "refs/heads/$PROPOSALS" | cut -f1) || true
    ;;
  *)
    if [ -n "$PROPOSALS" ] && [ "$HEAD_REF" = "$PROPOSALS" ] && [ "$HEAD_REPOSITORY" = "$GITHUB_REPOSITORY" ]; then
      proposed=$HEAD_SHA
    fi
    ;;
esac
sides=(--base="$base" --fetch-missing)
if [ -n "$proposed" ] && git cat-file -e "$proposed^{commit}" 2>/dev/null; then
  sides+=(--proposed="$proposed")
fi

words=("${sides[@]}" --output="$FORMAT")
words+=(--output-file "json=$out/check.json")
words+=(--output-file "markdown=$out/comment.md")
[ "$SARIF" != true ] || words+=(--output-file "sarif=$out/ipam.sarif")
[ "$JUNIT" != true ] || words+=(--output-file "junit=$out/ipam.xml")
while IFS= read -r word; do [ -z "$word" ] || words+=("$word"); done <<<"$ARGS"

[ -z "$TOKEN" ] || export IPAM_GIT_TOKEN=$TOKEN
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
"$bin/ipam" plan "${sides[@]}" || true # the check has said already what is wrong
echo "::endgroup::"
exit "$code"
