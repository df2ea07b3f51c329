import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import type { AnyRecord } from '../domain/schema.ts'
import { camelCase, type FlagValues } from './flags.ts'
import { idsIn, type NamedKind } from './names.ts'

/** What users are given: its kind, the flag that lists some, and several of them as people say it. */
export type Assignable = { readonly kind: NamedKind; readonly flag: string; readonly title: string }

/** A user, and the id of something that they have or are to have. */
export type Pair = { readonly user: number; readonly id: number }

/** Adds the flags that list users, and what is theirs. */
export const withPairs = (command: Command, { flag, title }: Assignable): Command =>
  command
    .requiredOption(`--${flag} <list>`, `${title} by id or name, with commas between them`)
    .requiredOption('--users <list>', 'users by id, name or e-mail address, with commas between them')

const listOf = (flags: FlagValues, flag: string): string => String(flags[camelCase(flag)])

const usersOf = (client: Client, flags: FlagValues): Promise<number[]> =>
  idsIn(client, 'user', '--users', listOf(flags, 'users'))

/** Every user of a line with everything that it lists. */
export const pairsOf = async (client: Client, { kind, flag }: Assignable, flags: FlagValues): Promise<Pair[]> => {
  const ids = await idsIn(client, kind, `--${flag}`, listOf(flags, flag))
  const users = await usersOf(client, flags)
  return users.flatMap((user) => ids.map((id) => ({ user, id })))
}

/** What is to be confirmed before it is done. */
export const removalOf = ({ flag, title }: Assignable, flags: FlagValues): string =>
  `remove ${title} ${listOf(flags, flag)} from users ${listOf(flags, 'users')}`

/** What the users of a line have, or everybody has. */
export const ofUsers = async <T extends AnyRecord>(
  client: Client,
  flags: FlagValues,
  list: (user: number) => Promise<readonly T[]>,
): Promise<T[]> => {
  const all = async (): Promise<number[]> => (await client.users.list()).map(({ id }) => id)
  const ids = await (flags['users'] === undefined ? all() : usersOf(client, flags))
  return (await Promise.all(ids.map(list))).flat()
}
