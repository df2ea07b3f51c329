import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { analyse } from 'scslre'

/** A part of a pattern that takes one character, two characters that it takes, and whether it may repeat without end. */
type Leaf = { readonly sample: string; readonly other: string; readonly repeats: boolean }

/** A text that a regular expression is tried on: a beginning, and what is repeated after it. */
type Attack = { readonly prefix: string; readonly pump: string }

/** How much is repeated: a little more each time, so that exponential time is noticed early. */
const LENGTHS = [12, 16, 20, 24, 28, 32, 40, 50, 100, 1000, 4000, 20_000, 50_000]
/** The longest that a linear search may take of the processor. */
const LONGEST_MS = 40
const ATTEMPTS = 3
/** Characters that stand for classes of them: one that the class takes is its sample. */
const CANDIDATES = Array.from('a0 _.A:;,"/=+\t\n\u00e9\u0300\u0000<[{(@!%~\u20ac\u{1f600}-')

const isEndless = (node: AST.Node | null): boolean =>
  node !== null && ((node.type === 'Quantifier' && node.max === Number.POSITIVE_INFINITY) || isEndless(node.parent))

const samplesOf = (raw: string, flags: string): Omit<Leaf, 'repeats'> => {
  const regex = new RegExp(`^(?:${raw})$`, flags.replaceAll(/[gy]/g, ''))
  const taken = CANDIDATES.filter((one) => regex.test(one))
  return { sample: taken[0] ?? '', other: taken.at(-1) ?? '' }
}

const leavesOf = (source: string, flags: string): Leaf[] => {
  const leaves: Leaf[] = []
  const add = (node: AST.Character | AST.CharacterSet | AST.CharacterClass): void => {
    if (node.type !== 'CharacterClass' && node.parent.type === 'CharacterClass') return
    const one = node.type === 'Character' ? String.fromCodePoint(node.value) : undefined
    const samples = one === undefined ? samplesOf(node.raw, flags) : { sample: one, other: one }
    leaves.push({ ...samples, repeats: isEndless(node) })
  }
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: /[uv]/.test(flags) })
  visitRegExpAST(pattern, { onCharacterEnter: add, onCharacterSetEnter: add, onCharacterClassEnter: add })
  return leaves
}

/** Draws attacks from a pattern: each part that repeats, alone and with its neighbours, behind what comes before it. */
const attacksOn = (source: string, flags: string): Attack[] => {
  const leaves = leavesOf(source, flags)
  const before = (at: number): string =>
    leaves
      .slice(0, at)
      .map(({ sample }) => sample)
      .join('')
  return leaves.flatMap(({ sample, other, repeats }, at) => {
    if (!repeats) return []
    const [previous, next] = [leaves[at - 1]?.sample ?? '', leaves[at + 1]?.sample ?? '']
    const pumps = new Set([sample, sample + other, previous + sample, sample + next, `${sample.repeat(8)}${next}`])
    return [...pumps].flatMap((pump) => ['', before(at)].map((prefix) => ({ prefix, pump })))
  })
}

/** Milliseconds that the processor has worked for this thread: other work on the machine does not count. */
const processorTime = (): number => process.threadCpuUsage().user / 1000

/** Returns the shortest time of some searches; the first that is short enough will do. */
const timeOf = (regex: RegExp, text: string): number => {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > LONGEST_MS; attempt += 1) {
    const start = processorTime()
    regex.lastIndex = 0
    regex.exec(text)
    least = Math.min(least, processorTime() - start)
  }
  return least
}

/** Whether a search takes longer than a linear one may, for some length. */
const isSlow = (regex: RegExp, { prefix, pump }: Attack): boolean =>
  LENGTHS.some((length) => timeOf(regex, `${prefix}${pump.repeat(length / (pump.length || 1))}\n\u0000`) > LONGEST_MS)

const slowestAttack = (source: string, flags: string): string | undefined => {
  const regex = new RegExp(source, flags)
  const attack = attacksOn(source, flags).find((one) => isSlow(regex, one))
  return attack && `${JSON.stringify(attack.prefix)} and then ${JSON.stringify(attack.pump)} over and over (measured)`
}

/**
 * Returns a text that takes a regular expression more time than its length, or that it cannot be judged; `undefined` for
 * a linear one. What the analysis of the pattern misses, repeats of more than one character, is tried and timed.
 */
export const attackOn = (source: string, flags: string): string | undefined => {
  if (flags.includes('v')) return 'cannot be judged with the flag v; write it with the flag u'
  const [report] = analyse({ source, flags }, { maxReports: 1 }).reports
  if (report) return `${JSON.stringify(report.character.pick)} over and over (${report.type})`
  return slowestAttack(source, flags)
}
