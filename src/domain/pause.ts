/** Lets other requests run: long work calls it repeatedly, and awaits the promise if it returns one. */
export type Pause = () => Promise<void> | undefined

/** Never pauses: for work of a command, beside which no other requests run. */
export const neverPause: Pause = () => undefined
