import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type Kept, keyOf } from '../faulty/account.ts'
import { kinds } from '../faulty/kinds.ts'
import type { FaultyService } from '../faulty/service.ts'
import { createRandom, type Random } from '../random.ts'
import { expectedOf, shownHeld } from './expected.ts'
import { drawInterruption, drawJob, flagsOf, type Job } from './job.ts'
import { type Ended, type Machine, runIn } from './run.ts'
import { type Play, rejectedIn, simulateJob, type Simulated } from './simulate.ts'

/** What can be taken back: services whose entries can be read, and that store what they are sent. */
const undoable = kinds.filter(({ reads, rewrites, post }) => reads && !rewrites && post === 'upsert')

/** Draws a job on such a service, in which nobody is locked out and nothing is done twice on the way. */
const drawUndoable = (random: Random): Job => {
  const job = drawJob(random)
  const kind = random.pick(undoable)
  const troubles = { ...job.troubles, mayLockOut: false, mayDouble: false }
  const drawn = { ...job, kind, troubles }
  return drawn.onConflict === 'add' && drawn.clear ? { ...drawn, clear: false } : drawn
}

/** Stands in the reason of a row whose answer was lost for good. */
const LOST = 'it may or may not have been stored'
/**
 * Stands in the reason of a row that was sent, and is not stored, because the service answered as if it were. Sent again it could
 * be added twice where the list shows it late, so that such a row of an adding import is a reject, which is true of it.
 */
const NOT_STORED = 'but did not store it'

type Receipt = { readonly receipt: string; readonly taken_back_at: string | null }

/** A machine, and what has been run on it. */
type Course = {
  readonly run: (args: readonly string[], mayBeCut: boolean) => Promise<Ended>
  readonly said: () => string
  readonly home: () => string
  readonly codes: (number | undefined)[]
}

/** Lets the receipts of a home that was copied name the journals there. */
const moveReceipts = (from: string, to: string): void => {
  const folder = `${to}/.local/state/kpi/receipts`
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = `${folder}/${name}`
    if (path.endsWith('.receipt.jsonl'))
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`${from}/`, `${to}/`))
  }
}

const createCourse = (machine: Machine, first: string, random: Random): Course => {
  let [home, said] = [first, '']
  const codes: (number | undefined)[] = []
  return {
    said: () => said,
    home: () => home,
    codes,
    run: async (args, mayBeCut) => {
      const ended = await runIn(machine, home, args, mayBeCut ? drawInterruption(random, 30) : undefined)
      if (ended.home !== home) moveReceipts(home, ended.home)
      home = ended.home
      codes.push(ended.code)
      said += `-- kpi ${args.join(' ')}: ${ended.code === undefined ? 'killed\n' : `exit ${ended.code}\n${ended.stderr}${ended.stdout}`}`
      await machine.clock.sleep(61_000)
      return ended
    },
  }
}

const openReceipts = async ({ run }: Course): Promise<string[]> => {
  const ended = await run(['entries', 'undo', '-o', 'json'], false)
  if (ended.code !== 0) return []
  const list = JSON.parse(ended.stdout) as Receipt[]
  return list.filter(({ taken_back_at }) => taken_back_at === null).map(({ receipt }) => receipt)
}

/** Takes back all imports, the latest first, until that changes nothing more; returns whether something is left alone. */
const takeAllBack = async (course: Course): Promise<boolean | undefined> => {
  let isLeft = false
  for (const receipt of await openReceipts(course)) {
    const { code } = await course.run(['entries', 'undo', receipt, '--yes'], false)
    if (code !== 0 && code !== 3) return undefined
    isLeft ||= code === 3
  }
  return isLeft
}

/** Runs the import until it has nothing more to do; where what an undo has left hinders it, that is taken back first. */
const importAll = async (course: Course, line: readonly string[]): Promise<number | undefined> => {
  for (let tries = 0; tries < 6; tries += 1) {
    const ended = await course.run(line, false)
    if (ended.code === 0 || ended.code === 3) return ended.code
    if (ended.code === 1 && !ended.stderr.includes('would be added again')) return 1
    // What somebody has changed is left alone for good.
    if (ended.code === 1 && (await takeAllBack(course)) !== false) return 1
  }
  return undefined
}

/** Changes some entries as somebody at another machine would; returns their keys. */
const changeByHand = ({ chance }: Random, service: FaultyService, share: number): string[] =>
  service.entries().flatMap((one) => {
    if (!chance(share)) return []
    service.change(one.id, { ...one, actual: (one.actual ?? 0n) + 777_7777n })
    return [keyOf(one)]
  })

