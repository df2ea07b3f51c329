import { keyOf } from '../faulty/account.ts'
import { kinds } from '../faulty/kinds.ts'
import type { FaultyService } from '../faulty/service.ts'
import { createRandom, type Random } from '../random.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { shownHeld } from './expected.ts'
import { drawAccount, drawJobOn, type Job } from './job.ts'
import { accountOf, createSeat, type Protocol, type Seat } from './seat.ts'
import { alterSheet, type Sheet } from './sheet.ts'
import { type Play, simulateJob, type Simulated } from './simulate.ts'
import { createUndoModel, type UndoModel } from './undo-model.ts'

/** What can be taken back: services whose entries can be read, and that store what they are sent. */
const undoable = kinds.filter(({ reads, rewrites, post }) => reads && !rewrites && post === 'upsert')

/** Draws a job on an account, in which nobody is locked out and nothing is done twice on the way. */
const drawUndoable = (random: Random, { kind, account }: Pick<Job, 'kind' | 'account'>, sheet?: Sheet): Job => {
  const job = drawJobOn(random, kind, account, sheet)
  const troubles = { ...job.troubles, mayLockOut: false, mayDouble: false }
  return { ...job, troubles, clear: job.clear && job.onConflict !== 'add' }
}

/** Draws what somebody else imports there: the same file, one that has changed since, or another one. */
const drawOther = (random: Random, job: Job): Job =>
  drawUndoable(
    random,
    job,
    random.pick([job.sheet, alterSheet(random, job.sheet), alterSheet(random, job.sheet), undefined]),
  )

/** Somebody who imports and takes back, and whether they have added all of their file. */
type Player = { readonly seat: Seat; readonly model: UndoModel; hasAdded: boolean }

/** Changes and removes some entries as somebody does by hand. */
const changeByHand = ({ chance }: Random, service: FaultyService): void => {
  for (const one of service.entries()) {
    if (chance(0.05)) service.change(one.id, { ...one, actual: (one.actual ?? 0n) + 777_7777n })
    else if (chance(0.02)) service.remove(one.id)
  }
}

/** Has somebody import, or take back one of their imports; an import that adds and has ended would add again. */
const drawCommand = async ({ chance, pick }: Random, player: Player): Promise<(() => Promise<void>) | undefined> => {
  const { model, seat } = player
  if (!player.hasAdded && chance(0.55))
    return async () => {
      const code = await model.load(true)
      if (code === 0 || code === 3) player.hasAdded = seat.job.onConflict === 'add'
    }
  const receipts = await model.open()
  const receipt = receipts.length > 0 ? pick(receipts) : undefined
  return receipt === undefined ? undefined : async () => void (await model.takeBack(receipt, true))
}

/** Longer than a limit counts, and long enough for a service to tell what was stored later. */
const [PAUSE_MS, LONG_PAUSE_MS] = [61_000, 1_200_000]

/** Has players run commands, some of them at the same time. */
const playSome = async (players: readonly Player[], random: Random, service: FaultyService, clock: VirtualClock) => {
  const { whole, chance, pick } = random
  for (let step = whole(1, 4 * players.length); step > 0; step -= 1) {
    const commands = [await drawCommand(random, pick(players))]
    const [first, second] = players
    if (first && second && chance(0.2)) {
      commands.splice(0, 1, await drawCommand(random, first), await drawCommand(random, second))
    }
    const starts = commands.map((_, at) => at * (whole(0, 3000) + 0.5))
    await Promise.all(
      commands.map(async (command, at) => {
        await clock.sleep(starts[at] ?? 0)
        await command?.()
      }),
    )
    await clock.sleep(chance(0.3) ? LONG_PAUSE_MS : PAUSE_MS)
    if (chance(0.25)) changeByHand(random, service)
  }
}

