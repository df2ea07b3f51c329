/**
 * Lets other requests have their turn: long work calls it again and again, and awaits the promise where one is
 * returned.
 */
export type Pause = () => Promise<void> | undefined

/** Never pauses: for work that nobody waits beside, such as that of a command. */
export const neverPause: Pause = () => undefined
