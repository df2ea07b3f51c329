#!/bin/sh
# Writes the page and the workbook of a range of days, by default last month, to a folder, and adds the range's rows to a file
# that grows from month to month. A file is there whole or not at all; the first that fails ends the job, with its exit code.
set -eu
# In a clone that is not installed, the command is taken from there.
here=$(cd "$(dirname "$0")" && pwd)
command -v kpi > /dev/null || kpi() { node "$here/../../bin/kpi.js" "$@"; }
from=${1:-last-month}
to=${2:-last-month}
out=${3:-$here/out}
mkdir -p "$out"
kpi report export --from "$from" --to "$to" --to-file "$out/report.html" --force --quiet
kpi report export --from "$from" --to "$to" --to-file "$out/report.xlsx" --force --quiet
# Once it is there, only what may be new is asked for; --from counts for the first time.
kpi report export --from "$from" --to "$to" --append-since "$out/all.csv" --manifest --quiet
kpi report verify "$out/all.csv" > /dev/null
