import { type HostileFile, range } from './hostile-file.ts'
import { gzipParts } from './packed.ts'

const HEADER = 'user,kpi,date,actual\n'
const DRY_RUN = ['entries', 'import', 'FILE', '--dry-run']
const CREATING = [
  '--create-missing',
  '--frequency',
  'D',
  '--unit',
  'Number',
  '--email-pattern',
  '{first}.{last}@x.example',
]
const MONTHLY = '--create-missing --frequency M --unit Number --create-assignments --on-duplicate last'.split(' ')
const MANY_USERS = 5000

type More = Pick<HostileFile, 'command' | 'users' | 'namedAs'>

const rows = (name: string, content: () => string, more: More = {}): HostileFile => ({
  name: `rows: ${name}`,
  file: 'data.csv',
  make: () => Buffer.from(content()),
  ...more,
})

const unknown = (count: number, nameOf: (at: number) => string): string =>
  HEADER + range(count, (at) => `${nameOf(at)},Sales,2026-01-05,${at}\n`)

/** Packs so many rows, of the same letters, that a file of 5 MB may just stand for them. */
const packed = (name: string, row: string, args: readonly string[]): HostileFile => ({
  name: `rows: ${name}`,
  file: 'data.csv.gz',
  make: () =>
    gzipParts([
      [HEADER, 1],
      [row.repeat(10_000), Math.floor((310 * 1024 ** 2) / (row.length * 10_000))],
    ]),
  command: [...DRY_RUN, '--summary-only', ...args],
})

/** Files of many rows that need much work once they are read: suggestions, rejects, and what is to be created. */
export const ROWS: readonly HostileFile[] = [
  rows('100,000 unknown users beside 5,000', () => unknown(100_000, (at) => `Gona${at} Burg${at * 3}`), {
    users: MANY_USERS,
  }),
  rows('130,000 new users', () => unknown(130_000, (at) => `Z${at} Q${at}`), { command: [...DRY_RUN, ...CREATING] }),
  rows('110,000 new users beside 5,000', () => unknown(110_000, (at) => `Anna${at} Birg${at}`), {
    command: [...DRY_RUN, ...CREATING],
    users: MANY_USERS,
  }),
  rows('35,000 new users of long names', () => unknown(35_000, (at) => `${'Ab'.repeat(22)}${at} ${'Cd'.repeat(24)}`), {
    command: [...DRY_RUN, ...CREATING],
    users: MANY_USERS,
  }),
  rows('950,000 rejects, shown', () => HEADER + ',,,1\n'.repeat(950_000), { command: DRY_RUN }),
  rows('950,000 rejects, written', () => HEADER + ',,,1\n'.repeat(950_000), { command: ['entries', 'import', 'FILE'] }),
  rows(
    '150 rows of 16,000 rejects',
    () => `user,kpi${range(16_000, (at) => `,${new Date(86_400_000 * at).toISOString().slice(0, 10)}`)}\n` + `admin@localhost,Sales${',1'.repeat(16_000)}\n`.repeat(20) + `admin@localhost,Sales${',x'.repeat(16_000)}\n`.repeat(130), // prettier-ignore
    { command: [...DRY_RUN, ...CREATING, '--on-duplicate', 'last'] },
  ),
  rows(
    '150,000 unknown numbers beside 5,000 users of numbered names',
    () => unknown(150_000, (at) => `${100_000 + at}`),
    {
      users: MANY_USERS,
      namedAs: (at) => [`Shop${at}`, `${at}`],
    },
  ),
  rows('the names of 5,000 users, exported', () => HEADER, {
    command: ['entries', 'export', '--names', '--to-file', 'FILE', '--force'],
    users: MANY_USERS,
  }),
  packed('65,000,000 rejects', ',,,1\n', []),
  packed('9,000,000 rows of one entry', 'admin@localhost,Sales,2026-01-05,1\n', [
    ...CREATING,
    '--create-assignments',
    '--on-duplicate',
    'last',
  ]),
  packed('8,000,000 rows of a monthly KPI', 'admin@localhost,Sales,2026-01-05,1\n', [
    ...MONTHLY,
    '--period-dates',
    'first',
  ]),
  packed('3,500,000 rows of a day of a monthly KPI', `admin@localhost,Sales,2026-01-05,${'0'.repeat(50)}1\n`, MONTHLY),
  {
    name: 'rows: 1,200,000 rejects and a pair that is there twice',
    file: 'data.csv.gz',
    make: () =>
      gzipParts([
        [`${HEADER}${'admin@localhost,Sales,2026-01-05,1\n'.repeat(2)}`, 1],
        [',,,1\n'.repeat(10_000), 120],
      ]),
    command: ['entries', 'import', 'FILE', ...CREATING, '--create-assignments'],
  },
  {
    name: 'assignments: 170,000 unknown users beside 5,000',
    file: 'data.csv',
    make: () => Buffer.from(`user,kpi\n${range(170_000, (at) => `Gona${at} Burg${at * 3},Sales\n`)}`),
    command: ['assign', 'import', 'FILE', '--dry-run'],
    users: MANY_USERS,
  },
]