/** Takes back all imports of somebody, the latest first. */
const takeAllBack = async ({ model }: Player): Promise<boolean> => {
  let isLeft = false
  for (const receipt of await model.open()) {
    const code = await model.takeBack(receipt, false)
    isLeft ||= code === 3
  }
  return isLeft
}

/** Imports until there is nothing more to do; where what an undo has left hinders it, that is taken back first. */
const importAll = async (player: Player, protocol: Protocol): Promise<string[]> => {
  const { model, seat } = player
  for (let tries = 0; tries < 6; tries += 1) {
    const code = await model.load(false)
    if (code === 0 || code === 3) return []
    // What somebody has changed is left alone for good.
    if (code === 1 && (await takeAllBack(player))) return []
  }
  // An entry that a service says is stored, and does not list, is not sent again: somebody else may have removed it.
  // A service that refuses each entry and accepts none is asked no more.
  const isOver = ['is not sent again for a week', 'and has accepted none'].some((words) =>
    protocol.said.includes(words),
  )
  return isOver ? [] : [`the import of ${seat.name} does not end`]
}

/** What nobody but somebody changed who has taken all back is as it was. */
const complaintsOfRest = ({ service, job }: Play, { seat }: Player): string[] => {
  const others = new Set(service.written.filter((one) => !seat.wrote(one)).map(({ key }) => key))
  const [before, after] = [accountOf(job.account.entries), accountOf(service.entries())]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [is, was] = [shownHeld(after.get(key)), shownHeld(before.get(key))]
    return is === was || others.has(key) ? [] : [`all is taken back, and ${key} holds ${is} instead of ${was}`]
  })
}

const play = async (played: Play, protocol: Protocol, random: Random, isAlone: boolean): Promise<string[]> => {
  const { job, machine, service, clock, calm } = played
  const jobs = random.chance(0.3) || isAlone ? [job] : [job, drawOther(random, job)]
  const players = jobs.map((one, at): Player => {
    const seat = createSeat(['the first', 'the second'][at] ?? '', one, machine, random, protocol)
    return { seat, model: createUndoModel(seat, service), hasAdded: false }
  })
  await playSome(players, random, service, clock)
  calm()
  await clock.sleep(PAUSE_MS)
  const complaints: string[] = []
  for (const player of random.chance(0.5) ? players : players.toReversed()) {
    if (player.hasAdded || random.chance(0.6)) {
      await takeAllBack(player)
      complaints.push(...complaintsOfRest(played, player))
    }
    if (random.chance(0.5)) complaints.push(...(await importAll(player, protocol)))
  }
  const held = service.entries()
  const keys = new Set(held.map(keyOf))
  return [
    ...players.flatMap(({ seat, model }) => model.complaints.map((one) => `${seat.name}: ${one}`)),
    ...complaints,
    ...(keys.size === held.length ? [] : [`${held.length} entries stand under ${keys.size} keys`]),
  ]
}

/** Plays what is drawn from a seed, by one player or two. */
const simulatePlayers = (seed: number, isAlone: boolean): Promise<Simulated> => {
  const random = createRandom(seed)
  const job = drawUndoable(random, { kind: random.pick(undoable), account: drawAccount(random) })
  return simulateJob(seed, random, job, async (played) => {
    const protocol: Protocol = { said: '', codes: [] }
    const complaints = await play(played, protocol, random, isAlone)
    return { codes: protocol.codes, complaints, said: protocol.said }
  })
}

/** Loads the modules that commands load as they run: time would go on for one of two that run at once while the other loads. */
const loadModules = async (): Promise<void> => {
  for (let seed = 1; seed <= 10; seed += 1) await simulatePlayers(seed, true)
}
let loaded: Promise<void> | undefined

/** Imports drawn files into a drawn service from one machine or two, and takes them back, in any order and cut off anywhere. */
export const simulateUndo = async (seed: number): Promise<Simulated> => {
  await (loaded ??= loadModules())
  return simulatePlayers(seed, false)
}
