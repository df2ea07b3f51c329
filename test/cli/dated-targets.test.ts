import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { day } from '../support/calendar.ts'
import { databases } from '../support/databases.ts'
import { type Fault, faultyProxy, whole } from '../support/faulty-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { jsonOf, type Shell, shellIn } from '../support/kpi.ts'
import { startService, wayTo } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'
import { embeddedUser, newerUser, remoteUserBehind, type User, users } from '../support/user.ts'

/** Ann, who is user 2, and the monthly KPI Revenue of hers; today is 2026-11-21. */
const fill = async ({ client }: User): Promise<void> => {
  await client.kpis.add(kpiNamed('Revenue', { frequency_id: 'M', target_default: 100_0000n }))
  await client.users.add(userNamed('Ann'))
  await client.assignments(2).add({ id: 1, sort_order: 1 })
}

type Shown = { readonly target_default: number; readonly target_base: number | null; readonly targets: unknown }

const shownKpi = async (user: User): Promise<Shown> => {
  const columns = 'target_default,target_base,targets'
  const [kpi] = jsonOf(await user.kpi('kpis', 'list', '--columns', columns, '-o', 'json')) as Shown[]
  if (!kpi) throw new Error('there is no KPI')
  return kpi
}

const targetsOfAnn = async (user: User): Promise<unknown> => {
  const list = jsonOf(await user.kpi('assign', 'list', '--columns', 'targets', '-o', 'json')) as { targets: unknown }[]
  return list[0]?.targets
}

const receipts = async (user: User): Promise<string[]> =>
  (jsonOf(await user.kpi('history', '-o', 'json')) as { receipt: string }[]).map(({ receipt }) => receipt)

/** Runs a line, and returns its answer with what takes it back. */
const run = async (user: User, ...line: readonly string[]) => {
  const before = await receipts(user)
  const ran = await user.kpi(...line)
  const receipt = (await receipts(user)).find((one) => !before.includes(one)) ?? ''
  return { ran, undo: (flag = '--yes') => user.kpi('undo', flag, receipt) }
}

/** The months and targets of a report, of the entries of Ann. */
const reported = async (user: User): Promise<unknown[]> => {
  const line = ['report', '--rows', '--from', '2026-01-01', '--to', '2027-12-31', '-o', 'json'] as const
  return (jsonOf(await user.kpi(...line)) as { entryDate: string; target: number | null }[]).map(
    ({ entryDate, target }) => `${entryDate.slice(0, 7)} ${target}`,
  )
}

const enter = async ({ client }: User, ...dates: readonly string[]): Promise<void> => {
  for (const date of dates) await client.entries.add({ user_id: 2, kpi_id: 1, entry_date: day(date), actual: 1n })
}

