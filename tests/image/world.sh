# Run in the image: `make` sets up a server of Git for ssh beside it, `use` commits to it as a user.
set -eu
REMOTE=ssh://git@127.0.0.1:2222/srv/repo.git

make() {
  apt-get update -qq && apt-get install -y -qq --no-install-recommends openssh-server >/dev/null
  useradd --system --create-home --home-dir /srv/git --shell /bin/sh --password '*' git
  mkdir -p /run/sshd /srv/git/.ssh /keys
  /usr/bin/ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/host_ed25519
  # Read as it is by whoever the image runs as: ssh asks for a mode of a key that is its user's own.
  /usr/bin/ssh-keygen -q -t ed25519 -N '' -f /keys/key && chmod 644 /keys/key
  cp /keys/key.pub /srv/git/.ssh/authorized_keys
  printf '[127.0.0.1]:2222 %s\n' "$(cut -d' ' -f1,2 /etc/ssh/host_ed25519.pub)" >/etc/ssh/ssh_known_hosts
  ipam init /srv/made --branch main >/dev/null
  git -C /srv/made init -q -b main 2>/dev/null || true
  git -C /srv/made -c user.name=a -c user.email=a@example.com add -A
  git -C /srv/made -c user.name=a -c user.email=a@example.com commit -q -m first
  git clone -q --bare /srv/made /srv/repo.git
  chown -R git /srv && chmod 700 /srv/git/.ssh
  /usr/sbin/sshd -f /dev/null -o Port=2222 -o ListenAddress=127.0.0.1 -o StrictModes=no \
    -o HostKey=/etc/ssh/host_ed25519 -o PidFile=none -o UsePAM=no
}

use() {
  version=$(ipam version)
  case "$version" in "ipam "*) ;; *) exit 1 ;; esac
  ssh-keygen -q -t ed25519 -N '' -f "/tmp/signing-$(id -u)" </dev/null
  # As the chart names a key that is mounted; then where ssh looks by itself, in the user's home.
  ssh -F none -i /keys/key -p 2222 git@127.0.0.1 true
  mkdir /tmp/.ssh && cp /keys/key /tmp/.ssh/id_ed25519 && chmod 600 /tmp/.ssh/id_ed25519
  export XDG_CACHE_HOME="/tmp/cache-$(id -u)"
  ipam reconcile --remote "$REMOTE" --sign "/tmp/signing-$(id -u)" --author "I <i@example.com>"
  rm -r /tmp/.ssh
}

"$1"
