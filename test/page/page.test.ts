import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'
import { noBrowser, openBrowser } from '../support/browser.ts'
import { pageRow, pageSeries } from '../support/page-rows.ts'
import { openReport, pageText } from './opened-page.ts'

const inOrder = (rows: readonly ReportRow[]): ReportRow[] =>
  rows.toSorted((left, right) => left.entryDate - right.entryDate || left.kpiId - right.kpiId)

const REVENUE = { kpiId: 1, kpiName: 'Revenue', kpiDescription: 'Invoiced sales', labelFormat: '£ #,##0.00' }
const FAULTS = { kpiId: 2, kpiName: 'Faults', labelFormat: '#', direction: 'D', target: 100_000n } as const
const STAFF = { kpiId: 3, kpiName: 'Staff', labelFormat: '#', direction: 'N', target: null } as const
const SHARE = { kpiId: 4, kpiName: 'Share', labelFormat: '#.0%', target: 500_000n } as const
const BOB = { itemId: 2, itemName: 'Bob Ray' }

/** Four KPIs, one of each state for Ann Lee, and two of them for Bob Ray. */
const ROWS = inOrder([
  ...pageSeries([11_000_000n, null, 12_345_000n], REVENUE),
  ...pageSeries([80_000n, 105_000n, 110_000n], FAULTS),
  ...pageSeries([420_000n, 430_000n, 430_000n], STAFF),
  ...pageSeries([600_000n, 200_000n, 250_000n], SHARE),
  ...pageSeries([9_000_000n, 9_500_000n], { ...REVENUE, ...BOB, notes: 'Sale began\nRain' }),
  ...pageSeries([200_000n, 300_000n], { ...FAULTS, ...BOB }),
])
const OF_ANN = ROWS.filter(({ itemId }) => itemId === 1)

const KPI_NAMES = '.card h3'
const OPEN_TABLE = '.card details[open] tbody tr'

/** Types into the date field with this label, as `YYYY-MM-DD`. */
const setDay = (page: Page, label: string, day: string): Promise<void> =>
  page.$eval(
    `::-p-aria([name="${label}"])`,
    (field, value) => {
      if (field instanceof HTMLInputElement) field.value = value
      field.dispatchEvent(new Event('change'))
    },
    day,
  )

const selectorOf = (label: string): string => `::-p-aria([name="${label}"])`

/** The contrast of two colours, by the definition of WCAG. */
const contrastOf = (one: readonly number[], other: readonly number[]): number => {
  const luminance = (colour: readonly number[]): number => {
    const [red = 0, green = 0, blue = 0] = colour.map((part) => {
      const share = part / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right)
  return (light + 0.05) / (dark + 0.05)
}

type Coloured = { readonly text: string; readonly colour: number[]; readonly ground: number[] }

/** Each text that is shown, its colour, and the first colour behind it. */
const colouredTexts = (page: Page): Promise<Coloured[]> =>
  page.evaluate(() => {
    const numbersIn = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number)
    const groundOf = (from: Element): number[] => {
      for (let at: Element | null = from; at; at = at.parentElement) {
        const ground = numbersIn(getComputedStyle(at).backgroundColor)
        if (ground[3] !== 0) return ground.slice(0, 3)
      }
      return [255, 255, 255]
    }
    const hasText = (one: Element): boolean =>
      [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '')
    return [...document.querySelectorAll('body *:not(script, style, noscript, option)')].filter(hasText).map((one) => ({
      text: one.textContent ?? '',
      colour: numbersIn(getComputedStyle(one).color).slice(0, 3),
      ground: groundOf(one),
    }))
  })

/** How many pixels of each chart are not empty. */
const inkOf = (page: Page): Promise<number[]> =>
  page.$$eval('.plot canvas', (all) =>
    all.map((canvas) => {
      if (!(canvas instanceof HTMLCanvasElement)) return 0
      const image = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height)
      return image?.data.filter((part, at) => at % 4 === 3 && part > 0).length ?? 0
    }),
  )

