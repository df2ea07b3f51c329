/** Lists the character encodings of files. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr',
] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Lists other names of encodings, without the signs between their words; `cp` and `windows` are the same. */
const ENCODING_ALIASES: Readonly<Record<string, Encoding>> = {
  utf8: 'utf-8',
  utf16: 'utf-16le',
  unicode: 'utf-16le',
  ansi: 'windows-1252',
  latin1: 'windows-1252',
  iso88591: 'windows-1252',
  latin2: 'iso-8859-2',
  latin3: 'iso-8859-3',
  latin4: 'iso-8859-4',
  latin5: 'windows-1254',
  iso88599: 'windows-1254',
  latin6: 'iso-8859-10',
  latin7: 'iso-8859-13',
  latin8: 'iso-8859-14',
  latin9: 'iso-8859-15',
  latin10: 'iso-8859-16',
  cyrillic: 'iso-8859-5',
  greek: 'iso-8859-7',
  hebrew: 'iso-8859-8',
  arabic: 'iso-8859-6',
  iso885911: 'windows-874',
  tis620: 'windows-874',
  koi8: 'koi8-r',
  sjis: 'shift_jis',
  mskanji: 'shift_jis',
  ms932: 'shift_jis',
  windows932: 'shift_jis',
  windows31j: 'shift_jis',
  ujis: 'euc-jp',
  gbk: 'gb18030',
  gb2312: 'gb18030',
  euccn: 'gb18030',
  windows936: 'gb18030',
  windows54936: 'gb18030',
  big5hkscs: 'big5',
  windows950: 'big5',
  uhc: 'euc-kr',
  ksc5601: 'euc-kr',
  ksx1001: 'euc-kr',
  windows949: 'euc-kr',
}

const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .replace(/^(?:cp|windows|win)(?=\d)/, 'windows')
    .replace(/^(?:iso8859|8859)(?=\d)/, 'iso8859')

/** Returns the encoding that people call by a name, such as `cp1250`, `Latin-2`, `sjis` or `GBK`. */
export const encodingNamed = (name: string): Encoding | undefined => {
  const plain = plainName(name)
  return (
    ENCODINGS.find((one) => plainName(one) === plain) ??
    (Object.hasOwn(ENCODING_ALIASES, plain) ? ENCODING_ALIASES[plain] : undefined)
  )
}

/** Lists the delimiters between cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** Returns the name of a delimiter in messages and flags. */
export const delimiterName = (separator: string): string => (separator === '\t' ? 'tab' : separator)
