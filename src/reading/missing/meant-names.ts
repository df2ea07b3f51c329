import { looseName } from '../../domain/name-form.ts'
import {
  findDoubtfulNames,
  findLookAlikes,
  isMeantName,
  type LookAlike,
  NO_VALUE,
} from '../../changes/names/doubtful-names.ts'
import { listFirst } from '../../domain/count-text.ts'
import { listFlag } from '../options/flag-text.ts'
import { type Named } from '../../client/directory.ts'
import { mapWithPauses } from '../../client/next-turn.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import type { Pause } from '../../domain/pause.ts'
import type { CheckedFile } from '../entries/check.ts'
import { roleOf } from '../columns/header.ts'
import { BETWEEN_NAMES, roleHeader } from '../columns/roles.ts'
import type { ImportOptions, NameRole } from '../options/options.ts'
import { areOthersMeant, NO_ROWS } from '../heading/left-out-rows.ts'
import { nearPeople } from '../../changes/names/near-names.ts'
import { personOf } from '../directory/person.ts'
import { isProvisional } from '../directory/lookup.ts'
import type { Missing, ProvisionalKind } from '../directory/missing.ts'
import { findNoName } from '../columns/name-column.ts'
import { faultsOfRoles } from './kpi-names.ts'
import { createTotalReader, type NewKind, type TotalName } from './total-names.ts'
import type { MissingPlan } from './plan-missing.ts'

/** Holds a file that names what the service lacks, and what the user said of it. */
type NamingFile = {
  readonly checked: CheckedFile
  readonly created: Missing
  readonly options: ImportOptions
  readonly pause: Pause
}

/** Describes new names of a kind, and where the file has them. */
type NewNames = {
  readonly kind: NewKind
  readonly role: NameRole
  readonly names: readonly string[]
  /** Lists the e-mail addresses of users, in the order of their names; empty for other kinds. */
  readonly addresses: readonly string[]
  /** Says where the file has them first: the line of each. */
  readonly lines: readonly number[]
  /** Lists all names of the kind, also of those that exist. */
  readonly all: readonly string[]
  /** Lists the names and addresses of those that exist. */
  readonly known: readonly string[]
  /** Tells whether they are headers of columns with values. */
  readonly areHeaders: boolean
}

const namesOf = (things: readonly Named[]): string[] => things.map(({ name }) => name)

/** Returns the names of all that is new, by kinds. */
const newNames = ({ checked, created }: NamingFile): NewNames[] => {
  const { wide } = checked.plan
  const { kpis, users, sources } = checked.reference
  const areHeaders = (role: NameRole): boolean => wide?.of === role || wide?.over === role
  const of = (
    kind: NewKind,
    role: NameRole,
    made: Pick<ProvisionalKind<Named>, 'used' | 'firstLine'> | undefined,
    things: Iterable<Named> | undefined,
  ): NewNames => {
    const [used, all] = [made?.used() ?? [], [...(things ?? [])]]
    return {
      kind,
      role,
      names: namesOf(used),
      addresses: used.flatMap(({ email }) => email ?? []),
      lines: used.map(({ id }) => made?.firstLine(id) ?? 0),
      all: namesOf(all),
      known: all.flatMap(({ id, name, email }) => (isProvisional(id) ? [] : [name, email ?? name])),
      areHeaders: areHeaders(role),
    }
  }
  return [
    of('KPI', 'kpi', created.kpis, kpis.byId.values()),
    of('user', 'user', created.users, users.byId.values()),
    of('breakdown item', 'source', created.items, sources?.byId.values()),
  ]
}

/** Describes a new name that looks like that of a total, and the text by which it is left out. */
type FoundTotal = { readonly name: string; readonly text: string; readonly of: TotalName['of'] }

