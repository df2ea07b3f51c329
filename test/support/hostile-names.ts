import fc from 'fast-check'

/** What no name may run: it would leave a file. */
export const MARKER = 'MARKER'
const RUN = `touch ${MARKER}`

/** Ends of names that a shell would run, expand, or take for something else than text. */
const HOSTILE = [
  `$(${RUN})`,
  `\`${RUN}\``,
  `'; ${RUN}; '`,
  `"; ${RUN}; "`,
  `\\"; ${RUN}; \\"`,
  `\\'; ${RUN}; \\'`,
  `\\$(${RUN})`,
  `"$(${RUN})"`,
  `'$(${RUN})'`,
  `\${x:-$(${RUN})}`,
  `\${PATH}`,
  `$'\\x24(${RUN})'`,
  `!!`,
  `!touch`,
  `it's!touch MARKER`,
  `; ${RUN} #`,
  `| ${RUN}`,
  `& ${RUN} &`,
  `&& ${RUN}`,
  `> MARKER`,
  `<(${RUN})`,
  `(${RUN})`,
  `)${RUN}`,
  `*?[a-z]{a,b}`,
  `~`,
  `=x`,
  `a=b:c@d`,
  `a, "b", c`,
  `,$(${RUN})`,
  `,"`,
  `\\`,
  `a\\\\`,
  `\\\\'`,
  `  two  spaces`,
  `#no comment`,
  `%^+`,
  `‘; ${RUN}; ’ ‚ ‛ “ ” „ « »`,
  `Grüße 数 🙂 é\u0301`,
  `\u00a0\u3000x`,
  `-n --output`,
]

/** Draws ends of names from what means something to some shell. */
const drawn = (count: number): string[] =>
  fc.sample(
    fc
      .array(
        fc.constantFrom(...Array.from('$`"\'\\!;|&<>()[]{}*?~#=:,@%^+- ’“’‘aé'), '$(', `$(${RUN})`, `\`${RUN}\``),
        {
          minLength: 1,
          maxLength: 12,
        },
      )
      .map((parts) => parts.join('')),
    { numRuns: count, seed: 41 },
  )

/** Names that a shell would run, expand, or take for something else, each of which begins as no other does. */
export const HOSTILE_NAMES = [...HOSTILE, ...drawn(10)].map((end, at) => `q${at}z${end}`.trim())