const heldIn = (entries: readonly Kept[]): Map<string, string> =>
  new Map(entries.map((one) => [keyOf(one), shownHeld(one)]))

const complaintsOf = (
  is: readonly Kept[],
  expected: ReadonlyMap<string, string>,
  isOpen: (key: string) => boolean,
): string[] => {
  const held = heldIn(is)
  const doubles = is.length === held.size ? [] : [`${is.length} entries stand under ${held.size} keys`]
  return [
    ...doubles,
    ...[...new Set([...held.keys(), ...expected.keys()])].flatMap((key) => {
      const [found, wanted] = [held.get(key) ?? 'nothing', expected.get(key) ?? 'nothing']
      return found === wanted || isOpen(key) ? [] : [`${key} holds ${found} instead of ${wanted}`]
    }),
  ]
}

/** Returns the keys of the rows whose reasons say something; where a row has several, nobody can tell of which it is said. */
const toldKeys = (job: Job, home: string, words: string): Set<string> => {
  const told = new Set(rejectedIn(home).flatMap(({ line, reason }) => (reason.includes(words) ? [line] : [])))
  return new Set(expectedOf(job).fates.flatMap(({ key, lines }) => (lines.some((line) => told.has(line)) ? [key] : [])))
}

/** What an account holds once all of a job is stored, but for what is told not to be. */
const storedBy = (job: Job, notStored: ReadonlySet<string>): Map<string, string> => {
  const held = heldIn(job.account.entries)
  for (const { key, after, isRejected } of expectedOf(job).fates)
    if (isRejected === false && after && !notStored.has(key)) held.set(key, shownHeld(after))
  return held
}

const isOver = ({ code }: Ended): boolean => code === 0 || code === 3

/** Imports and takes back, some of it cut off, and in the end all of one of them; returns what is wrong then. */
const play = async ({ job, service, calm }: Play, course: Course, random: Random): Promise<string[]> => {
  const { whole, chance, pick } = random
  const line = ['entries', 'import', 'data.csv', '-o', 'json', ...flagsOf(job)]
  const changed = new Set<string>()
  // An import that adds and has ended adds again: that is what it was asked for.
  let hasAdded = false
  for (let step = whole(1, 5); step > 0; step -= 1) {
    if (!hasAdded && chance(0.55)) hasAdded = isOver(await course.run(line, true)) && job.onConflict === 'add'
    else {
      const receipts = await openReceipts(course)
      if (receipts.length > 0) await course.run(['entries', 'undo', pick(receipts), '--yes'], true)
    }
    if (chance(0.25)) for (const key of changeByHand(random, service, 0.05)) changed.add(key)
  }
  calm()
  // What somebody has changed meanwhile is added to, left alone or replaced, whichever came first.
  const isOpen = (key: string): boolean => changed.has(key) || toldKeys(job, course.home(), LOST).has(key)
  const isTakenBack = hasAdded || chance(0.5)
  if (isTakenBack) {
    const isLeft = await takeAllBack(course)
    if (isLeft === undefined) return ['what was imported cannot be taken back']
    const complaints = complaintsOf(service.entries(), heldIn(job.account.entries), isOpen)
    if (isLeft && changed.size === 0) complaints.push('something is left alone, which nobody has changed')
    if (complaints.length > 0 || chance(0.5)) return complaints
  }
  const code = await importAll(course, line)
  if (code === undefined) return ['the import does not end']
  const isRefused = code === 1
  if (isRefused && course.said().includes('would be added again')) return []
  if (isRefused) return complaintsOf(service.entries(), heldIn(job.account.entries), isOpen)
  const notStored = job.onConflict === 'add' ? toldKeys(job, course.home(), NOT_STORED) : new Set<string>()
  const isUntold = (key: string): boolean => job.sheet.isWide && notStored.has(key)
  return complaintsOf(service.entries(), storedBy(job, notStored), (key) => isOpen(key) || isUntold(key))
}

/** Imports a drawn file into a drawn service and takes it back, in any order and cut off anywhere. */
export const simulateUndo = (seed: number): Promise<Simulated> => {
  const random = createRandom(seed)
  return simulateJob(seed, random, drawUndoable(random), async (played) => {
    const course = createCourse(played.machine, played.home, random)
    const complaints = await play(played, course, random)
    return { codes: course.codes, complaints, said: course.said() }
  })
}
