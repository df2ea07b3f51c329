import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type MissingOfPerson, missingPeriods, missingPersonRecord } from '../../../domain/analysis/missing-people.ts'
import { formatDay } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Calendar, DayRange } from '../../../domain/period.ts'
import { fileError } from '../../../files/file-error.ts'
import { faultOfPath, makePrivateFolder, requireOwnFolder } from '../../../files/place.ts'
import { readHead } from '../../../files/read-file.ts'
import { writeWhole } from '../../../files/write-file.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf, pathWord } from '../../output/text.ts'
import { oneLine } from '../../output/width.ts'
import { rightsOf } from '../../target/store-rights.ts'
import { latestText, type MissingPeople } from './missing-people.ts'

/** Marks the files that this writes: only these are replaced. */
const MARK = 'X-Kpi-Reminder:'

/** Sets how much of a file is looked at for the mark, in bytes. */
const HEAD_BYTES = 2048

/** Bounds the name of a file, in characters. */
const MOST_OF_NAME = 100

/** Describes the folder of reminders, and the earlier ones in it, which go. */
type ReminderFolder = { readonly shown: string; readonly path: string; readonly earlier: readonly string[] }

const isReminder = (path: string): boolean => {
  try {
    return readHead(path, HEAD_BYTES).toString().includes(`\n${MARK}`)
  } catch {
    return false
  }
}

const filesIn = (path: string): string[] => {
  try {
    return readdirSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw fileError(error, 'read', path)
  }
}

/**
 * Makes sure, before anything is asked, that reminders can be written to a folder. Earlier ones in it are only replaced on
 * demand, and then all of them: who has reported since must not be reminded again.
 */
export const readyReminders = ({ io }: Pick<Cli, 'io'>, shown: string, isForced: boolean): ReminderFolder => {
  const path = resolve(io.cwd, shown)
  const fault = faultOfPath(path)
  if (fault !== undefined) throw new UsageError(`--reminders cannot be a path: ${fault}`)
  try {
    requireOwnFolder(path, io.cwd, io.uid)
  } catch (error) {
    throw fileError(error, 'write', shown)
  }
  const found = filesIn(path)
  const earlier = found.filter((name) => isReminder(join(path, name)))
  if (earlier.length < found.length) {
    const other = found.find((name) => !earlier.includes(name)) ?? ''
    throw new KpiError(
      'conflict',
      `${shown} holds other files, such as ${other}; name a folder for reminders alone, which need not be there yet`,
    )
  }
  if (earlier.length > 0 && !isForced)
    throw new KpiError(
      'conflict',
      `${shown} holds ${countOf(earlier.length, 'reminder')} already; --force replaces them, or name another folder`,
    )
  return { shown, path, earlier }
}

/** Returns the name of a person's file: the e-mail address, or what of it can be in the name of a file. */
const fileName = ({ user: { id, email } }: MissingOfPerson, taken: Set<string>): string => {
  const plain = email
    .slice(0, MOST_OF_NAME)
    .replaceAll(/[^\p{L}\p{N}@._+-]/gu, '_')
    .replace(/^[.-]/, '_')
  const isSame = plain === email && !taken.has(plain.toLowerCase())
  const name = isSame ? plain : `${plain}-${id}`
  taken.add(name.toLowerCase())
  return `${name}.txt`
}

/** Returns the text of a message to a person: who it is to, and which periods of which KPIs have no value. */
export const reminderText = (
  person: MissingOfPerson,
  latest: MissingPeople['latest'],
  range: DayRange,
  calendar: Calendar,
): string => {
  const { user, rows } = person
  const [from, to] = [formatDay(range.from), formatDay(range.to)]
  const days = from === to ? `on ${from}` : `from ${from} to ${to}`
  const are = rows.length === 1 ? '1 value is' : `${rows.length} values are`
  const record = missingPersonRecord(person, latest)
  return [
    `To: ${oneLine(user.email)}`,
    `Subject: ${are} missing ${days}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    `${MARK} ${from} ${to}`,
    '',
    `${oneLine(user.name)},`,
    '',
    `${are} missing ${days}:`,
    ...missingPeriods(person, calendar).flatMap(({ kpi, frequency, count, periods }) => [
      '',
      `${oneLine(kpi)} (${frequency.toLowerCase()}), ${countOf(count, 'value')}:`,
      ...periods.map((period) => `  ${period}`),
    ]),
    '',
    record.latest_date === null
      ? 'You have reported none of them in the year before.'
      : `Your latest value: ${oneLine(latestText(record))}`,
    '',
  ].join('\n')
}

/** Writes a message for each person to a file of its own, and removes earlier ones. */
export const writeReminders = async (
  cli: Cli,
  { shown, path, earlier }: ReminderFolder,
  found: MissingPeople,
  range: DayRange,
  calendar: Calendar,
): Promise<void> => {
  const taken = new Set<string>()
  const written = new Set<string>()
  try {
    makePrivateFolder(path)
    for (const person of found.people) {
      const name = fileName(person, taken)
      await writeWhole(join(path, name), [reminderText(person, found.latest, range, calendar)], rightsOf(cli))
      written.add(name)
    }
    for (const name of earlier) if (!written.has(name)) rmSync(join(path, name), { force: true })
  } catch (error) {
    throw fileError(error, 'write', shown)
  }
  const first = [...written][0]
  await cli.note(
    first === undefined
      ? `nobody to remind: ${shown} holds no reminder`
      : `wrote ${countOf(written.size, 'reminder')} to ${shown}, such as ${pathWord(join(shown, first))}`,
  )
}
