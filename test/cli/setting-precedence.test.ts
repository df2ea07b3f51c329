import { mkdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UsageError } from '../../src/cli/exit.ts'
import type { Io } from '../../src/cli/io.ts'
import { secretSource } from '../../src/cli/target/credentials.ts'
import { findOptional, findSetting } from '../../src/cli/target/find-setting.ts'
import { findPlace, namedPlace, placeNamer } from '../../src/cli/target/place.ts'
import { readProject } from '../../src/cli/target/read-project.ts'
import { ALL_SETTINGS, type Setting, type SettingWithDefault } from '../../src/cli/target/settings.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { testIo } from '../support/io.ts'
import { runs } from '../support/soak/tests.ts'

let home: Folder
beforeAll(() => {
  home = temporaryFolder()
  mkdirSync(home.in('.config/kpi'), { recursive: true })
})
afterAll(() => home[Symbol.dispose]())

type Texts = Readonly<Record<string, unknown>>

/** Returns the world of a project file, a file of profiles and variables. */
const worldOf = (env: Readonly<Record<string, string>>, project: Texts, config: Texts): Io => {
  const lines = Object.entries(project).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  writeFileSync(home.in('kpi.yaml'), lines.join(''))
  writeFileSync(home.in('.config/kpi/config.json'), JSON.stringify(config))
  const { io } = testIo({ home: home.path, env })
  return { ...io, project: readProject(io) }
}

const given = (values: Texts): Texts =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Where a setting comes from by the documents, the strongest first, and what it is where nothing sets it. */
type Told = {
  readonly flag?: string
  readonly variables?: readonly string[]
  readonly project?: string
  /** Where the file of profiles has it. */
  readonly profile?: readonly [string, ...string[]]
  readonly late?: string
  readonly usual?: string
  readonly texts: readonly string[]
  /** What a flag and a variable stand for, if that is not their text. */
  readonly meaning?: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>
  readonly isEmptySet?: true
  /** What the project file has, where that is not the text. */
  readonly written?: (text: string) => unknown
}

const FOLDERS = ['/a', '/b', '/c']
const PROXIES = ['http://a:1/', 'http://b:2/', 'https://c:3/']

const TOLD: Readonly<Record<string, Told>> = {
  timeZone: {
    flag: 'timeZone',
    project: 'time_zone',
    profile: ['timeZone'],
    late: 'TZ',
    usual: 'UTC',
    texts: ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York'],
  },
  output: {
    flag: 'output',
    variables: ['KPI_OUTPUT'],
    project: 'output',
    profile: ['output'],
    usual: 'table',
    texts: ['csv', 'json', 'ndjson', 'yaml', 'markdown', 'table'],
  },
  fiscalYearStart: {
    project: 'fiscal_year_start',
    profile: ['calendar', 'fiscal_year_start'],
    usual: '1',
    texts: ['1', '4', '12'],
  },
  weekStart: {
    project: 'week_start',
    profile: ['calendar', 'week_start'],
    usual: 'monday',
    texts: ['monday', 'sunday'],
  },
  color: {
    flag: 'color',
    variables: ['NO_COLOR', 'TERM', 'FORCE_COLOR'],
    usual: 'no',
    texts: ['0', '1', 'dumb'],
    meaning: {
      flag: { false: 'no' },
      NO_COLOR: { 0: 'no', 1: 'no', dumb: 'no' },
      TERM: { dumb: 'no', 0: undefined, 1: undefined },
      FORCE_COLOR: { 0: 'no', 1: 'yes', dumb: 'yes' },
    },
  },
  pager: {
    flag: 'pager',
    variables: ['KPI_PAGER', 'PAGER'],
    usual: 'less -FRX',
    texts: ['more', 'most', 'cat', ''],
    meaning: { flag: { false: '' }, cat: { cat: '' } },
    isEmptySet: true,
  },
  functions: {
    project: 'functions',
    texts: ['Stock: last', 'Stock: max'],
    written: (text) => Object.fromEntries([text.split(': ')]),
  },
  logFormat: { flag: 'logFormat', usual: 'text', texts: ['text', 'json'] },
  timeout: { flag: 'timeout', usual: '30s', texts: ['1s', '2s'] },
  deadline: { flag: 'deadline', usual: '24h', texts: ['30m', '2h'] },
  store: { flag: 'store', variables: ['KPI_STORE'], usual: 'sqlite', texts: ['sqlite', 'postgres'] },
  caFile: { flag: 'caFile', variables: ['KPI_CA_FILE'], profile: ['caFile'], texts: FOLDERS },
  httpsProxy: { variables: ['https_proxy', 'HTTPS_PROXY'], texts: PROXIES },
  httpProxy: { variables: ['http_proxy', 'HTTP_PROXY'], texts: PROXIES },
  noProxy: { variables: ['no_proxy', 'NO_PROXY'], texts: ['a', 'b'] },
  postgresUrl: { variables: ['KPI_POSTGRES_URL'], texts: ['postgres://a', 'postgres://b'] },
  postgresUrlFile: { variables: ['KPI_POSTGRES_URL_FILE'], texts: FOLDERS },
  configDir: { variables: ['KPI_CONFIG_DIR'], texts: FOLDERS },
}

