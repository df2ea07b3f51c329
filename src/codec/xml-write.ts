import { datedTargetsIn } from '../domain/targets/dated-targets.ts'
import { formatFixed } from '../domain/decimal.ts'
import type { Issue } from '../domain/errors.ts'
import { datedTarget } from '../domain/resources/dated-target.ts'
import type { AnyRecord, Field, FieldValue, Resource } from '../domain/schema.ts'
import { cellText } from './cell-text.ts'
import { NAMESPACE, XSI } from './xml-parse.ts'

const ROOT = ` xmlns="${NAMESPACE}" xmlns:i="${XSI}"`

/** Matches characters that a text may hold but XML may not, such as a control character in a quoted address. */
const UNWRITABLE = /(?![\n\t])[\p{Cc}\p{Cs}\ufffe\uffff]/gu
const MARKUP = /[&<>\r]/g
/** Matches text that needs no escaping, as nearly all does. */
const PLAIN = /^[\t\n !-%'-;=?-~]*$/
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' }

/** Returns text for use between tags; characters that XML cannot hold become U+FFFD. */
const escapeXml = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(MARKUP, (one) => ESCAPES[one] ?? one).replace(UNWRITABLE, '\ufffd')

const element = (name: string, content: string, attributes = ''): string => `<${name}${attributes}>${content}</${name}>`

const textElement = (name: string, text: string): string => element(name, escapeXml(text))

const valueElement = (name: string, field: Field, value: FieldValue): string => {
  if (value === null) return `<${name} i:nil="true"/>`
  if (field.kind === 'targets')
    return element(
      name,
      datedTargetsIn(String(value))
        .map((one) => recordElement(datedTarget, one))
        .join(''),
    )
  return textElement(name, typeof value === 'bigint' ? formatFixed(value) : cellText(field, value))
}

const recordElement = (of: Resource, record: AnyRecord, attributes = ''): string => {
  const values = of.shown.map(({ name, field }) => valueElement(name, field, record[name] ?? null))
  return element(of.root, values.join(''), attributes)
}

/** Returns a record as an XML document: its fields in the order of the resource, decimals with four places. */
export const recordToXml = (of: Resource, record: AnyRecord): string => recordElement(of, record, ROOT)

function* recordElements(of: Resource, records: Iterable<AnyRecord>): Generator<string> {
  for (const record of records) yield recordElement(of, record)
}

/** Returns records as an XML document in parts: its beginning, each of the records, and its end. */
export const listToXml = (
  of: Resource,
  records: Iterable<AnyRecord>,
): { readonly begin: string; readonly records: Iterable<string>; readonly end: string } => ({
  begin: `<ArrayOf${of.root}${ROOT}>`,
  records: recordElements(of, records),
  end: `</ArrayOf${of.root}>`,
})

const issueElement = ({ index, field, message }: Issue): string => {
  const place = index === undefined ? '' : textElement('index', String(index))
  return element('FieldError', place + textElement('field', field) + textElement('message', message))
}

/** Sets how many faults are written at a time. */
const FAULTS_PER_PART = 200

/**
 * Returns a refusal as an XML document: its message, and its faults. It yields parts, since a batch may have very many
 * faults.
 */
export const errorToXml = function* (message: string, issues: readonly Issue[]): Generator<string> {
  yield `<Error${ROOT}>${textElement('message', message)}`
  if (issues.length > 0) yield '<errors>'
  for (let at = 0; at < issues.length; at += FAULTS_PER_PART)
    yield issues
      .slice(at, at + FAULTS_PER_PART)
      .map(issueElement)
      .join('')
  yield issues.length > 0 ? '</errors></Error>' : '</Error>'
}
