import { type HostileFile, range } from './hostile-file.ts'

const plan = (name: string, content: () => string): HostileFile => ({
  name: `plan: ${name}`,
  file: 'account.yaml',
  make: () => Buffer.from(content()),
  command: ['plan', 'FILE', '--summary-only'],
})

const job = (name: string, content: () => string): HostileFile => ({
  name: `job: ${name}`,
  file: 'job.yaml',
  make: () => Buffer.from(`steps:\n${content()}`),
  command: ['run', 'FILE'],
})

/** A job that imports a file, with a flag of very many parts. */
const jobWith = (flag: string, count: number, partOf: (at: number) => string, content: () => string): HostileFile => ({
  ...job(
    `${count} parts of --${flag}`,
    () =>
      `  - import: data.csv\n    flags:\n      dry-run: true\n      summary-only: true\n      ${flag}: '${range(count, (at) => `${partOf(at)},`)}z=z'\n`,
  ),
  beside: { file: 'data.csv', make: () => Buffer.from(content()) },
})

const ENTRIES = 'user,kpi,date,actual\n'
const wideHeader = (): string => `user,date${range(4000, (at) => `,n${at}`)}\nadmin@localhost,2026-01-05\n`

const table = (name: string, noun: string, content: () => string): HostileFile => ({
  name: `definitions: ${name}`,
  file: 'data.csv',
  make: () => Buffer.from(content()),
  command: [noun, 'import', 'FILE', '--dry-run'],
})

const UNIT = { name: '#', entry_format: '#', display_format: '#' }
const jsonOfKpis = (count: number): string =>
  JSON.stringify({
    units: [UNIT],
    kpis: Array.from({ length: count }, (_, at) => ({ name: `K${at}`, unit: '#', frequency: 'D' })),
  })

/** Configurations, jobs, the patterns in these, and files of definitions. */
export const DEFINITIONS: readonly HostileFile[] = [
  plan('100,000 KPIs, as JSON', () => jsonOfKpis(100_000)),
  plan(
    '100,000 KPIs',
    () => `kpis:\n${range(100_000, (at) => `  - name: K${at}\n    unit: Number\n    frequency: D\n`)}`,
  ),
  plan(
    '50,000 formulas of each other',
    () => `calculated:\n${range(50_000, (at) => `  - name: C${at}\n    formula: '[C${at + 1}] + 1'\n`)}`,
  ),
  plan('400,000 keys of a KPI', () => `{"kpis":[{${range(400_000, (at) => `"k${at}":1,`)}}]}`),
  plan('400,000 sections of one name', () => `{${'"kpis":[],'.repeat(400_000)}}`),
  plan('5,000,000 brackets', () => '['.repeat(5_000_000)),
  plan('2,900 blocks in each other', () => range(2900, (at) => `${' '.repeat(at)}a:\n`)),
  plan('500,000 keys that are the same', () => 'a: 1\n'.repeat(500_000)),
  plan('200,000 keys that are lists', () => '? [a]\n: b\n'.repeat(200_000)),
  plan('400,000 aliases in lines', () => `x: &a 1\nkpis:\n${'- *a\n'.repeat(400_000)}`),
  plan('900,000 aliases', () => `x: &k 1\nkpis: [${'*k,'.repeat(900_000)}]`),
  plan('110,000 merges', () => `x: &k { name: a }\nkpis:\n${'- <<: *k\n'.repeat(110_000)}`),
  plan('1,600,000 tags', () => `a: ${'!x '.repeat(1_600_000)}`),
  plan('2,400,000 commas', () => `kpis: [${'a,'.repeat(2_400_000)}]`),
  plan('1,200,000 documents', () => '---\n'.repeat(1_200_000)),
  job('300,000 steps', () => '  - check:\n'.repeat(300_000)),
  job('900 steps with faults', () => range(900, () => '  - import: x*.csv\n    flags: { from: x, foo: 1 }\n')),
  job('200,000 patterns', () => `  - import:\n${range(200_000, (at) => `      - f${at}*.csv\n`)}`),
  job('a pattern of 2^28 alternatives', () => `  - import: '${'{a,b}'.repeat(28)}*.csv'\n`),
  job('a pattern of 30 wildcards', () => `  - import: '${'*a'.repeat(30)} b.csv'\n`),
  jobWith(
    'ignore-rows',
    100_000,
    (at) => `p${at}*`,
    () => ENTRIES + 'admin@localhost,Sales,2026-01-05,7\n'.repeat(20_000),
  ),
  jobWith(
    'map-kpi',
    85_000,
    (at) => `${at}=S`,
    () => `${ENTRIES}admin@localhost,Sales,2026-01-05,7\n`,
  ),
  jobWith('columns', 100_000, (at) => `n${at}`, wideHeader),
  jobWith('ignore', 100_000, (at) => `m${at}`, wideHeader),
  job('a pattern for all files', () => '  - import: /**/*.zzz\n'),
  table('200,000 KPIs', 'kpis', () => `name,unit,frequency\n${range(200_000, (at) => `k${at},Number,D\n`)}`),
  table('170,000 assignments', 'assign', () => `user,kpi\n${range(170_000, (at) => `u${at}@x.example,Sales\n`)}`),
  {
    name: 'settings: 500,000 names',
    file: 'kpi.yaml',
    make: () => Buffer.from(range(500_000, (at) => `${at}a:\n`)),
    command: ['kpis', 'list'],
  },
]