/** KPIs with these items each, and two values of each item. */
const kpisOf = (kpis: number, items: number): ReportRow[] =>
  inOrder(
    Array.from({ length: kpis * items }, (_, at) => {
      const [kpiId, itemId] = [Math.floor(at / items), at % items]
      return pageSeries([10_000n, 20_000n], { kpiId, kpiName: `KPI ${kpiId}`, itemId, itemName: `Item ${itemId}` })
    }).flat(),
  )

/** Keeps what there is to print each time that something is printed. */
const countPrinted = (page: Page): Promise<void> =>
  page.evaluate(() => {
    addEventListener('beforeprint', () => {
      const count = (selector: string): number => document.querySelectorAll(selector).length
      const texts = [...document.querySelectorAll('.paper')].map((one) => one.textContent)
      const paper = texts.filter((text) => text !== '').join('\n')
      const seen = { cards: count('.card'), charts: count('.plot canvas'), paper }
      document.documentElement.dataset['printed'] = JSON.stringify(seen)
    })
  })

/** What there was to print the last time. */
const printed = (page: Page): Promise<unknown> =>
  page.evaluate(() => JSON.parse(document.documentElement.dataset['printed'] ?? 'null'))

const shownTexts = (page: Page): Promise<string[]> =>
  page.$$eval('.paper', (all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent ?? ''))

/** What the paper says besides the report, as it is laid out for printing. */
const printedTexts = async (page: Page): Promise<string[]> => {
  await page.emulateMediaType('print')
  const texts = await shownTexts(page)
  await page.emulateMediaType('screen')
  return texts
}

const chartsDrawn = (page: Page, count: number): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelectorAll('.plot canvas').length === wanted, {}, count)

