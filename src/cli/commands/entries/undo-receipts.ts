import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nearest } from '../../../client/directory.ts'
import { KpiError } from '../../../domain/errors.ts'
import { resource } from '../../../domain/schema.ts'
import { ENDING, listReceipts, readReceipt, type Receipt, receiptNames } from '../../../import/undo/receipt.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { tellEmpty } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { serviceOf } from './created.ts'

/** Defines a receipt in the list of receipts. */
export const receiptRow = resource({
  name: 'receipt',
  plural: 'receipts',
  title: 'receipt',
  path: '',
  verbs: [],
  fields: {
    receipt: { kind: 'text', about: 'Name of the receipt' },
    created_at: { kind: 'text', about: 'When the import began' },
    file: { kind: 'text', about: 'File that was imported' },
    things: { kind: 'integer', about: 'How many things it created' },
    service: { kind: 'text', about: 'Service that they are on' },
    created: { kind: 'integer', about: 'How many entries it was to create; null if it was cut off', nullable: true },
    changed: { kind: 'integer', about: 'How many entries it was to change; null if it was cut off', nullable: true },
  },
})

/** Lists the receipts of the service that the line is for; says how many there are of others. */
export const printReceipts = async (cli: Cli): Promise<void> => {
  const { receipts, faults } = listReceipts(receiptsFolder(cli.io))
  const own = receipts.filter(({ head }) => head.service === serviceOf(cli))
  // A table has room for the name, which says when, and all of them are of one service.
  const brief = receiptRow.shown.filter(({ name }) => name !== 'created_at' && name !== 'service')
  await cli.printMany(
    isForPeople(cli.printing().format) ? brief : receiptRow.shown,
    own.map(({ name, head, things, entries }) => ({
      receipt: name,
      created_at: head.at.slice(0, 19),
      file: head.file,
      things: things.length,
      service: head.service,
      created: entries?.created ?? null,
      changed: entries?.changed ?? null,
    })),
  )
  if (own.length === 0) await tellEmpty(cli, receiptRow)
  const others = receipts.length - own.length
  if (others > 0) await cli.note(`${countOf(others, 'receipt')} of other services; --profile or --data-dir names one`)
  for (const { message } of faults) await cli.note(`not listed: ${message}`)
}

/** Returns the receipt with a name or path; throws if there is none, or it is of another service. */
export const findReceipt = (cli: Cli, asked: string): Receipt => {
  const folder = receiptsFolder(cli.io)
  const path = [join(folder, `${asked}${ENDING}`), resolve(cli.io.cwd, asked)].find((one) => existsSync(one))
  if (path === undefined) {
    const near = nearest(asked, receiptNames(folder))
    const others = near === undefined ? 'kpi entries undo lists them' : `did you mean ${near}?`
    throw new UsageError(`there is no receipt "${asked}"; ${others}`)
  }
  const receipt = readReceipt(path)
  const service = serviceOf(cli)
  if (receipt.head.service === service) return receipt
  throw new KpiError(
    'malformed',
    `the receipt is of ${receipt.head.service}, and this is ${service}; use the profile or data directory of that one`,
  )
}
