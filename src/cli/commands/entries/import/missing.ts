import { createMissingThings } from '../../../../import/missing/make.ts'
import type { RealIds } from '../../../../import/missing/missing.ts'
import type { MissingKpi, MissingPlan } from '../../../../import/missing/plan.ts'
import { createReceipt, readReceipt } from '../../../../import/missing/receipt.ts'
import { askForYes } from '../../../args/prompt.ts'
import { countOf } from '../../../output/text.ts'
import { receiptsFolder, serviceOf, withClassic } from '../created.ts'
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

/** Shows what is missing, asks at a terminal, and creates it; returns the ids by the provisional ones. */
export const createMissing = async (
  { cli, client, parsed, progress, stops }: CommandRun,
  file: string,
  plan: MissingPlan,
): Promise<RealIds> => {
  for (const line of missingLines(plan)) progress.note(line)
  if (cli.canAsk && !parsed.isConfirmed) {
    progress.stop()
    await askForYes(cli, 'create these and import the file')
  }
  const at = new Date(cli.io.now()).toISOString()
  const suffix = Buffer.from(cli.io.random(3)).toString('hex')
  const receipt = createReceipt(receiptsFolder(cli.io), { service: serviceOf(cli), file, at }, suffix)
  try {
    const ids = await withClassic(cli, client, (classic) => {
      const making = { client, classic, signal: stops.signal(), onIntent: receipt.intend, onCreated: receipt.add }
      return createMissingThings(making, plan)
    })
    progress.note(`to take back what was created: kpi entries undo ${readReceipt(receipt.path).name}`)
    return ids
  } finally {
    receipt.close()
  }
}