describe.skipIf(noBrowser !== undefined)(`a report's page${noBrowser === undefined ? '' : `: ${noBrowser}`}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('shows the answer to a question as a table, without a script', async () => {
    const columns = [
      { name: 'Kennzahl <1>', field: { kind: 'text', about: '' } },
      { name: 'Summe', field: { kind: 'decimal', about: '' } },
    ] as const
    const table = { columns, records: [{ 'Kennzahl <1>': 'Sales & costs', Summe: 12_5000n }] }
    await using report = await openReport(browser, [], { title: 'Year' }, { table })
    expect(await report.texts('.answer th, .answer td')).toEqual(['Kennzahl <1>', 'Summe', 'Sales & costs', '12.5'])
    expect(await report.texts('h1')).toEqual(['Year'])
    expect(await report.page.$$('script, noscript')).toEqual([])
    expect([report.complaints, report.requests]).toEqual([[], []])
  })

  test('writes the numbers of the table beside charts as those are, in the language of the reader', async () => {
    const columns = [
      { name: 'KPI', field: { kind: 'text', about: '' } },
      { name: 'actual', field: { kind: 'decimal', about: '' }, textOf: (): string => '+£ 1,234,567.50 m3' },
      { name: 'progress', field: { kind: 'decimal', about: '' }, textOf: (): string => '107 %' },
    ] as const
    const rows = [pageRow({ actual: 1_234_567_5000n })]
    const charts = (async function* () {
      yield rows
    })()
    await using report = await openReport(browser, [], {}, { charts, table: { columns, records: [{ KPI: '1,234' }] } })
    expect(await report.texts('.answer td')).toEqual(['1,234', '+£ 1,234,567.50 m3', '107 %'])
    await report.page.evaluateOnNewDocument(() => {
      Object.defineProperty(navigator, 'language', { value: 'de-DE' })
    })
    await report.page.reload()
    expect(await report.texts('.answer td')).toEqual(['1,234', '+£ 1.234.567,50 m3', '107 %'])
    expect(await report.texts('.latest')).toEqual(['£ 1.234.567,50'])
    expect(report.complaints).toEqual([])
  })

  test('says how each KPI stands, and asks for nothing', async () => {
    await using opened = await openReport(browser, OF_ANN, { title: 'Shops' })
    expect(await opened.text('h1')).toBe('Shops')
    expect(await opened.texts('.about span')).toEqual([
      'example.com',
      '2026-01-01 to 2026-12-31',
      'made 2027-01-01 01:02:03 UTC',
    ])
    expect(await opened.texts(KPI_NAMES)).toEqual(['Revenue', 'Faults', 'Staff', 'Share'])
    expect(await opened.texts('.latest')).toEqual(['£ 1,234.50', '11', '43', '25.0%'])
    expect(await opened.texts('.badge')).toEqual(['Met', 'Near', 'No target', 'Missed'])
    expect(await opened.texts('.facts')).toEqual([
      'Target£ 900.00Progress137.2%Since Jan 2026+£ 134.50 (+12.2%)',
      'Target, at most10Progress90.9%Since Feb 2026+1 (+4.8%)',
      'Since Feb 20260 (0.0%)',
      'Target50.0%Progress50.0%Since Feb 2026+5.0% (+25.0%)',
    ])
    await chartsDrawn(opened.page, 4)
    expect((await inkOf(opened.page)).every((pixels) => pixels > 500)).toBe(true)
    expect(opened.complaints).toEqual([])
    expect(opened.requests).toEqual([])
  })

  test('says up to which day a period counts that is not over in the report', async () => {
    const range = { from: parseDay('2026-01-01') ?? 0, to: parseDay('2026-03-20') ?? 0 }
    await using opened = await openReport(browser, pageSeries([100_000n, 110_000n], STAFF), { range })
    expect(await opened.texts('.facts')).toEqual(['Since Jan 2026+1 (+10.0%)'])
    await using cut = await openReport(browser, pageSeries([100_000n, 120_000n, 110_000n], STAFF), { range })
    expect(await cut.texts('.facts')).toEqual(['Since Feb 2026, up to 20 Mar 2026-1 (-8.3%)'])
  })

  test('finds KPIs and items by any words of their names, and says how many', async () => {
    await using opened = await openReport(browser, ROWS)
    expect(await opened.text('.found')).toBe('6 shown')
    await opened.page.type(selectorOf('Search'), 'bob REV')
    expect(await opened.text('.found')).toBe('1 of 6 shown')
    expect(await opened.texts(KPI_NAMES)).toEqual(['Revenue'])
    await opened.page.type(selectorOf('Search'), 'x')
    expect(await opened.text('.notice')).toBe('Nothing found for this choice.')
  })

  test('shows the KPIs of the chosen item, and those of the chosen states', async () => {
    await using opened = await openReport(browser, ROWS)
    expect(await opened.texts('h2')).toEqual(['Revenue', 'Faults', 'Staff', 'Share'])
    await opened.page.select(selectorOf('Item'), '1')
    expect(await opened.texts('h2')).toEqual(['Bob Ray'])
    expect(await opened.texts(KPI_NAMES)).toEqual(['Revenue', 'Faults'])
    expect(await opened.texts('.states button')).toEqual(['Met1', 'Near0', 'Missed1', 'No target0'])
    await opened.page.click('.states button.missed')
    expect(await opened.texts(KPI_NAMES)).toEqual(['Faults'])
    expect(await opened.text('.found')).toBe('1 of 6 shown')
  })

  test('shows the periods that overlap the chosen days', async () => {
    await using opened = await openReport(browser, OF_ANN)
    await setDay(opened.page, 'Last day', '2026-02-10')
    expect(await opened.texts('.latest')).toEqual(['£ 1,100.00', '11', '43', '20.0%'])
    expect(await opened.page.$eval(selectorOf('Days'), (one) => (one as HTMLSelectElement).value)).toBe('')
    await setDay(opened.page, 'First day', '2026-02-10')
    expect(await opened.texts('.latest')).toEqual(['–', '11', '43', '20.0%'])
    await setDay(opened.page, 'First day', '2026-02-11')
    expect(await opened.text('.found')).toBe('The first day is after the last day.')
    await opened.page.select(selectorOf('Days'), '2026-01-01')
    expect(await opened.texts('.latest')).toEqual(['£ 1,234.50', '11', '43', '25.0%'])
  })

  test('offers quick choices by the calendar of the account', async () => {
    const range = { from: parseDay('2025-06-01') ?? 0, to: parseDay('2026-08-20') ?? 0 }
    const calendar = { week_start: 'monday', fiscal_year_start: 4 } as const
    await using opened = await openReport(browser, OF_ANN, { range, calendar })
    const choices = await opened.page.$$eval(`${selectorOf('Days')} option`, (all) =>
      all.map((one) => [one.textContent, one.value]),
    )
    expect(choices).toEqual([
      ['All days', '2025-06-01'],
      ['Last 7 days', '2026-08-14'],
      ['Last 30 days', '2026-07-22'],
      ['Last 90 days', '2026-05-23'],
      ['Last 365 days', '2025-08-21'],
      ['Latest month', '2026-08-01'],
      ['Latest quarter', '2026-07-01'],
      ['Latest year', '2026-04-01'],
      ['Other days', ''],
    ])
  })

  test('has the values of each chart in a table, the latest first', async () => {
    await using opened = await openReport(browser, ROWS)
    await opened.page.select(selectorOf('Item'), '1')
    expect(await opened.texts(OPEN_TABLE)).toEqual([])
    await opened.page.click('summary')
    await opened.page.waitForSelector(OPEN_TABLE)
    expect(await opened.texts(`${OPEN_TABLE} > *`)).toEqual(
      [
        ['Feb 2026', '£ 950.00', '£ 900.00', 'Met', 'Sale began\nRain'],
        ['Jan 2026', '£ 900.00', '£ 900.00', 'Met', 'Sale began\nRain'],
      ].flat(),
    )
  })

  test('can be used with the keyboard alone, and each control has a name', async () => {
    await using opened = await openReport(browser, ROWS)
    const { page } = opened
    const reached: string[] = []
    for (let presses = 0; presses < 30 && !reached.at(-1)?.startsWith('Table'); presses += 1) {
      await page.keyboard.press('Tab')
      const name = await page.evaluate(() => {
        const at = document.activeElement
        const isMarked = at !== null && getComputedStyle(at).outlineStyle !== 'none'
        const label = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? at.labels?.[0] : at
        return isMarked
          ? (label?.firstChild?.textContent ?? label?.textContent ?? '') || (label?.textContent ?? '')
          : ''
      })
      // A date's own calendar button shows its focus itself, and has no name here.
      if (name !== '' && name !== reached.at(-1)) reached.push(name)
    }
    const controls = ['Appearance', 'Search', 'Item', 'Days', 'First day', 'Last day']
    expect(reached).toEqual([...controls, 'Met2', 'Near1', 'Missed2', 'No target1', 'Table of 3 values'])
    await page.keyboard.press('Enter')
    await page.waitForSelector(OPEN_TABLE)
  })

  test('names its parts to screen readers', async () => {
    await using opened = await openReport(browser, OF_ANN)
    const { page } = opened
    expect(await page.$eval('html', (one) => one.lang)).toBe('en')
    expect(await page.$$eval('header, main, form[role=search]', (all) => all.length)).toBe(3)
    expect(await page.$$eval('[aria-live=polite]', (all) => all.length)).toBe(1)
    expect(await page.$eval('.plot', (one) => one.getAttribute('aria-label'))).toBe(
      'Chart of Revenue, Ann Lee, Jan 2026 to Mar 2026. The table below has the same values.',
    )
  })

  test.each(['light', 'dark'] as const)('is readable in %s', async (scheme) => {
    await using opened = await openReport(browser, OF_ANN)
    await opened.page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ])
    await opened.page.click('summary')
    await opened.page.waitForSelector(OPEN_TABLE)
    const texts = await colouredTexts(opened.page)
    expect(texts.length).toBeGreaterThan(60)
    expect(texts.filter(({ colour, ground }) => contrastOf(colour, ground) < 4.5)).toEqual([])
    const isLight = contrastOf(texts[0]?.ground ?? [], [0, 0, 0]) > 10
    expect(isLight).toBe(scheme === 'light')
  })

  test('looks as the reader chooses, whatever the system does', async () => {
    await using opened = await openReport(browser, OF_ANN)
    const ground = (): Promise<string> => opened.page.$eval('body', (one) => getComputedStyle(one).backgroundColor)
    const light = await ground()
    await opened.page.select(selectorOf('Appearance'), 'dark')
    expect(await ground()).not.toBe(light)
    await opened.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    await opened.page.select(selectorOf('Appearance'), 'light')
    expect(await ground()).toBe(light)
  })

  test('draws charts as they come into view, and all of them for printing', async () => {
    await using opened = await openReport(browser, kpisOf(12, 5))
    const { page } = opened
    const drawn = (): Promise<number> => page.$$eval('.plot canvas', (all) => all.length)
    await page.waitForSelector('.plot canvas')
    expect(await drawn()).toBeLessThan(60)
    await page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'))
    })
    expect(await drawn()).toBe(60)
    expect(await page.$eval('body', (one) => getComputedStyle(one).backgroundColor)).toBe('rgb(255, 255, 255)')
    await page.evaluate(() => {
      dispatchEvent(new Event('afterprint'))
    })
    expect(opened.complaints).toEqual([])
  })

  test('shows the first items of a KPI with very many, and the others on a click', async () => {
    const many = Array.from({ length: 40 }, (_, at) => pageRow({ itemId: at, itemName: `Shop ${at}` }))
    await using opened = await openReport(browser, many)
    expect(await opened.text('.found')).toBe('12 of 40 shown')
    expect(await opened.texts(KPI_NAMES)).toEqual(Array.from({ length: 12 }, (_, at) => `Shop ${at}`))
    await opened.page.click('.more')
    expect((await opened.texts(KPI_NAMES)).length).toBe(40)
    expect(await opened.text('.found')).toBe('40 shown')
    expect(await opened.page.evaluate(() => document.activeElement?.textContent)).toBe('Shop 12')
    await opened.page.type(selectorOf('Search'), '2')
    expect(await opened.text('.found')).toBe('13 of 40 found, 12 of them shown')
  })

  test('prints the KPIs behind the button too, and shows the same as before afterwards', async () => {
    await using opened = await openReport(browser, kpisOf(4, 20))
    const { page } = opened
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.waitForSelector('section:last-child .card:last-child canvas')
    const screen = (): Promise<unknown> => page.evaluate(() => [document.querySelector('#page')?.textContent, scrollY])
    const before = await screen()
    await countPrinted(page)
    await page.pdf()
    expect(await printed(page)).toEqual({ cards: 80, charts: 80, paper: '' })
    expect(await screen()).toEqual(before)
    expect(await opened.text('.found')).toBe('48 of 80 shown')
    expect(opened.complaints).toEqual([])
  })

  test('prints no more than 500 KPIs, and says how many it leaves out', async () => {
    await using opened = await openReport(browser, kpisOf(2, 300))
    // Days without values have no charts, which would take most of the time.
    await setDay(opened.page, 'First day', '2026-06-01')
    await countPrinted(opened.page)
    await opened.page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'))
      dispatchEvent(new Event('afterprint'))
    })
    expect(await printed(opened.page)).toEqual({
      cards: 500,
      charts: 0,
      paper:
        'Chosen: 2026-06-01 to 2026-12-31\n' +
        '500 of 600 are printed. To print others, choose fewer by search, item or state.\n100 more are not printed.',
    })
    expect((await opened.texts(KPI_NAMES)).length).toBe(24)
  })

  test('says on paper what was chosen, and on the screen leaves that to the controls', async () => {
    await using opened = await openReport(browser, ROWS)
    const { page } = opened
    expect(await printedTexts(page)).toEqual([])
    await page.type(selectorOf('Search'), ' rev ')
    expect(await printedTexts(page)).toEqual(['Chosen: "rev"'])
    await page.select(selectorOf('Item'), '1')
    await page.click('.states button.met')
    await setDay(page, 'Last day', '2026-02-10')
    expect(await printedTexts(page)).toEqual(['Chosen: "rev", Bob Ray, 2026-01-01 to 2026-02-10, Met'])
    expect(await shownTexts(page)).toEqual([])
  })

  test('shows the value under the pointer', async () => {
    await using opened = await openReport(browser, OF_ANN)
    await chartsDrawn(opened.page, 4)
    await opened.page.hover('.plot .u-over')
    await opened.page.waitForFunction(() => !document.querySelector('figcaption')?.querySelector('.key'))
    expect((await opened.texts('figcaption'))[0]).toBe('Feb 2026: –, target £ 900.00')
  })

  const HOSTILE = [
    '</script><script>document.title="broken"</script>',
    '<!--<script>',
    '<img src="https://example.com/x.png" onerror="document.title=1">',
    '"\'&amp;\u2028\u2029 \\u003c ${1}',
  ]
  test.each(HOSTILE)('shows %s as it is, wherever it stands', async (text) => {
    const rows = [
      pageRow({
        kpiName: text,
        kpiDescription: text,
        itemName: text,
        notes: text,
        labelFormat: `${text.slice(0, 40)}#`,
      }),
      pageRow({ kpiId: 2, itemId: 2, itemName: 'Other' }),
    ]
    await using opened = await openReport(browser, rows, { title: text, account: text })
    expect(await opened.page.title()).toBe(text)
    expect(await opened.text('h1')).toBe(text)
    expect(await opened.texts('h2')).toContain(text)
    await opened.page.click('summary')
    await opened.page.waitForSelector(OPEN_TABLE)
    expect(await opened.text(`${OPEN_TABLE} td:last-child`)).toBe(text)
    expect(await opened.page.$$('img')).toEqual([])
    expect(opened.complaints).toEqual([])
    expect(opened.requests).toEqual([])
  })

  test('refuses scripts and requests that are not its own', async () => {
    await using opened = await openReport(browser, OF_ANN)
    await opened.page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'document.title = "changed"'
      document.body.append(script)
      const image = document.createElement('img')
      image.src = 'https://example.com/x.png'
      document.body.append(image)
    })
    expect(await opened.page.title()).toBe('Report')
    expect(opened.complaints.join('\n')).toMatch(/script-src 'sha256-[^]*img-src data:/)
  })

  const LARGE = 999_999_999_999_999_999n
  test.each([
    ['one value', [pageRow()], ['£ 1,000.00'], ['Met']],
    ['no target', pageSeries([10_000n, 20_000n], { target: null, labelFormat: '#' }), ['2'], ['No target']],
    ['no value', [pageRow({ actual: null })], ['–'], ['No target']],
    [
      'very large values',
      pageSeries([-LARGE, LARGE], { labelFormat: '#,##0.0000' }),
      ['99,999,999,999,999.9999'],
      ['Met'],
    ],
    ['equal values', pageSeries([0n, 0n, 0n], { labelFormat: '#', target: 0n }), ['0'], ['Met']],
  ])('shows a report with %s', async (_, rows, latest, states) => {
    await using opened = await openReport(browser, rows)
    expect(await opened.texts('.latest')).toEqual(latest)
    expect(await opened.texts('.badge')).toEqual(states)
    await chartsDrawn(opened.page, 1)
    const isWithin = (): Promise<boolean> =>
      opened.page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)
    expect(await isWithin()).toBe(true)
    await opened.page.setViewport({ width: 320, height: 600 })
    expect(await isWithin()).toBe(true)
    expect(opened.complaints).toEqual([])
  })

  test('says that there is nothing in an empty report', async () => {
    await using opened = await openReport(browser, [])
    expect(await opened.text('main')).toBe('There are no values in these days.')
    expect(opened.complaints).toEqual([])
  })
})

test('a page holds each name once, and the licence of what draws its charts', async () => {
  const text = await pageText(
    pageSeries(
      Array.from({ length: 50 }, (_, at) => BigInt(at)),
      { itemName: 'Named once' },
    ),
  )
  expect(text.split('Named once').length).toBe(2)
  expect(text).toContain('Copyright (c) 2022 Leon Sorokin')
})
