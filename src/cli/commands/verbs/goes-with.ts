import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import type { Resource } from '../../../domain/schema.ts'
import { countOf } from '../../output/text.ts'

/** Bounds how many entries are read of a service over the network only to count them. */
const MOST_COUNTED = 10_000
/** Bounds the users whose assignments are counted: each takes a request. */
const MOST_USERS = 100

/** Returns the entries of a KPI in words: `3 entries of 2026-01-01 to 2026-03-01`. */
const entriesOfKpi = async (client: Client, kpiId: number): Promise<string> => {
  let [count, first, last] = [0, Infinity, -Infinity]
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, kpiId })) {
    count += page.length
    for (const { entry_date } of page) [first, last] = [Math.min(first, entry_date), Math.max(last, entry_date)]
    if (!client.isBundled() && count >= MOST_COUNTED)
      return `at least ${count} entries of ${formatDay(first)} and later`
  }
  if (count === 0) return 'no entries'
  return `${countOf(count, 'entry', 'entries')} of ${formatDay(first)} to ${formatDay(last)}`
}

/** Returns the assignments of a KPI in words; without a number where there are too many users to ask. */
const assignmentsOfKpi = async (client: Client, kpiId: number): Promise<string> => {
  const people = client.variant === 'classic' ? await readIfAllowed(client, client.users.list()) : undefined
  if (!people || people.length > MOST_USERS) return 'its assignments'
  const held = await Promise.all(people.map(({ id }) => client.assignments(id).list()))
  return countOf(held.filter((list) => list.some(({ id }) => id === kpiId)).length, 'assignment')
}

const ofUser = async (client: Client, id: number): Promise<string> => {
  const assignments = countOf((await client.assignments(id).list()).length, 'assignment')
  return `${assignments}, ${countOf((await client.userGroupItems(id).list()).length, 'link to a group item', 'links to group items')} and their keys`
}

/** Counts what goes with a record, in words; undefined where nothing is known that could be counted. */
const counted = async (client: Client, of: Resource, id: number): Promise<string | undefined> => {
  if (of.name === kpi.name) return `${await assignmentsOfKpi(client, id)} and ${await entriesOfKpi(client, id)}`
  return of.name === user.name ? ofUser(client, id) : undefined
}

/** Says what goes with a record when it is deleted, counted where the service lets it be: `with 3 assignments and …`. */
export const goesWith = async (client: Client, of: Resource, id: number): Promise<string> => {
  try {
    const text = await counted(client, of, id)
    return text === undefined ? (of.removal ?? '') : `with ${text}`
  } catch (error) {
    if (error instanceof KpiError) return of.removal ?? ''
    throw error
  }
}
