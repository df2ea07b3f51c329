import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import { KPI, post, tell } from '../support/classic.ts'
import { ask, startService } from '../support/service.ts'

describe('what goes wrong inside', () => {
  test('is told as a number to ask for, and logged in full', async () => {
    await using service = await startService()
    await service.db.write(async (tx) => {
      await tx.run('drop table entries')
    })
    const { status, headers, body } = await ask(service, { path: '/kpientries' })
    const id = headers['x-request-id'] ?? ''
    expect(status).toBe(500)
    expect(id).not.toBe('')
    expect((JSON.parse(body) as { message: string }).message).toContain(id)
    expect(body).not.toMatch(/sql|entries|table|\.ts|error:/i)
    expect(service.logged).toMatchObject([{ cause: { message: 'no such table: entries' } }])
    expect(await tell(service, { path: '/kpis' })).toMatchObject({ status: 200 })
  })

  test('is 503 while the store is held by another process: nothing is stored, and reading goes on', async () => {
    await using service = await startService()
    const path = `${service.dataDir}/kpi.db`
    const db = sqliteDb(path, { patienceMs: 0 })
    const logged: unknown[] = []
    const handler = createClassicHandler({
      db,
      version: '1',
      now: () => 0,
      requestId: () => 'R7',
      onError: (error) => logged.push(error),
    })
    const held = { ...service, handler }
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const { status, headers, body } = await ask(held, { method: 'POST', path: '/kpis', body: KPI })
    expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^[1-9]\d*$/)])
    expect(body).toContain('R7')
    expect(body).not.toContain(service.dataDir)
    expect(logged).toMatchObject([{ code: 'unavailable' }])
    const inXml = { method: 'DELETE', path: '/kpiunits/1', headers: { 'content-type': 'application/xml' } }
    expect(await ask(held, inXml)).toMatchObject({ status: 503, body: expect.stringMatching(/^<Error .*R7/) as string })
    expect((await tell(held, { path: '/kpis' })).body).toEqual([])
    other.exec('rollback')
    other.close()
    expect(await post(held, '/kpis', KPI)).toMatchObject({ status: 201, headers: { location: '/api/kpis/1' } })
    await db.close()
  })
})