/** Returns the names that look like those of totals; of names of several columns, each part is looked at. */
const totalsAmong = async (
  { plan }: CheckedFile,
  { kind, role, names, all }: NewNames,
  pause: Pause,
): Promise<FoundTotal[]> => {
  if (names.length === 0) return []
  const isJoined = plan.joined?.has(role === 'source' && !plan.joined.has(role) ? 'user' : role) === true
  const partsOf = (name: string): string[] => (isJoined ? name.split(BETWEEN_NAMES) : [name])
  const columns = [roleHeader(plan, 'source'), roleHeader(plan, 'user')].flatMap((header) => header.split('+'))
  const read = await createTotalReader({ kind, names: [...new Set(all.flatMap(partsOf))], columns }, pause)
  const found = await mapWithPauses(names, pause, (name) => {
    for (const text of partsOf(name)) {
      const total = read(text)
      if (total) return [{ name, text, of: total.of }]
    }
    return []
  })
  return found.flat()
}

/**
 * Returns a function that tells whether the user has named something, so that it is meant: for all rows, or as what other
 * names mean.
 */
const namedByUser = ({ mapKpi, kpi, user, source }: ImportOptions, role: NameRole): ((name: string) => boolean) => {
  const given = role === 'kpi' ? [kpi, ...(mapKpi?.values() ?? [])] : [user, source]
  const named = new Set(given.flatMap((one) => (one === undefined ? [] : looseName(one))))
  return (name) => named.has(looseName(name))
}

/** Tells whether a flag gives a name for all rows. */
const isOfFlag = (options: ImportOptions, role: NameRole, name: string): boolean => {
  const given = options[role]
  return given !== undefined && looseName(given) === looseName(name)
}

/** Bounds the number of names that are shown each. */
const MOST_SHOWN = 10

/** Returns the flags that settle totals all at once; none for a single one, whose flags are shown beside it. */
const waysOfAll = (found: readonly FoundTotal[], areHeaders: boolean, ignored: readonly string[]): Issue[] => {
  const texts = [...new Set(found.map(({ text }) => text))]
  const [first = '', ...others] = texts
  if (others.length === 0) return []
  const all = areHeaders ? listFlag('--ignore', texts) : listFlag('--ignore-rows', [...ignored, ...texts])
  const some = areHeaders
    ? `${listFlag('--ignore', [first])} ${listFlag('--ignore-rows', [...ignored, NO_ROWS])}`
    : listFlag('--ignore-rows', [...ignored, first, NO_ROWS])
  const message = `${all} leaves all of these out; ${some} leaves out "${first}" and imports the rest`
  return [{ field: found.length > MOST_SHOWN ? `and ${found.length - MOST_SHOWN} more` : 'all', message }]
}

/** Returns the faults of new things with the name of a total, which would count everything twice. */
const faultsOfTotals = async (file: NamingFile): Promise<Issue[]> => {
  const { checked, options, pause } = file
  const ignored = options.ignoreRows ?? []
  const faults = newNames(file).map(async (one) => {
    const { kind, role, areHeaders } = one
    const isNamed = namedByUser(options, role)
    const totals = await totalsAmong(checked, one, pause)
    const found = totals.filter(({ name }) => !isNamed(name))
    const issues = found.slice(0, MOST_SHOWN).map(({ name, text, of }) => {
      const what = of === undefined ? 'looks like a total or an average' : `looks like a total or an average of "${of}"`
      const leaves = areHeaders
        ? `${listFlag('--ignore', [text])} leaves its column out${kind === 'KPI' ? `; ${listFlag('--map-kpi', [`${text}=NAME`])} imports it as the KPI of that name` : ''}`
        : `${listFlag('--ignore-rows', [...ignored, text])} leaves its rows out`
      return {
        field: name,
        message: `would be a new ${kind}, and ${what}: ${leaves}; ${listFlag('--ignore-rows', [...ignored, NO_ROWS])} imports it`,
      }
    })
    return [...issues, ...waysOfAll(found, areHeaders, ignored)]
  })
  return (await Promise.all(faults)).flat()
}

/** Sets how many names are shown that are words for no value. */
const SHOWN_WORDS = 5

/** Describes a new name that is a word for no value, or has a part that is; see `findNoName`. */
type FoundWord = { readonly name: string; readonly word: string; readonly line: number }

