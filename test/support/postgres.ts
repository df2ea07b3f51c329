import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  // What tests may ask for by `inject`.
  interface ProvidedContext {
    postgresUrl: string
    /** What the names of the schemas that a run makes begin with. */
    postgresSchemas: string
  }
}

/** Nothing that tests write has to outlive the machine. */
export const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300']
const SERVER = join(import.meta.dirname, 'postgres-server.ts')

export type Cluster = { readonly url: string; readonly stop: () => Promise<void> }

/**
 * Starts a PostgreSQL with settings (`name=value`) in a process of its own, and resolves once it
 * accepts connections. It stops when told to, and when this process ends without a word. Its process group is its own, so that Ctrl-C at the
 * terminal does not reach it before the tests have ended.
 */
export const startCluster = async (settings: readonly string[]): Promise<Cluster> => {
  const args = [SERVER, ...settings]
  const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const ended = once(server, 'exit')
  const url = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()
  if (url.done) throw new Error('the PostgreSQL of the tests does not start; see above')
  return {
    url: url.value,
    stop: async () => {
      server.stdin.end()
      const [code, signal] = (await ended) as [number | null, string | null]
      if (code !== 0)
        throw new Error(`the PostgreSQL of the tests did not stop as it should: ended with ${code ?? signal}`)
    },
  }
}

let cluster: Cluster | undefined

const SCHEMAS = `test_${randomUUID().slice(0, 8)}_`

/** Removes the schemas of this run from a PostgreSQL that was given, where tests keep some to use them again. */
const removeSchemas = async (server: string): Promise<void> => {
  const client = new Client(server)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where starts_with(nspname, $1)',
    [SCHEMAS],
  )
  for (const { name } of rows) await client.query(`drop schema ${name} cascade`)
  await client.end()
}

/** Gives all tests a PostgreSQL: the one that KPI_TEST_POSTGRES_URL names, else one of their own. */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  const given = process.env['KPI_TEST_POSTGRES_URL']
  if (given === undefined) cluster = await startCluster(SETTINGS)
  provide('postgresUrl', given ?? cluster?.url ?? '')
  provide('postgresSchemas', SCHEMAS)
}

export const teardown = async (): Promise<void> => {
  const given = process.env['KPI_TEST_POSTGRES_URL']
  if (given !== undefined) await removeSchemas(given)
  await cluster?.stop()
}
