#!/bin/bash
# down.sh [DIR] [--purge]: stops what up.sh started under DIR, by recorded pid only.
DIR=${1:?usage: down.sh DIR}
export SLURM_CONF="$DIR/slurm.conf" PATH=$PATH:/usr/sbin:/sbin
stop() { # pidfile expected-comm
  local p; [ -s "$1" ] || return 0
  p=$(cat "$1"); [ -r "/proc/$p/comm" ] || { rm -f "$1"; return 0; }
  case "$(cat /proc/$p/comm)" in "$2"*) ;; *) rm -f "$1"; return 0;; esac   # the pid was reused by another program
  kill -TERM "$p" 2>/dev/null
  for i in $(seq 50); do kill -0 "$p" 2>/dev/null || break; sleep 0.1; done
  kill -0 "$p" 2>/dev/null && kill -KILL "$p"
  rm -f "$1"
}
# end jobs first, so that no slurmstepd outlives its slurmd
if [ -f "$SLURM_CONF" ]; then
  timeout 10 scancel --quiet --state=PENDING --state=RUNNING --state=SUSPENDED >/dev/null 2>&1
  ids=$(timeout 5 squeue -h -o %A 2>/dev/null | sort -u); [ -n "$ids" ] && timeout 10 scancel --quiet $ids >/dev/null 2>&1
  for i in $(seq 80); do [ -z "$(timeout 5 squeue -h -t RUNNING,COMPLETING -o %A 2>/dev/null)" ] && break; sleep 0.1; done
fi
for f in "$DIR"/pid/slurmd-*.pid; do [ -e "$f" ] && stop "$f" slurmd; done
stop "$DIR/pid/slurmctld.pid" slurmctld
stop "$DIR/pid/munged.pid" munged
[ "${2:-}" = --purge ] && rm -rf "$DIR"
exit 0
