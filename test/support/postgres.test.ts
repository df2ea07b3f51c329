import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { expect, test } from 'vitest'

const STARTER = `
  import { startCluster } from '${join(import.meta.dirname, 'postgres.ts')}'
  const cluster = await startCluster([])
  process.stderr.write(cluster.url + '\\n')
  process.stdin.once('data', () => cluster.stop())
`

const startStarter = async () => {
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', STARTER], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const [url] = (await once(starter.stderr.setEncoding('utf8'), 'data')) as [string]
  return { starter, url: url.trim() }
}

const isThere = async (connectionString: string): Promise<boolean> => {
  const client = new Client({ connectionString })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

test('the PostgreSQL of the tests stops when it is told to, and leaves the exit code alone', async () => {
  const { starter, url } = await startStarter()
  expect(await isThere(url)).toBe(true)
  starter.stdin.write('stop')
  starter.stdin.end()
  expect(await once(starter, 'exit')).toEqual([0, null])
  expect(await isThere(url)).toBe(false)
})

test('the PostgreSQL of the tests is gone when whoever started it is killed', async () => {
  const { starter, url } = await startStarter()
  expect(await isThere(url)).toBe(true)
  starter.kill('SIGKILL')
  // The process that runs PostgreSQL shares this stream with the killed one: it ends with the last of them.
  await text(starter.stderr)
  expect(await isThere(url)).toBe(false)
})
