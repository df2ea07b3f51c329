import { KpiError } from '../../domain/errors.ts'
import type { Ids } from '../../service/context.ts'
import { shownPath } from '../request-target.ts'
import type { Route } from './call.ts'

/** Describes the route of a path, and the ids in the path. */
type Match = {
  readonly methods: ReadonlyMap<string, Route>
  readonly ids: Ids
  /** Holds the path with `{id}`, `{key}` and `{run}` in place of ids, in lower case. */
  readonly pattern: string
}

type Path = {
  readonly pattern: string
  readonly segments: readonly string[]
  readonly methods: Map<string, Route>
}

const NUMBER = /^\d{1,15}$/
/** Stand for ids that are text; every other `{…}` is a number. */
const KEYS = new Set(['{key}', '{run}'])
const ID = '{id}'

const segmentsOf = (path: string): string[] => path.split('/').slice(1)
const isKey = (segment = ''): boolean => KEYS.has(segment)
const isPlaceholder = (segment: string | undefined): boolean => segment === ID || isKey(segment)

const fits = (expected: string, segment: string | undefined): boolean => {
  if (segment === undefined) return false
  if (expected === ID) return NUMBER.test(segment)
  return isKey(expected) ? segment !== '' : segment.toLowerCase() === expected
}

const newPath = (pattern: string): Path => ({ pattern, segments: segmentsOf(pattern), methods: new Map() })

const idsOf = (path: Path, segments: readonly string[]): Ids => {
  const named = segments.filter((_, at) => isPlaceholder(path.segments[at]))
  const isLast = isPlaceholder(path.segments.at(-1)) || path.segments.some(isKey)
  const text = isLast ? (named.pop() ?? '') : ''
  return { parent: Number(named[0]), id: Number(text), text }
}

/** Creates a router, which ignores case. Fixed words win over ids: in `/kpientries/list`, `list` is no id. */
export const createRouter = (routes: readonly Route[]): ((path: string) => Match) => {
  const paths = new Map<string, Path>()
  for (const one of routes) {
    const form = one.path.toLowerCase().replaceAll(/\{(?!(?:key|run)\})\w+\}/g, ID)
    const known = paths.get(form) ?? newPath(form)
    known.methods.set(one.method, one)
    paths.set(form, known)
  }
  const byLength = Map.groupBy(paths.values(), ({ segments }) => segments.length)
  return (path) => {
    const segments = segmentsOf(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
    const ofLength = byLength.get(segments.length) ?? []
    const match = ofLength.find(({ segments: expected }) => expected.every((part, at) => fits(part, segments[at])))
    if (!match) throw new KpiError('not_found', `there is nothing at ${shownPath(path)}`)
    return { methods: match.methods, ids: idsOf(match, segments), pattern: match.pattern }
  }
}
