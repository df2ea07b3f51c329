import type { Key } from '../../domain/resources/key.ts'
import { type ListedKey, listedKey } from '../../domain/resources/listed-key.ts'
import type { Context } from '../../service/context.ts'
import { idAmong } from '../names.ts'

/** A key as notes call it. */
export const labelOf = ({ id, name }: Key): string => `key ${id} (${name})`

const hasEnded = ({ status }: ListedKey): boolean => status === 'revoked' || status === 'expired'

/** The keys that names stand for: those that go on, and of names whose keys have all ended the last one. */
export const calledByName = (all: readonly ListedKey[]): readonly ListedKey[] =>
  all.filter(
    (one) => !hasEnded(one) || !all.some((other) => other.name === one.name && (!hasEnded(other) || other.id > one.id)),
  )

/** Of the keys of one name only the last: while a rotation overlaps, the one before it is as good as gone. */
export const lastOfName = (all: readonly ListedKey[]): readonly ListedKey[] =>
  all.filter((one) => !all.some((other) => other.name === one.name && other.id > one.id))

/** The id of a key by id or name, of those that names are to stand for. */
export const idOfKey = async (
  ctx: Context,
  text: string,
  choose: (all: readonly ListedKey[]) => readonly ListedKey[],
): Promise<number> => {
  const { keys } = await import('../../service/keys.ts')
  return idAmong(listedKey.title, choose(await keys.list(ctx)), text)
}
