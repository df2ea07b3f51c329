import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { hasAll, type Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { yamlText } from '../../../codec/yaml.ts'
import { KpiError } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { fileError, writeWhole } from '../../../import/parse/files.ts'
import { requireFree } from '../../args/require-free.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { rightsOf } from '../../target/store-rights.ts'
import { type AppliedState, type Deletion, findDeletions, openAppliedState } from './applied-state.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { changesOf, countChanges, plannedChange } from './changes.ts'
import { dumpConfiguration } from './dump.ts'
import { planConfiguration } from './plan-configuration.ts'
import { type Configuration, readConfiguration } from './read-configuration.ts'
import { ITEMS, type Section, SECTIONS } from './sections.ts'

type PlanFlags = { readonly prune?: true; readonly maxDeletes?: string; readonly summaryOnly?: true }

/** Returns what the sections of a file need from the variant of the interface. */
const needsOf = ({ rows, links }: Configuration): Needs => {
  const used = SECTIONS.filter(({ name }) => (rows.get(name) ?? []).length > 0)
  const hasLinks = links.some(({ assignments }) => assignments.length > 0)
  const hasItems = links.some(({ groupItems }) => groupItems.length > 0)
  return [
    ...used.flatMap(({ of }) => [
      { of, verb: 'list' } as const,
      { of, verb: 'add' } as const,
      { of, verb: 'update' } as const,
    ]),
    ...(hasLinks ? [{ of: assignment, verb: 'add' } as const, { of: assignment, verb: 'update' } as const] : []),
    ...(hasItems ? [{ of: userGroupItem, verb: 'add' } as const] : []),
  ]
}

/** Describes a plan that was made: its changes, deletions among them, and what earlier runs created. */
type MadePlan = {
  readonly changes: readonly AnyRecord[]
  readonly deletions: readonly Deletion[]
  readonly state: AppliedState
}

const mostDeletes = ({ maxDeletes }: PlanFlags): number => {
  if (maxDeletes === undefined) return Infinity
  if (/^\d{1,7}$/.test(maxDeletes)) return Number(maxDeletes)
  throw new UsageError(`--max-deletes ${maxDeletes} is not a number`)
}

const makePlan = async (cli: Cli, client: Client, wanted: Configuration, flags: PlanFlags): Promise<MadePlan> => {
  const most = mostDeletes(flags)
  const plan = await planConfiguration(client, wanted)
  const state = openAppliedState(cli, client, wanted.name)
  const deletions = flags.prune ? await findDeletions(client, plan, state.made()) : []
  if (deletions.length > most) {
    const names = deletions.slice(0, 5).map(({ section, name }) => `${section} ${name}`)
    throw new KpiError(
      'conflict',
      `${countOf(deletions.length, 'thing')} would be deleted, more than --max-deletes ${most} allows: ${names.join(', ')}${deletions.length > 5 ? ', …' : ''}`,
    )
  }
  return { changes: await changesOf(plan, deletions), deletions, state }
}

const printChanges = async (cli: Cli, { changes }: MadePlan, lead: string, isSummaryOnly: boolean): Promise<void> => {
  await cli.note(changes.length === 0 ? 'nothing to change' : `${lead}: ${countChanges(changes)}`)
  if (!isSummaryOnly && (changes.length > 0 || cli.printing().format !== 'table'))
    await cli.printMany(plannedChange.shown, changes)
}

/** Returns what a kept plan holds: the file that it was made of, and its changes. */
const planText = ({ text }: Configuration, { changes }: MadePlan): string =>
  `${JSON.stringify({ kpi_plan: 1, file_sha256: createHash('sha256').update(text).digest('hex'), changes }, null, 2)}\n`

const keepPlan = async (cli: Cli, file: string, wanted: Configuration, made: MadePlan): Promise<void> => {
  await writeWhole(resolve(cli.io.cwd, file), [planText(wanted, made)], rightsOf(cli))
  await cli.note(`kept the plan in ${file}; kpi apply --plan ${file} makes exactly these changes`)
}

/** Runs `kpi plan`: prints what a configuration would change. */
export const runPlan = async (
  cli: Cli,
  file: string,
  flags: PlanFlags & { readonly toFile?: string; readonly exitCode?: true; readonly force?: true },
): Promise<number> => {
  const wanted = await readConfiguration(cli, file)
  const needs = needsOf(wanted)
  cli.requireCapabilities(needs)
  await requireFree(cli, flags.toFile, flags.force)
  const made = await cli.withClient(needs, (client) => makePlan(cli, client, wanted, flags), {
    signal: cli.io.interruption(),
  })
  await printChanges(cli, made, 'nothing was sent', flags.summaryOnly === true)
  if (flags.toFile !== undefined) await keepPlan(cli, flags.toFile, wanted, made)
  return flags.exitCode && made.changes.length > 0 ? EXIT.differences : EXIT.done
}

/** Refuses to apply anything but the changes of a kept plan. */
const requireSamePlan = (cli: Cli, file: string, wanted: Configuration, made: MadePlan): void => {
  let kept: string
  try {
    kept = readFileSync(resolve(cli.io.cwd, file), 'utf8')
  } catch (error) {
    throw fileError(error, 'read', file)
  }
  if (kept === planText(wanted, made)) return
  throw new KpiError(
    'conflict',
    `something has changed since the plan in ${file} was made, in ${wanted.name} or in the service; look at kpi plan ${wanted.name}`,
  )
}

/** Names what is deleted, and what goes with it. */
const sayDeletion = ({ section, name }: Deletion): string => {
  const { of } = SECTIONS.find((one) => one.name === section) ?? {}
  return [of?.title, name, of?.removal].filter(Boolean).join(' ')
}

/** Runs `kpi apply`: makes an account what a configuration says. */
export const runApply = async (
  cli: Cli,
  file: string,
  flags: PlanFlags & { readonly plan?: string; readonly yes?: true },
): Promise<void> => {
  const wanted = await readConfiguration(cli, file)
  const needs = needsOf(wanted)
  cli.requireCapabilities(needs)
  const signal = cli.io.interruption()
  const work = async (client: Client, stop: AbortSignal): Promise<void> => {
    const made = await makePlan(cli, client, wanted, flags)
    if (flags.plan !== undefined) requireSamePlan(cli, flags.plan, wanted, made)
    await printChanges(cli, made, 'to do', flags.summaryOnly === true)
    if (made.changes.length === 0) return
    if (made.deletions.length > 0) {
      const { requireConfirmation } = await import('../../args/prompt.ts')
      await requireConfirmation(cli, flags.yes, `delete ${made.deletions.map(sayDeletion).join(', ')}`)
    }
    const { created, updated, deleted } = await applyConfiguration(
      { client, wanted, state: made.state, signal: stop },
      made.deletions,
    )
    await cli.note(`applied ${wanted.name}: ${created} created, ${updated} updated, ${deleted} deleted`)
  }
  await cli.withClient(needs, work, { signal })
}

const DUMP_NEEDS: Needs = SECTIONS.filter(({ name }) => ['categories', 'units', 'kpis', 'users'].includes(name)).map(
  ({ of }) => ({ of, verb: 'list' }),
)

/** Runs `kpi dump`: prints an account as a configuration. */
export const runDump = async (cli: Cli, flags: { readonly toFile?: string; readonly force?: true }): Promise<void> => {
  await requireFree(cli, flags.toFile, flags.force)
  const work = async (client: Client): Promise<string> => {
    const has = ({ of }: Section): boolean => hasAll(client.variant, { of, verb: 'list' })
    if (!SECTIONS.every(has))
      await cli.note(
        `this variant of the interface has no ${ITEMS.replace('_', ' ')}, groups and assignments; they are left out`,
      )
    return yamlText(await dumpConfiguration(client, has))
  }
  const text = await cli.withClient(DUMP_NEEDS, work, { signal: cli.io.interruption() })
  if (flags.toFile === undefined) return cli.io.stdout.write(text)
  await writeWhole(resolve(cli.io.cwd, flags.toFile), [text], rightsOf(cli))
  return cli.note(`wrote ${flags.toFile}`)
}
