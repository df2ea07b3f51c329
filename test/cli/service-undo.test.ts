import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await fillShop(user)
  await user.kpi('service', 'calculated', 'add', '--name', 'Half', '--frequency', 'D', '--formula', '[Revenue] / 2')
  await user.kpi('assign', 'add', '--kpis', 'Half', '--users', 'Ann Lee')
  await user.kpi('service', 'breakdowns', 'create', 'Region')
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const service = (line: string): Promise<Ran> => user.kpi('service', ...line.split(' '))
/** Returns all that the operator's commands change, but ids and times, which an undo of a delete gives anew. */
const account = async (): Promise<string> => (await user.kpi('dump')).stdout
const receipts = async (): Promise<{ receipt: string; command: string }[]> =>
  jsonOf(await user.kpi('history', '-o', 'json')) as { receipt: string; command: string }[]

const CHANGES: readonly (readonly [line: string, command: string, row: object])[] = [
  [
    'calculated add --name Twice --frequency D --formula [Revenue]*2',
    'service calculated add',
    { action: 'create', id: null, name: 'Twice' },
  ],
  [
    'calculated update Half --formula [Visits]/2 --description New',
    'service calculated update',
    { action: 'update', name: 'Half', field: 'description', old: null, new: 'New' },
  ],
  ['calculated remove Half --yes', 'service calculated remove', { action: 'delete', name: 'Half', assignments: 1 }],
  ['breakdowns create Channel', 'service breakdowns create', { action: 'create', name: 'Channel' }],
  [
    'breakdowns rename Region Area',
    'service breakdowns rename',
    { action: 'update', field: 'name', old: 'Region', new: 'Area' },
  ],
  ['breakdowns delete Region --yes', 'service breakdowns delete', { action: 'delete', name: 'Region' }],
]

describe.each(CHANGES)('kpi service %s', (line, command, row) => {
  test('changes nothing in a dry run, which shows what would change', async () => {
    const [before, known] = [await account(), await receipts()]
    const foreseen = await service(`${line} --dry-run -o json`)
    expect(jsonOf(foreseen)).toEqual(expect.arrayContaining([expect.objectContaining(row)]))
    expect(await account()).toBe(before)
    expect(await receipts()).toEqual(known)
  })

  test('leaves a receipt with which kpi undo takes it back', async () => {
    const [before, known] = [await account(), await receipts()]
    expect((await service(line)).code).toBe(0)
    expect(await account()).not.toBe(before)
    const [last, ...others] = (await receipts()).filter(({ receipt }) => known.every((one) => one.receipt !== receipt))
    expect({ last, others }).toMatchObject({ last: { command }, others: [] })
    const undone = await user.kpi('undo', last?.receipt ?? '', '--yes')
    expect(undone).toMatchObject({ code: 0 })
    expect(await account()).toBe(before)
  })
})

test('what is changed in another account is taken back there', async () => {
  await service('accounts create acme --login boss@acme.example.com')
  const known = await receipts()
  expect(await service('breakdowns create Shop --account acme')).toMatchObject({ code: 0 })
  const last = (await receipts()).find(({ receipt }) => known.every((one) => one.receipt !== receipt))
  expect(await user.kpi('undo', last?.receipt ?? '', '--yes')).toMatchObject({ code: 0 })
  expect((await service('breakdowns list --account acme -o csv --columns name')).stdout).toBe('name\nPeople\n')
})
