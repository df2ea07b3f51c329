#!/bin/sh
# Makes the KPIs and users that the two files name, then loads each with one command and reports.
set -eu
cd "$(dirname "$0")"
# In a clone that is not installed, the command is taken from there.
command -v kpi > /dev/null || kpi() { node "../../bin/kpi.js" "$@"; }
kpi users create --from-json users.json -o json > /dev/null
kpi kpis create --from-json kpis.json -o json > /dev/null
kpi entries import worldwide-aggregate.csv --user World --create-assignments -o csv
kpi entries import key-countries-pivoted.csv --kpi Confirmed --create-assignments -o csv
kpi report --from 2022-03-01 --to 2022-04-16
