/** Lets other requests run: long work calls it repeatedly, and awaits the promise if it returns one. */
export type Pause = () => Promise<void> | undefined

/** Never pauses: for work beside which nothing else runs, such as that of a command. */
export const neverPause: Pause = () => undefined