/** Returns the flags for words that would be new names: to leave them out, and to take them as names. */
const waysOfWords = (
  { role, areHeaders }: NewNames,
  found: readonly FoundWord[],
  { missing = new Set(), numbersAs }: ImportOptions,
): string => {
  const words = found.map(({ word }) => word)
  const leaves = areHeaders
    ? `${listFlag('--ignore', words)} leaves the columns out`
    : `${listFlag('--missing', [...missing, ...words])} rejects the rows`
  return numbersAs?.get(role) === 'ids' ? leaves : `${leaves}, --by-name ${role} takes them as names`
}

/** Returns the faults of new things with names that name nothing: errors of spreadsheets, and words for no value. */
const faultsOfNoNames = (file: NamingFile): Issue[] =>
  newNames(file).flatMap((one) => {
    const { checked, options } = file
    const { kind, role, names, lines, areHeaders } = one
    const [isNamed, wordIn] = [namedByUser(options, role), findNoName(checked.plan, role)]
    if (isMeantName(options.numbersAs, role)) return []
    const given = names.find((name) => isOfFlag(options, role, name) && wordIn(name) !== undefined)
    if (given !== undefined) {
      const message = `"${given}" would be the name of a new ${kind}, and ${NO_VALUE}: --by-name ${role} takes it as a name`
      return [{ field: `--${role}`, message }]
    }
    const found = names.flatMap((name, at) => {
      const word = isNamed(name) ? undefined : wordIn(name)
      return word === undefined ? [] : [{ name, word, line: lines[at] ?? 0 }]
    })
    if (found.length === 0) return []
    const shown = listFirst(found, SHOWN_WORDS, ({ name, line }) => `"${name}"${areHeaders ? '' : ` (line ${line})`}`)
    const message = `${shown} would be the name of a new ${kind}, and ${NO_VALUE}: ${waysOfWords(one, found, options)}`
    return [{ field: areHeaders ? 'header' : roleHeader(checked.plan, role), message }]
  })

/** Returns the names and addresses of new things that look like others; of a user of whom both do, the address alone. */
const lookAlikesAmong = async (
  { names, addresses, known }: NewNames,
  isNamed: (name: string) => boolean,
  pause: Pause,
): Promise<LookAlike[]> => {
  const found = await findLookAlikes([...names, ...addresses], known, pause)
  const alike = new Set(found.map(({ name }) => name))
  const addressOf = new Map(addresses.map((address, at) => [names[at], address]))
  const isSettled = (name: string): boolean => {
    const address = addressOf.get(name)
    return isNamed(name) || (address !== undefined && (alike.has(address) || isNamed(address)))
  }
  return found.filter(({ name }) => !isSettled(name))
}

/** Returns the faults of new things whose names or addresses look like others, but have letters of another script. */
const faultsOfLookAlikes = async (file: NamingFile): Promise<Issue[]> => {
  const { options, pause } = file
  const faults = newNames(file).map(async (one) => {
    const { kind, role } = one
    if (isMeantName(options.numbersAs, role)) return []
    const found = await lookAlikesAmong(one, namedByUser(options, role), pause)
    const isId = options.numbersAs?.get(role) === 'ids'
    const creates = isId ? 'correct the file' : `correct the file, or --by-name ${role} creates it as another one`
    const issues = found.slice(0, MOST_SHOWN).map(({ name, other, why }) => {
      const maps = role === 'kpi' ? `${listFlag('--map-kpi', [`${name}=${other}`])} takes it as that one, ` : ''
      const message = `would be a new ${kind}, and ${why}: ${maps}${creates}`
      return { field: name, message }
    })
    const more = found.length - MOST_SHOWN
    return more > 0
      ? [...issues, { field: `and ${more} more`, message: `look like other names, too: ${creates}` }]
      : issues
  })
  return (await Promise.all(faults)).flat()
}

