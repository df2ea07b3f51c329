import { listFlag, mapFlag } from '../options/flag-text.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { type ImportOptions, titleOfRole } from '../options/options.ts'
import {
  labelAt,
  foldedNames,
  foldName,
  hasNameOfRole,
  type HeaderFindings,
  isExported,
  namedColumns,
  unassignedColumns,
} from './header.ts'
import { type ColumnSearch, isGiven, withoutKpis } from './roles.ts'
import { namesUser } from './split-names.ts'
import { Ambiguous } from '../../client/directory.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import type { Lookup } from '../directory/lookup.ts'
import { namesIds } from './name-words.ts'

/**
 * Lists names of columns that hold what values are broken down by. Such a column says whom rows belong to if nothing
 * else does; beside a user it is only a further detail.
 */
const WORDS = foldedNames(
  'country, nation, region, state, province, county, municipality, city, town, area, territory, district, prefecture, entity',
  'country name, country region, province state, region name, state name, geography, location, place, area name, geo, location name',
  'store, store name, shop, branch, outlet, site, plant, factory, warehouse, station, airport, port, hospital, school',
  'department, dept, division, team, unit name, business unit, channel, product, product name, sku, article, brand',
  'segment, customer, market, company, sector, industry, line, machine, campaign, project, store id, shop id, location id',
  'land, staat, bundesland, kanton, gemeinde, stadt, kreis, bezirk, gebiet, standort, filiale, laden, werk, lager',
  'abteilung, bereich, kanal, produkt, artikel, marke, kunde, markt, firma, branche, maschine, projekt, betrieb',
  'pays, departement, commune, ville, zone, magasin, agence, boutique, usine, entrepot, service, produit, canal, marque',
  'client, marche, entreprise, secteur, pais, provincia, estado, municipio, ciudad, comunidad, comunidad autonoma, tienda',
  'sucursal, planta, almacen, departamento, producto, marca, cliente, mercado, empresa, entidad, entidad federativa',
  'paese, regione, citta, comune, negozio, filiale, stabilimento, reparto, prodotto, marchio, azienda, settore',
  'regiao, cidade, loja, fabrica, produto, setor, uf, provincie, gemeente, stad, winkel, vestiging, afdeling, product naam',
  'lan, kommun, butik, avdelning, produkter, kraj, wojewodztwo, powiat, gmina, miasto, sklep, oddzial, dzial, produkt',
  'страна, регион, область, город, магазин, филиал, отдел, продукт, товар',
  '国, 国名, 都道府県, 県, 市区町村, 地域, 店舗, 店舗名, 支店, 部門, 商品, 商品名, 製品, 工場',
  '国家, 省, 省份, 地区, 城市, 县, 店铺, 门店, 部门, 产品, 商品, 國家, 縣市, 地區, 門市, 部門, 產品',
)

/** Tells whether a name, in folded form, is a word for places, products and the like. */
export const isItemWord = (name: string): boolean => WORDS.has(name)

/** Returns what a word may be in the singular, by the usual endings of plurals: one of them is right, if any is. */
export const singularsOf = (text: string): string[] => {
  const [one, two, three] = [text.slice(0, -1), text.slice(0, -2), text.slice(0, -3)]
  return [text, one, two, `${three}y`, `${one}o`, `${one}e`, `${one}a`, `${text}o`]
}

/** Returns the columns without a meaning whose names are those of places, products and the like. */
export const itemColumns = (found: HeaderFindings): number[] =>
  unassignedColumns(found).filter((at) => WORDS.has(foldName((found.header[at] ?? '').replaceAll(/[/\\]/g, ' '))))

/** Returns the fault of several columns that may each say whom rows belong to. */
export const severalItemColumns = (names: readonly string[]): Issue => {
  const each = names.map((name) => mapFlag('source', name)).join(', ')
  return {
    field: 'source',
    message: `may be ${names.map((name) => `"${name}"`).join(' or ')}; say which: ${each}, or all together: ${mapFlag('source', ...names)}`,
  }
}

/** Returns the columns that the user named, and those that `--map-kpi` makes KPIs, as without a role. */
const ownersIn = (header: readonly string[], options: ImportOptions): HeaderFindings =>
  withoutKpis(namedColumns(header, options), options)

/** Tells whether a column or constant says whom rows belong to, by the names of columns alone. */
const namesOwner = (found: HeaderFindings, { user, source, map }: ImportOptions): boolean =>
  user !== undefined || source !== undefined || map.has('user') || map.has('source') || namesUser(found)

