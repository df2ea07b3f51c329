import { resolve } from 'node:path'
import { verifyFile } from '../../../export/report/manifest.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'

/** Runs `kpi report verify`: says that a file is as it was written, by its manifest, or fails. Asks no service. */
export const runVerify = async ({ io }: Cli, file: string): Promise<void> => {
  const { rows, from, to, made_at } = await verifyFile(resolve(io.cwd, file), file)
  await io.stdout.write(
    `${file}: whole, and unchanged since it was written at ${made_at}: ${countOf(rows, 'row')}, ${from} to ${to}, SHA-256 matches; no service was asked\n`,
  )
}
