import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { readRegularFile } from '../../files/read-file.ts'
import { formatDay, formatInstant, type Instant } from '../../domain/day.ts'
import { type PageFrame, PagePacker, type PageRow } from '../../domain/analysis/page-data.ts'

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

/** Returns the policy of a page that runs its own script, has its own style, and requests nothing. */
const policyFor = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

const heading = (
  { title, account, range, madeAt }: PageAbout,
  script: string,
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
<noscript><p class="notice">This report needs JavaScript. The script is in this file; nothing is fetched.</p></noscript>
<div id="page"></div>
`

/**
 * Returns a report as one HTML file that needs nothing else: its rows, and the script and style that show them. Rows have
 * to come in the report's order.
 */
export async function* reportPage(
  parts: AsyncIterable<readonly PageRow[]>,
  about: PageAbout,
): AsyncGenerator<string, void> {
  const [script, style] = [readBuilt('report-page.js'), readBuilt('report-page.css')]
  const packer = new PagePacker()
  for await (const rows of parts) for (const row of rows) packer.add(row)
  const { kpis, items } = packer
  const frame = embeddableJson({ range: about.range, calendar: about.calendar, kpis, items })
  yield heading(about, script, style)
  yield `<script type="application/json" id="report">${frame.slice(0, -1)},"series":[`
  let separator = ''
  for (const series of packer.series()) {
    yield separator + embeddableJson(series)
    separator = ','
  }
  yield `]}</script>\n<script>${script}</script>\n</body>\n</html>\n`
}
