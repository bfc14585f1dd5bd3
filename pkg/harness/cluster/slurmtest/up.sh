#!/bin/bash
# up.sh [DIR] [NODES]
# Starts a private Slurm (munged + slurmctld + NODES x slurmd) by hand, without systemd,
# entirely under DIR and on loopback-resolved host names.
# Idempotent: a daemon whose recorded pid is alive is left as it is; a dead one is started again.
# Prints:  export SLURM_CONF=...   and sinfo.
# Needs the packages: slurmctld slurmd slurm-client munge
set -euo pipefail
DIR=${1:?usage: up.sh DIR [NODES]}
NODES=${2:-2}
PORT0=${SLURM_TEST_PORT:-17002}           # slurmctld; the slurmds take PORT0+1 ..
CPUS=${SLURM_TEST_CPUS:-2}                # CPUs each virtual node claims
HOST=$(hostname -s)
USER_NAME=$(id -un)
export PATH=$PATH:/usr/sbin:/sbin
for b in munged slurmctld slurmd sinfo scontrol; do
  command -v $b >/dev/null || { echo "slurm-up: $b is missing (apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge)" >&2; exit 3; }
done
umask 022
mkdir -p "$DIR"/{munge,state,log,pid,out}
chmod 755 "$DIR" "$DIR"/*

alive() { # pidfile expected-comm; a zombie (killed, not yet reaped) counts as dead
  local p c s; [ -s "$1" ] || return 1
  p=$(cat "$1"); c=$(cat "/proc/$p/comm" 2>/dev/null) || return 1
  s=$(sed 's/.*) //; s/ .*//' "/proc/$p/stat" 2>/dev/null) || return 1
  [ "$s" != Z ] && [ "$s" != X ] || return 1
  case "$c" in "$2"*) return 0;; esac; return 1
}
listening() { ( exec 3<>"/dev/tcp/127.0.0.1/$1" ) 2>/dev/null; }

# --- munge: own key, own socket ------------------------------------------------------
if [ ! -s "$DIR/munge/munge.key" ]; then
  ( umask 077; dd if=/dev/urandom of="$DIR/munge/munge.key" bs=1 count=1024 status=none )
fi
chmod 600 "$DIR/munge/munge.key"
if ! alive "$DIR/pid/munged.pid" munged; then
  rm -f "$DIR/munge/munge.socket" "$DIR/munge/munge.socket.lock" "$DIR/pid/munged.pid"
  # --force: DIR may lie under a world-writable (sticky) folder
  munged --force --key-file="$DIR/munge/munge.key" --socket="$DIR/munge/munge.socket" \
         --pid-file="$DIR/pid/munged.pid" --log-file="$DIR/log/munged.log" \
         --seed-file="$DIR/munge/munge.seed" --num-threads=2 2>>"$DIR/log/munged.err"
  for i in $(seq 50); do [ -S "$DIR/munge/munge.socket" ] && [ -s "$DIR/pid/munged.pid" ] && break; sleep 0.1; done
fi

# --- slurm.conf --------------------------------------------------------------------------
cat > "$DIR/slurm.conf.new" <<C
ClusterName=test
SlurmctldHost=$HOST(127.0.0.1)
SlurmctldPort=$PORT0
SlurmUser=$USER_NAME
SlurmdUser=$USER_NAME
AuthType=auth/munge
AuthInfo=socket=$DIR/munge/munge.socket,cred_expire=${SLURM_TEST_CRED_EXPIRE:-5}
CredType=cred/munge
StateSaveLocation=$DIR/state
SlurmdSpoolDir=$DIR/spool-%n
SlurmctldPidFile=$DIR/pid/slurmctld.pid
SlurmdPidFile=$DIR/pid/slurmd-%n.pid
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmdLogFile=$DIR/log/slurmd-%n.log
SlurmctldDebug=info
SlurmdDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU,CR_LLN
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,sched_interval=5,bf_interval=5
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$DIR/log/jobcomp.txt
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
JobRequeue=1
MinJobAge=300
MaxArraySize=10001
MaxJobCount=20000
SlurmdTimeout=${SLURM_TEST_SLURMDTIMEOUT:-10}
SlurmctldTimeout=10
InactiveLimit=0
KillWait=5
Waittime=0
OverTimeLimit=0
NodeName=node[1-$NODES] NodeHostname=$HOST NodeAddr=127.0.0.1 Port=[$((PORT0+1))-$((PORT0+NODES))] CPUs=$CPUS RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=10 State=UP
C
if ! cmp -s "$DIR/slurm.conf.new" "$DIR/slurm.conf" 2>/dev/null; then mv "$DIR/slurm.conf.new" "$DIR/slurm.conf"; else rm "$DIR/slurm.conf.new"; fi
export SLURM_CONF="$DIR/slurm.conf"

# --- daemons ------------------------------------------------------------------------------
if ! alive "$DIR/pid/slurmctld.pid" slurmctld; then
  # a predecessor that was just killed may hold the port for a moment
  for i in $(seq 50); do listening "$PORT0" || break; sleep 0.1; done
  slurmctld
fi
for i in $(seq 100); do listening "$PORT0" && break; sleep 0.1; done   # sinfo against a dead controller takes 9 s to fail
listening "$PORT0" || { echo "slurm-up: slurmctld does not listen on $PORT0:" >&2; tail -n 5 "$DIR/log/slurmctld.log" >&2; exit 1; }
for i in $(seq "$NODES"); do
  mkdir -p "$DIR/spool-node$i"
  alive "$DIR/pid/slurmd-node$i.pid" slurmd || slurmd -N "node$i"
done
n=0; end=$((SECONDS+30))
while [ $SECONDS -lt $end ]; do
  n=$(timeout 5 sinfo -h -N -o '%N %t' 2>/dev/null | awk '$2 ~ /^(idle|mix|alloc)$/' | wc -l) || n=0
  [ "$n" -ge "$NODES" ] && break
  sleep 0.1
done
echo "export SLURM_CONF=$SLURM_CONF"
sinfo -N -o '%N %t %c %m %E'
[ "$n" -ge "$NODES" ]
