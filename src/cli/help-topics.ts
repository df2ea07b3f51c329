import { Help } from '@commander-js/extra-typings'
import { FILE_FORMATS, knownEndings } from '../export/report/formats.ts'
import { HELP_LAYOUT, type HelpTopic } from './args/help-layout.ts'
import { RELATIVE_WORDS } from './args/relative-dates.ts'
import { EXIT } from './exit.ts'
import { type Format, FORMATS } from './output/print.ts'
import { ALL_SETTINGS, fieldName, settingSentence } from './target/settings.ts'

/** Describes a part of a topic: a heading, and rows of a term and what it means. */
type TopicPart = { readonly heading: string; readonly rows: readonly (readonly [term: string, text: string])[] }

/** Describes a topic: a sentence, its parts, and what else there is to know. */
type Topic = { readonly about: string; readonly parts: readonly TopicPart[]; readonly after: string }

/** Says what each exit code means. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'Done, or nothing to do',
  failed: 'Refused or failed',
  usage: 'Wrong usage',
  partial: 'Partly done: some records were refused; rows of a file are in its rejects file',
  unauthorized: 'Not authorised',
  unreachable: 'Service not reachable or failing; try later',
  workLeft: 'Stopped with work left; run the same command to continue',
  unsupported: 'This variant of the interface does not have what the command needs',
  locked: 'The same import or apply is running already, or a command with the same --lock',
  differences: 'kpi plan --exit-code found differences',
  problems: 'kpi check found a target missed or a value missing',
  interrupted: 'Interrupted',
}

const PRINTED: Readonly<Record<Format, string>> = {
  table: 'for people; the default, also in a pipe',
  csv: 'RFC 4180 with a header; --excel de-DE as spreadsheets of a locale read it',
  json: "an array of objects, or one object, with the interface's names; fields are only ever added",
  ndjson: 'an object a line, as they come',
  yaml: 'a list, or one object',
  markdown: 'a table with the columns for people',
}

const DAYS: TopicPart['rows'] = [
  ['2026-11-30', 'a day'],
  ['today, yesterday', 'a day of your time zone'],
  ['-7d, -2w, -3m, -1y', 'the day so many days, weeks, months or years ago'],
  ['2026-10', 'a month'],
  ['2026-Q3', "a quarter of the account's year"],
  ['2026-W07', 'a week by its number'],
  ['2026', "a year of the account's"],
  ['ytd', 'this year up to today'],
]

/** Returns the variables that settings are read from, each with what it sets. */
const variableRows = (): TopicPart['rows'] =>
  ALL_SETTINGS.flatMap((one): TopicPart['rows'] => {
    const { sources, usually, usual } = one
    if (!sources.variables) return []
    const fallback = usually ?? (typeof usual === 'string' ? usual : undefined)
    const text = settingSentence(one) + (fallback === undefined ? '' : ` (default: ${fallback})`)
    return [[sources.variables.join(', '), text]]
  })

const projectRows = (): TopicPart['rows'] =>
  ALL_SETTINGS.flatMap((one) => (one.sources.project ? [[fieldName(one), settingSentence(one)] as const] : []))

const exitRows = (): TopicPart['rows'] => {
  const meanings: Readonly<Record<string, string>> = EXIT_MEANINGS
  return Object.entries(EXIT).map(([name, code]) => [String(code), meanings[name] ?? ''])
}

const TOPICS: Readonly<Record<HelpTopic, () => Topic>> = {
  environment: () => ({
    about:
      'What variables of the environment and the project file set. Flags are stronger than both, and profiles weaker.',
    parts: [
      { heading: 'Variables:', rows: variableRows() },
      { heading: 'Fields of kpi.yaml, found upward from the working directory:', rows: projectRows() },
    ],
    after: 'kpi doctor shows what is set, and which of these set it.',
  }),
  formats: () => ({
    about: 'What -o prints, and what the ending of a file says.',
    parts: [
      { heading: 'Formats of -o, --output:', rows: FORMATS.map((one) => [one, PRINTED[one]]) },
      {
        heading: 'Endings of files:',
        rows: FILE_FORMATS.map((one) => [knownEndings([one]), one]),
      },
    ],
    after:
      '--to-file takes those that -o prints, and kpi report export all of them; text also with .gz behind the ending. Fields of JSON are described by docs/output-schemas.json of this package.',
  }),
  dates: () => ({
    about: 'How days are written in --from, --to and --date: in any case, with blanks or hyphens between their parts.',
    parts: [
      { heading: 'Days and periods:', rows: DAYS },
      {
        heading: 'Words for periods:',
        rows: [
          [RELATIVE_WORDS.filter((word) => word.includes('-')).join(', '), 'the period that is, or that was before'],
        ],
      },
    ],
    after:
      'Days are those of --time-zone, of the profile, TZ or the system, in this order; weeks and years begin as the account’s do. A period alone in --from is all of it.',
  }),
  'exit-codes': () => ({
    about: 'How a command ends.',
    parts: [
      {
        heading: 'Exit codes:',
        rows: exitRows(),
      },
    ],
    after: 'With -o json, standard error holds one JSON object about an end other than 0, with its exit_code.',
  }),
}

/** Returns the text of a topic at a width. */
export const topicText = (topic: HelpTopic, width: number): string => {
  const { about, parts, after } = TOPICS[topic]()
  const helper: Help = Object.assign(new Help(), HELP_LAYOUT, { helpWidth: width })
  const wrapped = (text: string): string => helper.boxWrap(text, width)
  const lines = parts.flatMap(({ heading, rows }) => {
    const most = Math.min(Math.max(...rows.map(([term]) => term.length)), Math.floor(width / 3))
    return ['', heading, ...rows.map(([term, text]) => helper.formatItem(term, most, text, helper))]
  })
  return [wrapped(about), ...lines, '', wrapped(after), ''].join('\n')
}
