import type { Client } from '../../../client/client.ts'
import { requireDatedTargets } from '../../../client/operations/dated-targets.ts'
import type { Day } from '../../../domain/day.ts'
import { FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import type { AnyRecord, FieldValue } from '../../../domain/schema.ts'
import type { DatedChange } from '../../../domain/targets/dated-targets.ts'
import { readDateDays, tellDay } from '../../args/entry-date.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { shellWord } from '../../output/text.ts'

/** Holds values without the target, and the change of a day that it is instead. */
export type DatedValues = {
  readonly values: Record<string, FieldValue>
  readonly datedTargets: readonly DatedChange[] | undefined
}

const readDay = async (cli: Cli, client: Client, word: string): Promise<Day> => {
  const { from } = await readDateDays(client, word, cli.today().day)
  if (from < FIRST_ENTRY_DAY || from > LAST_ENTRY_DAY)
    throw new UsageError(`--from ${shellWord(word)} is not in the years 1900 to 2199`)
  await tellDay(cli, word, formatDay(from), '--from')
  return from
}

/** Takes the target of a line out of its values where `--from` says on which day it begins. */
export const readDatedValues = async (
  cli: Cli,
  client: Client,
  word: unknown,
  given: AnyRecord,
  { name, flag }: { readonly name: string; readonly flag: string },
): Promise<DatedValues> => {
  if (typeof word !== 'string') return { values: { ...given }, datedTargets: undefined }
  const { [name]: target, ...values } = given
  if (target === undefined) throw new UsageError(`--from says on which day a target begins: give ${flag}, too`)
  const from = await readDay(cli, client, word)
  return { values, datedTargets: [{ from, target: typeof target === 'bigint' ? target : null }] }
}

/** Refuses `--from` on a service without dated targets; to be called once it has shown a record. */
export const requireFromDay = (client: Client, datedTargets: readonly DatedChange[] | undefined): void => {
  if (datedTargets) requireDatedTargets(client.datesTargets(), '--from')
}
