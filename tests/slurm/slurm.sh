#!/usr/bin/env bash
# A Slurm of one node on loopback, from Debian's packages, for tests/slurm.
#
#   tests/slurm/slurm.sh install   apt-get install slurm-wlm munge (seconds)
#   tests/slurm/slurm.sh start     munged, slurmctld, slurmd; returns once the node takes jobs
#   tests/slurm/slurm.sh stop      ends what start has started
#
# Needs root. The configuration stands in /etc/slurm, where a job's own srun looks for it; one that
# this script has not written is left alone, and nothing is started. Two devices stand in for GPUs:
# Slurm hands them out as it hands out real ones, and nothing computes on them.
set -euo pipefail

readonly MARK="# written by tests/slurm/slurm.sh"
readonly STATE=/var/tmp/cot-entropy-slurm
readonly CONF=/etc/slurm/slurm.conf
host=$(hostname -s)

fail() { echo "slurm.sh: $*" >&2; exit 1; }

install_packages() {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge
}

configure() {
  if [[ -e $CONF ]] && [[ $(head -n 1 "$CONF") != "$MARK" ]]; then
    fail "$CONF belongs to another Slurm; it is left alone"
  fi
  mkdir -p "$STATE/ctld" "$STATE/node" "$(dirname "$CONF")"
  cat > "$CONF" <<EOF
$MARK
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=$STATE/ctld
SlurmdSpoolDir=$STATE/node
SlurmctldPidFile=$STATE/slurmctld.pid
SlurmdPidFile=$STATE/slurmd.pid
SlurmctldLogFile=$STATE/slurmctld.log
SlurmdLogFile=$STATE/slurmd.log
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=256000 Gres=gpu:2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
  cat > "$(dirname "$CONF")/gres.conf" <<EOF
$MARK
Name=gpu File=/dev/null
Name=gpu File=/dev/zero
EOF
}

# every port of these daemons must be bound to loopback
only_loopback() {
  local open
  open=$(ss -Hltnp | grep -E '"(slurmctld|slurmd|munged)"' | awk '{print $4}')
  [[ -n $open ]] && ! grep -qvE '^(127\.|\[::1\])' <<< "$open"
}

start() {
  [[ $EUID -eq 0 ]] || fail "needs root"
  for program in munged slurmctld slurmd sbatch; do
    command -v "$program" > /dev/null || fail "$program is not installed: run $0 install"
  done
  configure
  if ! munge -n < /dev/null 2> /dev/null | unmunge > /dev/null 2>&1; then
    install -d -o munge -g munge -m 0755 /run/munge
    runuser -u munge -- munged
    touch "$STATE/munged.started"
  fi
  slurmctld -c
  slurmd -c
  for _ in $(seq 120); do
    if [[ $(sinfo --noheader --format=%t 2> /dev/null) == idle ]]; then
      only_loopback || { stop; fail "a port is not bound to loopback: what does $host resolve to?"; }
      return 0
    fi
    sleep 0.5
  done
  tail -n 5 "$STATE"/*.log >&2
  stop
  fail "no idle node within 60 seconds"
}

end_of() {
  local pid
  pid=$(cat "$1" 2> /dev/null) || return 0
  kill "$pid" 2> /dev/null || return 0
  for _ in $(seq 100); do kill -0 "$pid" 2> /dev/null || return 0; sleep 0.1; done
}

stop() {
  [[ -e $CONF && $(head -n 1 "$CONF") == "$MARK" ]] || return 0
  scancel --state=PENDING,RUNNING --user=root 2> /dev/null || true
  end_of "$STATE/slurmd.pid"
  end_of "$STATE/slurmctld.pid"
  if [[ -e $STATE/munged.started ]]; then end_of /run/munge/munged.pid; fi
  rm -rf "$STATE" "$CONF" "$(dirname "$CONF")/gres.conf"
}

case "${1:-}" in
  install) install_packages ;;
  start) start ;;
  stop) stop ;;
  *) fail "usage: $0 install|start|stop" ;;
esac
