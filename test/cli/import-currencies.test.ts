import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'
import { odsFiles, xlsxOf } from '../support/workbook.ts'
import { zipOf } from '../support/zip.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

/** A cell of a column: a number with its format, in .ods with its currency; or a text. */
type Cell = string | { readonly value: number; readonly format?: string | number }

/** The days of January; the fourth row has none. */
const dayOf = (at: number): string => (at === 3 ? 'never' : `2026-01-${String(at + 1).padStart(2, '0')}`)
const xlsxText = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`

const xlsxColumn = (header: string, cells: readonly Cell[]): Buffer => {
  const formats = cells.map((cell) => (typeof cell === 'string' ? 0 : (cell.format ?? 0)))
  const rows = cells.map((cell, at) => {
    const written = typeof cell === 'string' ? xlsxText(cell) : `<c s="${at + 1}"><v>${cell.value}</v></c>`
    return `<row>${xlsxText(dayOf(at))}${written}</row>`
  })
  const top = `<row>${xlsxText('date')}${xlsxText(header)}</row>`
  return xlsxOf({ sheets: { A: top + rows.join('') }, formats })
}

const odsText = (text: string): string =>
  `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`

const odsNumber = (value: number, attributes: string, shown = ''): string =>
  `<table:table-cell ${attributes} office:value="${value}"><text:p>${shown}</text:p></table:table-cell>`

const odsMoney = (value: number, currency: string): string =>
  odsNumber(value, `office:value-type="currency" office:currency="${currency}"`)

const odsColumn = (header: string, cells: readonly string[]): Buffer => {
  const rows = cells.map((cell, at) => `<table:table-row>${odsText(dayOf(at))}${cell}</table:table-row>`)
  const top = `<table:table-row>${odsText('date')}${odsText(header)}</table:table-row>`
  return zipOf(odsFiles({ A: top + rows.join('') }))
}

const importBook = (name: string, content: Buffer, ...args: readonly string[]): Promise<Ran> => {
  writeFileSync(user.folder.in(name), content)
  const made = ['--create-missing', '--user', 'Ann Lee', '--email-pattern', '{name}@example.com', '--layout', 'wide']
  return user.kpi('entries', 'import', name, ...made, '--frequency', 'D', '-o', 'json', ...args)
}

/** The name of the new KPI's unit. */
const unitOf = async (): Promise<string> => {
  const [kpi] = jsonOf(await user.kpi('kpis', 'list', '-o', 'json')) as { unit_id: number }[]
  const units = jsonOf(await user.kpi('units', 'list', '-o', 'json')) as { id: number; name: string }[]
  return units.find(({ id }) => id === kpi?.unit_id)?.name ?? ''
}

const DOLLARS = '"$"#,##0.00'
const EUROS = '[$€-407] #,##0.00'

describe('several currencies in one column stop the import', () => {
  test.each<[what: string, name: string, content: () => Buffer, shown: string]>([
    [
      'in formats',
      'a.xlsx',
      () =>
        xlsxColumn('Cost', [
          { value: 5, format: DOLLARS },
          { value: 7.5, format: EUROS },
        ]),
      '"5 $" on line 2, "7.5 €" on line 3',
    ],
    [
      'of the same sign',
      'a.xlsx',
      () =>
        xlsxColumn('Cost', [
          { value: 5, format: '[$kr-414] 0' },
          { value: 7, format: '[$kr-41D] 0' },
        ]),
      '"5 NOK" on line 2, "7 SEK" on line 3',
    ],
    [
      'in a format and a text',
      'a.xlsx',
      () => xlsxColumn('Cost', ['€7', { value: 5, format: DOLLARS }]),
      '"€7" on line 2, "5 $" on line 3',
    ],
    [
      'beside a percentage',
      'a.xlsx',
      () =>
        xlsxColumn('Cost', [
          { value: 7.5, format: '0.0"%"' },
          { value: 5, format: DOLLARS },
        ]),
      '"7.5%" on line 2, "5 $" on line 3',
    ],
    [
      'in .ods',
      'a.ods',
      () => odsColumn('Cost', [odsMoney(5, 'EUR'), odsMoney(7, 'USD')]),
      '"5 EUR" on line 2, "7 USD" on line 3',
    ],
    [
      'as .ods shows them',
      'a.ods',
      () =>
        odsColumn('Cost', [
          odsNumber(5, 'office:value-type="float"', '5,00 €'),
          odsNumber(7, 'office:value-type="currency"', '$7'),
        ]),
      '"5 €" on line 2, "7 $" on line 3',
    ],
  ])('%s', async (_, name, content, shown) => {
    const ran = await importBook(name, content())
    expect(ran.code).toBe(1)
    expect(allOf(errorOf(ran))).toContain(`has numbers of several kinds: ${shown}; they may not mean the same`)
  })
})

describe('one currency is the unit of a new KPI', () => {
  test.each<[what: string, name: string, content: () => Buffer, unit: string]>([
    ['in formats', 'a.xlsx', () => xlsxColumn('Cost', [{ value: 5, format: DOLLARS }, { value: 7 }]), '$'],
    ['in brackets', 'a.xlsx', () => xlsxColumn('Cost', [{ value: 5.5, format: EUROS }]), 'EUR'],
    ['like the sign in a text', 'a.xlsx', () => xlsxColumn('Cost', ['€7', { value: 5, format: EUROS }]), 'EUR'],
    ['that no text may have', 'a.xlsx', () => xlsxColumn('Cost', [{ value: 5, format: '[$XOF] 0' }]), 'XOF'],
    ['in .ods', 'a.ods', () => odsColumn('Cost', [odsMoney(5, 'CHF'), odsMoney(7.25, 'CHF')]), 'CHF'],
    [
      'of the computer, which the name says',
      'a.xlsx',
      () => xlsxColumn('Cost in USD', [{ value: 5, format: 44 }]),
      'USD',
    ],
    ['and none without one', 'a.xlsx', () => xlsxColumn('Cost', [{ value: 5, format: '0 "days"' }]), 'Number'],
    ['and a percent sign', 'a.xlsx', () => xlsxColumn('Done', [{ value: 12.5, format: '0.0"%"' }]), 'Percent'],
  ])('%s', async (_, name, content, unit) => {
    expect((await importBook(name, content())).code).toBe(0)
    expect(await unitOf()).toBe(unit)
  })

  test('with its cell as the evidence', async () => {
    const ran = await importBook('a.xlsx', xlsxColumn('Cost', [{ value: 5, format: DOLLARS }]), '--dry-run')
    expect(ran.stdout + ran.stderr).toContain('unit $: ')
    expect(ran.stdout + ran.stderr).toMatch(/5 \$\\?" on line 2/)
  })

  test('unless it is that of the computer', async () => {
    const content = xlsxColumn('Cost', [{ value: 5, format: 44 }])
    const ran = await importBook('a.xlsx', content)
    expect([ran.code, allOf(errorOf(ran))]).toEqual([
      1,
      expect.stringContaining(
        '"5 ¤" on line 2 is money in the currency that each computer is set to, so the file does not say which; say the unit: --unit NAME',
      ),
    ])
    expect((await importBook('a.xlsx', content, '--unit', 'Decimal')).code).toBe(0)
  })
})

test('rejects keep the currency, if a text may have it', async () => {
  const cells = (format: string): Cell[] => [5, 7, 6, 7.5].map((value) => ({ value, format }))
  expect((await importBook('a.xlsx', xlsxColumn('Cost', cells(EUROS)))).code).toBe(3)
  expect(readFileSync(user.folder.in('a.rejects.csv'), 'utf8')).toContain('never,7.5 €,5,')
  expect((await importBook('b.xlsx', xlsxColumn('Gas', cells('[$XOF] 0')))).code).toBe(3)
  expect(readFileSync(user.folder.in('b.rejects.csv'), 'utf8')).toContain('never,7.5,5,')
})