describe.each(some(1, users))('%s, --from', (_, open) => {
  test('gives a KPI a target from a day on, which an undo takes back; reports use that of the day', async () => {
    await using user = await open()
    await fill(user)
    await enter(user, '2026-12-31', '2027-01-31')
    const line = ['kpis', 'update', 'Revenue', '--target', '130', '--from', '2027'] as const
    const dry = await user.kpi(...line, '--dry-run')
    expect(dry.stdout).toContain('130 from 2027-01-01')
    const { ran, undo } = await run(user, ...line)
    expect([ran.code, ran.stderr]).toEqual([0, '--from 2027 is 2027-01-01 in UTC\n'])
    expect(ran.stdout).toContain('130 from 2027-01-01')
    expect(await shownKpi(user)).toEqual({
      target_default: 100,
      target_base: 100,
      targets: [{ from: '2027-01-01', target: 130 }],
    })
    expect(await reported(user)).toEqual(['2026-12 100', '2027-01 130'])
    expect(await undo()).toMatchObject({ code: 0 })
    expect(await shownKpi(user)).toEqual({ target_default: 100, target_base: null, targets: null })
  })

  test('gives users theirs, also with a new assignment, and ends one with an empty target', async () => {
    await using user = await open()
    await fill(user)
    await user.client.users.add(userNamed('Bob'))
    const add = ['assign', 'add', '--kpis', 'Revenue', '--users', 'bob@example.com', '--target', '70'] as const
    expect(await user.kpi(...add, '--from', '2027-01-01')).toMatchObject({ code: 0 })
    const update = ['assign', 'update', '--kpis', '1', '--users', '2'] as const
    expect(await user.kpi(...update, '--target', '60', '--from', '2027-04-01')).toMatchObject({ code: 0 })
    expect(await targetsOfAnn(user)).toEqual([{ from: '2027-04-01', target: 60 }])
    const [, bob] = jsonOf(
      await user.kpi('assign', 'list', '--columns', 'user_target,targets', '-o', 'json'),
    ) as unknown[]
    expect(bob).toEqual({ user_target: null, targets: [{ from: '2027-01-01', target: 70 }] })
    expect(await user.kpi(...update, '--target', '', '--from', '2027-04-01')).toMatchObject({ code: 0 })
    expect(await targetsOfAnn(user)).toBeNull()
  })

  test('says which dated target counts instead of one without a day, and how to change it', async () => {
    await using user = await open()
    await fill(user)
    await user.kpi('kpis', 'update', 'Revenue', '--target', '120', '--from', '2026-11-01')
    const same = await user.kpi('kpis', 'update', 'Revenue', '--target', '120', '--dry-run')
    expect(same.stdout).toContain('unchanged')
    const { ran, undo } = await run(user, 'kpis', 'update', 'Revenue', '--target', '90')
    const advice = 'kpi kpis update Revenue --target-default 90 --from 2026-11-01'
    expect(ran.stderr).toContain(`KPI Revenue has 120 from 2026-11-01 on, so that 90 counts only before`)
    expect(ran.stderr).toContain(advice)
    expect(await shownKpi(user)).toMatchObject({ target_default: 120, target_base: 90 })
    expect(await undo()).toMatchObject({ code: 0 })
    expect(await shownKpi(user)).toMatchObject({ target_default: 120, target_base: 100 })
    await user.kpi(...advice.split(' ').slice(1))
    expect(await shownKpi(user)).toMatchObject({ target_default: 90 })
    const kept = await user.kpi('kpis', 'update', 'Revenue', '--target', '1', '--keep-history')
    expect(kept).toMatchObject({ code: 0 })
    const cleared = await run(user, 'kpis', 'update', 'Revenue', '--target', '')
    expect(await shownKpi(user)).toEqual({ target_default: null, target_base: null, targets: null })
    expect(await cleared.undo()).toMatchObject({ code: 0 })
    expect(await shownKpi(user)).toMatchObject({ target_default: 90, target_base: 1 })
  })

  test.each([
    [['--from', '2027-01-01'], 'kpi kpis update: --from says on which day a target begins: give --target-default, too'],
    [['--target', '5', '--from', '2027-02-30'], 'is a date that does not exist'],
    [['--target', '5', '--from', 'soon'], '"soon" is not a date'],
    [['--target', '5', '--from', '1800-01-01'], 'is not in the years 1900 to 2199'],
  ])('is refused as %j', async (flags, reason) => {
    await using user = await open()
    await fill(user)
    const ran = await user.kpi('kpis', 'update', 'Revenue', ...flags)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(reason)])
  })
})

test('--from of a calculated KPI is refused with the configuration that gives it', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const config =
    '{ name: "O\'Neil, all", frequency: monthly, formula: "[Revenue]", targets: [ { from: 2027-01-01, target: 3 } ] }'
  writeFileSync(user.folder.in('kpi.yaml'), `calculated: [ ${config} ]`)
  expect(await user.kpi('apply', 'kpi.yaml')).toMatchObject({ code: 0 })
  for (const flags of [[], ['--dry-run']]) {
    const ran = await user.kpi('kpis', 'update', '2', '--target', '5', '--from', '2028-01-01', ...flags)
    const [, file = ''] = /echo '(.*)' \| kpi apply -;/.exec(ran.stderr) ?? []
    expect(ran.code).toBe(4)
    writeFileSync(user.folder.in('kpi.yaml'), file.replaceAll(`'\\''`, `'`))
    expect(await user.kpi('apply', 'kpi.yaml')).toMatchObject({ code: 0 })
    expect(await user.client.kpis.get(2)).toMatchObject({ targets: '3 from 2027-01-01, 5 from 2028-01-01' })
  }
})

/** Revenue has 100, and 150 from May; Ann 5, and 7 from March; Bob 60 from July, Cy 70 from 2027: all have months of 2026. */
const fillPast = async (user: User): Promise<void> => {
  const { client } = user
  await fill(user)
  for (const name of ['Bob', 'Cy']) await client.users.add(userNamed(name))
  const assign = ['assign', 'add', '--kpis', '1', '--users'] as const
  const update = ['assign', 'update', '--kpis', '1', '--users', '2', '--target'] as const
  for (const line of [
    ['kpis', 'update', '1', '--target', '150', '--from', '2026-05-01'],
    [...update, '5'],
    [...update, '7', '--from', '2026-03-01'],
    [...assign, '3', '--target', '60', '--from', '2026-07-01'],
    [...assign, '4', '--target', '70', '--from', '2027-01-01'],
  ])
    expect(await user.kpi(...line)).toMatchObject({ code: 0 })
  for (const user_id of [2, 3, 4])
    for (const date of ['2026-01-31', '2026-03-31', '2026-05-31', '2026-07-31', '2027-02-28'])
      await client.entries.add({ user_id, kpi_id: 1, entry_date: day(date), actual: 1n })
}

