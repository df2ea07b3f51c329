// Bundles the program by rolldown.config.ts, as rolldown's own command does, and prints nothing but warnings and errors.
import { rolldown } from 'rolldown'
import { loadConfig } from 'rolldown/config'

const { output, ...input } = await loadConfig('rolldown.config.ts')
const bundle = await rolldown(input)
await bundle.write(output)
await bundle.close()
