#!/bin/sh
# sbatch --array=0-7 scripts/cluster/slurm.sh gmm --protocol all
# Each task computes its part of the trials into the store of the folder it was submitted from; sifg run then makes the
# report. Two minutes before its end a task starts no more trials. What a lost task left, the same array computes.
#SBATCH --job-name=sifg
#SBATCH --output=sifg-%A_%a.out
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
exec sifg run --shard auto --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@"
