import { KpiError } from '../domain/errors.ts'
import { createApp } from '../server/app.ts'
import { classicFace } from '../server/classic.ts'
import { listen, type Listening } from '../server/listen.ts'
import { DEFAULT_ACCOUNT } from '../service/names.ts'
import { accounts } from '../store/accounts.ts'
import type { Db } from '../store/db.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Cli } from './cli.ts'
import { openBundled } from './operator.ts'
import { placeFlags } from './settings.ts'
import { shellWord } from './shell-word.ts'

const listenError = (error: unknown, host: string, port: number): unknown => {
  if (!(error instanceof Error && 'code' in error)) return error
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'it is in use; choose another with --port, 0 takes a free one',
    EACCES: 'permission is denied; choose one above 1023 with --port',
    EADDRNOTAVAIL: 'this machine does not have that address',
  }
  const reason = reasons[String(error.code)]
  return reason === undefined
    ? error
    : new KpiError('unusable', `cannot listen on ${host} port ${port}: ${reason}`, { cause: error })
}

const start = async (cli: Cli, db: Db, host: string, port: number): Promise<Listening> => {
  const { now, random, stderr } = cli.io
  const face = classicFace({
    app: createApp(db),
    db,
    version: manifest.version,
    now: () => Math.floor(now() / 1000),
    requestId: () => Buffer.from(random(9)).toString('base64url'),
    onError: (error, requestId) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      void stderr.write(`kpi: request ${requestId}: ${text}\n`)
    },
  })
  try {
    return await listen(face, host, port)
  } catch (error) {
    throw listenError(error, host, port)
  }
}

/** Says what is still to be done before the interface answers. */
const adviseAccess = async (cli: Cli, db: Db): Promise<void> => {
  const place = placeFlags(cli.flags).map((word) => ` ${shellWord(word)}`)
  const [all, known] = await db.read(async (tx) => [
    await accounts.list(tx),
    await accounts.findByName(tx, DEFAULT_ACCOUNT),
  ])
  if (all.length === 0) {
    return cli.note(`There is no account yet. Make one, in another terminal:
  kpi service accounts create ${DEFAULT_ACCOUNT} --login you@example.com${place.join('')}`)
  }
  if (!known || known.api_enabled) return
  await cli.note(`The API of account ${DEFAULT_ACCOUNT} is not enabled. Enable it and make a token, in another terminal:
  kpi service accounts enable-api ${DEFAULT_ACCOUNT}${place.join('')}
  kpi service token create${place.join('')}`)
}

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Serves the bundled service until it is asked to stop; then finishes the requests that it has. */
export const runServer = async (cli: Cli, host: string, port: number): Promise<void> => {
  const db = await openBundled(cli)
  try {
    const signal = cli.io.interruption()
    const listening = await start(cli, db, host, port)
    try {
      await cli.io.stdout.write(`${listening.url}/api\n`)
      await adviseAccess(cli, db)
      if (cli.io.stderr.isTerminal) await cli.note('Ctrl-C stops it')
      await stopped(signal)
    } finally {
      await listening.close()
    }
  } finally {
    await db.close()
  }
}
