import { setImmediate } from 'node:timers/promises'
import type { RequestObserver } from '../client/request-observer.ts'
import { Aborted, type Transport, type TransportRequest, type TransportResponse } from '../client/transport.ts'
import { addsToStored } from '../codec/batch.ts'
import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { ENTRIES_PAGE_IN_PROCESS } from '../domain/resources/entry.ts'
import { REPORT_LIMIT_IN_PROCESS } from '../domain/resources/report-row.ts'
import type { Variant } from '../domain/variants.ts'
import { createApp } from '../server/api/app.ts'
import type { Answer, Content, Query } from '../server/api/call.ts'
import { classicRoutes, v1Routes } from '../server/api/routes/index.ts'
import { DEFAULT_ACCOUNT } from '../service/context.ts'
import { type Db, nestedTransaction } from '../store/db.ts'
import { openStore } from '../store/schema/open-store.ts'
import { accounts } from '../store/tables/accounts.ts'
import type { UnfinishedCopy } from '../store/maintenance/unfinished-copy.ts'
import type { AnswerBatchIdempotently } from './embedded-batch.ts'
import { shellWord } from './output/text.ts'
import { makeFolder, storePath } from './target/folders.ts'

/** Holds the account of the embedded service, or an unfinished copy in a store without it. */
type Found = { readonly account: Account } | { readonly account?: undefined; readonly unfinished: UnfinishedCopy }

/**
 * Finds the account of the embedded service, and creates it with its defaults if there is none yet: but not in a store that
 * accounts are still copied to, as it could be one of them.
 */
const findAccount = async (db: Db, now: number): Promise<Found> => {
  const known = await db.read((tx) => accounts.findByName(tx, DEFAULT_ACCOUNT))
  if (known) return { account: known }
  const { readUnfinished } = await import('../store/maintenance/unfinished-copy.ts')
  const others = await db.read((tx) => accounts.list(tx))
  const unfinished = others.map(({ name }) => readUnfinished(name)).find((copy) => copy !== undefined)
  if (unfinished) return { unfinished }
  const { ensureDefaultAccount } = await import('../service/accounts/accounts.ts')
  return { account: await ensureDefaultAccount(db, now) }
}

/** Opens the store of a data directory; creates and migrates it as needed, and creates its account. */
export const openEmbedded = async (
  dataDir: string,
  nowMs: () => number,
  options?: Parameters<typeof openStore>[1],
): Promise<{ readonly db: Db } & Found> => {
  makeFolder(dataDir, 'data directory')
  const db = await openStore(storePath(dataDir), options)
  try {
    return { db, ...(await findAccount(db, Math.floor(nowMs() / 1000))) }
  } catch (error) {
    await db.close()
    throw error
  }
}

const toQuery = (query: TransportRequest['query'] = {}): Query =>
  new Map(Object.entries(query).map(([name, value]) => [name.toLowerCase(), [value]]))

/** Returns content whose records are all there, as a client takes them. */
const listed = (content: Content) =>
  'records' in content ? { of: content.of, records: [...content.records] } : content

/**
 * Returns the transport to the bundled service in this process: no port, no credentials, no limit, but the same routes,
 * rules and errors.
 */
