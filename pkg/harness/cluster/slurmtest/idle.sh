#!/bin/bash
# idle.sh: ends all jobs of the cluster of SLURM_CONF and waits until none runs.
export PATH=$PATH:/usr/sbin:/sbin
ids=$(timeout 10 squeue -h -o %A | sort -u)
[ -n "$ids" ] && timeout 10 scancel --quiet $ids
for i in $(seq 100); do
  [ -z "$(timeout 5 squeue -h -t RUNNING,COMPLETING,PENDING -o %A)" ] && exit 0
  sleep 0.1
done
squeue
exit 1
