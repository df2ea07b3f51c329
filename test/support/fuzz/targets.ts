import fc from 'fast-check'
import type { Placed } from '../described.ts'
import { idFor } from './bodies.ts'
import { KEY, mostly, oddText, TOKEN } from './odd.ts'

/** Text that can stand in a target without being cut or escaped. */
const inTarget = oddText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 10_000))

const oddId = fc.oneof(
  fc.constantFrom('0', '-1', '01', '1.0', '1e0', '٣', '%31', '%2F', '%00', '1%2F2', 'd', '*', "'", '..', '%', '%zz'),
  fc.constantFrom('9'.repeat(15), '9'.repeat(16), '9'.repeat(30), '9007199254740993', TOKEN),
  inTarget.filter((text) => text !== ''),
)
const keyText = fc.constantFrom('D', 'W', 'M', 'Q', 'Y')

const segmentsFor = ({ path }: Placed): fc.Arbitrary<string> => {
  const parts = path.split('/').slice(1)
  const segments = parts.map((part, at) => {
    if (!part.startsWith('{')) return fc.constant(part)
    if (path.startsWith('/kpifrequencies')) return mostly(keyText, oddId, 12)
    const name = part === '{id}' ? `/${parts[at - 1]}` : part.slice(1, -1)
    return mostly(idFor(name).map(String), oddId, 12)
  })
  return fc.tuple(...segments).map((all) => `/${all.join('/')}`)
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly schema: { readonly type: string; readonly format?: string }
}

const DAYS = [
  '2026-11-20',
  '2026-11-21',
  '2026-11-01',
  '1899-01-01',
  '2199-12-31',
  '2026-11-20T00:00:00',
  '2026-02-30',
  '',
]
const ids = fc.array(idFor('').map(String), { maxLength: 4 }).map((list) => list.join(','))

const valueFor = ({ schema: { type, format } }: Parameter): fc.Arbitrary<string> => {
  if (format === 'date') return fc.constantFrom(...DAYS)
  if (type === 'boolean') return fc.constantFrom('true', 'false', 'TRUE', '')
  return type === 'array' ? ids : idFor('').map(String)
}

const queryFor = ({ operation }: Placed): fc.Arbitrary<string> => {
  const all = ((operation as unknown as { parameters?: Parameter[] }).parameters ?? []).filter(
    (one) => one.in === 'query',
  )
  const named = all.map((one) =>
    fc.tuple(fc.constantFrom(one.name, one.name.toUpperCase()), mostly(valueFor(one), inTarget, 8)),
  )
  const unknown = fc.tuple(fc.constantFrom('unknown', '__proto__', '', '%ff'), inTarget)
  const pairs = fc.array(fc.oneof(...named.flatMap((one) => [one, one, one]), unknown), { maxLength: 5 })
  const some = pairs.map((list) => (list.length > 0 ? `?${list.map((pair) => pair.join('=')).join('&')}` : ''))
  const usual = all.length > 0 ? some : mostly(fc.constant(''), some, 4)
  return mostly(
    usual,
    fc.constantFrom('?', '??', '?&&==&', '?%', '?%zz=%', `?${'x'.repeat(9000)}`, '?a=1#b', `?k=${KEY}`),
    30,
  )
}

/** A target, and whether it is that of the operation that it was made for. */
export type Aim = { readonly target: string; readonly isRegular: boolean }

const BENT: readonly ((prefix: string, path: string, query: string) => string)[] = [
  (prefix, path, query) => `/${prefix}${path}${query}`,
  (prefix, path) => `${prefix}/${path}`,
  (prefix, path) => `${prefix}${path}//`,
  (prefix, path) => `${prefix}${path}/x`,
  (prefix, path) => `${prefix}/.${path}`,
  (prefix, path) => `${prefix}/..${prefix}${path}`,
  (prefix, path) => `${prefix}x${path}`,
  (_prefix, path) => path,
  (prefix) => prefix,
  (prefix) => `${prefix}/`,
  () => '/',
  () => '*',
  () => '/api/../v1/kpis',
  (prefix, path) => `${prefix.slice(1)}${path}`,
  (prefix, path) => `https://example.com:99999${prefix}${path}`,
  (prefix, path) => `http://user:${TOKEN}@[::1]${prefix}${path}`,
  (prefix, path) => `ftp://x${prefix}${path}`,
  (prefix, path) => `${prefix}${path} x`,
  (prefix, path) => `${prefix}${path}\t`,
  (prefix, path) => `${prefix}${path}\u0000`,
  (prefix, path) => `${prefix}${path}\u00e9`,
  (prefix, path) => `${prefix}${path}\\`,
  (prefix, path) => `${prefix}${path}#x`,
  (prefix, path) => `${prefix}${path}/${'x'.repeat(9000)}`,
  (prefix, path) => `${prefix}${path}/${'x'.repeat(70_000)}`,
  (prefix, path) => `${prefix}${path}/${TOKEN}`,
]

const escapedFirst = (path: string): string => path.replace(/[a-z]/, (one) => `%${one.charCodeAt(0).toString(16)}`)
const REGULAR: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.toUpperCase(),
  (path) => `${path}/`,
  escapedFirst,
]

/** Targets for an operation below a prefix. */
export const aimsFor = (placed: Placed, prefix: string): fc.Arbitrary<Aim> => {
  const path = segmentsFor(placed)
  const query = queryFor(placed)
  const regular = fc
    .tuple(path, query, mostly(fc.constant(REGULAR[0]), fc.constantFrom(...REGULAR), 10))
    .map(([below, after, write]) => ({ target: `${prefix}${write?.(below) ?? below}${after}`, isRegular: true }))
  const bent = fc
    .tuple(path, query, fc.constantFrom(...BENT))
    .map(([below, after, bend]) => ({ target: bend(prefix, below, after), isRegular: false }))
  return mostly(regular, bent, 20)
}
