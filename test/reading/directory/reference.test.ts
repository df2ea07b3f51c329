import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay } from '../../../src/domain/day.ts'
import { Fault, KpiError } from '../../../src/domain/errors.ts'
import type { Named } from '../../../src/client/directory.ts'
import { fetchReference } from '../../../src/reading/directory/reference.ts'
import { embeddedImporter, ID, type Importer } from '../../support/import.ts'
import { type Doors, openDoors } from '../../support/newer-import.ts'

let importer: Importer
beforeAll(async () => {
  importer = await embeddedImporter()
})
afterAll(async () => {
  await importer[Symbol.asyncDispose]()
})

const NEEDS = { createAssignments: false, sources: false }
const USERS = [ID.ann, ID.bob, ID.lou]

test.each<[text: string, id: number]>([
  ['2', ID.ann],
  ['Ann Lee', ID.ann],
  [' ann_lee ', ID.ann],
  ['ANN@example.com', ID.ann],
  ['Bob', ID.bob],
])('a user is found as "%s"', async (text, id) => {
  const { users } = await fetchReference(importer.client, NEEDS)
  expect(users.find(text)).toMatchObject({ id })
})

test.each<[text: string, message: string]>([
  ['Anne Lee', 'there is no user "Anne Lee"; did you mean "Ann Lee"?'],
  ['somebody else', 'there is no user "somebody else"'],
])('a user is not found as "%s"', async (text, message) => {
  const { users } = await fetchReference(importer.client, NEEDS)
  expect(users.find(text)).toEqual(new Fault(message))
})

test('everything is fetched once: KPIs, users, and the assignments of each user', async () => {
  const { client } = importer
  const before = client.requests()
  const reference = await fetchReference(client, NEEDS)
  for (const ids of [[ID.ann], [ID.ann, ID.bob, ID.ann], USERS, []]) await reference.fetchAssignments(ids)
  expect(client.requests() - before).toBe(2 + USERS.length)
})

const pairs = USERS.flatMap((user) => [ID.sales, ID.visits, ID.closed, ID.spare].map((kpi) => [user, kpi] as const))

test.each(pairs)('what is said of user %i and KPI %i is what the service says', async (user, kpi) => {
  const { client } = importer
  const reference = await fetchReference(client, NEEDS)
  await reference.fetchAssignments([user])
  const said = async (): Promise<string[]> => {
    try {
      await client.entries.add({ user_id: user, kpi_id: kpi, entry_date: parseDay('2026-01-01') ?? 0, actual: 1n })
      return []
    } catch (error) {
      if (!(error instanceof KpiError)) throw error
      return error.issues.map(({ message }) => message)
    }
  }
  expect(reference.faultsOf(user, kpi)).toEqual(await said())
})

test('assignments that are missing are no faults where they are to be made, and each is noted once', async () => {
  const reference = await fetchReference(importer.client, { ...NEEDS, createAssignments: true })
  await reference.fetchAssignments(USERS)
  const faulty = [...pairs, ...pairs].filter(([user, kpi]) => reference.faultsOf(user, kpi).length > 0)
  expect(new Set(faulty.map(([user, kpi]) => `${user} ${kpi}`))).toEqual(
    new Set(['2 3', '3 3', '4 1', '4 2', '4 3', '4 4']),
  )
  expect(reference.missing().map(({ user, kpi }) => [user.id, kpi.id])).toEqual([
    [ID.ann, ID.spare],
    [ID.bob, ID.visits],
    [ID.bob, ID.spare],
  ])
})

describe('through the newer interface', () => {
  let doors: Doors
  beforeAll(async () => {
    doors = await openDoors()
  })
  afterAll(async () => {
    await doors[Symbol.asyncDispose]()
  })

  test('everything is fetched once, breakdown items where they are needed, and no assignments', async () => {
    const { newer } = doors
    const requestsOf = async (sources: boolean): Promise<number> => {
      const before = newer.requests()
      const reference = await fetchReference(newer, { ...NEEDS, sources })
      await reference.fetchAssignments(USERS)
      return newer.requests() - before
    }
    expect([await requestsOf(false), await requestsOf(true)]).toEqual([2, 3])
  })

  test('an item is found by id and by name, and a person by their item', async () => {
    const { north } = doors.items
    const { sources, ownerOf } = await fetchReference(doors.newer, { ...NEEDS, sources: true })
    const findSource = (text: string): Named | Fault => {
      const found = sources?.find(text) ?? new Fault('no items were read')
      return found instanceof Fault ? found : ownerOf(found)
    }
    for (const text of [String(north), 'North', ' north ']) expect(findSource(text)).toMatchObject({ id: -north })
    expect(findSource('Ann Lee')).toMatchObject({ id: ID.ann })
    expect(findSource('Norht')).toEqual(new Fault('there is no breakdown item "Norht"; did you mean "North"?'))
  })

  test('what is said of an item and a KPI is what the service says', async () => {
    const { newer, items } = doors
    const reference = await fetchReference(newer, { ...NEEDS, sources: true })
    const said = async (source_id: number, kpi_id: number): Promise<string[]> => {
      try {
        await newer.entries.add({ source_id, kpi_id, entry_date: parseDay('2026-01-01') ?? 0, actual: 1n })
        return []
      } catch (error) {
        if (!(error instanceof KpiError)) throw error
        return error.issues.map(({ message }) => message)
      }
    }
    for (const item of Object.values(items)) {
      for (const kpi of [ID.sales, ID.closed, ID.spare]) {
        expect([item, kpi, ...reference.faultsOf(-item, kpi)]).toEqual([item, kpi, ...(await said(item, kpi))])
      }
    }
    expect(reference.faultsOf(ID.lou, ID.sales)).toEqual(await said(ID.lou, ID.sales))
  })
})