describe.each(some(1, users))('%s, past reports beside dated targets', (_, open) => {
  const OF_KPI = ['--kpis', 'Revenue'] as const
  const ANN = [...OF_KPI, '--users', 'ann@example.com'] as const
  const undated = '[{ name: Revenue, target_default: 80 }]'

  test.each<[line: readonly string[], followed: string, kept: string]>([
    [
      ['assign', 'remove', ...ANN, '--yes'],
      '5 stored entries have no target of their own: past reports show the new targets',
      '5',
    ],
    [
      ['assign', 'update', ...ANN, '--target', '6'],
      '1 stored entry has no target of its own: past reports show 6 instead of 5 for it; to keep past reports at 5, take it back with kpi undo',
      '1',
    ],
    [
      ['assign', 'update', ...OF_KPI, '--users', 'Bob', '--target', '6'],
      '3 stored entries have no target of their own: past reports show the new targets',
      '3',
    ],
    [
      ['assign', 'update', ...ANN, '--target', '6', '--from', '2026-05-01'],
      '2 stored entries have no target of their own: past reports show 6 instead of 7',
      '2',
    ],
    [
      ['kpis', 'update', 'Revenue', '--target', '90'],
      '4 stored entries have no target of their own: past reports show 90 instead of 100',
      '4',
    ],
    [
      ['kpis', 'update', 'Revenue', '--target', '90', '--from', '2026-07-01'],
      '1 stored entry has no target of its own: past reports show 90 instead of 150',
      '1',
    ],
    [['apply', 'kpi.yaml'], '4 stored entries have no target of their own: past reports show 80 instead of 100', '4'],
  ])(
    '%j counts the entries of days that change, and --keep-history keeps each at the target of its day',
    async (line, followed, kept) => {
      await using user = await open()
      await fillPast(user)
      writeFileSync(user.folder.in('kpi.yaml'), `kpis: ${undated}\n`)
      const before = await reported(user)
      const { ran, undo } = await run(user, ...line)
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(followed)])
      expect(await reported(user)).not.toEqual(before)
      expect(await undo()).toMatchObject({ code: 0 })
      expect(await reported(user)).toEqual(before)
      const keeping = await user.kpi(...line, '--keep-history')
      const got = kept === '1' ? '1 stored entry' : `${kept} stored entries`
      expect([keeping.code, keeping.stderr]).toEqual([0, expect.stringContaining(`${got} got the target`)])
      expect(keeping.stderr.includes('here --from DAY')).toBe(line[1] === 'update')
      expect(keeping.stderr.includes('here targets: [ { from: DAY')).toBe(line[0] === 'apply')
      // What is to come stays as the line says where that names a day.
      const past = (all: unknown[]): unknown[] => (line.includes('--from') ? all.slice(0, -3) : all)
      expect(past(await reported(user))).toEqual(past(before))
    },
  )

  test.each([
    ['Bob', 'Revenue', 'kpi assign update --kpis Revenue --users b2@example.com --target 6 --from 2026-03-01'],
    ['Ann', 'Sales, total', 'kpi assign update --kpis 1 --users b2@example.com --target 6 --from 2026-03-01'],
  ])('names %s, who is one of two, and %s in the line that changes the target of today', async (name, kpi, line) => {
    await using user = await open()
    await fillPast(user)
    await user.client.users.update(2, { first_name: name, email: 'b2@example.com' })
    await user.client.kpis.update(1, { name: kpi })
    const { stderr } = await user.kpi('assign', 'update', '--kpis', '1', '--users', '2', '--target', '6')
    expect(stderr).toContain(`so that 6 counts only before; to change that: ${line}\n`)
    await user.kpi(...line.split(' ').slice(1))
    expect(await targetsOfAnn(user)).toEqual([{ from: '2026-03-01', target: 6 }])
  })

  test('a target from a day to come concerns no past report', async () => {
    await using user = await open()
    await fillPast(user)
    const line = ['kpis', 'update', 'Revenue', '--target', '90', '--from', '2027-02-01'] as const
    expect(await user.kpi(...line, '--keep-history')).toMatchObject({ code: 0, stderr: '' })
  })
})

