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

type Fault = { readonly message?: string; readonly detail?: string }

/** What the description does not say of a body: faults of one that was taken, and those of one that seems good. */
export const unsaid = (faults: readonly string[], { status, body }: Omit<Answered, 'headers'>): readonly unknown[] => {
  if (status < 300) return faults
  if ((status !== 400 && status !== 422) || faults.length > 0) return []
  const { errors = [] } = JSON.parse(body) as { errors?: Fault[] }
  return errors.filter(({ message, detail }) => !FACTS.test(message ?? detail ?? ''))
}
