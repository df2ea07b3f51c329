import { type FaultyAccount, type Held, type Kept, keyOf, type Number4, readNumber4 } from './account.ts'

/** What is wrong with an entry. */
export type Fault = { readonly index?: number; readonly field: string; readonly message: string }

/** The body of an entry as it was sent. */
export type Sent = Readonly<Record<string, unknown>>

/** An entry that may be kept. */
type Judged = { readonly key: Pick<Kept, 'user' | 'kpi' | 'date'>; readonly held: Held }

/** An actual that the service refuses for a reason of its own, which nobody can know before. */
export const UNLUCKY = 1313n * 10_000n

const NOTHING: Held = { actual: null, target: null, notes: null }

const textOf = (value: unknown): string => {
  if (JSON.isRawJSON(value)) return value.rawJSON
  return typeof value === 'number' || typeof value === 'string' ? String(value) : ''
}

/** A number of a body: undefined where it is left out, `NaN` where it is none. */
const numberIn = (body: Sent, name: string): Number4 | null | undefined | 'bad' => {
  const value = body[name]
  if (value === undefined || value === null) return value
  return readNumber4(textOf(value)) ?? 'bad'
}

const notesIn = ({ notes }: Sent): string | null | undefined => {
  if (notes === undefined || notes === null) return notes
  return textOf(notes).trim().replaceAll(/\r\n?/g, '\n') || null
}

const nextActual = (before: Held, sent: Number4 | null | undefined, body: Sent): Number4 | null => {
  if (body['addToActual'] === true)
    return sent === null || sent === undefined ? before.actual : (before.actual ?? 0n) + sent
  return sent === undefined ? before.actual : sent
}

/** The user whom a body names; in the newer variant the item of a person is its user. */
const userIn = (body: Sent): number => Number(textOf(body['user_id'] ?? body['source_id']))

/** What a body comes to upon what is stored under its key, or what is wrong with it. */
export const judge = (account: FaultyAccount, body: Sent, before: Held | undefined): Judged | readonly Fault[] => {
  const [actual, target, notes] = [numberIn(body, 'actual'), numberIn(body, 'target'), notesIn(body)]
  const key = { user: userIn(body), kpi: Number(textOf(body['kpi_id'])), date: textOf(body['entry_date']) }
  const [kpi, user] = [account.kpis.find(({ id }) => id === key.kpi), account.users.find(({ id }) => id === key.user)]
  const stored = before ?? NOTHING
  const faults = [
    ...(user ? [] : [{ field: 'user_id', message: `there is no user ${key.user}` }]),
    ...(user?.isLocked ? [{ field: 'user_id', message: `user ${key.user} is locked` }] : []),
    ...(kpi ? [] : [{ field: 'kpi_id', message: `there is no KPI ${key.kpi}` }]),
    ...(kpi?.isActive === false ? [{ field: 'kpi_id', message: `KPI ${key.kpi} is inactive` }] : []),
    ...(kpi && user && !user.kpis.includes(kpi.id) ? [{ field: 'kpi_id', message: 'it is not assigned' }] : []),
    ...(/^\d{4}-\d\d-\d\d$/.test(key.date) ? [] : [{ field: 'entry_date', message: 'must be a date' }]),
    ...(actual === 'bad' ? [{ field: 'actual', message: 'must be a number' }] : []),
    ...(target === 'bad' ? [{ field: 'target', message: 'must be a number' }] : []),
    ...(actual === UNLUCKY ? [{ field: 'actual', message: 'is not believed' }] : []),
  ]
  if (faults.length > 0 || actual === 'bad' || target === 'bad') return faults
  const held = {
    actual: nextActual(stored, actual, body),
    target: kpi?.target === null || target === undefined ? stored.target : target,
    notes: notes === undefined ? stored.notes : notes,
  }
  const isEmpty = held.actual === null && (kpi?.target === null || held.target === null) && held.notes === null
  return isEmpty ? [{ field: 'actual', message: 'is required' }] : { key, held }
}

/** A change of an entry: what it held before, and holds then; undefined where it is not there. */
export type Written = { readonly key: string; readonly before: Kept | undefined; readonly after: Kept | undefined }

/** The entries of a faulty service, which may hold several under one key. */
export type Ledger = {
  readonly list: () => readonly Kept[]
  readonly find: (key: string) => Kept | undefined
  readonly byId: (id: number) => Kept | undefined
  readonly add: (key: Pick<Kept, 'user' | 'kpi' | 'date'>, held: Held) => Kept
  readonly change: (id: number, to: Omit<Kept, 'id'>) => Kept
  readonly remove: (id: number) => void
  /** All that was written, also where it changed nothing. */
  readonly written: readonly Written[]
}

/** Keeps entries in memory. */
export const createLedger = (
  entries: readonly Kept[],
  now: () => number,
  rewrites: (held: Held) => Held = (held) => held,
): Ledger => {
  const kept = new Map<number, Kept>()
  const idsOf = new Map<string, Set<number>>()
  let nextId = Math.max(0, ...entries.map(({ id }) => id)) + 1
  const written: Written[] = []
  const drop = (id: number): void => {
    const one = kept.get(id)
    if (one) idsOf.get(keyOf(one))?.delete(id)
    kept.delete(id)
  }
  const put = (one: Kept): Kept => {
    drop(one.id)
    kept.set(one.id, one)
    idsOf.set(keyOf(one), (idsOf.get(keyOf(one)) ?? new Set()).add(one.id))
    return one
  }
  const write = (one: Kept): Kept => {
    written.push({ key: keyOf(one), before: kept.get(one.id), after: one })
    return put(one)
  }
  for (const one of entries) put(one)
  return {
    list: () => [...kept.values()],
    find: (key) => {
      const [first] = idsOf.get(key) ?? []
      return first === undefined ? undefined : kept.get(first)
    },
    byId: (id) => kept.get(id),
    add: (key, held) => {
      const id = nextId
      nextId += 1
      return write({ ...key, ...rewrites(held), id, createdAt: now() })
    },
    change: (id, to) => write({ ...kept.get(id), ...to, ...rewrites(to), id }),
    remove: (id) => {
      const before = kept.get(id)
      if (before) written.push({ key: keyOf(before), before, after: undefined })
      drop(id)
    },
    written,
  }
}
