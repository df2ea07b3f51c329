import { entryOf, post, put, STORED } from './questions.ts'
import type { Row } from './row.ts'
import { IDS } from './ids.ts'

const { ANN, BOB, ENTRY, FREE, LOU, NEW_ENTRY, NOBODY, OLD, RATIO, SALES, VISITS } = IDS

const refusedEntry = (what: string, fields: object, ...faults: string[]): Row => ({
  ...post('/kpientries', 'KPIEntry', { ...entryOf({ actual: 1 }), ...fields }),
  what: `refuses ${what}`,
  status: 400,
  faults,
})

const madeEntry = (what: string, fields: object, told: object, id: number = NEW_ENTRY): Row => ({
  ...post('/kpientries', 'KPIEntry', { ...entryOf({}), ...fields }),
  what,
  status: 201,
  of: 'KPIEntry',
  tells: { id, ...told },
  sends: { location: `/api/kpientries/${id}` },
  after: [`/kpientries/${id}`, { id, ...told }],
})

/** One entry. */
export const entryRows: readonly Row[] = [
  refusedEntry('nobody', { user_id: null }, 'user_id'),
  refusedEntry('an unknown address', { user_id: null, email: 'x@example.com' }, 'email'),
  refusedEntry('an address of somebody else', { email: 'bob@example.com' }, 'email'),
  refusedEntry('a locked user', { user_id: LOU }, 'user_id'),
  refusedEntry('an inactive KPI', { kpi_id: OLD }, 'kpi_id'),
  refusedEntry('a calculated KPI', { kpi_id: RATIO }, 'kpi_id'),
  refusedEntry('a KPI that is not assigned', { kpi_id: FREE }, 'kpi_id'),
  refusedEntry('nothing', { actual: null }, 'actual'),
  refusedEntry('only a target where the KPI has none', { kpi_id: VISITS, actual: null, target: 5 }, 'actual'),
  refusedEntry(
    'to clear all that is there',
    { entry_date: '2026-11-20', actual: null, target: null, notes: null },
    'actual',
  ),
  refusedEntry('to add beyond 14 digits', { ...STORED, actual: '99999999999999', addToActual: true }, 'actual'),
  refusedEntry(
    'everything that is wrong',
    { user_id: LOU, kpi_id: NOBODY, entry_date: 'x', actual: 'y' },
    'user_id',
    'kpi_id',
    'entry_date',
    'actual',
  ),
  madeEntry('takes an address', { user_id: null, email: 'Ann@Example.com', actual: 1 }, { user_id: ANN, actual: 1 }),
  madeEntry(
    'takes a date with midnight',
    { entry_date: '2026-11-18T00:00:00', actual: 1 },
    { entry_date: '2026-11-18' },
  ),
  madeEntry('takes notes alone', { notes: 'only' }, { actual: null, notes: 'only' }),
  madeEntry(
    'drops a target where the KPI has none',
    { kpi_id: VISITS, actual: 1, target: 5 },
    { actual: 1, target: null },
  ),
  madeEntry('updates the one with its key', { ...STORED, actual: 9 }, { actual: 9, target: 7, notes: 'n' }, ENTRY),
  madeEntry('clears with null', { ...STORED, target: null }, { actual: 5, target: null }, ENTRY),
  madeEntry('adds to the actual', { ...STORED, actual: 0.5, addToActual: 'true' }, { actual: 5.5 }, ENTRY),
  madeEntry(
    'keeps what flags say',
    { ...STORED, actual: 1, target: 1, notes: 'x', setActual: false, setTarget: false, setNotes: false },
    { actual: 5, target: 7, notes: 'n' },
    ENTRY,
  ),
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { entry_date: '2026-11-21' }),
    what: 'cannot take the place of another',
    status: 409,
  },
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { entry_date: '2026-11-01', kpi_id: VISITS }),
    what: 'moves',
    status: 200,
    of: 'KPIEntry',
    tells: { kpi_id: VISITS, entry_date: '2026-11-01', target: null },
    after: [`/kpientries/${ENTRY}`, { kpi_id: VISITS }],
  },
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { user_id: LOU }),
    what: 'does not move to a locked user',
    status: 400,
    faults: ['user_id'],
  },
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { user_id: BOB }),
    what: 'does not move to who does not have the KPI',
    status: 400,
    faults: ['kpi_id'],
  },
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { actual: null, target: null, notes: '' }),
    what: 'is not emptied',
    status: 400,
    faults: ['actual'],
  },
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { actual: 2, addToActual: true }),
    what: 'adds to the actual',
    status: 200,
    of: 'KPIEntry',
    tells: { actual: 7 },
  },
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { actual: 8 }),
    what: 'corrects history of who is locked and what is inactive',
    before: [put(`/users/${ANN}`, 'User', { user_status_id: 'L' }), put(`/kpis/${SALES}`, 'KPI', { is_active: false })],
    status: 200,
    of: 'KPIEntry',
    tells: { actual: 8 },
  },
]
