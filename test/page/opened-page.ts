import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { parseDay } from '../../src/domain/day.ts'
import { CIVIL_CALENDAR } from '../../src/domain/period.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'
import { type PageAbout, reportPage } from '../../src/export/page/page.ts'
import { temporaryFolder } from '../support/folder.ts'

const dayOf = (text: string): number => parseDay(text) ?? 0

/** A page that is open in a browser: what it complains of, and what it asks for, besides itself. */
export type OpenedPage = AsyncDisposable & {
  readonly page: Page
  readonly complaints: readonly string[]
  readonly requests: readonly string[]
  /** The texts of the elements that a selector finds. */
  readonly texts: (selector: string) => Promise<string[]>
  readonly text: (selector: string) => Promise<string>
}

const ABOUT: PageAbout = {
  title: 'Report',
  account: 'example.com',
  range: { from: dayOf('2026-01-01'), to: dayOf('2026-12-31') },
  madeAt: dayOf('2027-01-01') * 86_400 + 3_723,
  calendar: CIVIL_CALENDAR,
}

/** What a page shows beside its charts, or instead of them. */
type Shown = Parameters<typeof reportPage>[1]

/** The text of the page of a report: of its charts, unless something else is shown. */
export const pageText = async (
  rows: readonly ReportRow[],
  about: Partial<PageAbout> = {},
  shown?: Shown,
): Promise<string> => {
  async function* parts(): AsyncGenerator<readonly ReportRow[]> {
    yield* [rows.slice(0, 1), rows.slice(1)]
  }
  const texts = await Array.fromAsync(reportPage({ ...ABOUT, ...about }, shown ?? { charts: parts() }))
  return texts.join('')
}

/** Opens the page of a report from a file. */
export const openReport = async (
  browser: Browser,
  rows: readonly ReportRow[],
  about: Partial<PageAbout> = {},
  shown?: Shown,
): Promise<OpenedPage> => {
  const folder = temporaryFolder()
  const file = folder.in('report.html')
  await writeFile(file, await pageText(rows, about, shown))
  const address = pathToFileURL(file).href
  const page = await browser.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    // The browser draws its own date fields with such images.
    if (request.url() !== address && !request.url().startsWith('data:')) requests.push(request.url())
  })
  await page.goto(address)
  const texts = (selector: string): Promise<string[]> =>
    page.$$eval(selector, (all) => all.map((one) => one.textContent ?? ''))
  return {
    page,
    complaints,
    requests,
    texts,
    text: async (selector) => (await texts(selector)).join('\n'),
    [Symbol.asyncDispose]: async () => {
      await page.close()
      folder[Symbol.dispose]()
    },
  }
}