/** Settings that say which service is used: the first decides over the last, see below. */
const OF_PLACE = ['profile', 'baseUrl', 'login', 'token', 'tokenFile', 'dataDir']

/** A drawn text for each source that a setting has. */
type Drawn = {
  readonly flag: string | boolean | undefined
  readonly env: Readonly<Record<string, string>>
  readonly project: string | undefined
  readonly profile: string | undefined
}

const drawnOf = ({ flag, variables = [], project, profile, late, texts, meaning }: Told): fc.Arbitrary<Drawn> => {
  const text = fc.constantFrom(...texts)
  const maybe = fc.option(text, { nil: undefined })
  const names = [...variables, ...(late === undefined ? [] : [late])]
  const flags = meaning?.['flag'] ? fc.constantFrom(false, undefined) : maybe
  return fc.record({
    flag: flag === undefined ? fc.constant(undefined) : flags,
    env: fc.dictionary(fc.constantFrom(...names, 'UNUSED'), fc.oneof(text, fc.constant(''))),
    project: project === undefined ? fc.constant(undefined) : maybe,
    profile: profile === undefined ? fc.constant(undefined) : maybe,
  })
}

const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** What is found by the documents: the text, and what set it. */
const expected = (told: Told, drawn: Drawn): [text: string | undefined, from: string | undefined] => {
  const { flag = '', variables = [], late, usual, meaning = {}, isEmptySet } = told
  const meant = (from: string, text: string): string | undefined => {
    const table = meaning[from] ?? meaning[text]
    return table ? table[text] : text
  }
  if (drawn.flag === false) return [meaning['flag']?.['false'], `--no-${flag}`]
  if (typeof drawn.flag === 'string') return [drawn.flag, `--${words(flag)}`]
  for (const name of variables) {
    const { [name]: text } = drawn.env
    const isSet = text !== undefined && (text !== '' || isEmptySet)
    if (isSet && meant(name, text) !== undefined) return [meant(name, text), name]
  }
  if (drawn.project !== undefined) return [drawn.project, home.in('kpi.yaml')]
  if (drawn.profile !== undefined) return [drawn.profile, 'profile acme']
  const last = late === undefined ? undefined : drawn.env[late]
  return last ? [last, late] : [usual, usual === undefined ? undefined : 'default']
}

const hasDefault = (one: Setting<unknown>): one is SettingWithDefault<unknown> => one.usual !== undefined

/** The text of a value that was found. */
const shown = (setting: Setting<unknown>, value: unknown): string => {
  if (setting.key === 'pager') return typeof value === 'string' ? value : ''
  return setting.show?.(value) ?? String(value)
}