/** Tells whether entries may belong to breakdown items: a flag or a column says so. */
export const mayNameSources = (header: readonly string[], options: ImportOptions): boolean => {
  if (options.source !== undefined || options.map.has('source') || options.as === 'items') return true
  if (mayCreateItems(header, options)) return true
  const found = ownersIn(header, options)
  return hasNameOfRole(found, 'source') || (!namesOwner(found, options) && itemColumns(found).length > 0)
}

/** Tells whether entries must belong to breakdown items: a flag says so, or nothing else says whom they belong to. */
export const requiresSources = (header: readonly string[], options: ImportOptions): boolean => {
  if (options.source !== undefined || options.map.has('source') || options.as === 'items') return true
  if (options.as === 'users' || options.user !== undefined || options.map.has('user')) return false
  const found = ownersIn(header, options)
  return (hasNameOfRole(found, 'source') || itemColumns(found).length > 0) && !namesUser(found)
}

/**
 * Tells whether entries may belong to breakdown items because nothing says whom they belong to, and what is missing is
 * created.
 */
export const mayCreateItems = (header: readonly string[], options: ImportOptions): boolean =>
  options.create?.kinds.has('items') === true &&
  options.as !== 'users' &&
  options.create.emailPattern === undefined &&
  !namesOwner(ownersIn(header, options), options)

/** Tells whether a column has the interface's own name for breakdown items, and so can mean nothing else. */
export const namesSourceIds = (header: readonly string[], options: ImportOptions): boolean =>
  unassignedColumns(namedColumns(header, options)).some((at) => header[at]?.trim().toLowerCase() === 'source_id')

type OwnerRole = 'user' | 'source'

/** Matches a name in one word for ids, such as `userid`. */
const ENDS_IN_ID = /id$/i

const ADDRESSES = "--map email=COLUMN or --email-pattern '{name}@example.com'"

/** Returns how to read a column of numbers as whom rows belong to. */
const wayAsOwner = (name: string, role: OwnerRole, { create, map }: ImportOptions): string => {
  const needsAddress = role === 'user' && create?.emailPattern === undefined && !map.has('email')
  const address = needsAddress ? ` (new ones need e-mail addresses: ${ADDRESSES})` : ''
  return `${mapFlag(role, name)} takes them as ids or names of ${titleOfRole(role)}s${address}`
}

/** Tells whether a number is the id or the name of something that exists. */
const isKnown = (text: string, { byId, find }: Lookup): boolean => {
  const found = find(text)
  return byId.has(Number(text)) || !(found instanceof Fault) || found instanceof Ambiguous
}

/** Tells whether only the name of a column says that its numbers are whom rows belong to, and none of them exists. */
const isDoubtful = (name: string, texts: readonly string[], lookup: Lookup): boolean =>
  !namesIds(name) &&
  !ENDS_IN_ID.test(name) &&
  lookup.unread === undefined &&
  !texts.some((text) => isKnown(text, lookup))

/** Tells whether a flag says what a column of a role is, or nothing is created that it may be. */
const isSettled = (role: OwnerRole, { map, numbersAs, create }: ImportOptions): boolean =>
  map.has(role) ||
  numbersAs?.has(role) === true ||
  !(['kpis', role === 'user' ? 'users' : 'items'] as const).some((kind) => create?.kinds.has(kind))

/** Returns the fault of a column of numbers, and the flags for its readings. */
const faultOf = (found: HeaderFindings, cell: Evidence | undefined, role: OwnerRole, options: ImportOptions): Issue => {
  const name = labelAt(found, found.roles.get(role))
  const shown = cell ? `, such as ${showCell(cell)}, which name` : ' that name'
  const asKpi = isGiven(found, options, 'kpi')
    ? ''
    : `, ${listFlag('--map-kpi', [`${name}=${name}`])} imports them as the KPI of that name`
  return {
    field: role,
    message: `"${name}" holds numbers${shown} no ${titleOfRole(role)} that exists: ${wayAsOwner(name, role, options)}${asKpi}, ${listFlag('--ignore', [name])} leaves the column out`,
  }
}

/**
 * Returns the faults of columns of numbers that are whom rows belong to by their names alone: `Employee` may as well be
 * how many there are.
 */
export const faultsOfNumericOwners = ({ found, contents, options, directories }: ColumnSearch): Issue[] =>
  (['user', 'source'] as const).flatMap((role) => {
    const [at, lookup] = [found.roles.get(role), directories[role]]
    if (at === undefined || !lookup || isSettled(role, options) || isExported(found.header)) return []
    if (!['numbers', 'years', 'stamps'].includes(contents.of(at))) return []
    const texts = contents.textsIn(at).filter((text) => text !== '')
    const isAsked = isDoubtful(labelAt(found, at), texts, lookup)
    return isAsked ? [faultOf(found, contents.firstNumber(at), role, options)] : []
  })
