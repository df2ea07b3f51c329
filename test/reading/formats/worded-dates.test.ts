import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOfCivil, formatDay } from '../../../src/domain/day.ts'
import { createDateColumn } from '../../../src/reading/formats/date-column.ts'
import { PLAIN_FORMAT } from '../../../src/reading/formats/date-format.ts'
import { platformFormat, platformLanguages, SKELETONS, writesNames } from '../../calendar/platform-words.ts'

/** The days of the cells of a column, or why they are in doubt, or that they are none. */
const readColumn = (texts: readonly string[]): string[] => {
  const column = createDateColumn('Date', PLAIN_FORMAT, 'assumed')
  texts.forEach((text, at) => column.note(text, at + 2))
  const [doubt] = column.doubts()
  if (doubt !== undefined) return [doubt]
  const format = column.proven()?.format
  return texts.map((text) => {
    const day = format?.read(text)
    return typeof day === 'number' ? formatDay(day) : 'none'
  })
}

describe('dates as people write them', () => {
  test.each<[language: string, day: string, texts: string[]]>([
    ['Czech', '2026-03-03', ['3. března 2026', '3. BŘEZNA 2026', '3. brezna 2026', '3.\u00a0března\u00a02026']],
    ['Polish', '2026-07-03', ['3 lipca 2026', '3 lipca 2026 r.', '3 lipca 2026 roku']],
    ['Russian', '2026-05-03', ['3 мая 2026 г.', '3 МАЯ 2026 Г.', '3\u00a0мая\u202f2026\u00a0г.', '3 мая 2026 года']],
    ['Ukrainian', '2026-03-03', ['3 березня 2026 р.', '3 бер. 2026 р.']],
    ['Bulgarian', '2026-03-03', ['3 март 2026 г.', 'вторник, 3 март 2026 г.']],
    ['Croatian', '2026-03-03', ['3. ožujka 2026.', '3. ozujka 2026.', 'utorak, 3. ožujka 2026.']],
    ['Slovene', '2026-03-03', ['3. marec 2026', '3. mar. 2026', 'torek, 3. marec 2026']],
    ['Greek', '2026-03-03', ['3 Μαρτίου 2026', '3 ΜΑΡΤΙΟΥ 2026', 'Τρίτη 3 Μαρτίου 2026']],
    ['Turkish', '2026-08-03', ['3 Ağustos 2026', '3 AĞUSTOS 2026', '3 Ağu 2026', '3 Ağustos 2026 Pazartesi']],
    ['Arabic', '2026-03-03', ['3 مارس 2026', '٣ مارس ٢٠٢٦', 'الثلاثاء، ٣ مارس ٢٠٢٦', '3 آذار 2026']],
    ['Persian words', '2026-03-03', ['۳ مارس ۲۰۲۶', 'سه‌شنبه ۳ مارس ۲۰۲۶']],
    ['Hebrew', '2026-03-03', ['3 במרץ 2026', '3 מרץ 2026', 'יום שלישי, 3 במרץ 2026']],
    ['Japanese', '2026-03-03', ['2026年3月3日', '2026年3月3日火曜日', '２０２６年３月３日', '2026年3月3日(火)']],
    ['Korean', '2026-03-03', ['2026년 3월 3일', '2026년 3월 3일 화요일', '2026년 3월 3일 (화)']],
    ['Chinese', '2026-03-03', ['2026年3月3日', '2026年3月3日星期二', '2026年三月3日']],
    ['Thai', '2026-03-03', ['3 มีนาคม 2026', '๓ มีนาคม ๒๐๒๖', '3 มี.ค. 2026', 'วันอังคารที่ 3 มีนาคม ค.ศ. 2026']],
    ['Hindi', '2026-03-03', ['3 मार्च 2026', '३ मार्च २०२६', 'मंगलवार, 3 मार्च 2026']],
    ['Hungarian', '2026-03-03', ['2026. március 3.', '2026. márc. 3.', '2026. március 3., kedd']],
    ['Finnish', '2026-03-03', ['3. maaliskuuta 2026', 'tiistaina 3. maaliskuuta 2026']],
    ['Estonian', '2026-03-03', ['3. märts 2026', 'teisipäev, 3. märts 2026']],
    ['Latvian', '2026-03-03', ['2026. gada 3. marts', '2026. g. 3. marts']],
    ['Lithuanian', '2026-03-03', ['2026 m. kovo 3 d.', '2026 m. kovo 3 d., antradienis']],
    ['Romanian', '2026-03-03', ['3 martie 2026', '3 mar. 2026', 'marți, 3 martie 2026']],
    [
      'Vietnamese',
      '2026-03-03',
      ['3 tháng 3, 2026', 'ngày 3 tháng 3 năm 2026', 'Thứ Ba, 3 tháng 3, 2026', '3 thg 3, 2026'],
    ],
    ['Indonesian', '2026-08-03', ['3 Agustus 2026', '3 Agu 2026', 'Senin, 03 Agustus 2026']],
    ['Catalan', '2026-08-03', ['3 d’agost del 2026', "3 d'agost de 2026", 'dilluns, 3 d’agost del 2026']],
    ['Basque', '2026-03-03', ['2026(e)ko martxoaren 3(a)', '2026ko martxoaren 3a, asteartea']],
    ['Mongolian', '2026-03-03', ['2026 оны гуравдугаар сарын 3', '2026 оны 3-р сарын 3']],
    ['Georgian', '2026-03-03', ['3 მარტი, 2026', '3 მარ. 2026']],
    ['Uzbek', '2026-03-03', ['3-mart, 2026', 'seshanba, 3-mart, 2026']],
    [
      'English',
      '2026-03-03',
      ['3rd March 2026', 'March 3rd, 2026', 'Tuesday, the 3rd of March 2026', '3. March, 2026'],
    ],
    ['French', '2026-08-01', ['1er août 2026', '1er AOUT 2026', 'samedi 1er août 2026']],
    ['German', '2026-03-03', ['3. März 2026', 'Dienstag, den 3. März 2026', 'Dienstag, der 3. März 2026']],
  ])('in %s', (_, day, texts) => {
    for (const text of texts) expect([text, ...readColumn([text])]).toEqual([text, day])
  })

  test.each<[text: string, day: string]>([
    ['мая 2026 г.', '2026-05-01'],
    ['май 2026 г.', '2026-05-01'],
    ['lipiec 2026', '2026-07-01'],
    ['lipiec 2026 r.', '2026-07-01'],
    ['2026년 5월', '2026-05-01'],
    ['2026年5月', '2026-05-01'],
    ['tháng 5 năm 2026', '2026-05-01'],
    ['2026. május', '2026-05-01'],
    ['2026 m. gegužė', '2026-05-01'],
    ['พฤษภาคม ๒๐๒๖', '2026-05-01'],
    ['मई २०२६', '2026-05-01'],
    ['٢٠٢٦-٠٣-٠٢', '2026-03-02'],
    ['۲۰۲۶/۰۳/۱۲', '2026-03-12'],
    ['๒๐๒๖-๐๓', '2026-03-01'],
  ])('of a month, or with digits of another script: %s', (text, day) => {
    expect(readColumn([text])).toEqual([day])
  })

  test.each([
    // Letters beside a date may say that it is an estimate.
    'Jan 2026 e',
    'Mar 2026e',
    'okt 2026 g',
    'e Mar 2026',
    '3 Mar 2026 r',
    // What is not of one language, or of none.
    '3 мая 2026 gada',
    '3 March 2026 Dienstagx',
    'Sales March 2026',
    '3 March 2026 4',
    'March April 2026',
    '3 March 20261',
    '3 March 2026 + 1',
    'Store March',
    // Not the day of the week of that date.
    'понедельник, 3 мая 2026 г.',
    'teisipäev, 4. märts 2026 m',
  ])('but not %s', (text) => {
    expect(readColumn([text])).toEqual(['none'])
  })
})

