import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type Kept, keyOf } from '../faulty/account.ts'
import type { Written } from '../faulty/entries.ts'
import type { Random } from '../random.ts'
import { shownHeld } from './expected.ts'
import { drawInterruption, flagsOf, type Job } from './job.ts'
import { type Ended, type Machine, runIn } from './run.ts'

/** Entries by their keys. */
export type Account = ReadonlyMap<string, Kept>

/** Returns entries by their keys. */
export const accountOf = (entries: readonly Kept[]): Account => new Map(entries.map((one) => [keyOf(one), one]))

/** A command that has run, and what it made of the entries. */
export type Ran = {
  readonly args: readonly string[]
  readonly ended: Ended
  /** What was there when it began. */
  readonly held: Account
  /** What it changed, in order. */
  readonly own: readonly Written[]
  /** The keys that others changed meanwhile. */
  readonly foreign: ReadonlySet<string>
  /** Whether anything went wrong. */
  readonly isTroubled: boolean
  /** Whether the service has put off a request. */
  readonly isPutOff: boolean
  /** When it ended, or was killed. */
  readonly at: number
}

/** Somebody at a machine with a home of its own, who imports a file and takes it back. */
export type Seat = {
  readonly name: string
  readonly job: Job
  /** The import. */
  readonly line: readonly string[]
  readonly run: (args: readonly string[], mayBeCut: boolean) => Promise<Ran>
  readonly home: () => string
  /** The folder of its receipts. */
  readonly receipts: () => string
  /** Tells whether a command of it wrote something. */
  readonly wrote: (written: Written) => boolean
}

/** What all seats said and how their commands ended, in the order of their ends. */
export type Protocol = { said: string; readonly codes: (number | undefined)[] }

const receiptsIn = (home: string): string => `${home}/.local/state/kpi/receipts`

/** Lets the receipts of a home that was copied name the journals there. */
const moveReceipts = (from: string, to: string): void => {
  const folder = receiptsIn(to)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = `${folder}/${name}`
    if (path.endsWith('.receipt.jsonl'))
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`${from}/`, `${to}/`))
  }
}

const isChange = ({ before, after }: Written): boolean => shownHeld(before) !== shownHeld(after)

/** Seats somebody at a machine, with the file of a job. */
export const createSeat = (name: string, job: Job, machine: Machine, random: Random, protocol: Protocol): Seat => {
  const { service } = machine
  let home = machine.newHome()
  mkdirSync(home)
  writeFileSync(`${home}/data.csv`, job.sheet.text)
  const all = new Set<Written>()
  const run: Seat['run'] = async (args, mayBeCut) => {
    const interruption = mayBeCut ? drawInterruption(random, 30) : undefined
    const [held, from, troubles] = [accountOf(service.entries()), service.written.length, service.log.length]
    const own = new Set<Written>()
    const serve: typeof service.serve = (request, now) => {
      const first = service.written.length
      const served = service.serve(request, now)
      for (const written of service.written.slice(first)) {
        own.add(written)
        all.add(written)
      }
      return served
    }
    const ended = await runIn({ ...machine, service: { ...service, serve } }, home, args, interruption)
    if (ended.home !== home) moveReceipts(home, ended.home)
    home = ended.home
    protocol.codes.push(ended.code)
    const end = ended.code === undefined ? 'killed\n' : `exit ${ended.code}\n${ended.stderr}${ended.stdout}`
    protocol.said += `-- ${name}: kpi ${args.join(' ')}: ${end}`
    const others = service.written.slice(from).filter((one) => !own.has(one))
    const foreign = new Set(others.map(({ key }) => key))
    const wrong = service.log.slice(troubles)
    return {
      args,
      ended,
      held,
      own: [...own].filter(isChange),
      foreign,
      isTroubled: wrong.length > 0,
      isPutOff: wrong.some((one) => one.includes('put off')),
      at: machine.clock.now(),
    }
  }
  return {
    name,
    job,
    line: ['entries', 'import', 'data.csv', '-o', 'json', ...flagsOf(job)],
    run,
    home: () => home,
    receipts: () => receiptsIn(home),
    wrote: (written) => all.has(written),
  }
}
