import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { readRegularFile } from '../../files/read-file.ts'
import { formatDay, formatInstant, type Instant } from '../../domain/day.ts'
import { cellOf } from '../../codec/cell-text.ts'
import { type PageFrame, PagePacker, type PageRow } from '../../domain/analysis/page-data.ts'
import { IS_TOTAL } from '../../domain/analysis/report-table.ts'
import type { AnyRecord, NamedField } from '../../domain/schema.ts'

/** Describes what a page says of itself: its title, the account, when it was made, and the days it is about. */
export type PageAbout = PageFrame & {
  readonly title: string
  readonly account: string
  readonly madeAt: Instant
}

const DIST = import.meta.url.endsWith('.ts') ? '../../../dist/' : './'

/** Reads a part of the page that the build made. */
const readBuilt = (name: string): string =>
  readRegularFile(fileURLToPath(new URL(DIST + name, import.meta.url))).toString()

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

/** Returns JSON for an element of HTML: without `<`, no text in it can end the element or open a comment. */
const embeddableJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Returns the policy of a page that runs its own script, if it has one, has its own style, and requests nothing. */
const policyFor = (script: string | undefined, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${script === undefined ? "'none'" : hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

const heading = (
  { title, account, range, madeAt }: PageAbout,
  script: string | undefined,
  style: string,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header class="page-header">
<h1>${escapeHtml(title)}</h1>
<p class="about">${[
  ...(account === '' ? [] : [`<span>${escapeHtml(account)}</span>`]),
  `<span>${formatDay(range.from)} to ${formatDay(range.to)}</span>`,
  `<span>made ${formatInstant(madeAt).replace('T', ' ')} UTC</span>`,
].join('\n')}</p>
</header>
${script === undefined ? '' : NEEDS_SCRIPT}`

/** Holds the place of the charts, and what stands there until they are drawn. */
const NEEDS_SCRIPT = `<noscript><p class="notice">These charts need JavaScript. The script is in this file; nothing is fetched.</p></noscript>
<div id="page"></div>
`

const isNumber = ({ field: { kind } }: NamedField): boolean =>
  kind === 'integer' || kind === 'int16' || kind === 'decimal'

const classOf = (column: NamedField): string => (isNumber(column) ? ' class="number"' : '')

/** Yields a table as HTML, with the texts that people read. */
function* tableText({ columns, records }: PageTable, label: string): Generator<string> {
  const heads = columns.map((column) => `<th scope="col"${classOf(column)}>${escapeHtml(column.name)}</th>`)
  yield `<section class="answer" tabindex="0" aria-label="${escapeHtml(label)}">\n<table>\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`
  for (const record of records) {
    const cells = columns.map((column) => `<td${classOf(column)}>${escapeHtml(cellOf(column, record))}</td>`)
    yield `<tr${record[IS_TOTAL] === true ? ' class="total"' : ''}>${cells.join('')}</tr>\n`
  }
  yield '</tbody>\n</table>\n'
  if (records.length === 0) yield '<p class="notice">There are no values in these days.</p>\n'
  yield '</section>\n'
}

/** Describes a table of a page, whose columns have texts for people. */
type PageTable = { readonly columns: readonly NamedField[]; readonly records: readonly AnyRecord[] }

/** Yields the charts of a page: the rows, and the script that shows them. Rows have to come in the report's order. */
async function* chartText(
  parts: AsyncIterable<readonly PageRow[]>,
  { range, calendar }: PageFrame,
  script: string,
): AsyncGenerator<string> {
  const packer = new PagePacker()
  for await (const rows of parts) for (const row of rows) packer.add(row)
  const { kpis, items } = packer
  const frame = embeddableJson({ range, calendar, kpis, items })
  yield `<script type="application/json" id="report">${frame.slice(0, -1)},"series":[`
  let separator = ''
  for (const series of packer.series()) {
    yield separator + embeddableJson(series)
    separator = ','
  }
  yield `]}</script>\n<script>${script}</script>\n`
}

/**
 * Returns a report as one HTML file that needs nothing else: charts of its rows, with the script that shows them, and a
 * table of the rows as they were asked for, which needs no script.
 */
export async function* reportPage(
  about: PageAbout,
  { charts, table }: { readonly charts?: AsyncIterable<readonly PageRow[]>; readonly table?: PageTable },
): AsyncGenerator<string, void> {
  const [script, style] = [charts && readBuilt('report-page.js'), readBuilt('report-page.css')]
  yield heading(about, script, style)
  if (table) yield* tableText(table, about.title)
  if (charts && script !== undefined) yield* chartText(charts, about, script)
  yield '</body>\n</html>\n'
}
