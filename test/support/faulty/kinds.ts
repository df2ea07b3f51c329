import type { Variant } from '../../../src/domain/variants.ts'

/** What a service is like, where services differ. */
export type Kind = {
  readonly name: string
  readonly variant: Variant
  /** Whether it says that it is ours, and does a POST with an Idempotency-Key once. */
  readonly isOurs: boolean
  /** What it does with a batch: takes it, or does not know such a path. */
  readonly batch: 'taken' | 404 | 405
  /** What it says of a batch that it refuses: all that is wrong with which entry, the first such thing, or only that. */
  readonly refusal: 'all' | 'first' | 'nobody'
  /** What a POST, and a batch, does to an entry that is there already: changes it, is refused, or makes another one beside it. */
  readonly post: 'upsert' | 'conflict' | 'double'
  /** Whether the key may read. */
  readonly reads: boolean
}

const OURS = { isOurs: true, batch: 'taken', refusal: 'all', post: 'upsert', reads: true } as const
const FOREIGN = { ...OURS, isOurs: false } as const

/** The kinds of services that there are, or may be. */
export const kinds: readonly Kind[] = [
  { ...OURS, name: 'ours', variant: 'classic' },
  { ...OURS, name: 'ours, newer', variant: 'v1' },
  { ...OURS, name: 'ours, newer, a key that only writes', variant: 'v1', reads: false },
  { ...FOREIGN, name: 'foreign', variant: 'classic' },
  { ...FOREIGN, name: 'foreign, one fault at a time', variant: 'classic', refusal: 'first' },
  { ...FOREIGN, name: 'foreign, refusals that name nobody', variant: 'classic', refusal: 'nobody' },
  { ...FOREIGN, name: 'foreign, newer', variant: 'v1', refusal: 'first' },
  { ...FOREIGN, name: 'foreign, newer, a key that only writes', variant: 'v1', reads: false },
  { ...FOREIGN, name: 'foreign, no batches (404)', variant: 'classic', batch: 404 },
  { ...FOREIGN, name: 'foreign, no batches (405)', variant: 'classic', batch: 405 },
  { ...FOREIGN, name: 'foreign, no batches, newer', variant: 'v1', batch: 404 },
  { ...FOREIGN, name: 'foreign, no batches, POST is refused', variant: 'classic', batch: 404, post: 'conflict' },
  { ...FOREIGN, name: 'foreign, no batches, POST makes doubles', variant: 'classic', batch: 405, post: 'double' },
  { ...FOREIGN, name: 'foreign, POST and batches make doubles', variant: 'classic', post: 'double' },
]
