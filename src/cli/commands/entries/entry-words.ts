import type { Client } from '../../../client/client.ts'
import { formatDay } from '../../../domain/day.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { createNames } from '../verbs/reference-names.ts'

/** Creates what says what an entry is: `Revenue of Ann Lee on 2026-11-19: € 40.00`. */
export const createEntryWords = (cli: Cli, client: Client): ((entry: AnyRecord) => Promise<string>) => {
  const names = createNames(client)
  return async ({
    kpi_id: kpi = null,
    user_id: user = null,
    source_id: source = null,
    entry_date: day,
    actual = null,
  }) => {
    const owner = user === null ? names.nameOf('breakdown_item', source) : names.nameOf('user', user)
    const value = actual === null ? '' : `: ${await names.valueOf(kpi, actual, cli.printing())}`
    return `${await names.nameOf('kpi', kpi)} of ${await owner} on ${formatDay(Number(day))}${value}`
  }
}
