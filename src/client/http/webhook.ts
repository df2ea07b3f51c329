import { KpiError } from '../../domain/errors.ts'
import { observed, type RequestEnd } from '../request-observer.ts'
import { isLoopback } from './base-url.ts'
import { type Network, openConnections } from './connections.ts'
import { networkReason } from './network-errors.ts'
import { createRedaction } from './redaction.ts'

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

/** Returns the address of a webhook as it may be shown: without its path and query, which may hold its secret. */
export const shownWebhook = ({ protocol, host, pathname, search }: URL): string =>
  `${protocol}//${host}${pathname + search === '/' ? '/' : '/…'}`

/** Refuses an address to which nothing can be sent safely: it must be HTTPS, or on this machine. */
export const requireSafeWebhook = (text: string): URL => {
  const address = URL.parse(text)
  if (!address) throw new KpiError('malformed', 'the address of a webhook is not one; write https://HOST/PATH')
  const isSafe = address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address))
  if (!isSafe)
    throw new KpiError(
      'malformed',
      `the webhook ${shownWebhook(address)} is not HTTPS; what is sent there could be read`,
    )
  if (address.username === '' && address.password === '') return address
  throw new KpiError(
    'malformed',
    `the webhook ${shownWebhook(address)} has a user and a password in its address; give the secret with token_env or token_file`,
  )
}

/** Describes what a service answered to a message; what its body says is not read. */
type Received = { readonly status: number; readonly headers: Readonly<Record<string, string | string[] | undefined>> }

const headersOf = ({ token }: Message): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'user-agent': 'kpi',
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
})

/** Sends once. */
const transfer = async (message: Message): Promise<Received> => {
  const { address, body, timeoutMs, network, signal: late } = message
  const connections = openConnections(address, timeoutMs, 1, network)
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), late])
  try {
    const {
      statusCode,
      headers,
      body: answer,
    } = await connections.request({
      method: 'POST',
      path: address.pathname + address.search,
      headers: headersOf(message),
      body,
      signal,
    })
    await answer.dump()
    return { status: statusCode, headers }
  } finally {
    await connections.destroy()
  }
}

/** Returns what removes secrets from what is shown. */
const hiding = (secrets: readonly string[]): ((text: string) => string) => {
  const redactions = secrets.map((secret) => createRedaction(secret, undefined))
  return (text) => redactions.reduce((shown, redaction) => redaction.text(shown), text)
}

/** Sends once, before the eyes of whoever observes the network; returns the status of the answer. */
const sendOnce = async (message: Message, attempt: number): Promise<number> => {
  const { address, body, token = '', network } = message
  const send = (): Promise<Received> => transfer(message)
  if (!network.observer) return (await send()).status
  const request = {
    method: 'POST',
    path: shownWebhook(address),
    headers: headersOf(message),
    body: () => body,
    attempt,
    hide: hiding([token, address.pathname.slice(1) + address.search]),
  }
  const endOf = (received: Received): RequestEnd => ({ ...received, body: () => undefined })
  const reasonOf = (error: unknown): RequestEnd => ({ reason: networkReason(error) })
  return (await observed(network.observer, { request, endOf, reasonOf }, send)).status
}

/** Sends a message as JSON, again where it may pass; throws if nobody takes it. Only the host of its address is told. */
export const sendWebhook = async (message: Message): Promise<void> => {
  const { address, sleep, signal } = message
  const shown = shownWebhook(address)
  let reason = 'its time was over before it was sent'
  for (const [at, wait] of WAITS_MS.entries()) {
    await sleep(wait, signal)
    if (signal.aborted) break
    try {
      const status = await sendOnce(message, at + 1)
      if (status >= 200 && status < 300) return
      reason = `it answers ${status}`
      if (!MAY_PASS.has(status)) break
    } catch (error) {
      reason = signal.aborted ? 'it had not answered when its time was over' : networkReason(error)
    }
  }
  throw new KpiError('unavailable', `the webhook ${shown} did not take the message: ${reason}`)
}
