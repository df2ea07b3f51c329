import { filledColumns } from '../../src/store/db.ts'
import { expect, test } from 'vitest'
import { completeReport } from '../../src/client/operations/complete-report.ts'
import { day } from '../support/calendar.ts'
import { databases } from '../support/databases.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { ask, askV1, startService, wayTo } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'

const MEBIBYTE = 1024 * 1024
const NOTES = 'n&'.repeat(MEBIBYTE)
const PEOPLE = 12
const [FROM, TO] = ['2024-01-01', '2024-12-31']
const REPORT = `/reports/AllDataEntries?dateFrom=${FROM}&dateTo=${TO}`

/** A yearly KPI of which each of many people has one entry with 2 MiB of notes, and the last of them five. */
const open = async (makeDatabase: (typeof databases)[number][1]) => {
  const service = await startService(undefined, makeDatabase)
  const way = await wayTo(service)
  await way.client.kpis.add(kpiNamed('Sales', { frequency_id: 'Y' }))
  const ids: number[] = []
  for (let at = 0; at < PEOPLE; at += 1) ids.push((await way.client.users.add(userNamed(`P${at}`))).id)
  const of = (item: number, at: number, id: number) => [1, item, 1, day(FROM) + at, id, 1, 0, 0, NOTES]
  const last = ids.at(-1) ?? 0
  const rows = [...ids.map((item, at) => of(item, 0, at + 1)), ...[1, 2, 3, 4].map((at) => of(last, at, PEOPLE + at))]
  const names = ['account_id', 'item_id', 'kpi_id', 'entry_date', 'id', 'actual', 'created_at', 'updated_at']
  const columns = [
    ...names.map((name) => ({ name, type: 'integer' as const })),
    { name: 'notes', type: 'text' as const },
  ]
  await service.db.write((tx) => tx.insertMany('entries', rows.length, filledColumns(columns, rows)))
  return { service, client: way.client, ids, last }
}

test.each(some(1, databases))(
  'a report with long notes is refused before anything is sent, or comes whole, on %s',
  async (_, make) => {
    const { service, client, ids, last } = await open(make)
    await using _closed = service
    const others = ids.filter((id) => id !== last)
    const xml = { 'content-type': 'application/xml' }
    const tooMany = `${REPORT}&userIds=${others.join(',')}`
    const refused = await Promise.all([
      ask(service, { path: tooMany }),
      ask(service, { path: tooMany, headers: xml }),
      ask(service, { method: 'HEAD', path: tooMany }),
      askV1(service, { path: tooMany }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([413, 413, 413, 413])
    const why =
      'the notes of this report are over 16 million characters; ask for fewer days, KPIs, users or group items at a time'
    for (const { body } of refused) expect(body).toContain(why)

    const alone = await ask(service, { path: `${REPORT}&userIds=${last}` })
    expect([alone.status, alone.body]).toEqual([
      413,
      expect.stringContaining('the notes of KPI 1 (Sales) for P11 on 2024-01-01 alone are over 8 million characters'),
    ])

    const some = `${REPORT}&userIds=${others.slice(0, 2).join(',')}`
    const answered = await ask(service, { path: some })
    const headed = await ask(service, { method: 'HEAD', path: some })
    expect([answered.status, answered.headers['x-total-count'], headed.body]).toEqual([200, '2', answered.body])
    const rows = JSON.parse(answered.body) as { readonly notes: string }[]
    expect(rows.map(({ notes }) => notes === NOTES)).toEqual([true, true])
    const inXml = await ask(service, { path: some, headers: xml })
    expect(inXml.body.split(`<notes>${NOTES.replaceAll('&', '&amp;')}</notes>`)).toHaveLength(3)

    // Whoever asks through the client gets it in parts.
    let got = 0
    const [from, to] = [day(FROM), day(TO)]
    for await (const part of completeReport(client, { from, to, userIds: others })) got += part.length
    expect(got).toBe(others.length)
    const ofLast = completeReport(client, { from, to, userIds: [last] })
    await expect(ofLast.next()).rejects.toMatchObject({ code: 'too_large' })
    expect(service.logged).toEqual([])
  },
)
