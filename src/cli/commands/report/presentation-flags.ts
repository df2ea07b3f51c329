import type { Command, OptionValues } from '@commander-js/extra-typings'
import { collect } from '../../args/flags.ts'
import { namesIn } from '../../args/names.ts'
import { UsageError } from '../../exit.ts'

/** Declares the flags by which a report looks as its readers want it: which columns it has, and what they are called. */
export const addPresentation = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
) =>
  command
    .option('--columns <names>', 'show these columns, in this order: fields, or their heads in a table')
    .option(
      '--heads <column=text,...>',
      'call columns so, in each format: kpi=Kennzahl,actual=Ist; may be given more than once',
      collect,
    )
    .option('--title <text>', 'put this title above a table, Markdown, workbook or page')

/** Describes these flags as they are given. */
type PresentationFlags = { readonly columns?: string; readonly heads?: readonly string[]; readonly title?: string }

/** Describes how a report looks: its columns and their heads, as they were typed, and its title. */
export type Presentation = {
  readonly columns: readonly string[] | undefined
  readonly heads: readonly (readonly [column: string, head: string])[]
  readonly title: string | undefined
}

/** Matches what no single line has. */
const CONTROL = /\p{Cc}/u

const lineOf = (flag: string, text: string): string => {
  const line = text.trim()
  if (line === '' || CONTROL.test(line)) throw new UsageError(`${flag} takes a text of one line`)
  return line
}

const headIn = (part: string): readonly [string, string] => {
  const equals = part.indexOf('=')
  if (equals < 1) throw new UsageError(`--heads ${part} names no column and its head; write kpi=Kennzahl`)
  const name = part.slice(0, equals).trim()
  return [name, lineOf(`--heads ${name}=`, part.slice(equals + 1))]
}

/** Returns the first text that is there before. */
export const repeated = (texts: readonly string[]): string | undefined =>
  texts.find((one, at) => texts.indexOf(one) < at)

/** Reads the flags of a presentation; refuses what is wrong whatever the report has. */
export const readPresentation = ({ columns, heads = [], title }: PresentationFlags): Presentation => {
  const presentation = {
    columns: columns === undefined ? undefined : namesIn('--columns', columns),
    heads: heads.length === 0 ? [] : namesIn('--heads', ...heads).map(headIn),
    title: title === undefined ? undefined : lineOf('--title', title),
  }
  const [twice, headed] = [repeated(presentation.columns ?? []), repeated(presentation.heads.map(([name]) => name))]
  if (twice !== undefined) throw new UsageError(`--columns names ${twice} twice`)
  if (headed !== undefined) throw new UsageError(`--heads names ${headed} twice`)
  return presentation
}

/** Tells whether a presentation says which columns there are, or what they are called. */
export const hasOwnColumns = ({ columns, heads }: Presentation): boolean => columns !== undefined || heads.length > 0

/** Refuses a title where a format has no place for one. */
export const requireTitled = ({ title }: Presentation, format: string): void => {
  if (title === undefined || ['table', 'markdown', 'xlsx', 'html'].includes(format)) return
  throw new UsageError(
    `--title: ${format} has no place for a title; leave it out, or write Markdown, a workbook or a page`,
  )
}
