import type { CreationLog } from '../../../../runs/entries/receipt-writer.ts'
import type { RealIds } from '../../../../reading/directory/missing.ts'
import type { MissingKpi, MissingPlan } from '../../../../reading/missing/plan-missing.ts'
import { looseName } from '../../../../domain/name-form.ts'
import { askForYes } from '../../../args/prompt.ts'
import { countOf } from '../../../output/text.ts'
import { listUndoReceipts, unsettledReceipts } from '../../../../runs/entries/receipt.ts'
import { receiptsFolder } from '../../../target/folders.ts'
import { serviceOf, withClassic } from '../../../target/service-of.ts'
import type { CommandRun, Job } from './jobs.ts'

/** Sets how many things of a kind are listed. */
const SHOWN = 10

const listed = (names: readonly string[]): string[] => {
  const more = names.length - SHOWN
  return [...names.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])]
}

/** Returns what most KPIs have in common: their frequency, unit and function, as far as more than half agree. */
const sharedEvidence = (kpis: readonly MissingKpi[]): string[] => {
  const places = kpis.length < 2 ? [] : [...(kpis[0]?.evidence.keys() ?? [])]
  return places.flatMap((at) => {
    const said = Map.groupBy(kpis, ({ evidence }) => evidence[at])
    const [most, of] = [...said].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? []
    return most !== undefined && of !== undefined && 2 * of.length > kpis.length ? [most] : []
  })
}

/** Returns a line for each KPI that is created, after one with what they have in common. */
const kpiLines = (kpis: readonly MissingKpi[]): string[] => {
  const shared = sharedEvidence(kpis)
  const isOfAll = kpis.every(({ evidence }) => shared.every((one) => evidence.includes(one)))
  const lines = kpis.map(({ name, evidence }) => {
    const own = evidence.filter((one) => !shared.includes(one))
    return `KPI "${name}"${own.length > 0 ? `: ${own.join('; ')}` : ''}`
  })
  const each = isOfAll ? 'each KPI' : 'each KPI, unless its line says otherwise'
  return [...(shared.length > 0 ? [`${each}: ${shared.join('; ')}`] : []), ...listed(lines)]
}

const countsOf = ({ kpis, users, items, group: name }: MissingPlan): string[] => {
  const units = new Set(kpis.flatMap(({ unit }) => (unit.kind === 'new' ? unit.name : [])))
  return [
    ...(kpis.length > 0 ? [countOf(kpis.length, 'KPI')] : []),
    ...(units.size > 0 ? [countOf(units.size, 'unit')] : []),
    ...(users.length > 0 ? [countOf(users.length, 'user')] : []),
    ...(items.length > 0 ? [`${countOf(items.length, 'breakdown item')} in the group "${name}"`] : []),
  ]
}

/** Returns the plan of a further file of a dry run without what an earlier one creates, which it adds its own things to. */
export const planBeside = (earlier: Set<string>, plan: MissingPlan): MissingPlan | undefined => {
  const isNew = (kind: string, name: string): boolean => {
    const key = `${kind} ${looseName(name)}`
    return !earlier.has(key) && Boolean(earlier.add(key))
  }
  const kpis = plan.kpis.filter(({ name }) => isNew('kpi', name))
  const users = plan.users.filter(({ email }) => isNew('user', email))
  const items = plan.items.filter(({ name }) => isNew(`item ${plan.group}`, name))
  return kpis.length + users.length + items.length === 0 ? undefined : { ...plan, kpis, users, items }
}

/** Returns what would be created and why, a line each. */
export const missingLines = (plan: MissingPlan): string[] => [
  `to create: ${countsOf(plan).join(', ')}`,
  ...kpiLines(plan.kpis).map((line) => `  ${line}`),
  ...listed(plan.users.map(({ name, email }) => `user "${name}", ${email}`)).map((line) => `  ${line}`),
  ...(plan.items.length > 0
    ? [`  breakdown items ${listed(plan.items.map(({ name }) => `"${name}"`)).join(', ')}`]
    : []),
]

/** Shows what is missing, asks at a terminal, and creates it; returns the ids by the provisional ones. */
export const createMissing = async (
  { cli, client, parsed, progress, stops }: CommandRun,
  plan: MissingPlan,
  { file, log }: Pick<Job, 'file'> & { readonly log: CreationLog },
): Promise<RealIds> => {
  for (const line of missingLines(plan)) progress.note(line)
  if (cli.canAsk && !parsed.isConfirmed) {
    progress.stop()
    await askForYes(cli, `create these and import ${file}`)
  }
  const { createMissingThings } = await import('../../../../loading/missing/make.ts')
  const making = { clock: cli.io, signal: stops.signal(), onWarning: progress.warn, log }
  return withClassic(cli, client, (classic) => createMissingThings({ account: { client, classic }, ...making }, plan))
}

/**
 * Removes what earlier runs of the files created at the same moment as another machine, where they were killed or stopped
 * before they could look for that.
 */
export const removeEarlierDoubles = async (
  { cli, client, parsed, progress, stops }: Pick<CommandRun, 'cli' | 'client' | 'parsed' | 'progress' | 'stops'>,
  jobs: readonly Job[],
): Promise<void> => {
  if (!parsed.options.create || parsed.isDryRun || parsed.explain) return
  const { receipts } = listUndoReceipts(receiptsFolder(cli.io))
  const left = jobs.flatMap(({ file }) => unsettledReceipts(receipts, file, serviceOf(cli)))
  if (left.every(({ things, unsure }) => things.length + unsure.length === 0)) return
  const { removeLeftDoubles } = await import('../../../../changes/send/doubles.ts')
  await withClassic(cli, client, async (classic) => {
    for (const { head, things, unsure } of left) {
      const isOfAccount = (): boolean => head.account === client.identifyAccount().for
      await removeLeftDoubles(
        { client, classic },
        { things, unsure, isOfAccount, signal: stops.signal() },
        progress.warn,
      )
    }
  })
}
