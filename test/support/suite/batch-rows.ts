import { entryOf, STORED } from './questions.ts'
import type { Row } from './row.ts'
import { IDS } from './ids.ts'

const { ENTRY, LOU, NEW_ENTRY, NOBODY } = IDS

const LIST = 'POST /kpientries/list'
const batch = (
  what: string,
  body: object,
  rows: readonly [created: number, updated: number, unchanged: number],
  ...after: readonly (readonly [number, object])[]
): Row => ({
  ask: LIST,
  root: 'KPIEntryList',
  what,
  body,
  status: 200,
  of: 'KPIEntryListResult',
  tells: { rows_added: rows[0] + rows[1], rows_created: rows[0], rows_updated: rows[1], rows_unchanged: rows[2] },
  sends: { location: undefined },
  ...(after[0] && { after: [`/kpientries/${after[0][0]}`, after[0][1]] as const }),
})

const refusedBatch = (what: string, body: object, ...faults: string[]): Row => ({
  ask: LIST,
  root: 'KPIEntryList',
  what: `refuses ${what}`,
  body,
  status: 400,
  faults,
  after: [`/kpientries/${NEW_ENTRY}`, 404],
})

/** Batches. */
export const batchRows: readonly Row[] = [
  batch(
    'adds and updates',
    {
      entries: [
        entryOf({ actual: 1 }),
        entryOf({ ...STORED, actual: 6 }),
        entryOf({ entry_date: '2026-11-21', actual: 1.5 }),
      ],
    },
    [1, 1, 1],
    [NEW_ENTRY, { actual: 1 }],
  ),
  batch(
    'takes a key twice, the later wins',
    { entries: [entryOf({ actual: 1 }), entryOf({ actual: 2 })] },
    [1, 1, 0],
    [NEW_ENTRY, { actual: 2 }],
  ),
  batch(
    'keeps actuals, targets and notes',
    {
      entries: [entryOf({ ...STORED, actual: 9, target: 9, notes: 'x' })],
      hasActuals: false,
      hasTargets: false,
      hasNotes: 'false',
    },
    [0, 0, 1],
    [ENTRY, { actual: 5, target: 7, notes: 'n' }],
  ),
  batch(
    'takes the flags of each',
    { entries: [entryOf({ ...STORED, actual: 1, addToActual: true, notes: 'x', setNotes: false })], hasActuals: true },
    [0, 1, 0],
    [ENTRY, { actual: 6, notes: 'n' }],
  ),
  batch('ignores unknown fields', { entries: [{ ...entryOf({ actual: 1 }), id: 5, unknown: 1 }], other: 1 }, [1, 0, 0]),
  refusedBatch(
    'all for the faults of some',
    {
      entries: [
        entryOf({ actual: 1 }),
        { user_id: LOU, kpi_id: NOBODY, entry_date: '2026-11-19', actual: 'x' },
        entryOf({ entry_date: '2026-11-18' }),
      ],
    },
    '1.user_id',
    '1.kpi_id',
    '1.actual',
    '2.actual',
  ),
  refusedBatch('an empty list', { entries: [] }, 'entries'),
  refusedBatch('no list', { hasActuals: true }, 'entries'),
  refusedBatch('a list of null', { entries: [null] }, '0.entries'),
  refusedBatch('flags that are none', { entries: [entryOf({ actual: 1 })], hasActuals: 'perhaps' }, 'hasActuals'),
  refusedBatch('5,001 entries', { entries: Array.from({ length: 5001 }, () => entryOf({ actual: 1 })) }, 'entries'),
  { ...refusedBatch('a list that is none', { entries: 5 }, 'entries'), only: 'json' },
]
