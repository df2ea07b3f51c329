/** A file that is made to hold up whoever reads it. */
export type HostileFile = {
  readonly name: string
  /** Its name on the disk. */
  readonly file: string
  readonly make: () => Buffer
  /** Holds a file that it names. */
  readonly beside?: { readonly file: string; readonly make: () => Buffer }
  /** Flags beside it, or the whole command in which `FILE` stands for it. */
  readonly args?: readonly string[]
  readonly command?: readonly string[]
  /** Counts the users whom the account has; none unless it is given. */
  readonly users?: number
  /** Returns the first and the last name of each of them. */
  readonly namedAs?: (at: number) => readonly [first: string, last: string]
}

/** Joins so many texts. */
export const range = (count: number, textOf: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => textOf(at)).join('')
