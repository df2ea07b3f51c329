import type { NotedChange, RecordedChange, RunRecord } from './run-record.ts'

/** Stands for a kind in changes of entries, which an undo takes back by themselves. */
const KIND = 'entry'

/** Describes entries that a run deletes, or puts a group item onto or takes it off. */
type EntriesChange = Pick<RecordedChange, 'action' | 'name'> & {
  readonly count: number
  /** Names the run under which the service keeps what becomes of them; undefined where the record notes the entries. */
  readonly serviceRun?: string | undefined
  /** Tells that a group item is taken off, and not put onto them. */
  readonly isOff?: boolean
}

/** Tells whether a change is of entries. */
export const isOfEntries = ({ kind }: Pick<RecordedChange, 'kind'>): boolean => kind === KIND

/** Notes a change of entries that is about to be sent; returns its id. */
export const intendEntries = (
  run: Pick<RunRecord, 'intend' | 'changes'>,
  { action, name, count, serviceRun, isOff }: EntriesChange,
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
      before: { entries: count },
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

/** Tells whether a change took a group item off entries. */
export const tookOff = ({ after }: Pick<NotedChange, 'after'>): boolean => after?.['is_off'] === true

/** Counts the entries of a change that the service keeps; others stand in the record. */
export const countKept = (change: Pick<NotedChange, 'kind' | 'before' | 'after'>): number =>
  serviceRunOf(change) === undefined ? 0 : Number(change.before?.['entries'] ?? 0)
