import type { Database } from '../databases.ts'
import type { Description } from '../description.ts'
import { ask, askV1 } from '../service.ts'
import type { RawAnswer } from './connection.ts'
import { createJudge } from './judge.ts'
import { type FuzzRequest, isWhole, wireOf } from './request.ts'
import type { Descriptions } from './requests.ts'
import { type StallMeter, startStallMeter } from './stall.ts'
import { type FuzzWorld, openFuzzWorld, type Wrap } from './world.ts'

/** What requests are sent to: the same service on each database. */
export type Fuzzed = {
  readonly descriptions: Descriptions
  /** Sends requests one after another to each service, and answers what is wrong with what came back. */
  readonly run: (requests: readonly FuzzRequest[]) => Promise<readonly string[]>
  /** How many requests were sent to each service, and the longest that one kept all others waiting, in milliseconds. */
  readonly tally: () => Tally
} & AsyncDisposable

export type Tally = {
  readonly requests: number
  readonly longestStall: number
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

const send = ({ wire, service }: FuzzWorld, request: FuzzRequest): Promise<readonly RawAnswer[]> => {
  const bytes = wireOf(request, service)
  return isWhole(request)
    ? wire.ask(bytes, request.method).then((answer) => [answer])
    : wire.pour(bytes, request.method)
}

/** Headers that differ from one answer to another: ids, times, and what becomes of the connection. */
const OF_ONE_ANSWER = new Set(['x-request-id', 'date', 'connection', 'keep-alive'])

/** Replaces what is another one for each service: where it listens, and secrets that were sent and may be told again. */
const withoutSecrets = ({ service: { login, token, key }, url }: FuzzWorld, text: string): string =>
  text.replaceAll(url, '{url}').replaceAll(token, '{token}').replaceAll(key, '{key}').replaceAll(login, '{login}')

const comparable = (world: FuzzWorld, answers: readonly RawAnswer[]): string => {
  const all = answers.map(({ status, headers, body }) => {
    const names = Object.keys(headers).filter((name) => !OF_ONE_ANSWER.has(name))
    return { status, headers: names.sort().map((name) => [name, headers[name]]), body }
  })
  return withoutSecrets(world, JSON.stringify(all))
}

const SHOWN = 600
/** Where two texts begin to differ. */
const firstDifference = (left: string, right: string): string => {
  let at = 0
  while (at < left.length && left[at] === right[at]) at += 1
  const from = Math.max(0, at - 80)
  return `${left.slice(from, from + SHOWN)}\n  but\n${right.slice(from, from + SHOWN)}`
}

const secretsIn = ({ service: { token, key } }: FuzzWorld, answers: readonly RawAnswer[]): string[] =>
  answers
    .filter(({ status, body }) => status >= 400 && (body.includes(token) || body.includes(key)))
    .map(() => 'a secret is told')

const mayChange = ({ method, headers }: FuzzRequest, answers: readonly RawAnswer[]): boolean =>
  !READS.has(method) &&
  (answers.length === 0 ||
    answers.some(({ status }) => status < 300) ||
    headers.some(([name]) => /^idempotency-key$/i.test(name)))

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What a service answered to a request. */
type Asked = {
  readonly answers: readonly RawAnswer[]
  /** The longest that all others were kept waiting meanwhile, in milliseconds. */
  readonly stall: number
  /** Why there is no answer, or none that can be read. */
  readonly failure: string | undefined
}

const askOne = async (world: FuzzWorld, request: FuzzRequest, meter: StallMeter): Promise<Asked> => {
  let answers: readonly RawAnswer[] = []
  let failure: string | undefined
  const stall = await meter.during(async () => {
    try {
      answers = await send(world, request)
    } catch (error) {
      failure = `no answer: ${messageOf(error)}`
    }
  })
  return { answers, stall, failure }
}

const loggedIn = ({ service }: FuzzWorld): string[] =>
  service.logged.splice(0).map((error) => {
    const cause = error instanceof Error ? error.cause : undefined
    return `it was logged: ${messageOf(error)} ${cause === undefined ? '' : messageOf(cause)}`
  })

/** Where the answers of services to one request differ from those of the first. */
const differencesOf = (texts: readonly string[]): string[] =>
  texts
    .filter((text) => text !== texts[0])
    .map((text) => `the databases differ: ${firstDifference(texts[0] ?? '', text)}`)

/** Where what the stores hold differs from what the first one does, and what there breaks a rule. */
const storeFaults = async (worlds: readonly FuzzWorld[]): Promise<string[]> => {
  const contents = await Promise.all(
    worlds.map(async (world) => (await world.contents()).map((row) => withoutSecrets(world, row))),
  )
  const [expected = [], ...others] = contents
  const differences = others.flatMap((rows) => {
    const missing = expected.filter((row) => !rows.includes(row))
    const added = rows.filter((row) => !expected.includes(row))
    const isSame = missing.length + added.length === 0
    return isSame ? [] : [`the stores differ: ${missing.join(' ')} but ${added.join(' ')}`]
  })
  return [...((await worlds[0]?.storeFaults()) ?? []), ...differences]
}

const describe = async ({ service }: FuzzWorld, asking: typeof ask): Promise<Description> =>
  JSON.parse((await asking(service, { path: '/openapi.json' })).body) as Description

/** What is sent to, and what counts as wrong there. */
type Options = {
  readonly databases: readonly (() => Promise<Database>)[]
  /** The longest that a request may keep all others waiting, in milliseconds. */
  readonly mostMs: number
  readonly wrap?: Wrap
}

const openWorlds = async ({ databases, wrap = (handler) => handler }: Options, stack: AsyncDisposableStack) => {
  const worlds: FuzzWorld[] = []
  for (const make of databases) worlds.push(stack.use(await openFuzzWorld(make, wrap)))
  const [first] = worlds
  if (!first) throw new Error('there is no database to send requests to')
  return { worlds, descriptions: { classic: await describe(first, ask), v1: await describe(first, askV1) } }
}

/** Opens a service on each of some databases for requests of all kinds. */
export const openFuzzed = async (options: Options): Promise<Fuzzed> => {
  const stack = new AsyncDisposableStack()
  const { worlds, descriptions } = await openWorlds(options, stack)
  const judge = createJudge(descriptions)
  const meter = stack.use(startStallMeter())
  let [requests, longestStall] = [0, 0]

  const judged = (request: FuzzRequest, answers: readonly RawAnswer[]): readonly string[] => {
    try {
      return answers.flatMap((answer) => judge(request, answer))
    } catch (error) {
      return [`the answer cannot be read: ${messageOf(error)}`]
    }
  }
  const faultsAt = (world: FuzzWorld, request: FuzzRequest, { answers, stall, failure }: Asked): string[] => [
    ...(failure === undefined ? [] : [failure]),
    ...judged(request, answers),
    ...secretsIn(world, answers),
    ...loggedIn(world),
    ...(stall > options.mostMs ? [`it kept all others waiting for ${Math.round(stall)} ms`] : []),
  ]
  const askAll = async (request: FuzzRequest): Promise<{ faults: readonly string[]; hasChanged: boolean }> => {
    requests += 1
    const all: { world: FuzzWorld; asked: Asked }[] = []
    for (const world of worlds) all.push({ world, asked: await askOne(world, request, meter) })
    longestStall = Math.max(longestStall, ...all.map(({ asked }) => asked.stall))
    const texts = all.map(({ world, asked }) => comparable(world, asked.answers))
    const differences = isWhole(request) ? differencesOf(texts) : []
    return {
      faults: [...all.flatMap(({ world, asked }) => faultsAt(world, request, asked)), ...differences],
      hasChanged: all.some(({ asked }) => mayChange(request, asked.answers)),
    }
  }
  const restore = (): Promise<unknown> => Promise.all(worlds.map((world) => world.restore()))
  return {
    descriptions,
    run: async (all) => {
      let hasChanged = false
      let faults: readonly string[] = []
      for (const request of all) {
        const asked = await askAll(request)
        hasChanged ||= asked.hasChanged
        ;({ faults } = asked)
        if (faults.length > 0) break
      }
      await Promise.all(worlds.map(({ settled }) => settled()))
      if (hasChanged && faults.length === 0) faults = await storeFaults(worlds)
      if (hasChanged) await restore()
      return faults
    },
    tally: () => ({ requests, longestStall }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
