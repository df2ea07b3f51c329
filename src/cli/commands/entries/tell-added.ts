import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { formatDay } from '../../../domain/day.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import type { Entry, EntryDraft } from '../../../domain/resources/entry.ts'
import type { Cli } from '../../cli.ts'
import { createNames } from '../verbs/reference-names.ts'

/** Lists the values of an entry that are told of, each with the words before it. */
const VALUES = [
  ['actual', ''],
  ['target', 'target '],
] as const

/** Returns the entry of a day that a draft changes, if there is one. */
const findBefore = async (
  client: Client,
  { user_id, source_id, kpi_id, entry_date }: EntryDraft,
): Promise<Entry | undefined> => {
  const query = { from: entry_date, to: entry_date, userId: user_id ?? undefined, sourceId: source_id ?? undefined }
  for await (const page of entryPages(client, { ...query, kpiId: kpi_id })) {
    const isSame = (one: Entry): boolean =>
      one.kpi_id === kpi_id && (user_id === undefined ? one.source_id === source_id : one.user_id === user_id)
    const found = page.find(isSame)
    if (found) return found
  }
  return undefined
}

type TextOf = (value: Decimal | null) => Promise<string>

const valuesOf = async (entry: Entry, before: Entry | undefined, textOf: TextOf): Promise<string> => {
  const told: string[] = []
  for (const [field, words] of VALUES) {
    const [value, was] = [entry[field], before?.[field] ?? null]
    if (value === null && was === null) continue
    const change = before && value !== was ? ` (was ${await textOf(was)})` : ''
    told.push(`${words}${await textOf(value)}${change}`)
  }
  const isNew = entry.notes !== null && entry.notes !== before?.notes
  return [...told, ...(isNew ? ['notes'] : [])].join(', ')
}

/**
 * Looks at what is stored before an entry is sent, and at the names; returns a function that says in a note whether it
 * was added, changed or there already, and what was there before.
 */
export const tellAdded = async (
  cli: Cli,
  client: Client,
  draft: EntryDraft,
): Promise<(stored: Entry) => Promise<void>> => {
  const before = await readIfAllowed(client, findBefore(client, draft))
  const names = createNames(client)
  const { user_id: user, source_id: source, kpi_id: kpi } = draft
  const owner = await (user === undefined || user === null
    ? names.nameOf('breakdown_item', source ?? null)
    : names.nameOf('user', user))
  const textOf: TextOf = async (value) => (value === null ? 'none' : names.valueOf(kpi, value, cli.printing()))
  const what = `${await names.nameOf('kpi', kpi)} of ${owner}`
  return async (stored) => {
    const isSame =
      before && [...VALUES.map(([field]) => field), 'notes' as const].every((one) => before[one] === stored[one])
    const done = before ? (isSame ? 'unchanged' : 'changed') : 'added'
    await cli.note(`${done}: ${what}, ${formatDay(stored.entry_date)}: ${await valuesOf(stored, before, textOf)}`)
  }
}
