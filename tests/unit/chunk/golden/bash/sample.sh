#!/usr/bin/env bash
# Deploys the service.
set -euo pipefail

source ./lib/common.sh
. "${HOME}/.profile"

# How many times it is tried.
readonly RETRIES=3
declare -r GREETING="größe 🎉"
export PATH="$HOME/bin:$PATH"
LOG_FILE=/var/log/deploy.log
declare -A HOSTS=([a]=1 [b]=2)

# Says something.
#
# $1: what
log() {
  local level="$1" message
  message="$2"
  printf '%s %s\n' "$level" "$message" >>"$LOG_FILE"
}

function with_keyword {
  echo "no parentheses"
}

function both() { echo both; }

# Runs in a subshell.
subshell() (
  cd /tmp && ls
)

retry() {
  inner() { "$@"; }
  for ((i = 0; i < RETRIES; i++)); do
    inner "$@" && return 0
  done
  return 1
}

namespaced::function() { :; }
with-dashes() { :; }
größer() { echo "🎉"; }

if [[ "${1:-}" == "--help" ]]; then
  usage() { cat <<USAGE
usage: deploy
function not_a_function() { }
USAGE
  }
  usage
fi

alias ll='ls -l'

@test "deploys twice" {
  run deploy
  [ "$status" -eq 0 ]
}

main() {
  log info "starting"
  retry deploy "$@"
}

main "$@"
