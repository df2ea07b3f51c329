#!/bin/sh
# Writes the report of a range of days to a file; by default that of last month.
set -eu
# In a clone that is not installed, the command is taken from there.
command -v kpi > /dev/null || kpi() { node "$(dirname "$0")/../../bin/kpi.js" "$@"; }
from=${1:-last-month}
to=${2:-last-month}
file=${3:-report.csv}
kpi report --from "$from" --to "$to" -o csv > "$file.part"
mv "$file.part" "$file"
echo "wrote $file: $(($(wc -l < "$file") - 1)) rows"
