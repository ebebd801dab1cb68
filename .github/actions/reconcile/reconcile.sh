#!/usr/bin/env bash
# One reconcile of the branch of the checkout that is the current folder.
set -euo pipefail
lock=requirements-check
[ "$APPLY" != true ] || lock=requirements
bin=$RUNNER_TEMP/ipam-$lock/bin
out=$RUNNER_TEMP/ipam-reconcile
rm -rf "$out"
mkdir -p "$out"

code=0
if [ "$DRY_RUN" = true ]; then
  "$bin/ipam" plan || code=$?
  "$bin/ipam" plan -o json >"$out/result.json" || true
  "$bin/ipam" plan -o markdown >"$out/summary.md" || true
else
  words=(--branch="$BRANCH" --output-file "json=$out/result.json")
  [ "$APPLY" = true ] || words+=(--no-apply)
  while IFS= read -r word; do [ -z "$word" ] || words+=("$word"); done <<<"$ARGS"
  # Text of files stands in what it says. It is no command of the runner.
  stop=$("$bin/python" -I -c 'import secrets; print(secrets.token_hex(16))')
  echo "::stop-commands::$stop"
  "$bin/ipam" reconcile "${words[@]}" || code=$?
  echo "::$stop::"
fi
"$bin/python" -I "$GITHUB_ACTION_PATH/../outputs.py" "$code" "$out/result.json" | tee -a "$GITHUB_OUTPUT"
if [ "$DRY_RUN" != true ]; then
  # One line for people. What it says changes nothing, and a forge that does not answer stops nothing.
  stop=$("$bin/python" -I -c 'import secrets; print(secrets.token_hex(16))')
  echo "::stop-commands::$stop"
  "$bin/python" -I -B "$GITHUB_ACTION_PATH/../comment" as-told "$out/result.json" || true
  echo "::$stop::"
fi
[ ! -f "$out/summary.md" ] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
exit "$code"