test('a configuration holds dated targets, whose dump is unchanged, and of which all faults are told', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const text = `kpis:
  - name: Revenue
    targets:
      - { from: 2028-01-01, target: 140.5 }
      - { from: 2027-01-01, target: 130 }
assignments:
  - { user: ann@example.com, kpi: Revenue, targets: [ { from: 2027-01-01, target: 60 } ] }
`
  writeFileSync(user.folder.in('kpi.yaml'), text)
  expect(await user.kpi('apply', 'kpi.yaml')).toMatchObject({ code: 0 })
  expect((await user.kpi('plan', 'kpi.yaml')).stderr + (await user.kpi('plan', 'kpi.yaml')).stdout).toContain(
    'nothing to do',
  )
  const dumped = await user.kpi('dump')
  expect(dumped.stdout).toContain(`    targets:
      - { from: 2027-01-01, target: 130 }
      - { from: 2028-01-01, target: 140.5 }
`)
  expect(dumped.stdout).toContain('targets: [ { from: 2027-01-01, target: 60 } ]')
  writeFileSync(user.folder.in('dump.yaml'), dumped.stdout)
  expect(await user.kpi('plan', 'dump.yaml', '--exit-code')).toMatchObject({ code: 0 })
  writeFileSync(user.folder.in('none.yaml'), 'kpis: [ { name: Revenue, targets: [] } ]\n')
  expect(await user.kpi('apply', 'none.yaml')).toMatchObject({ code: 0 })
  expect(await shownKpi(user)).toMatchObject({ targets: null })
  const wrong = `kpis:
  - name: Revenue
    targets:
      - { from: 2027-01-32, target: x }
      - { form: 2027-01-01 }
      - 5
  - name: Other
    targets: 130
  - name: Third
    targets: [ { from: 2027-01-01, target: 1 }, { from: 2027-01-01, target: 2 } ]
`
  writeFileSync(user.folder.in('wrong.yaml'), wrong)
  const { code, stderr } = await user.kpi('plan', 'wrong.yaml')
  expect(code).toBe(1)
  for (const fault of [
    'from is a date that does not exist',
    'target must be a number',
    'form is not a field of a dated target',
    'a target must be fields with values',
    'targets must be a list',
    'has two targets from 2027-01-01 on',
  ])
    expect(stderr).toContain(fault)
})

test('an assignment is not added again with another target of a day; with the same it is there', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const line = ['assign', 'add', '--kpis', '1', '--users', '2'] as const
  await user.kpi('assign', 'update', '--kpis', '1', '--users', '2', '--target', '5', '--from', '2026')
  for (const flags of [['--from', '2026'], []]) {
    const again = await user.kpi(...line, '--target', '5', ...flags)
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('is assigned to Ann already')])
  }
  for (const flags of [[], ['--dry-run']]) {
    const other = await user.kpi(...line, '--target', '6', '--from', '2027', ...flags)
    const why = 'is assigned to Ann already with another target from 2027-01-01 on: 5 → 6; nothing was assigned'
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining(why)])
  }
  expect(await targetsOfAnn(user)).toEqual([{ from: '2026-01-01', target: 5 }])
})

test('an empty target ends dated ones where there is no other, for a KPI and for users; an undo brings them back', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const ofAnn = ['assign', 'update', '--kpis', '1', '--users', '2'] as const
  await user.kpi(...ofAnn, '--target', '60', '--from', '2026-01-01')
  const ended = await run(user, ...ofAnn, '--target', '')
  expect(await targetsOfAnn(user)).toBeNull()
  expect(await ended.undo()).toMatchObject({ code: 0 })
  expect(await targetsOfAnn(user)).toEqual([{ from: '2026-01-01', target: 60 }])
  await user.kpi('kpis', 'update', 'Revenue', '--target', '')
  await user.kpi('kpis', 'update', 'Revenue', '--target', '9', '--from', '2026-01-01')
  const { undo } = await run(user, 'kpis', 'update', 'Revenue', '--target', '')
  expect(await shownKpi(user)).toEqual({ target_default: null, target_base: null, targets: null })
  expect(await undo()).toMatchObject({ code: 0 })
  expect(await shownKpi(user)).toMatchObject({ target_default: 9, targets: [{ from: '2026-01-01', target: 9 }] })
})

