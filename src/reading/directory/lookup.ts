import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { Client } from '../../client/client.ts'
import { Ambiguous, type Named } from '../../client/directory.ts'
import { isForbidden } from '../../client/operations/read-if-allowed.ts'
import { Fault, KpiError } from '../../domain/errors.ts'
import type { Resource } from '../../domain/schema.ts'
import { scopeNeeded } from '../../domain/variants.ts'
import { Misread, NoName } from '../formats/evidence.ts'
import { isExactly, isMeantName, whyNoName } from '../../changes/names/doubtful-names.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { type NameRole, type NumbersAs, titleOfRole } from '../options/options.ts'

/** Holds the first id of things that do not exist yet; no service gives ids that large. */
export const PROVISIONAL_ID = 2 ** 40

/** Tells whether an id, or the number of an owner, is of something that does not exist yet. */
export const isProvisional = (id: number): boolean => Math.abs(id) >= PROVISIONAL_ID

/** Tells whether a draft belongs to something that does not exist yet. */
export const isProvisionalDraft = ({ user_id, source_id, kpi_id }: EntryDraft): boolean =>
  isProvisional(kpi_id) || isProvisional(user_id ?? 0) || isProvisional(source_id ?? 0)

/** Returns something as messages call it: without an id as long as it does not exist. */
export const withRealId = <T extends { readonly id: number }>(one: T): Omit<T, 'id'> & { id: number | undefined } => ({
  ...one,
  id: isProvisional(one.id) ? undefined : one.id,
})

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

/** Tells whether a text is no name of a role; a KPI may count errors. */
export const isNoNameOf = (role: NameRole): ((text: string) => boolean) => {
  const mayCount = role === 'kpi'
  return (text) => isNoName(text, mayCount)
}

/**
 * Restricts how names are found: what names nothing, such as `NA`, means only what has exactly that name, and not `Na`,
 * unless `--by-name` says that it is a name.
 */
export const exactNoNames = <T extends Named>(
  lookup: Lookup<T>,
  role: NameRole,
  numbersAs: ReadonlyMap<string, NumbersAs> | undefined,
): Lookup<T> => {
  if (isMeantName(numbersAs, role)) return lookup
  const isNone = isNoNameOf(role)
  return {
    ...lookup,
    find: (text) => {
      const found = lookup.find(text)
      if (!isNone(text) || found instanceof Ambiguous) return found
      if (found instanceof Fault) {
        return new NoName(
          `"${text.trim()}" ${whyNoName(text)}, and there is no ${titleOfRole(role)} of that name; correct the file`,
        )
      }
      if (isExactly(found.name, text)) return found
      const way = numbersAs?.get(role) === 'ids' ? '' : `; --by-name ${role} takes "${found.name}" for it`
      return new Fault(
        `"${text.trim()}" may stand for no value, and no ${titleOfRole(role)} has exactly that name${way}`,
      )
    },
  }
}
