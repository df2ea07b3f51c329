import { printable, resource, type Stored } from '../schema.ts'

/** Defines the answer of the health check, which anybody may read. */
export const health = resource({
  name: 'health',
  plural: 'health',
  title: 'health',
  root: 'Health',
  path: '/health',
  verbs: ['get'],
  fields: {
    status: { kind: 'choice', about: 'ok: it answers', readOnly: true, oneOf: ['ok'] },
    version: { kind: 'text', about: 'Version of the service', readOnly: true, example: '0.1.0' },
  },
})

/** Defines the overview of a store for the operator. Fields are only ever added. */
export const status = printable('status', 'status', {
  store: { kind: 'text', about: 'Database that holds the store' },
  path: { kind: 'text', about: 'File of the store, or host and database of a PostgreSQL' },
  version: { kind: 'text', about: 'Version of this program' },
  store_version: { kind: 'integer', about: 'Version of the store' },
  in_use: { kind: 'boolean', about: 'Whether another process has it open, such as a server' },
  last_write_at: {
    kind: 'datetime',
    about: 'When anything in it was made or last changed',
    nullable: true,
  },
  bytes: { kind: 'integer', about: 'What it takes on the disk' },
  free_bytes: {
    kind: 'integer',
    about: 'What is free on that disk, where it is a file',
    nullable: true,
  },
  accounts: { kind: 'integer', about: 'Accounts' },
  accounts_with_api: { kind: 'integer', about: 'Accounts whose API answers' },
  users: { kind: 'integer', about: 'Users of all accounts' },
  kpis: { kind: 'integer', about: 'KPIs of all accounts' },
  entries: { kind: 'integer', about: 'Entries of all accounts' },
})

export type Status = Stored<typeof status>