describe('a setting is that of the strongest source: flag, variable, project file, profile, what is usual', () => {
  test('all settings are here', () => {
    expect(Object.keys(TOLD).concat(OF_PLACE).toSorted()).toEqual(ALL_SETTINGS.map(({ key }) => key).toSorted())
  })

  test.each(ALL_SETTINGS.filter(({ key }) => !OF_PLACE.includes(key)))('$name', (setting) => {
    const { key } = setting
    const told = TOLD[key] ?? { texts: [] }
    const { flag = '', project = '', profile: [outer, inner] = [''], written = (text) => text } = told
    fc.assert(
      fc.property(drawnOf(told), (drawn) => {
        const stored = inner === undefined ? drawn.profile : given({ [inner]: drawn.profile })
        const io = worldOf(
          drawn.env,
          given({ profile: 'acme', [project]: drawn.project && written(drawn.project), '': undefined }),
          {
            profiles: { acme: { kind: 'embedded', dataDir: '/srv/acme', ...given({ [outer]: stored }) } },
          },
        )
        const flags = given({ [flag]: drawn.flag, '': undefined })
        const found = hasDefault(setting) ? findSetting(io, flags, setting) : findOptional(io, flags, setting)
        expect([found && shown(setting, found.value), found?.from]).toEqual(expected(told, drawn))
      }),
      { numRuns: runs(40, 1000) },
    )
  })
})

/** Profiles of the drawn worlds: one of the embedded service, two of one classic one, and one of the newer interface. */
const PROFILES = {
  folder: { kind: 'embedded', dataDir: '/srv/folder' },
  ann: { kind: 'classic', baseUrl: 'https://acme.example.com/api', login: 'ann', tokenCommand: 'pass ann' },
  bob: { kind: 'classic', baseUrl: 'https://acme.example.com/api', login: 'bob' },
  key: { kind: 'v1', baseUrl: 'https://acme.example.com/v1', tokenFile: '/key' },
} as const

const isProfile = (name: string): name is keyof typeof PROFILES => name in PROFILES

const URLS = ['https://acme.example.com/api', 'https://acme.example.com/v1', 'https://other.example.com/api']
/** One of some texts, or mostly none: where all are given, all but the first are refused. */
const maybe = (...texts: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...texts) })
const NAMES = [...Object.keys(PROFILES), 'nobody']

const drawnPlace = fc.record({
  flag: maybe(...NAMES),
  flagDir: maybe('/srv/folder', '/flag'),
  profile: maybe(...NAMES),
  url: maybe(...URLS),
  dir: maybe('/srv/folder', '/env'),
  login: maybe('eve'),
  token: maybe('kpi-token'),
  tokenFile: maybe('/token'),
  projectProfile: maybe(...NAMES),
  projectUrl: maybe(...URLS),
  current: maybe(...Object.keys(PROFILES)),
})
type DrawnPlace = typeof drawnPlace extends fc.Arbitrary<infer T> ? T : never

/** Where a command goes by the documents: what named it, the place, and where its secret comes from; or that it is refused. */
type ExpectedPlace = 'refused' | { readonly from: string; readonly place: Texts; readonly secret: string | undefined }

/** The profile that the project file names, or undefined; throws where it is refused. */
const profileOfProject = ({ projectProfile: name, projectUrl: url, current }: DrawnPlace): string | undefined => {
  if (url === undefined) return name
  const isThere = (one: string): boolean =>
    isProfile(one) && 'baseUrl' in PROFILES[one] && PROFILES[one].baseUrl === url
  if (name !== undefined && isThere(name)) return name
  const those = Object.keys(PROFILES).filter(isThere)
  if (name !== undefined || those.length === 0) throw new UsageError('refused')
  if (current !== undefined && those.includes(current)) return current
  if (those.length > 1) throw new UsageError('refused')
  return those[0]
}

const named = (drawn: DrawnPlace): { profile?: string | undefined; url?: string; isOfProject?: boolean } => {
  const { flag, profile, url } = drawn
  if (flag !== undefined) return { profile: flag }
  if (profile !== undefined && url !== undefined) throw new UsageError('refused')
  if (profile !== undefined) return { profile }
  if (url !== undefined) return { url }
  const inProject = profileOfProject(drawn)
  return inProject === undefined ? { profile: drawn.current } : { profile: inProject, isOfProject: true }
}

