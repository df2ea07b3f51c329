import type { Client } from '../../../../client/client.ts'
import { group } from '../../../../domain/resources/groups.ts'
import { createMissingThings } from '../../../../import/missing/make.ts'
import type { RealIds } from '../../../../import/missing/missing.ts'
import type { MissingKpi, MissingPlan } from '../../../../import/missing/plan.ts'
import { askForYes } from '../../../args/prompt.ts'
import type { Cli } from '../../../cli.ts'
import { countOf } from '../../../output/text.ts'
import { findPlace } from '../../../target/settings.ts'
import type { CommandRun } from './jobs.ts'

/** Sets how many things of a kind are listed. */
const SHOWN = 10

const listed = (names: readonly string[]): string[] => {
  const more = names.length - SHOWN
  return [...names.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])]
}

const kpiLine = ({ name, evidence }: MissingKpi): string => `KPI "${name}": ${evidence.join('; ')}`

const countsOf = ({ kpis, users, items, group: name }: MissingPlan): string[] => {
  const units = new Set(kpis.flatMap(({ unit }) => (unit.kind === 'new' ? unit.name : [])))
  return [
    ...(kpis.length > 0 ? [countOf(kpis.length, 'KPI')] : []),
    ...(units.size > 0 ? [countOf(units.size, 'unit')] : []),
    ...(users.length > 0 ? [countOf(users.length, 'user')] : []),
    ...(items.length > 0 ? [`${countOf(items.length, 'breakdown item')} in the group "${name}"`] : []),
  ]
}

/** Returns what would be created and why, a line each. */
export const missingLines = (plan: MissingPlan): string[] => [
  `to create: ${countsOf(plan).join(', ')}`,
  ...listed(plan.kpis.map(kpiLine)).map((line) => `  ${line}`),
  ...listed(plan.users.map(({ name, email }) => `user "${name}", ${email}`)).map((line) => `  ${line}`),
  ...(plan.items.length > 0
    ? [`  breakdown items ${listed(plan.items.map(({ name }) => `"${name}"`)).join(', ')}`]
    : []),
]

/** Runs work with a client of the classic interface of the same service; with none, where there is no such interface. */
const withClassic = async <T>(
  cli: Cli,
  client: Client,
  work: (classic: Client | undefined) => Promise<T>,
): Promise<T> => {
  if (client.variant === 'classic') return work(client)
  const isEmbedded = findPlace(cli.io, cli.flags).kind === 'embedded'
  return isEmbedded ? cli.withClient({ of: group, verb: 'add' }, work) : work(undefined)
}

/** Shows what is missing, asks at a terminal, and creates it; returns the ids by the provisional ones. */
export const createMissing = async (
  { cli, client, parsed, progress, stops }: CommandRun,
  plan: MissingPlan,
): Promise<RealIds> => {
  for (const line of missingLines(plan)) progress.note(line)
  if (cli.canAsk && !parsed.isConfirmed) {
    progress.stop()
    await askForYes(cli, 'create these and import the file')
  }
  return withClassic(cli, client, (classic) =>
    createMissingThings(
      { client, classic, signal: stops.signal(), onIntent: () => undefined, onCreated: () => undefined },
      plan,
    ),
  )
}
