import { expect, test } from 'vitest'
import { otherAccount, post, put, read, tell } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { startService } from '../support/service.ts'

test.each(databases)('what was read before is read anew once anybody has written, on %s', async (_, make) => {
  await using service = await startService(NOW, make)
  await post(service, '/kpicategories', { name: 'Sales' })
  expect(await read(service, '/kpicategories/2')).toMatchObject({ name: 'Sales' })
  await put(service, '/kpicategories/2', { name: 'Costs' })
  expect(await read(service, '/kpicategories/2')).toMatchObject({ name: 'Costs' })
  // Another process, as the store sees it.
  await service.db.write((tx) => tx.run("update categories set name = 'Profit' where id = 2"))
  expect(await read(service, '/kpicategories/2')).toMatchObject({ name: 'Profit' })
  await tell(service, { method: 'DELETE', path: '/kpicategories/2' })
  expect(await tell(service, { path: '/kpicategories/2' })).toMatchObject({ status: 404 })
})

test('what one account or format has read is not given to another', async () => {
  await using service = await startService()
  const other = await otherAccount(service, 'other')
  await put(service, '/kpicategories/1', { name: 'Ours' })
  expect(await read(service, '/kpicategories/1')).toMatchObject({ name: 'Ours' })
  expect(await read(other, '/kpicategories/1')).toMatchObject({ name: 'General' })
  const xml = await service.handler({
    method: 'GET',
    target: '/api/kpicategories/1',
    headers: {
      authorization: `Basic ${Buffer.from(`${service.login}:${service.token}`).toString('base64')}`,
      accept: 'application/xml',
    },
    address: '127.0.0.1',
    body: () => Promise.resolve(new Uint8Array()),
  })
  expect(xml.body).toMatch(/^<KPICategory .*<name>Ours<\/name>/)
})
