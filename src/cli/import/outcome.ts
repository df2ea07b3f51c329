import { EXIT } from '../exit.ts'

/** What the work on a file came to: an exit code, a word for it, and what is not done, a line each. */
export type Outcome = { readonly exit: number; readonly code: string; readonly said: readonly string[] }

/** All is done. */
export const DONE: Outcome = { exit: EXIT.done, code: 'done', said: [] }
