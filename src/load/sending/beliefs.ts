/**
 * Which answers of a service, that do not say so, are believed to mean that all was stored: those that looked alike once, when
 * that was seen to be there.
 */
export type Beliefs = { readonly has: (shape: string) => boolean; readonly add: (shape: string) => void }

/** So many are kept: where answers never look alike, none is of use again. */
const MOST = 1000

export const createBeliefs = (): Beliefs => {
  const shapes = new Set<string>()
  return {
    has: (shape) => shapes.has(shape),
    add: (shape) => {
      if (shapes.size < MOST) shapes.add(shape)
    },
  }
}