/** Locales with dates that the platform writes and that are not read, with the reason. */
const UNREAD: Readonly<Record<string, string>> = {
  dyo: 'shortens June and July to the same letters, but for an accent',
  eu: 'has a letter behind short names of other languages, which may mark an estimate',
  kkj: 'has the code M11 for a month',
  'ku-IQ': 'has codes for months, M01',
  rof: 'has codes for months, M1',
  tok: 'has numbers for months, and # before them',
  'vai-Latn': 'has codes for months, M01',
  yav: 'has codes for months, o.1',
}

const MILLISECONDS = 86_400_000
const MONTHS = Array.from({ length: 12 }, (_, at) => at + 1)

describe('every language of the platform', () => {
  const formats = platformLanguages().flatMap(([, locales]) =>
    locales.flatMap((locale) =>
      SKELETONS.filter((one) => (one.dateStyle ?? one.year) !== undefined && writesNames(locale, one)).map(
        (skeleton) => ({
          locale,
          format: platformFormat(locale, skeleton),
          hasDay: (skeleton.dateStyle ?? skeleton.day) !== undefined,
          isShortest: skeleton.day === undefined && skeleton.dateStyle === undefined,
        }),
      ),
    ),
  )

  test('is read back, a year of months at a time, however it writes dates', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1900, max: 2199 }), fc.integer({ min: 1, max: 28 }), (year, date) => {
        const unread = new Set<string>()
        for (const { locale, format, hasDay } of formats) {
          const days = MONTHS.map((month) => dayOfCivil(year, month, hasDay ? date : 1))
          const texts = days.map((day) => format.format(day * MILLISECONDS))
          const read = readColumn(texts)
          const isRead = String(read) === String(days.map(formatDay))
          if (locale in UNREAD && !isRead) unread.add(locale)
          expect([locale, texts, locale in UNREAD || isRead ? [] : read]).toEqual([locale, texts, []])
        }
        expect([...unread].toSorted()).toEqual(Object.keys(UNREAD).toSorted())
      }),
      { numRuns: 1, seed: Number(process.env['SEED'] ?? 1) },
    )
  })

  test('is read in capitals, without accents, without dots and with other blanks', () => {
    const vary = (text: string): string =>
      text
        .toUpperCase()
        .normalize('NFD')
        .replaceAll(/[\u0300-\u036f]/g, '')
        .replaceAll(' ', '\u00a0')
    for (const { locale, format, hasDay } of formats.filter(
      ({ locale, isShortest }) => isShortest && !(locale in UNREAD),
    )) {
      const days = MONTHS.map((month) => dayOfCivil(2026, month, hasDay ? 23 : 1))
      const texts = days.map((day) => vary(format.format(day * MILLISECONDS)))
      expect([locale, texts, readColumn(texts)]).toEqual([locale, texts, days.map(formatDay)])
    }
  })
})
