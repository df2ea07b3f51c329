import type { Held } from './account.ts'
import type { Variant } from '../../../src/domain/variants.ts'

/** What a service is like, where services differ. */
export type Kind = {
  readonly name: string
  readonly variant: Variant
  /** Whether it says that it is ours, and does a POST with an Idempotency-Key once. */
  readonly isBundled: boolean
  /** What it does with a batch: takes it, or does not know such a path. */
  readonly batch: 'taken' | 404 | 405
  /** What it says of a batch that it refuses: all that is wrong with which entry, the first such thing, or only that. */
  readonly refusal: 'all' | 'first' | 'nobody'
  /** What a POST, and a batch, does to an entry that is there already: changes it, is refused, or makes another one beside it. */
  readonly post: 'upsert' | 'conflict' | 'double'
  /** Whether the key may read. */
  readonly reads: boolean
  /** What it makes of an entry as it stores it. */
  readonly rewrites?: (held: Held) => Held
}

const BUNDLED = { isBundled: true, batch: 'taken', refusal: 'all', post: 'upsert', reads: true } as const
const FOREIGN = { ...BUNDLED, isBundled: false } as const

const onNotes =
  (rewrite: (notes: string) => string) =>
  (held: Held): Held => ({ ...held, notes: held.notes === null ? null : rewrite(held.notes) })

const inSingle = (value: bigint | null): bigint | null =>
  value === null ? null : BigInt(Math.round(Math.fround(Number(value) / 10_000) * 10_000))

const REWRITES: Readonly<Record<string, (held: Held) => Held>> = {
  'cuts notes': onNotes((notes) => notes.slice(0, 3)),
  'writes notes in capitals': onNotes((notes) => notes.toUpperCase()),
  'writes something before notes': onNotes((notes) => (notes.startsWith('note: ') ? notes : `note: ${notes}`)),
  'keeps numbers in 32 bits': (held) => ({ ...held, actual: inSingle(held.actual), target: inSingle(held.target) }),
  'rounds to whole numbers': (held) => ({
    ...held,
    actual: held.actual === null ? null : (held.actual / 10_000n) * 10_000n,
  }),
}

/** Services that store something else than they are sent, and make a second entry of one that is there, or change it. */
const rewriting: readonly Kind[] = Object.entries(REWRITES).flatMap(([what, rewrites]) => [
  { ...FOREIGN, name: `foreign, ${what}`, variant: 'classic', rewrites },
  { ...FOREIGN, name: `foreign, makes doubles and ${what}`, variant: 'classic', post: 'double', rewrites },
  {
    ...FOREIGN,
    name: `foreign, no batches, doubles and ${what}`,
    variant: 'classic',
    batch: 404,
    post: 'double',
    rewrites,
  },
])

/** The kinds of services that there are, or may be. */
export const kinds: readonly Kind[] = [
  { ...BUNDLED, name: 'ours', variant: 'classic' },
  { ...BUNDLED, name: 'ours, newer', variant: 'v1' },
  { ...BUNDLED, name: 'ours, newer, a key that only writes', variant: 'v1', reads: false },
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
  { ...FOREIGN, name: 'foreign, batches are refused for what is there', variant: 'classic', post: 'conflict' },
  ...rewriting,
]
