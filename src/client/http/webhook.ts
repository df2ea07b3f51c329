import { KpiError } from '../../domain/errors.ts'
import { isLoopback } from './base-url.ts'
import { type Network, openConnections } from './connections.ts'
import { shownAddress } from './download.ts'
import { networkReason } from './network-errors.ts'

/** Sets how often a message is sent that nobody takes, and how long to wait before each. */
const WAITS_MS = [0, 1000, 5000]
/** Lists answers after which the same message may be taken later. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Describes a message to an address, and how it is sent. */
type Message = {
  readonly address: URL
  readonly body: string
  readonly token: string | undefined
  readonly timeoutMs: number
  readonly network: Network
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Is aborted when its time is over: nothing is sent any more, nor waited for. */
  readonly signal: AbortSignal
}

/** Refuses an address to which nothing can be sent safely: it must be HTTPS, or on this machine. */
export const requireSafeWebhook = (text: string): URL => {
  const address = URL.parse(text)
  if (!address) throw new KpiError('malformed', 'the address of a webhook is not one; write https://HOST/PATH')
  const isSafe = address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address))
  if (!isSafe)
    throw new KpiError(
      'malformed',
      `the webhook ${shownAddress(address)} is not HTTPS; what is sent there could be read`,
    )
  if (address.username === '' && address.password === '') return address
  throw new KpiError(
    'malformed',
    `the webhook ${shownAddress(address)} has a user and a password in its address; give the secret with token_env or token_file`,
  )
}

/** Sends once; returns the status of the answer. */
const sendOnce = async ({ address, body, token, timeoutMs, network, signal: late }: Message): Promise<number> => {
  const connections = openConnections(address, timeoutMs, 1, network)
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), late])
  try {
    const { statusCode, body: answer } = await connections.request({
      method: 'POST',
      path: address.pathname + address.search,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'kpi',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body,
      signal,
    })
    await answer.dump()
    return statusCode
  } finally {
    await connections.destroy()
  }
}

/** Sends a message as JSON, again where it may pass; throws if nobody takes it. Its address is told without a query. */
export const sendWebhook = async (message: Message): Promise<void> => {
  const { address, sleep, signal } = message
  const shown = shownAddress(address)
  let reason = 'its time was over before it was sent'
  for (const wait of WAITS_MS) {
    await sleep(wait, signal)
    if (signal.aborted) break
    try {
      const status = await sendOnce(message)
      if (status >= 200 && status < 300) return
      reason = `it answers ${status}`
      if (!MAY_PASS.has(status)) break
    } catch (error) {
      reason = signal.aborted ? 'it had not answered when its time was over' : networkReason(error)
    }
  }
  throw new KpiError('unavailable', `the webhook ${shown} did not take the message: ${reason}`)
}
