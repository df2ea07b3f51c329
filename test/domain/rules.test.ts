import { describe, expect, test } from 'vitest'
import { KpiError } from '../../src/domain/errors.ts'
import {
  type EntryChange,
  type EntryValues,
  faultOfAssignment,
  faultsOfKpi,
  faultsOfUser,
  faultsOfUserTarget,
  faultsOfValues,
  type KpiFacts,
  mergeEntry,
  rejectCalculated,
  sameValues,
  type UserFacts,
} from '../../src/domain/rules.ts'

const kpi = (facts: Partial<KpiFacts> = {}): KpiFacts => ({
  id: 7,
  name: 'Sales',
  is_active: true,
  is_calculated: false,
  target_default: 100_0000n,
  ...facts,
})
const user = (facts: Partial<UserFacts> = {}): UserFacts => ({
  id: 3,
  first_name: 'Ann',
  last_name: 'Lee',
  user_status_id: 'A',
  ...facts,
})
const values = (actual: bigint | null, target: bigint | null = null, notes: string | null = null): EntryValues => ({
  actual,
  target,
  notes,
})

const FULL = values(1n, 2n, 'old')
const NONE = undefined

describe('what an entry holds after a change', () => {
  test.each<[string, EntryValues | undefined, EntryChange, EntryValues]>([
    ['what is sent makes a new one', NONE, { actual: 5n, target: 6n, notes: 'new' }, values(5n, 6n, 'new')],
    ['what is not sent is null in a new one', NONE, { notes: 'new' }, values(null, null, 'new')],
    ['what is not sent keeps what is stored', FULL, {}, FULL],
    ['one value leaves the others', FULL, { target: 6n }, values(1n, 6n, 'old')],
    ['null clears', FULL, { actual: null, target: null, notes: null }, values(null)],
    ['zero is a value', FULL, { actual: 0n }, values(0n, 2n, 'old')],
    ['setActual false keeps the actual', FULL, { actual: 5n, setActual: false }, FULL],
    ['setTarget false keeps the target', FULL, { target: 6n, setTarget: false }, FULL],
    ['setNotes false keeps the notes', FULL, { notes: 'new', setNotes: false }, FULL],
    ['a set flag that is false keeps against null too', FULL, { actual: null, setActual: false }, FULL],
    [
      'a set flag that is false leaves a new one empty',
      NONE,
      { actual: 5n, setActual: false, notes: 'n' },
      values(null, null, 'n'),
    ],
    ['set flags that are true set', FULL, { actual: 5n, setActual: true }, values(5n, 2n, 'old')],
    ['addToActual adds', FULL, { actual: 5n, addToActual: true }, values(6n, 2n, 'old')],
    ['addToActual takes away what is negative', FULL, { actual: -5n, addToActual: true }, values(-4n, 2n, 'old')],
    ['addToActual begins a new one', NONE, { actual: 5n, addToActual: true }, values(5n)],
    ['addToActual begins where no actual is', values(null, 2n), { actual: 5n, addToActual: true }, values(5n, 2n)],
    ['addToActual without an actual adds nothing', FULL, { addToActual: true }, FULL],
    ['addToActual false sets', FULL, { actual: 5n, addToActual: false }, values(5n, 2n, 'old')],
    ['setActual false is stronger than addToActual', FULL, { actual: 5n, addToActual: true, setActual: false }, FULL],
  ])('%s', (_, stored, change, expected) => {
    expect(mergeEntry(stored, change, kpi())).toEqual(expected)
  })

  test.each<[string, EntryValues | undefined, EntryChange, EntryValues]>([
    ['a target that is sent is dropped', NONE, { actual: 5n, target: 6n }, values(5n)],
    ['a target that is stored stays, hidden', FULL, { actual: 5n, target: 6n }, values(5n, 2n, 'old')],
    ['a hidden target is not cleared', FULL, { target: null }, FULL],
  ])('of a KPI without a target: %s', (_, stored, change, expected) => {
    expect(mergeEntry(stored, change, kpi({ target_default: null }))).toEqual(expected)
  })

  test.each<[EntryValues, bigint | null, boolean]>([
    [values(1n), 100n, true],
    [values(0n), null, true],
    [values(null, 0n), 100n, true],
    [values(null, null, 'n'), null, true],
    [values(null), 100n, false],
    [values(null), null, false],
    [values(null, 1n), null, false],
  ])('%o with the default target %s may be kept: %s', (left, target_default, expected) => {
    const faults = faultsOfValues(left, kpi({ target_default }))
    expect(faults.map(({ field }) => field)).toEqual(expected ? [] : ['actual'])
  })

  test('keeps to 14 integer digits, also after adding', () => {
    const most = 99_999_999_999_999_9999n
    const sum = (by: bigint): EntryValues => mergeEntry(values(most), { actual: by, addToActual: true }, kpi())
    expect(faultsOfValues(sum(0n), kpi())).toEqual([])
    expect(faultsOfValues(sum(1n), kpi())).toEqual([
      { field: 'actual', message: 'must have at most 14 digits before the decimal point, also after adding' },
    ])
    expect(faultsOfValues(sum(-2n * most), kpi())).toEqual([])
  })

  test.each([
    [FULL, { ...FULL }, true],
    [FULL, { ...FULL, actual: 2n }, false],
    [FULL, { ...FULL, target: null }, false],
    [FULL, { ...FULL, notes: 'Old' }, false],
    [values(0n), values(null), false],
  ])('%o and %o are the same: %s', (left, right, expected) => {
    expect(sameValues(left, right)).toBe(expected)
  })
})

describe('who enters what', () => {
  const withoutTarget = kpi({ target_default: null })

  test.each([
    ['an active user', faultsOfUser(user()), []],
    ['a KPI that is active', faultsOfKpi(kpi()), []],
    ["no target of the user's own, where the KPI has none", faultsOfUserTarget(withoutTarget, null), []],
    ["nothing about the user's target, where the KPI has none", faultsOfUserTarget(withoutTarget, undefined), []],
    ["a target of the user's own, where the KPI has one", faultsOfUserTarget(kpi(), 1n), []],
  ])('%s is fine', (_, faults, expected) => {
    expect(faults).toEqual(expected)
  })

  test.each([
    [faultsOfUser(user({ user_status_id: 'L' })), 'user_id', 'user 3 (Ann Lee) is locked'],
    [faultsOfUser(user({ user_status_id: 'L', last_name: null })), 'user_id', 'user 3 (Ann) is locked'],
    [faultsOfKpi(kpi({ is_active: false })), 'kpi_id', 'KPI 7 (Sales) is inactive and takes no entries'],
    [faultsOfKpi(kpi({ is_calculated: true })), 'kpi_id', 'KPI 7 (Sales) is calculated and takes no entries'],
    [[faultOfAssignment(kpi(), user())], 'kpi_id', 'KPI 7 (Sales) is not assigned to user 3 (Ann Lee)'],
    [
      faultsOfUserTarget(withoutTarget, 0n),
      'user_target',
      'KPI 7 (Sales) has no target, so a user cannot have one either',
    ],
  ])('faults %j', (faults, field, message) => {
    expect(faults).toEqual([{ field, message }])
  })

  test('a calculated KPI is not changed over the interface, and nobody is told to try later', () => {
    expect(() => rejectCalculated(kpi())).not.toThrow()
    const refusal = new KpiError(
      'forbidden',
      'KPI 7 (Sales) is calculated and cannot be changed here; the operator changes it with kpi service calculated update',
    )
    expect(() => rejectCalculated(kpi({ is_calculated: true }))).toThrow(refusal)
    expect(refusal.retryAfter).toBeUndefined()
  })
})