describe('a sheet', () => {
  test('changes nothing a second time, though the first gave a target that the field had shown', async () => {
    await using user = await embeddedUser()
    await fill(user)
    await user.kpi('kpis', 'update', 'Revenue', '--target', '')
    await user.kpi('kpis', 'update', 'Revenue', '--target', '5', '--from', '2020')
    writeFileSync(user.folder.in('t.csv'), 'KPI,Target,valid from\nRevenue,5,\nRevenue,6,2026\n')
    const all = { target_default: 6, target_base: 5 }
    for (const unchanged of [0, 1]) {
      const ran = await user.kpi('kpis', 'import', 't.csv', '-o', 'json')
      expect(jsonOf(ran)).toMatchObject({ updated: 1 - unchanged, unchanged })
      expect(await shownKpi(user)).toMatchObject(all)
    }
  })

  test.each<[what: string, text: string]>([
    ['with a column for each period', 'kpi,2027,Q3 2027,Target 2028,Oct\nRevenue,130,"135.5",,x\n'],
    ['with a row for each target', 'kpi,target,valid from\nRevenue,130,2027\nRevenue,135.5,2027-Q3\n'],
  ])('%s gives KPIs their targets', async (_, text) => {
    await using user = await embeddedUser()
    await fill(user)
    writeFileSync(user.folder.in('t.csv'), text)
    expect(await user.kpi('kpis', 'import', 't.csv', '-o', 'json')).toMatchObject({ code: 0 })
    expect(await shownKpi(user)).toMatchObject({
      target_default: 100,
      targets: [
        { from: '2027-01-01', target: 130 },
        { from: '2027-07-01', target: 135.5 },
      ],
    })
    const again = await user.kpi('kpis', 'import', 't.csv', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ updated: 0, unchanged: 1 })
  })

  test.each<[what: string, text: string]>([
    ['with a column for each period', 'user,kpi,2027,Q3 2027\nann@example.com,Revenue,60,65\n'],
    ['with a row for each target', 'user;kpi;target;gültig ab\nAnn;Revenue;60;2027\nAnn;Revenue;65;2027-07-01\n'],
    ['with both', 'user,kpi,2027,target,valid from\nann@example.com,Revenue,60,65,2027-07\n'],
  ])('%s gives users theirs', async (_, text) => {
    await using user = await embeddedUser()
    await fill(user)
    writeFileSync(user.folder.in('t.csv'), text)
    expect(await user.kpi('assign', 'import', 't.csv')).toMatchObject({ code: 0 })
    expect(await targetsOfAnn(user)).toEqual([
      { from: '2027-01-01', target: 60 },
      { from: '2027-07-01', target: 65 },
    ])
  })

  test.each(['target', 'user_target', 'Target'])(
    'gives users a target called %s beside those of years',
    async (target) => {
      await using user = await embeddedUser()
      await fill(user)
      writeFileSync(user.folder.in('t.csv'), `user,kpi,${target},2026,Q1 2027\nann@example.com,Revenue,50,60,70\n`)
      const ran = await user.kpi('assign', 'import', 't.csv')
      expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('left out')])
      const list = await user.kpi('assign', 'list', '--columns', 'target_base,targets', '-o', 'json')
      const targets = [
        { from: '2026-01-01', target: 60 },
        { from: '2027-01-01', target: 70 },
      ]
      expect(jsonOf(list)).toEqual([{ target_base: 50, targets }])
    },
  )

  test.each(['01.04.2027', '1/4/2027', '2027-04-01T00:00:00', '2027-04', 'Q2 2027'])(
    'takes %s for a first day, or says which days it may be',
    async (text) => {
      await using user = await embeddedUser()
      await fill(user)
      const isOpen = text.includes('/')
      const targets = isOpen ? null : [{ from: '2027-04-01', target: 60 }]
      writeFileSync(user.folder.in('k.csv'), `Kennzahl;Ziel;gültig ab\nRevenue;60;${text}\n`)
      writeFileSync(user.folder.in('a.csv'), `user;kpi;target;gültig ab\nAnn;Revenue;60;${text}\n`)
      for (const line of [
        ['kpis', 'import', 'k.csv'],
        ['assign', 'import', 'a.csv'],
      ]) {
        const { code, stderr } = await user.kpi(...line)
        expect(code === 0).toBe(!isOpen)
        expect(stderr.includes(`gültig ab "${text}" may be 2027-01-04 or 2027-04-01`)).toBe(isOpen)
      }
      expect(await shownKpi(user)).toMatchObject({ targets })
      expect(await targetsOfAnn(user)).toEqual(targets)
    },
  )

  test.each(['1850', '2500'])('refuses a column for %s, in a dry run, too, and that day in a row', async (year) => {
    await using user = await embeddedUser()
    await fill(user)
    const files = {
      kpis: [`kpi,${year}\nRevenue,130\n`, `kpi,target,valid from\nRevenue,130,${year}\n`],
      assign: [`user,kpi,${year}\nAnn,Revenue,60\n`, `user,kpi,target,valid from\nAnn,Revenue,60,${year}\n`],
    }
    for (const [noun, texts] of Object.entries(files))
      for (const text of texts) {
        writeFileSync(user.folder.in('t.csv'), text)
        const { code, stderr } = await user.kpi(noun, 'import', 't.csv', '--dry-run')
        expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(`"${year}" must be in the years`)])
        expect(code).not.toBe(0)
      }
  })

  test('rejects a first day that is none, and two targets for one day', async () => {
    await using user = await embeddedUser()
    await fill(user)
    writeFileSync(
      user.folder.in('t.csv'),
      'kpi,target,from\nRevenue,1,soon\nRevenue,1,31.02.2027\nRevenue,2,2028\nRevenue,3,2028-01-01\n',
    )
    const { code, stderr } = await user.kpi('kpis', 'import', 't.csv')
    expect(code).not.toBe(0)
    expect(stderr).toContain('from "soon" must be a day, a month, a quarter or a year')
    expect(stderr).toContain('from "31.02.2027" is a date that does not exist')
  })

  test('begins years where those of the account do', async () => {
    await using user = await embeddedUser()
    await fill(user)
    expect(await user.kpi('service', 'settings', 'set', '--fiscal-year-start', '4')).toMatchObject({ code: 0 })
    writeFileSync(user.folder.in('t.csv'), 'kpi,2027,Q2 2028\nRevenue,1,2\n')
    expect(await user.kpi('kpis', 'import', 't.csv')).toMatchObject({ code: 0 })
    expect(await shownKpi(user)).toMatchObject({
      targets: [
        { from: '2027-04-01', target: 1 },
        { from: '2028-07-01', target: 2 },
      ],
    })
  })
})

