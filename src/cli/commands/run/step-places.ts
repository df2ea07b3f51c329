import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, matchesGlob, normalize, parse, relative, resolve, sep } from 'node:path'
import { isAddress, shownSource } from '../../../client/http/address.ts'
import { FileFault, fileError } from '../../../files/file-error.ts'
import { faultOfPath, isDevice, requireNoLink, requireOwnFolder } from '../../../files/place.ts'
import { nextTurn } from '../../../client/next-turn.ts'
import type { Cli } from '../../cli.ts'
import { holdsSomething } from '../../files/require-free.ts'
import { DATE } from './line-parts.ts'
import { argumentsOf, isImport, type Step, type StepFault, textOfFlag } from './step.ts'
import { linesOf, type LinesPlace } from './step-lines.ts'

/** Describes where a job runs, and what its earlier steps do. */
type JobPlace = LinesPlace & {
  readonly cli: Pick<Cli, 'io'>
  /** Holds the folders that earlier steps make. */
  readonly made: readonly string[]
  /** Holds the files that earlier steps move away. */
  readonly moved: ReadonlySet<string>
}

/** Lists the flags that name a file to write, by their names in what the program reads. */
const OUTPUTS = {
  toFile: '--to-file',
  appendSince: '--append-since',
  rejects: '--rejects',
  receipt: '--receipt',
} as const

/** Returns the nearest folder or file on a path that is there. */
const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)))

/** Returns why something cannot be written, by a check that throws; undefined if it can. */
const faultBy = (check: () => void, shown: string): string | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    const failure = fileError(error, 'write', shown)
    return failure instanceof Error ? failure.message : String(failure)
  }
}

/** Returns why nothing can be written in a folder; undefined if it can. */
const faultOfWriting = (folder: string, shown: string): string | undefined =>
  faultBy(() => accessSync(folder, constants.W_OK | constants.X_OK), shown)

/** Returns why a folder can be neither made nor written in; undefined if it can. */
const faultOfFolder = ({ cwd, cli: { io } }: JobPlace, shown: string): string | undefined => {
  if (isAddress(shown)) return 'it is an address, and has to be a folder; name one'
  try {
    requireOwnFolder(resolve(cwd, shown), cwd, io.uid)
  } catch (error) {
    if (error instanceof FileFault) return error.message
    throw error
  }
  const there = nearestThere(resolve(cwd, shown))
  if (statSync(there).isDirectory()) return faultOfWriting(there, shown)
  const name = relative(cwd, there) || there
  return `${name} is a file, and has to be a folder; move the file away, or name another folder`
}

/** Tells whether a target of an import is a file, which can be moved. */
const isMovable = (cwd: string, target: string): boolean =>
  target !== '-' && !isAddress(target) && !isDevice(resolve(cwd, target))

/** Tells whether a pattern of an import finds a path. */
export const finds = (cwd: string, pattern: string, path: string): boolean =>
  matchesGlob(isAbsolute(pattern) ? path : relative(cwd, path), normalize(pattern))

/** Returns what is wrong with the files that a step moves: where they are, and that it would find them again. */
const faultsOfMoved = async (place: JobPlace, step: Step, folder: string): Promise<StepFault[]> => {
  const { cwd, signal } = place
  const files = (await linesOf(step, place)).flatMap(({ file }) =>
    file !== undefined && isMovable(cwd, file) && existsSync(resolve(cwd, file)) ? [file] : [],
  )
  const unwritable = new Set(files.map((file) => faultOfWriting(dirname(resolve(cwd, file)), dirname(file))))
  const moved = new Set(files.map((file) => join(resolve(cwd, folder), basename(file))))
  let again: string | undefined
  for (const pattern of argumentsOf(step)) {
    if (again !== undefined) break
    for (const path of moved) {
      await nextTurn(signal)
      if (finds(cwd, pattern, path)) again = pattern
    }
  }
  return [
    ...[...unwritable].flatMap((why) =>
      why === undefined ? [] : [{ at: step.kind, message: `no file can be moved from there: ${why}` }],
    ),
    ...(again === undefined
      ? []
      : [
          {
            at: 'move_to',
            message: `move_to ${folder}: ${again} would find the moved files again; name another folder`,
          },
        ]),
  ]
}

/** Lists flags of an import that load nothing, so that the file is not done. */
const LOADS_NOTHING = [
  { flag: 'dryRun', name: 'dry-run' },
  { flag: 'explain', name: 'explain' },
] as const

