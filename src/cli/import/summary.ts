import type { Client } from '../../client/client.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import type { Ending } from '../../load/load.ts'
import type { Io } from '../io.ts'

/** Seconds to a tenth, as a decimal. */
const seconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds / 100)) * 1000n

/** Measures one load by what the clock and the client, which others may have used before, say from now on. */
export const startMeter = ({ uptime }: Io, client: Client): (() => AnyRecord) => {
  const [startedAt, requests, traffic] = [uptime(), client.requests(), client.traffic()]
  return () => ({
    requests: client.requests() - requests,
    refused: client.traffic().refused - traffic.refused,
    waited: seconds(client.traffic().waitedMs - traffic.waitedMs),
    seconds: seconds(uptime() - startedAt),
  })
}

/** The summary of a load as a record. */
export const summaryRecord = ({ summary, left }: Ending, measured: AnyRecord): AnyRecord => ({
  ...summary,
  unchecked: summary.unchecked === '' ? null : summary.unchecked,
  left,
  ...measured,
})