describe.each(databases)('on %s, commands that give targets at the same moment', (_, makeDatabase) => {
  const MONTHS = ['01', '02', '03', '04'] as const
  const all = MONTHS.map((month, at) => `${at + 1} from 2027-${month}-01`)

  /** Serves Ann and Revenue to as many machines as there are months. */
  const open = async () => {
    const service = await startService(NOW, makeDatabase)
    const server = await listen(service.handler, '127.0.0.1', 0)
    const { client } = await wayTo(service)
    await client.kpis.add(kpiNamed('Revenue', { target_default: 100_0000n }))
    await client.users.add(userNamed('Ann'))
    const { login, token } = service
    const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: login, KPI_TOKEN: token }
    const machines = MONTHS.map(() => {
      const folder = temporaryFolder()
      return { folder, kpi: shellIn({ home: folder.path, env }) }
    })
    return {
      client,
      machines,
      [Symbol.asyncDispose]: async () => {
        for (const { folder } of machines) folder[Symbol.dispose]()
        await server.close()
        await service[Symbol.asyncDispose]()
      },
    }
  }

  const targetsOf = async ({ list }: { readonly list: () => Promise<readonly object[]> }): Promise<unknown> => {
    const [one] = (await list()) as readonly { targets?: string | null }[]
    return one?.targets ?? null
  }

  const atOnce = (machines: readonly { readonly kpi: Shell }[], line: readonly string[]) =>
    Promise.all(machines.map(({ kpi }, at) => kpi(...line, '--target', `${at + 1}`, '--from', `2027-${MONTHS[at]}-01`)))

  test.each<[what: string, line: readonly string[]]>([
    ['to a KPI', ['kpis', 'update', 'Revenue']],
    ['to a user', ['assign', 'update', '--kpis', '1', '--users', '2']],
  ])('keep all of them: %s; an undo leaves those of others alone', async (what, line) => {
    await using opened = await open()
    const { client, machines } = opened
    if (what === 'to a user') await client.assignments(2).add({ id: 1, sort_order: 1 })
    const records = what === 'to a KPI' ? client.kpis : client.assignments(2)
    const shown = (): Promise<unknown> => targetsOf(records)
    const ran = await atOnce(machines, line)
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(MONTHS.map(() => [0, '']))
    expect(await shown()).toBe(all.join(', '))
    // Each receipt holds the list that its change replaced: only the last one is taken back, then the one before it.
    const undo = async (of: Shell): Promise<number> => {
      const [last] = jsonOf(await of('history', '-o', 'json')) as { receipt: string }[]
      return (await of('undo', '--yes', last?.receipt ?? '')).code
    }
    for (let left = machines; left.length > 0;) {
      const codes = await Promise.all(left.map((machine) => undo(machine.kpi)))
      expect(codes).toContain(0)
      left = left.filter((_, at) => codes[at] !== 0)
    }
    expect(await shown()).toBeNull()
  })

  test('assign a KPI once: with another target it is refused, and not taken for the same', async () => {
    await using opened = await open()
    const { client, machines } = opened
    const ran = await atOnce(machines, ['assign', 'add', '--kpis', '1', '--users', '2'])
    const done = all.filter((_, at) => ran[at]?.code === 0)
    expect(done).toEqual([await targetsOf(client.assignments(2))])
    const refused = ran.filter(({ code }) => code !== 0)
    const why = expect.stringContaining('is assigned to Ann already with another target from 2027-') as string
    expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual(MONTHS.slice(1).map(() => [1, why]))
  })
})

