import { listFirst } from '../../domain/count-text.ts'

/** Bounds the names that a message lists, and their characters. */
const SHOWN_NAMES = 50
const SHOWN_LENGTH = 200

/** Returns names as a message lists them: of very many, the first, and of very long ones, the beginning. */
export const listNames = (names: readonly string[]): string =>
  listFirst(names, SHOWN_NAMES, (name) => (name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name))