/** Returns why files could not be moved once they are imported. */
export const faultsOfMoving = async (place: JobPlace, step: Step): Promise<StepFault[]> => {
  const { moveTo: folder, command } = step
  if (folder === undefined) return []
  const atMove = (message: string): StepFault[] => [{ at: 'move_to', message }]
  if (!isImport(step)) return atMove(`move_to goes with entries import, and not with ${command?.path ?? step.kind}`)
  const path = faultOfPath(resolve(place.cwd, folder))
  if (path !== undefined) return atMove(`move_to cannot be a path: ${path}`)
  const targets = argumentsOf(step)
  if (targets.length === 0) return atMove('move_to goes with files, and a query moves none; leave it out')
  const idle = LOADS_NOTHING.find(({ flag }) => command?.flags[flag] === true)
  if (idle) return atMove(`move_to does not go with ${idle.name}, which loads nothing`)
  const why = faultOfFolder(place, folder)
  return [
    ...targets
      .filter((one) => !isMovable(place.cwd, one))
      .map((one) => ({
        at: 'move_to',
        message: `move_to goes with files, and ${shownSource(one)} is none: import it in a step without`,
      })),
    ...(why === undefined ? [] : [{ at: 'move_to', message: `move_to ${folder}: ${why}` }]),
    ...(await faultsOfMoved(place, step, folder)),
  ]
}

/** Returns the files that a step writes, each with the flag that names it. */
export const outputsOf = (step: Step): { readonly at: string; readonly file: string }[] =>
  Object.entries(OUTPUTS).flatMap(([name, at]) => {
    const file = textOfFlag(step, name)
    return file === undefined ? [] : [{ at, file }]
  })

/** Returns why a file cannot be written at a path; undefined if it can, or its folder is made by then. */
export const faultOfOutput = (path: string, shown: string, made: readonly string[]): string | undefined => {
  const folder = dirname(path)
  const why = faultOfPath(path)
  if (why !== undefined) return `no file can have this path: ${why}`
  if (isDevice(path)) return undefined
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return `${shown} is a folder; name a file, such as one in it`
  const link = faultBy(() => requireNoLink(path), shown)
  if (link !== undefined) return link
  if (made.some((one) => one === folder || one.startsWith(folder + sep))) return undefined
  // A file is no folder, even if it can be written.
  return faultOfWriting(`${folder}${sep}.`, shown)
}

/** Returns why the files of a step could not be written. */
export const faultsOfOutputs = ({ cwd, made }: JobPlace, step: Step): StepFault[] =>
  outputsOf(step).flatMap(({ at, file }) => {
    const message = file === '-' ? undefined : faultOfOutput(resolve(cwd, file), file, made)
    return message === undefined ? [] : [{ at, message }]
  })

const KEPT = 'exists already, and this step would fail, as it does not replace files'

/** Returns the files that a step writes only where none is there. */
export const keptOutputsOf = (step: Step): ReturnType<typeof outputsOf> => {
  const { force, appendSince } = step.command?.flags ?? {}
  return force === true
    ? []
    : outputsOf(step).filter(({ at, file }) => at === OUTPUTS.toFile && file !== '-' && file !== appendSince)
}

/** Tells whether a file is another one tomorrow. */
const isDaily = ({ daily }: Step, file: string): boolean =>
  daily.some((word) => word === file || word.endsWith(`=${file}`))

/** Says how a step is given a flag that it has not. */
export const withFlag = ({ kind }: Pick<Step, 'kind'>, flag: string): string =>
  kind === 'run' ? `add --${flag}` : `add flags: { ${flag}: true }`

/** Says how a step writes its file in each run. */
const wayOut = (step: Step, file: string): string => {
  const { dir, name, ext } = parse(file)
  return `${withFlag(step, 'force')}, and to keep the file of each day name it after the day: ${join(dir, `${name}-${DATE}${ext}`)}`
}

/**
 * Returns the files that a step would write and that are there already. One of a day is another one tomorrow, and must
 * not stop a second run of the same day.
 */
export const faultsOfKept = ({ cwd, moved }: Pick<JobPlace, 'cwd' | 'moved'>, step: Step): StepFault[] => {
  if (step.goesOn) return []
  return keptOutputsOf(step).flatMap(({ at, file }) => {
    const path = resolve(cwd, file)
    if (isDaily(step, file) || moved.has(path) || !holdsSomething(path)) return []
    return [{ at, message: `${file} ${KEPT}: ${wayOut(step, file)}` }]
  })
}

/** Says of the files that a job writes for the first time that they keep its next run from beginning. */
export const warningsOfKept = (cwd: string, steps: readonly Step[]): string[] => {
  const isMoved = (path: string): boolean =>
    steps.some((step) => step.moveTo !== undefined && argumentsOf(step).some((one) => finds(cwd, one, path)))
  return steps.flatMap((step, at) =>
    step.goesOn
      ? []
      : keptOutputsOf(step).flatMap(({ file }) =>
          isDaily(step, file) || isDevice(resolve(cwd, file)) || isMoved(resolve(cwd, file))
            ? []
            : [
                `step ${at + 1}, ${step.kind}: the next run of this job will be refused, as ${file} exists by then: ${wayOut(step, file)}`,
              ],
        ),
  )
}

/** Returns the files that are there, and that a step moves away. */
export const filesMovedBy = async (place: LinesPlace, step: Step): Promise<string[]> =>
  step.moveTo === undefined || !isImport(step)
    ? []
    : (await linesOf(step, place)).flatMap(({ file }) => (file === undefined ? [] : [resolve(place.cwd, file)]))
