#!/bin/sh
# Loads what lies in inbox/, then moves it to done/. What is not loaded whole stays there for the next run.
cd "$(dirname "$0")" || exit 1
mkdir -p done
set --
for file in inbox/*.csv inbox/*.csv.gz; do
  case $file in
    *.rejects.csv | *'*'*) ;;
    *) set -- "$@" "$file" ;;
  esac
done
[ $# -gt 0 ] || exit 0

# Whoever stops the job (SIGTERM to all of it, Ctrl-C) stops kpi, which ends cleanly; its exit code is waited for.
trap : INT TERM
kpi entries import "$@" --quiet --deadline 06:00 -o csv >> nightly.log
code=$?
# Rows that were rejected lie beside the file, in a file of their own, and somebody is told of them.
case $code in
  0 | 3) mv "$@" done/ ;;
esac
exit "$code"
