#!/usr/bin/env bash
# install.sh LOCK: this repository, as it is at the commit of the action, in an environment of its own.
# Nothing is installed that the lock has no hash of; the project itself is built from what stands here.
set -euo pipefail
lock=$1
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$RUNNER_TEMP/ipam-${lock%.lock}
[ ! -x "$place/bin/ipam" ] || exit 0 # an earlier step of this job was here
# The checkout holds files of strangers, and Python takes modules from the folder that it is started in.
cd "$RUNNER_TEMP"
# What is built stays as it was fetched.
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
if ! python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "::error title=ipam::python3 has to be 3.11 or newer. actions/setup-python brings one"
  exit 1
fi
python3 -I -m venv "$place"
pip=("$place/bin/python" -I -m pip install --quiet)
"${pip[@]}" --require-hashes -r "$home/$lock" -r "$home/requirements-build.lock"
"${pip[@]}" --no-deps --no-index --no-build-isolation "$home"
