import type { Answered, Description, Operation } from './description.ts'

/** An operation of a description, and where it is. */
export type Placed = {
  readonly is: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** All operations of a description. */
export const operationsOf = ({ paths }: Description): Placed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const method = name.toUpperCase()
      return { is: `${method} ${path}`, method, path, operation }
    }),
  )

/** Why a body is refused that has the form it should have: what is or is not in the account, and what is no date. */
const FACTS =
  /there is no|e-mail address|is locked|inactive|calculated|formula|already|not assigned|so a user cannot|is required(?:,| where)|after adding|does not exist|is not that of|years|cannot hold/

const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})T00:00:00$/

const plainText = (text: string): string | null => text.trim().replace(MIDNIGHT, '$1') || null

/**
 * Writes a body of the classic interface as it is described: without the blanks around text, with null for blank text,
 * and without midnight behind a day. Older clients send these; patterns for them would make generators send them, too.
 */
export const plain = (value: unknown): unknown => {
  if (typeof value === 'string') return plainText(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

type Fault = { readonly message?: string; readonly detail?: string }

/** What the description does not say of a body: faults of one that was taken, and those of one that seems good. */
export const unsaid = (faults: readonly string[], { status, body }: Omit<Answered, 'headers'>): readonly unknown[] => {
  if (status < 300) return faults
  if ((status !== 400 && status !== 422) || faults.length > 0) return []
  const { errors = [] } = JSON.parse(body) as { errors?: Fault[] }
  return errors.filter(({ message, detail }) => !FACTS.test(message ?? detail ?? ''))
}
