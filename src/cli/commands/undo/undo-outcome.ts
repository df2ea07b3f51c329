import { normalizeUrl } from '../../../client/http/base-url.ts'
import { KpiError } from '../../../domain/errors.ts'
import { printable } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, type ExitCode } from '../../exit.ts'
import { dryRunText, PLANNED, printDryRunCounts } from '../../output/plan.ts'
import { dryRunCounts } from '../../output/summary.ts'
import { shellWord } from '../../output/text.ts'
import { type Profile, readProfiles } from '../../target/profiles.ts'

/** Describes the flags of an undo. */
export type UndoFlags = {
  readonly withEntries?: true | undefined
  readonly dryRun?: true | undefined
  readonly summaryOnly?: true | undefined
  readonly yes?: true | undefined
}

/** Defines what becomes of a record or an entry when what created or changed it is taken back. */
export const outcomeRow = printable('created_thing', 'created thing', {
  action: { kind: 'text', about: 'remove, restore, create or leave' },
  kind: { kind: 'text', about: 'entry, or the kind of record: kpi, user, assignment and the like' },
  id: { kind: 'integer', about: 'Id; null for an entry that is gone', nullable: true },
  name: PLANNED.name,
  entries: { kind: 'integer', about: 'How many entries go with it', nullable: true },
  reason: { ...PLANNED.reason, about: 'Why it is left alone' },
  change: { kind: 'text', about: 'Values of an entry as they are, and as they are put back', nullable: true },
})

/** Defines the counts of what would be taken back. */
export const undoCounts = dryRunCounts('undo', 'Entries', ['restored', 'removed'], {
  things: { kind: 'integer', about: 'Created records that would be removed: KPIs, users, assignments and the like' },
  unchanged: { kind: 'integer', about: 'Entries and records that are as they were before already' },
  skipped: { kind: 'integer', about: 'Entries and records that would be left alone' },
})

/** Counts what becomes of entries and records. */
export type Counts = Readonly<Record<'restored' | 'removed' | 'things' | 'unchanged' | 'skipped', number>>

/** Says how much nothing is to be done with, and how much is left alone. */
export const restText = ({ unchanged, skipped }: Pick<Counts, 'unchanged' | 'skipped'>): string =>
  `${unchanged > 0 ? `; ${unchanged} as before already` : ''}${skipped > 0 ? `; ${skipped} left alone` : ''}`

/** Says what a dry run has found, and prints the counts if they alone are asked for. */
export const tellDryRun = async (
  cli: Cli,
  what: string,
  counts: Counts,
  { summaryOnly }: Pick<UndoFlags, 'summaryOnly'>,
): Promise<void> => {
  const would = what === '' ? 'nothing to take back' : `would ${what}`
  await cli.note(dryRunText(would + restText(counts)))
  if (summaryOnly) await printDryRunCounts(cli, undoCounts, counts)
}

/** Says at the end what was done. */
export const tellDone = (cli: Cli, said: string, counts: Counts): Promise<void> =>
  cli.note(`${said === '' ? 'nothing was changed' : said}${restText(counts)}`)

/** Says that something was taken back already, and when. */
export const tellTakenBack = async (cli: Cli, what: string, at: string): Promise<ExitCode> => {
  const when = `on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`
  await cli.note(`${what} was taken back already, ${when}; nothing was changed`)
  return EXIT.done
}

const serviceOfProfile = (profile: Profile): string =>
  profile.kind === 'embedded' ? profile.dataDir : normalizeUrl(new URL(profile.baseUrl))

/** Says with which flag or setting a line is for a service that a receipt names. */
const wayToService = ({ io }: Cli, service: string): string => {
  for (const [name, profile] of readProfiles(io).byName) {
    if (serviceOfProfile(profile) === service) return `--profile ${shellWord(name)}`
  }
  if (!URL.canParse(service)) return `--data-dir ${shellWord(service)}`
  return `KPI_BASE_URL=${shellWord(service)}, or a profile of it (kpi profiles add)`
}

/** Refuses a receipt of another service than that of the line. */
export const requireOfService = (cli: Cli, named: string, service: string): void => {
  if (named === service) return
  const way = `take it back with ${wayToService(cli, named)}`
  throw new KpiError('malformed', `the receipt is of ${named}, and this command is for ${service}; ${way}`)
}

/** Returns the refusal of a receipt of another account. */
export const ofOtherAccount = (named: string, account: string): KpiError =>
  new KpiError('malformed', `the receipt is of ${named}, and this is ${account}; use the profile of that one`)