export const inProcessTransport = (
  db: Db,
  account: Account,
  nowMs: () => number,
  variant: Variant = 'classic',
): Transport => {
  const app = createApp(db, variant === 'classic' ? classicRoutes : v1Routes)
  let runBatch: AnswerBatchIdempotently | undefined
  const callerNow = () => ({
    account,
    now: Math.floor(nowMs() / 1000),
    lenient: variant === 'classic',
  })
  const responseOf = ({ status, content, total, applied }: Answer): TransportResponse => ({
    status,
    content: content === undefined ? { json: undefined } : listed(content),
    total,
    ...(applied !== undefined && { hasDatedTargets: true }),
    isCreated: variant === 'v1' ? status === 201 : undefined,
  })
  return {
    sendTogether: async (sendings) => {
      try {
        const answers = await db.write(async (tx) => {
          const caller = { ...callerNow(), db: nestedTransaction(tx) }
          const done: Answer[] = []
          for (const { method, path, query, body, asksForDatedTargets: showsDatedTargets } of sendings) {
            done.push(await app.answer({ ...caller, showsDatedTargets }, { method, path, query: toQuery(query), body }))
          }
          return done
        })
        return answers.map(responseOf)
      } finally {
        await setImmediate()
      }
    },
    send: async (sending: TransportRequest): Promise<TransportResponse> => {
      const { method, path, query, body } = sending
      const caller = callerNow()
      const answer = (open?: Db): Promise<Answer> =>
        app.answer(
          { ...caller, db: open, run: sending.run, showsDatedTargets: sending.asksForDatedTargets },
          { method, path, query: toQuery(query), body },
        )
      // Only batches that add need an Idempotency-Key: setting a value again is harmless.
      if (sending.idempotencyKey !== undefined && addsToStored(body)) {
        runBatch ??= (await import('./embedded-batch.ts')).createBatchRunner(db)
        return runBatch(sending, { account: account.id, now: caller.now }, answer)
      }
      try {
        return responseOf(await answer())
      } finally {
        // All of that happened at once, also where it was refused: now signals and timers have their turn.
        await setImmediate()
      }
    },
    caller: account.name,
    calendar: () => account,
    identifyAccount: () => ({ for: `account ${account.name}`, isSure: true }),
    isBundled: () => true,
    keepsRuns: () => true,
    datesTargets: () => true,
    serviceTime: nowMs,
    isInProcess: true,
    formulas: async () => {
      const { calculated } = await import('../service/definitions/calculated-kpis.ts')
      return calculated.list({ ...callerNow(), db })
    },
    entriesPage: ENTRIES_PAGE_IN_PROCESS,
    reportRows: REPORT_LIMIT_IN_PROCESS,
    close: db.close,
  }
}

/** Returns the error of a command on a store that accounts are still copied to. */
const copyUnfinished = ({ account, source }: UnfinishedCopy, dataDir: string): KpiError => {
  const command = `kpi service copy --to sqlite --account ${shellWord(account)} --data-dir ${shellWord(dataDir)}`
  return new KpiError(
    'unusable',
    `the copy of account ${account} from ${source} to ${dataDir} is not finished; continue it: ${command}, or remove it: ${command} --discard`,
  )
}

/** Ends requests that only read once somebody has asked to stop, as they end over a network. */
export const withoutLateReads = (transport: Transport, signal: AbortSignal): Transport => ({
  ...transport,
  send: async (sending) => {
    const response = await transport.send(sending)
    if (sending.method === 'GET' && signal.aborted) throw new Aborted('stopped while the data was read')
    return response
  },
})

/** Describes what watches and stops the requests to a service in this process. */
type Watched = { readonly observer?: RequestObserver | undefined; readonly signal?: AbortSignal | undefined }

/** Returns the transport to the service on the store of a data directory, in this process. */
export const embeddedTransport = async (
  dataDir: string,
  nowMs: () => number,
  variant: Variant = 'classic',
  { observer, signal }: Watched = {},
): Promise<Transport> => {
  const { db, ...found } = await openEmbedded(dataDir, nowMs)
  if (!found.account) {
    await db.close()
    throw copyUnfinished(found.unfinished, dataDir)
  }
  const own = inProcessTransport(db, found.account, nowMs, variant)
  const transport = signal ? withoutLateReads(own, signal) : own
  if (!observer) return transport
  const [{ observedTransport }, { classicStatus, v1Status }] = await Promise.all([
    import('../client/observed-transport.ts'),
    import('../server/api/status.ts'),
  ])
  return observedTransport(transport, observer, variant === 'classic' ? classicStatus : v1Status)
}
