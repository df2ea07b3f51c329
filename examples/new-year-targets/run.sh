#!/bin/sh
# Sets the default target of each KPI that targets.csv names; makes the KPIs of the example where there are none.
set -eu
cd "$(dirname "$0")"
# In a clone that is not installed, the command is taken from there.
command -v kpi > /dev/null || kpi() { node "../../bin/kpi.js" "$@"; }
if [ "$(kpi kpis list -o csv | wc -l)" -eq 1 ]; then
  for name in Visits Sales Defects; do
    kpi kpis create --name "$name" --frequency M --target-default 1000 -o json > /dev/null
  done
fi
tail -n +2 targets.csv | while IFS=, read -r name target; do
  kpi kpis update "$name" --target-default "$target" -o json > /dev/null
  printf '%s\t%s\n' "$name" "$target"
done
kpi kpis list --columns id,name,target_default