/** Passes all on but what says that the service is ours, and that it has dated targets. */
const asStranger: Fault = async (response, pass) => {
  const passed = await pass()
  const { server: _server, 'preference-applied': _applied, ...headers } = passed.headers
  whole(response, { ...passed, headers })
}

describe('what a list holds', () => {
  const BEFORE = [
    'kpis: [ { name: Other, frequency: monthly, targets: [ { from: 2026-01-01, target: 9 } ] }',
    '{ name: Plain, frequency: monthly, target_default: 3 }',
    '{ name: Bare, frequency: monthly } ]',
  ].join(', ')
  const COLUMNS = 'name,target_default,target_base,targets,frequency_id,unit'
  const listOf = async (user: User, format: string): Promise<string> =>
    (await user.kpi('kpis', 'list', '--columns', COLUMNS, '-o', format)).stdout
  const filled = async (): Promise<User> => {
    const user = await embeddedUser()
    await fill(user)
    writeFileSync(user.folder.in('kpi.yaml'), BEFORE)
    expect(await user.kpi('apply', 'kpi.yaml')).toMatchObject({ code: 0 })
    for (const [target, from] of [
      ['120.5', '2026-01-01'],
      ['130', '2027-01-01'],
    ] as const)
      await user.kpi('kpis', 'update', 'Revenue', '--target', target, '--from', from)
    return user
  }

  test.each<[what: string, format: string, ...line: string[]]>([
    ['JSON', 'json', 'kpis', 'create', '--from-json', 'list'],
    ['a file of JSON', 'json', 'kpis', 'import', 'list'],
    ['CSV', 'csv', 'kpis', 'import', 'list'],
  ])('is made elsewhere from %s as it was, and is unchanged where it is', async (_, format, ...line) => {
    await using user = await filled()
    await using other = await embeddedUser()
    const list = await listOf(user, format)
    const named = line.map((word) => (word === 'list' ? `list.${format}` : word))
    for (const one of [user, other]) writeFileSync(one.folder.in(`list.${format}`), list)
    const ran = await other.kpi(...named)
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('left out')])
    expect(await listOf(other, 'json')).toBe(await listOf(user, 'json'))
    const again = named[1] === 'create' ? ['kpis', 'update', '--from-json', '-'] : named
    const all = (await user.kpi('kpis', 'list', '--columns', `id,${COLUMNS}`, '-o', 'json')).stdout
    const dry = await user.kpiIn({ stdin: all }, ...again, '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining('4 unchanged')])
  })

  test.each<[what: string, edit: (kpi: Record<string, unknown>) => object, after: object]>([
    [
      'the dated targets',
      (kpi) => ({ ...kpi, targets: [{ from: '2026-01-01', target: 125 }] }),
      { target_default: 125, target_base: 100, targets: [{ from: '2026-01-01', target: 125 }] },
    ],
    ['the base', (kpi) => ({ ...kpi, target_base: 90 }), { target_default: 120.5, target_base: 90 }],
    ['the target', (kpi) => ({ ...kpi, target_default: 80 }), { target_default: 120.5, target_base: 80 }],
    ['the end of all dated ones', (kpi) => ({ ...kpi, targets: [] }), { target_default: 100, targets: null }],
  ])('can be edited and sent back: %s', async (_, edit, after) => {
    await using user = await filled()
    const kpi = jsonOf(await user.kpi('kpis', 'get', 'Revenue', '-o', 'json')) as Record<string, unknown>
    const stdin = JSON.stringify(edit(kpi))
    expect(await user.kpiIn({ stdin }, 'kpis', 'update', '--from-json', '-')).toMatchObject({ code: 0 })
    expect(await shownKpi(user)).toMatchObject(after)
  })
})

/** Stands before a service as another one would answer. */
const strange = async (url: string): Promise<string> => {
  const { url: front } = await faultyProxy(
    url,
    () => asStranger,
    () => true,
  )
  return front
}

