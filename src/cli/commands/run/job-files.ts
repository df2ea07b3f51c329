import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { manifestPath } from '../../../export/report/manifest.ts'
import { isDevice } from '../../../files/place.ts'
import { holdsSomething } from '../../files/require-free.ts'
import { freePath } from './move-files.ts'
import { argumentsOf, isImport, type Step } from './step.ts'
import { isPattern, isRejects, type LinesPlace, type StepLine } from './step-lines.ts'
import { finds, keptOutputsOf, outputsOf } from './step-places.ts'

/** Says of a file what earlier steps have made of it, where they have; `unsure` where one may fail and the job goes on. */
type Left = 'made' | 'gone' | 'unsure'

/** Says of a file what a step finds. */
type FileState = Left | 'there' | 'absent'

/** Matches files that an export never leaves empty. */
const NEVER_EMPTY = /\.(?:csv|json|xlsx|html)$/i

/** Follows the files of a job from step to step without touching them. */
export const createJobFiles = ({ cwd }: Pick<LinesPlace, 'cwd'>) => {
  const left = new Map<string, Left>()
  const folders = new Set<string>()
  const maybeEmpty = new Set<string>()

  const stateOf = (file: string): FileState => {
    const path = resolve(cwd, file)
    const known = left.get(path)
    if (known !== undefined) return known
    if (existsSync(path)) return 'there'
    return folders.has(dirname(path)) ? 'unsure' : 'absent'
  }

  return {
    stateOf,
    /** Tells whether the patterns of a step find files that earlier steps make, or move there. */
    findsMore: (step: Step): boolean =>
      isImport(step) &&
      argumentsOf(step)
        .filter(isPattern)
        .some((pattern) =>
          [...left].some(([path, state]) => state !== 'gone' && !isRejects(path) && finds(cwd, pattern, path)),
        ),
    /** Says of a file that a step would not replace whether it is there by then; undefined where it is not. */
    keptBy: (step: Step): { readonly file: string; readonly isSure: boolean } | undefined => {
      for (const { file } of keptOutputsOf(step)) {
        const [path, state] = [resolve(cwd, file), stateOf(file)]
        if (state === 'made' || state === 'unsure') return { file, isSure: state === 'made' && !maybeEmpty.has(path) }
        if (state === 'there' && holdsSomething(path)) return { file, isSure: true }
      }
      return undefined
    },
    /** Notes what a command line leaves, if it ends well; the job goes on without that where its step says so. */
    leave: (step: Step, { file, rejects }: StepLine): void => {
      const isSure = !step.goesOn
      const put = (path: string): void => void left.set(path, isSure ? 'made' : 'unsure')
      for (const { file: output } of outputsOf(step)) {
        const path = resolve(cwd, output)
        if (output === '-' || isDevice(path)) continue
        put(path)
        if (!NEVER_EMPTY.test(path) || step.command?.flags.output !== undefined) maybeEmpty.add(path)
        if (step.command?.flags['manifest'] === true) put(manifestPath(path))
      }
      if (rejects !== undefined) left.set(resolve(cwd, rejects), 'unsure')
      if (step.moveTo === undefined || file === undefined) return
      const [from, folder] = [resolve(cwd, file), resolve(cwd, step.moveTo)]
      put(freePath(folder, from))
      folders.add(folder)
      left.set(from, isSure ? 'gone' : 'unsure')
    },
  }
}
