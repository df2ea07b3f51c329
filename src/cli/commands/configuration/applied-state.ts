import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { isObject } from '../../../codec/json.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { makeFolder, stateFolder } from '../../target/folders.ts'
import { serviceOf } from '../entries/created.ts'
import { keyField } from '../import-definitions/plan.ts'
import type { ConfigurationPlan } from './plan-configuration.ts'
import { SECTIONS } from './sections.ts'

/** Identifies a thing that an earlier run created: its section and its id. */
export type MadeThing = { readonly section: string; readonly id: number }

/** Describes a thing that is to be deleted. */
export type Deletion = MadeThing & { readonly name: string }

/** Keeps what earlier runs of a file created, which is all that --prune may delete. */
export type AppliedState = {
  readonly made: () => readonly MadeThing[]
  /** Replaces what is kept, at once and for the owner only. */
  readonly keep: (made: readonly MadeThing[]) => void
}

const isMade = (one: unknown): one is MadeThing =>
  isObject(one) && typeof one['section'] === 'string' && typeof one['id'] === 'number'

const readMade = (path: string): MadeThing[] => {
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(json) ? json.filter(isMade) : []
  } catch {
    // There is none yet, or it is unreadable: then nothing is known to be ours, and nothing is deleted.
    return []
  }
}

/** Opens the state of a file for a service and an account. */
export const openAppliedState = (cli: Cli, client: Client, file: string): AppliedState => {
  const folder = join(stateFolder(cli.io), 'applied')
  const identity = JSON.stringify([serviceOf(cli), client.caller, resolve(cli.io.cwd, file)])
  const path = join(folder, `${createHash('sha256').update(identity).digest('hex').slice(0, 32)}.json`)
  let made: readonly MadeThing[] = readMade(path)
  return {
    made: () => made,
    keep: (all) => {
      made = all
      makeFolder(folder, 'state folder')
      writeFileSync(`${path}.new`, JSON.stringify(all), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}

/** Returns the ids of what a plan finds: the things that the file still names. */
const namedIn = ({ sections }: ConfigurationPlan, name: string): ReadonlySet<number> =>
  new Set(
    sections
      .filter(({ section }) => section.name === name)
      .flatMap(({ rows }) => rows.flatMap((row) => ('existing' in row ? [Number(row.existing['id'])] : []))),
  )

const nameOf = (record: AnyRecord, field: string): string => String(record[field] ?? record['id'])

/** Returns what an earlier run of the file created and the file no longer names, in an order in which it can go. */
export const findDeletions = async (
  client: Client,
  plan: ConfigurationPlan,
  made: readonly MadeThing[],
): Promise<Deletion[]> => {
  const deletions: Deletion[] = []
  for (const { name: section, of, collection } of SECTIONS.toReversed()) {
    const [ours, named] = [made.filter((one) => one.section === section), namedIn(plan, section)]
    const gone = ours.filter(({ id }) => !named.has(id))
    if (gone.length === 0) continue
    const existing: readonly AnyRecord[] = await collection(client).list()
    const records = existing.filter(({ id }) => gone.some((one) => one.id === id))
    deletions.push(...records.map((one) => ({ section, id: Number(one['id']), name: nameOf(one, keyField(of)) })))
  }
  return deletions
}
