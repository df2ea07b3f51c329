import { resolve } from 'node:path'
import { verifyFile } from '../../../export/report/manifest.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'

/** Runs `kpi report verify`: says that a file is what its manifest says, or fails. Needs no service. */
export const runVerify = async ({ io }: Cli, file: string): Promise<void> => {
  const { rows, from, to } = await verifyFile(resolve(io.cwd, file), file)
  await io.stdout.write(`${file}: complete: ${countOf(rows, 'row')}, ${from} to ${to}, SHA-256 matches\n`)
}
