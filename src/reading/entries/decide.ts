import { type Issue, KpiError } from '../../domain/errors.ts'
import type { Contents } from '../columns/contents.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { type ColumnFormats, formatDoubts, requireNoDoubts, settleFormats } from '../detect/column-formats.ts'
import type { ImportOptions } from '../options/options.ts'
import type { Begun } from './begin-file.ts'
import type { Profile } from './profile.ts'

const meaningOf = ({ roles, joined, wide, units }: ColumnPlan): string =>
  JSON.stringify([[...roles], [...(joined ?? [])], wide?.of, wide?.over, wide?.columns.map(({ at }) => at), units])

/** Tells whether columns mean the same by all rows as by the first, and are as clear. */
export const isSamePlan = ({ plan, unclear, planBy, contents }: Begun, all: Contents): boolean => {
  if (contents.asked().every((at) => contents.of(at) === all.of(at))) return true
  const byAll = planBy(all)
  return meaningOf(byAll.plan) === meaningOf(plan) && (byAll.unclear === undefined) === (unclear === undefined)
}

/** Sets how many columns are named of those with words for no value. */
const SHOWN = 3

/** Returns what is in doubt about the formats of a file; words for no value in several columns are settled by one flag. */
const questionsOf = ({ formats, words }: Profile): readonly Issue[] => {
  const doubts = formatDoubts(formats)
  const worded = formats.numberFormats.filter(({ hasWords }) => hasWords())
  if (worded.length < 2) return doubts
  const names = worded.map(({ name }) => name)
  const ofWords = new Set(worded.map((column) => column.wordDoubt()))
  const shown = names
    .slice(0, SHOWN)
    .map((name) => name.trim())
    .join(', ')
  const field = names.length > SHOWN ? `${names.length} columns, such as ${shown}` : shown
  return [...doubts.filter(({ message }) => !ofWords.has(message)), { field, message: words.doubt('have') ?? '' }]
}

/** Holds what a profile decides: what the columns mean, and how their cells are read, or what must be asked first. */
export type Decision = {
  readonly begun: Begun
  readonly formats: ColumnFormats
  /** Holds each question with its readings and the flag that settles it; empty if all is settled. */
  readonly questions: readonly Issue[]
  /** Tells that columns mean something else than was assumed for the profile, which has to be made of these. */
  readonly isOther: boolean
}

/** Decides by a profile how a file is read. */
export const decide = (begun: Begun, profile: Profile, options: ImportOptions): Decision => {
  const { contents } = profile
  const isOther = !isSamePlan(begun, contents)
  const known = contents === begun.contents ? begun : { ...begun, contents, ...begun.planBy(contents) }
  const formats = settleFormats(profile.formats, known.plan, options, known.reference)
  return { begun: known, formats, questions: questionsOf(profile), isOther }
}

const NOTHING_SENT = /; nothing was sent$/

/** Makes checks of a file in turn, and returns what is unclear by any of them as one error. */
export const faultOfAll = async (checks: readonly (() => unknown)[]): Promise<KpiError | undefined> => {
  const faults: KpiError[] = []
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof KpiError) || error.code !== 'malformed') throw error
      faults.push(error)
    }
  }
  const [first, ...others] = faults
  if (!first || others.length === 0) return first
  const messages = faults.map(({ message }) => message.replace(NOTHING_SENT, ''))
  const issues = faults.flatMap((fault) => fault.issues)
  return new KpiError(first.code, `${messages.join('; ')}; nothing was sent`, { issues, cause: first })
}

/** Makes checks of a file in turn, and throws what is unclear by any of them as one error. */
export const requireAll = async (checks: readonly (() => unknown)[]): Promise<void> => {
  const fault = await faultOfAll(checks)
  if (fault) throw fault
}

/** Returns what is unclear about a header, and all that is in doubt about the columns that are clear. */
export const faultOfHeader = async ({ begun: { unclear }, questions }: Decision): Promise<KpiError | undefined> =>
  unclear && (await faultOfAll([() => Promise.reject(unclear), () => requireNoDoubts(questions)]))