/** Returns the faults of new users who may be known ones, where no address in the file says that they are not. */
const faultsOfNearUsers = async (file: NamingFile): Promise<Issue[]> => {
  const { checked, created, options, pause } = file
  const { emailPattern } = options.create ?? {}
  if (emailPattern === undefined || isMeantName(options.numbersAs, 'user')) return []
  const isNamed = namedByUser(options, 'user')
  const isMade = ({ name, email }: Named): boolean => {
    const person = personOf(name, emailPattern)
    return !(person instanceof Fault) && person.email === email
  }
  const made = await mapWithPauses(created.users?.used() ?? [], pause, (one) =>
    !isNamed(one.name) && isMade(one) ? [one.name] : [],
  )
  const names = made.flat()
  const known = [...checked.reference.users.byId.values()].filter(({ id }) => !isProvisional(id))
  const found = await nearPeople(names, namesOf(known), pause)
  const creates = `correct the file, or --by-name user creates ${found.length === 1 ? 'the new one' : 'new ones'}`
  const issues = found.slice(0, MOST_SHOWN).map(({ name, known: other }) => ({
    field: name,
    message: `would be a new user, and is nearly "${other}", who exists: ${creates}`,
  }))
  const more = found.length - MOST_SHOWN
  return more > 0 ? [...issues, { field: `and ${more} more`, message: `are nearly users, too: ${creates}` }] : issues
}

/** Tells whether a name is one for actuals in a file that is said to have a column for each KPI, and so names a KPI. */
const isActualOfWide = ({ layout }: ImportOptions, name: string): boolean =>
  layout === 'wide' && roleOf(name) === 'actual'

/** Refuses new things with names that may mean something else, unless the user said what is meant. */
export const requireMeantNames = async (file: NamingFile): Promise<void> => {
  const { checked, created, options } = file
  const totals = areOthersMeant(options.ignoreRows) ? [] : await faultsOfTotals(file)
  const isNamed = namedByUser(options, 'kpi')
  const isMeant = (name: string): boolean => isNamed(name) || isActualOfWide(options, name)
  const roles = faultsOfRoles(checked, created.kpis?.used() ?? [], isMeant)
  const others = [
    ...faultsOfNoNames(file),
    ...(await faultsOfLookAlikes(file)),
    ...(await faultsOfNearUsers(file)),
    ...roles,
  ]
  if (totals.length + others.length === 0) return
  const what = others.length === 0 ? 'some names look like those of totals' : 'it is not clear what some new names mean'
  throw new KpiError('malformed', `${what}; nothing was sent`, { issues: [...others, ...totals] })
}

/** Returns warnings of new things that a flag names for all rows, and whose names would stop an import if cells gave them. */
export const warningsOnGivenNames = async (file: NamingFile): Promise<string[]> => {
  const { options, pause } = file
  const warnings = newNames(file).map(async ({ kind, role, names, addresses, known }) => {
    const texts = [...names, ...addresses].filter((name) => isOfFlag(options, role, name))
    const found = await findDoubtfulNames({ names: texts, known, areKpis: role === 'kpi' }, pause)
    return [...found].map(([name, why]) => `the new ${kind} "${name}" of --${role} ${why}`)
  })
  return (await Promise.all(warnings)).flat()
}

const SHOWN = 3

/**
 * Returns a warning of new items whose names lack a part: in files for people, a group is often written once, in the
 * first of its rows.
 */
export const warningsOnJoinedNames = ({ plan }: CheckedFile, missing: MissingPlan | undefined): string[] => {
  const columns = plan.joined?.get('source')
  const names = (missing?.items ?? []).map(({ name }) => name)
  const lacking = names.filter((name) => name.split(BETWEEN_NAMES).length < (columns?.length ?? 0))
  if (lacking.length === 0 || lacking.length === names.length) return []
  const shown = listFirst(lacking, SHOWN, (name) => `"${name}"`)
  return [
    `${shown}: one of the columns ${roleHeader(plan, 'source')} is empty in their rows; if it is written only once for several rows, fill it in`,
  ]
}