test('elsewhere a configuration leaves entries of people alone over the newer variant, which hides their own targets', async () => {
  await using user = await newerUser(undefined, strange)
  await fill(user)
  await user.client.assignments(2).update(1, { user_target: 50_0000n })
  await enter(user, '2027-01-31')
  writeFileSync(
    user.folder.in('kpi.yaml'),
    'kpis: [ { name: Revenue, targets: [ { from: 2027-01-01, target: 130 } ] } ]',
  )
  const { code, stderr } = await user.kpi('apply', 'kpi.yaml')
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      '1 stored entry of people without a target was left alone, as this interface does not show',
    ),
  ])
  expect(await reported(user)).toEqual(['2027-01 50'])
})

test('elsewhere a configuration writes the targets of the day onto entries without one, and says so', async () => {
  await using user = await remoteUserBehind(strange)
  await fill(user)
  await user.client.users.add(userNamed('Bob'))
  await user.client.assignments(3).add({ id: 1, sort_order: 1 })
  await enter(user, '2026-12-31', '2027-01-31', '2027-02-28')
  await user.client.entries.add({ user_id: 3, kpi_id: 1, entry_date: day('2027-01-31'), actual: 1n })
  await user.client.entries.add({ user_id: 3, kpi_id: 1, entry_date: day('2027-02-28'), target: 7_0000n })
  const text = `kpis: [ { name: Revenue, targets: [ { from: 2027-01-01, target: 130 } ] } ]
assignments: [ { user: ann@example.com, kpi: Revenue, targets: [ { from: 2027-02-01, target: 60 } ] } ]
`
  writeFileSync(user.folder.in('kpi.yaml'), text)
  const ran = await user.kpi('apply', 'kpi.yaml')
  expect([ran.code, ran.stderr]).toEqual([
    0,
    expect.stringContaining('3 stored entries without a target got that of the day'),
  ])
  expect(await reported(user)).toEqual(['2026-12 100', '2027-01 130', '2027-01 130', '2027-02 60', '2027-02 7'])
  const again = await user.kpi('apply', 'kpi.yaml', '-o', 'json')
  expect(jsonOf(again)).toMatchObject({ updated: 0, unchanged: 2 })
  expect(await user.kpi('plan', 'kpi.yaml', '--exit-code')).toMatchObject({ code: 0 })
  await enter(user, '2027-03-31')
  expect(await user.kpi('plan', 'kpi.yaml', '--exit-code')).toMatchObject({ code: 9 })
  const refused = await user.kpi('kpis', 'update', 'Revenue', '--target', '1', '--from', '2027-01-01')
  expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('--keep-history')])
  writeFileSync(user.folder.in('t.csv'), 'kpi,2026\nRevenue,90\n')
  const imported = await user.kpi('kpis', 'import', 't.csv')
  expect([imported.code, imported.stderr]).toEqual([
    0,
    expect.stringContaining('2 stored entries without a target got that of the day'),
  ])
  expect(jsonOf(await user.kpi('kpis', 'import', 't.csv', '-o', 'json'))).toMatchObject({ updated: 0, unchanged: 1 })
})

test('elsewhere an undo takes the targets off the entries that got them, but those that were changed since', async () => {
  await using user = await remoteUserBehind(strange)
  await fill(user)
  await user.client.users.add(userNamed('Bob'))
  await enter(user, '2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31')
  const text = `kpis: [ { name: Revenue, NAMED targets: [ { from: 2027-01-01, target: 130 } ] } ]
assignments: [ { user: ann@example.com, kpi: Revenue, targets: [ { from: 2027-02-01, target: 60 } ] } ]
`
  const before = ['2026-12 100', '2027-01 100', '2027-02 100', '2027-03 100']
  for (const more of ['', 'target_default: 110,']) {
    writeFileSync(user.folder.in('kpi.yaml'), text.replace('NAMED', more))
    const { ran, undo } = await run(user, 'apply', 'kpi.yaml')
    expect(ran.stderr).toContain('3 stored entries without a target got that of the day')
    expect((await undo('--dry-run')).stderr).toContain(
      more === '' ? 'would take the target off 3 entries' : 'would put back 1 record',
    )
    const undone = await undo()
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('took the target off 3 entries again')])
    expect(await reported(user)).toEqual(before)
    expect((await undo()).stderr).toContain('was taken back already')
  }
  const { undo } = await run(user, 'apply', 'kpi.yaml')
  await user.client.entries.update(2, { target: 7_0000n })
  expect((await undo()).stderr).toContain('took the target off 2 entries again')
  expect(await reported(user)).toEqual([before[0], '2027-01 7', before[2], before[3]])
})
