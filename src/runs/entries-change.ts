import type { NotedChange, RecordedChange, RunRecord } from './run-record.ts'

/** Stands for a kind in changes of entries, which an undo takes back by themselves. */
const KIND = 'entry'

/** Describes entries that a run deletes, or puts a group item onto or takes it off. */
export type EntriesChange = Pick<RecordedChange, 'action' | 'name'> & {
  readonly count: number
  /** Holds the places in the line that name them; undefined where a range of days does. */
  readonly places?: readonly number[] | undefined
  /** Names the run under which the service keeps what becomes of them; undefined where the record notes the entries. */
  readonly serviceRun?: string | undefined
  /** Tells that a group item is taken off, and not put onto them. */
  readonly isOff?: boolean
}

/** Tells whether a change is of entries. */
export const isOfEntries = ({ kind }: Pick<RecordedChange, 'kind'>): boolean => kind === KIND

const beforeOf = ({ count, places }: Pick<EntriesChange, 'count' | 'places'>): NotedChange['before'] => ({
  entries: count,
  ...(places && { places: places.join(',') }),
})

/** Notes a change of entries that is about to be sent; returns its id. */
export const intendEntries = (
  run: Pick<RunRecord, 'intend' | 'changes'>,
  { action, name, count, places, serviceRun, isOff }: EntriesChange,
): number => {
  // It has a place of its own: each part of a run changes other entries.
  const place = -1 - run.changes().length
  const [id = 0] = run.intend([
    {
      place,
      kind: KIND,
      action,
      recordId: undefined,
      parents: {},
      name,
      before: beforeOf({ count, places }),
      after: serviceRun === undefined ? undefined : { run: serviceRun, ...(isOff && { is_off: true }) },
    },
  ])
  return id
}

/** Returns the run under which the service keeps what a change made of entries. */
export const serviceRunOf = (change: Pick<NotedChange, 'kind' | 'after'>): string | undefined => {
  const run = isOfEntries(change) ? change.after?.['run'] : undefined
  return typeof run === 'string' ? run : undefined
}

/** Notes how many entries the service has changed for a change; its outcome stays unknown where none is yet. */
export const settleKept = (
  run: Pick<RunRecord, 'settle'>,
  id: number,
  changed: Pick<EntriesChange, 'count' | 'places'>,
): void => run.settle(id, changed.count > 0 ? 'done' : undefined, { before: beforeOf(changed) })

/** Returns the places in the line that name the entries of a change; undefined where a range of days does. */
export const placesOf = ({ before }: Pick<NotedChange, 'before'>): readonly number[] | undefined => {
  const places = before?.['places']
  return typeof places === 'string' ? places.split(',').map(Number) : undefined
}

/** Tells whether a change took a group item off entries. */
export const tookOff = ({ after }: Pick<NotedChange, 'after'>): boolean => after?.['is_off'] === true

/** Counts the entries of a change that the service keeps; others stand in the record. */
export const countKept = (change: Pick<NotedChange, 'kind' | 'before' | 'after'>): number =>
  serviceRunOf(change) === undefined ? 0 : Number(change.before?.['entries'] ?? 0)
