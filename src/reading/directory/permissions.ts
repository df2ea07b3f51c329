import type { Client } from '../../client/client.ts'
import type { Named } from '../../client/directory.ts'
import { isForbidden } from '../../client/operations/read-if-allowed.ts'
import { type Fault, KpiError } from '../../domain/errors.ts'
import type { Resource } from '../../domain/schema.ts'
import { scopeNeeded } from '../../domain/variants.ts'
import { Misread } from '../formats/evidence.ts'

/** Finds what headers and cells name. If the key may not read the list, any id is accepted. */
export type Lookup<T extends Named = Named> = {
  readonly find: (text: string) => Named | Fault
  readonly byId: ReadonlyMap<number, T>
  /** Returns something with a provisional id for a name that nothing has, if the import creates what is missing. */
  readonly create?: (text: string) => Named | Fault
  /** Names what could not be read, and the scope that is needed to read it. */
  readonly unread?: string | undefined
}

/**
 * Checks that the key may write, with an empty batch, which changes nothing. So a key that may only read is reported in
 * time, and one without any access is not taken for one that may only write.
 */
export const requireWriteAccess = async ({ variant, entries }: Client): Promise<void> => {
  if (variant === 'classic') return
  try {
    await entries.addMany([])
  } catch (error) {
    if (isForbidden(error)) throw new KpiError('forbidden', `${error.message}; nothing was sent`, { cause: error })
    // An empty batch proves access even if it is refused as invalid; any other problem shows when reading.
    if (!(error instanceof KpiError) || error.code === 'unauthorized') throw error
  }
}

/** Says what the key may not read. */
export const mayNotRead = (unread: string): string => `the key may not read ${unread}`

const ID = /^#?([1-9]\d{0,14})$/

/**
 * Creates a lookup for things that the key may not read: it accepts ids only, unchecked. `what` names them in the
 * plural.
 */
export const lookupOfIds = (what: string, of: Resource): Lookup<never> => {
  const unread = `${what} (${scopeNeeded(of, 'list')})`
  return {
    byId: new Map<number, never>(),
    unread,
    find: (text) => {
      const name = text.trim()
      const [, id] = ID.exec(name) ?? []
      if (id !== undefined) return { id: Number(id), name }
      return new Misread(`${mayNotRead(unread)}, so give the id instead of "${name}"`)
    },
  }
}
