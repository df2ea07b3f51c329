/**
 * Called again and again by work that may take long: answers a promise where others are to have their turn first, and
 * nothing where the work may go on. So no request keeps the others of its process waiting.
 */
export type Pause = () => Promise<void> | undefined

/** For work that nobody waits beside, such as that of a command. */
export const neverPause: Pause = () => undefined
