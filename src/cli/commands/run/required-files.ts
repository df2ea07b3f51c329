import { existsSync, readdirSync } from 'node:fs'
import { basename, matchesGlob, resolve } from 'node:path'
import { type Day, formatDay } from '../../../domain/day.ts'
import { argumentsOf, type Step } from './step.ts'
import { isPattern, type StepLine } from './step-lines.ts'
import { finds } from './step-places.ts'

/** Tells whether files of a pattern are in the folder of the day already: a job that goes on has moved them there before. */
const cameToday = (cwd: string, today: Day, { moveTo }: Step, pattern: string): boolean => {
  if (moveTo?.includes(formatDay(today)) !== true || !existsSync(resolve(cwd, moveTo))) return false
  return readdirSync(resolve(cwd, moveTo)).some((name) => matchesGlob(name, basename(pattern)))
}

/** Returns the patterns of a step that lack a file that must be there; `lines` are those of the files that were found. */
const patternsLacking = (cwd: string, today: Day, step: Step, lines: readonly StepLine[]): readonly string[] => {
  const patterns = argumentsOf(step).filter(isPattern)
  if (step.required === undefined || (step.required === 'one' && lines.length > 0)) return []
  const lacking = patterns.filter(
    (pattern) =>
      !lines.some(({ file, isFound }) => isFound && file !== undefined && finds(cwd, pattern, resolve(cwd, file))) &&
      !cameToday(cwd, today, step, pattern),
  )
  return step.required === 'each' || lacking.length === patterns.length ? lacking : []
}

/** Says which files a step requires that are not there; undefined where it lacks none. */
export const lackOfFiles = (
  { cwd, today }: { readonly cwd: string; readonly today: Day },
  step: Step,
  lines: readonly StepLine[],
): string | undefined => {
  const lacking = patternsLacking(cwd, today, step, lines)
  if (lacking.length === 0) return undefined
  return `no file is ${lacking.join(' or ')}, and this step requires ${lacking.length > 1 && step.required === 'each' ? 'one of each' : 'one'}: find out why none came, then run the job again`
}
