/**
 * Which answers of a service, that do not say so, are believed to mean that all was stored: those that looked alike once, when
 * that was seen to be there.
 */
export type Beliefs = { readonly has: (shape: string) => boolean; readonly add: (shape: string) => void }

export const createBeliefs = (): Beliefs => new Set<string>()
