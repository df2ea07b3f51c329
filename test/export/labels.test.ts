import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { Aborted } from '../../src/client/transport.ts'
import { readHeadings, readLabels } from '../../src/export/labels.ts'

/** Creates a client of an account of so many KPIs of numbered names, which says how often these are read. */
const clientOf = (count: number): { readonly client: Client; readonly read: () => number } => {
  let read = 0
  const kpis = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    get name() {
      read += 1
      return `Sales ${at + 1}`
    },
  }))
  const list = (all: readonly unknown[]) => ({ list: () => Promise.resolve(all) })
  const client = { variant: 'classic', users: list([]), kpis: list(kpis), breakdownItems: list([]) }
  return { client: client as unknown as Client, read: () => read }
}

/** Names all KPIs of an account, and counts how often their names are read, which no machine changes. */
const namesRead = async (count: number, hasNames: boolean): Promise<number> => {
  const { client, read } = clientOf(count)
  const { signal } = new AbortController()
  const { kpi } = await readLabels(client, true, { hasNames, signal })
  const heading = await readHeadings(client, 'kpi', { hasNames, signal })
  expect([kpi(7), heading(7)]).toEqual([hasNames ? 'Sales 7' : '7', 'Sales 7'])
  return read()
}

test.each([true, false])('the work on labels grows as the account does, with names or not: %s', async (hasNames) => {
  const [few, many] = [await namesRead(50, hasNames), await namesRead(200, hasNames)]
  expect(many / few).toBeLessThan(5)
})

test.each([true, false])('the naming of many ends when it is asked to, with names or not: %s', async (hasNames) => {
  const controller = new AbortController()
  const labels = readLabels(clientOf(1200).client, false, { hasNames, signal: controller.signal })
  setImmediate(() => controller.abort())
  await expect(labels).rejects.toThrow(Aborted)
})
