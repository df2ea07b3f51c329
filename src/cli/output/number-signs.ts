import type { NumberSigns } from '../../domain/number-pattern.ts'
import type { Io } from '../io.ts'

/** Lists the variables that say how numbers are written, the strongest first. */
const VARIABLES = ['LC_ALL', 'LC_NUMERIC', 'LANG']

/** Returns the language of the environment, such as `de-DE`; undefined where it is none, as `C` and `POSIX` are. */
const languageOf = ({ env }: Pick<Io, 'env'>): string | undefined => {
  const given = VARIABLES.map((name) => env[name]).find((text) => text !== undefined && text !== '')
  const [, language, region] = /^([a-z]{2,3})(?:_([A-Z]{2}))?(?:[.@]|$)/.exec(given ?? '') ?? []
  return region === undefined ? language : `${language}-${region}`
}

/** Returns how numbers are written for people at the terminal, in their language; undefined elsewhere. */
export const numberSigns = (io: Pick<Io, 'env' | 'stdout'>): NumberSigns | undefined => {
  const language = io.stdout.isTerminal ? languageOf(io) : undefined
  if (language === undefined) return undefined
  const whole = new Intl.NumberFormat(language, { numberingSystem: 'latn' })
  const decimal = whole.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  return { group: (digits) => whole.format(BigInt(digits)), decimal }
}
