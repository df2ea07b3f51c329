import { type Calendar, CIVIL_CALENDAR } from '../../domain/period.ts'
import { Fault } from '../../domain/errors.ts'

/** Reads the month in which fiscal years begin: 1 to 12, or 01 to 12. */
export const readMonth = (text: string): number | Fault =>
  /^(?:0?[1-9]|1[0-2])$/.test(text) ? Number(text) : new Fault(`"${text}" is no month; write 1 to 12`)

/** Reads the day on which weeks begin. */
export const readWeekStart = (text: string): Calendar['week_start'] | Fault =>
  text === 'monday' || text === 'sunday' ? text : new Fault(`"${text}" begins no week; write monday or sunday`)

/** Returns the calendar of settings, the strongest first; what none of them says is civil. */
export const calendarOf = (...settings: readonly Partial<Calendar>[]): Calendar => {
  const said = <K extends keyof Calendar>(name: K): Calendar[K] =>
    settings.find((one) => one[name] !== undefined)?.[name] ?? CIVIL_CALENDAR[name]
  return { week_start: said('week_start'), fiscal_year_start: said('fiscal_year_start') }
}