const secretOf = ({ token, tokenFile }: Partial<DrawnPlace>, otherwise: string): string =>
  token === undefined ? (tokenFile === undefined ? otherwise : 'KPI_TOKEN_FILE') : 'KPI_TOKEN'

/** Whether a secret is given twice, so that nobody knows which is meant. */
const isTwice = ({ token, tokenFile }: Partial<DrawnPlace>): boolean => token !== undefined && tokenFile !== undefined

const placeOf = (drawn: DrawnPlace): ExpectedPlace => {
  const { flag, flagDir, dir, login } = drawn
  if (flagDir !== undefined) {
    const place = { kind: 'embedded', dataDir: flagDir }
    return flag === undefined ? { from: '--data-dir', place, secret: undefined } : 'refused'
  }
  const { profile: name, url, isOfProject } = named(drawn)
  if (url !== undefined) {
    if (dir !== undefined) return 'refused'
    const isKey = url.endsWith('/v1')
    if ((!isKey && login === undefined) || isTwice(drawn)) return 'refused'
    const place = isKey ? { kind: 'v1', baseUrl: url } : { kind: 'classic', baseUrl: url, login }
    return { from: 'KPI_BASE_URL', place, secret: secretOf(drawn, 'nowhere') }
  }
  if (name === undefined) {
    const place = { kind: 'embedded', dataDir: dir ?? home.in('.local/share/kpi') }
    return { from: dir === undefined ? 'default' : 'KPI_DATA_DIR', place, secret: undefined }
  }
  if (!isProfile(name)) return 'refused'
  const profile = PROFILES[name]
  const from = `profile ${name}`
  if (profile.kind === 'embedded')
    return dir === undefined || dir === profile.dataDir ? { from, place: profile, secret: undefined } : 'refused'
  if (dir !== undefined) return 'refused'
  if (isOfProject && (login ?? drawn.token ?? drawn.tokenFile) !== undefined) return 'refused'
  // What is in the environment beside a base URL is for that.
  const own: Partial<DrawnPlace> = drawn.url === undefined ? drawn : {}
  if (isTwice(own)) return 'refused'
  const kept = { ann: 'command', bob: 'profile', key: 'file', folder: '' }[name]
  const place = profile.kind === 'classic' ? { ...profile, login: own.login ?? profile.login } : profile
  return { from, place: { ...place, profile: name }, secret: secretOf(own, kept) }
}

/** Returns what is found, or that it is refused, as wrong usage is. */
const orRefused = <T>(find: () => T): T | 'refused' => {
  try {
    return find()
  } catch (error) {
    if (error instanceof UsageError) return 'refused'
    throw error
  }
}

test('a command goes where the strongest of flag, variable, project file and profile says, by the credentials for that', () => {
  fc.assert(
    fc.property(drawnPlace, (drawn) => {
      const env = given({
        KPI_PROFILE: drawn.profile,
        KPI_BASE_URL: drawn.url,
        KPI_DATA_DIR: drawn.dir,
        KPI_LOGIN: drawn.login,
        KPI_TOKEN: drawn.token,
        KPI_TOKEN_FILE: drawn.tokenFile,
      }) as Record<string, string>
      const project = given({ profile: drawn.projectProfile, base_url: drawn.projectUrl })
      const io = worldOf(env, project, { profiles: PROFILES, ...given({ current: drawn.current }) })
      const flags = given({ profile: drawn.flag, dataDir: drawn.flagDir })
      const found = orRefused(() => {
        const place = findPlace(io, flags)
        const secret = place.kind === 'embedded' ? undefined : secretSource(io, place).from
        return { from: placeNamer(namedPlace(io, flags)), place: given(place), secret }
      })
      expect(found).toEqual(orRefused(() => placeOf(drawn)))
    }),
    { numRuns: runs(500, 20_000) },
  )
})
