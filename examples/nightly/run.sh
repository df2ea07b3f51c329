#!/bin/sh
# Loads what lies in inbox/, file by file, so that a bad one keeps no other from being loaded, and moves each to a folder of
# this night in done/. What is not loaded whole stays there for the next run.
cd "$(dirname "$0")" || exit 1
night=done/$(date +%Y-%m-%dT%H%M%S)
# Begun at a quarter past two, it ends at six, done or not.
end=$(($(date +%s) + 225 * 60))
worst=0 stopped=
# Whoever stops the job (SIGTERM to all of it, Ctrl-C) stops kpi, which ends cleanly; its exit code is waited for.
trap 'stopped=yes' INT TERM
for file in inbox/*.[cC][sS][vV] inbox/*.[cC][sS][vV].[gG][zZ]; do
  case $file in
    *.rejects.csv | *.rejects.[0-9]*.csv) continue ;;
  esac
  [ -f "$file" ] || continue
  left=$((end - $(date +%s)))
  if [ "$stopped" ] || [ "$left" -le 0 ]; then
    echo "not started: $file; the next run continues with it" >&2
    worst=6
    break
  fi
  echo "$file" >> nightly.log
  kpi entries import "$file" --quiet --deadline "${left}s" -o csv >> nightly.log
  code=$?
  case $code in
    # Rows that were rejected lie beside the file, in a file of their own, and somebody is told of them.
    0 | 3) mkdir -p "$night" && mv "$file" "$night/" ;;
    *) echo "$file stays in inbox/: exit code $code" >&2 ;;
  esac
  case $code in
    0) ;;
    # No access, no service, out of time, running already, killed: the next file would fare no better.
    4 | 5 | 6 | 8 | ???) worst=$code && break ;;
    # What has to be mended first, before what was only in part.
    3) [ "$worst" -ne 0 ] || worst=3 ;;
    *) case $worst in 0 | 3) worst=$code ;; esac ;;
  esac
done
exit "$worst"
