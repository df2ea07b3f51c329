import { type Exchange, ABORTED, TOO_SLOW } from '../../../src/client/http/network-exchange.ts'
import type { Clock } from '../../../src/client/transport.ts'
import type { FaultyService } from './service.ts'

/** An error of the network, with the code of the real one. */
export const failure = (code: string): Error => Object.assign(new Error(`failed on purpose: ${code}`), { code })

/** The way to a faulty service without a network, in the time of a clock. */
export const exchangeWith = ({ serve }: Pick<FaultyService, 'serve'>, clock: Clock, timeoutMs: number): Exchange => ({
  ask: async (request, unwanted) => {
    const { afterMs, end } = serve(request, clock.now())
    await clock.sleep(Math.min(afterMs, timeoutMs), unwanted)
    if (unwanted?.aborted) throw failure(ABORTED)
    if (afterMs > timeoutMs) throw failure(TOO_SLOW)
    if ('error' in end) throw failure(end.error)
    // What undici says of a body that ends before its length.
    if ('cut' in end) throw failure('UND_ERR_SOCKET')
    return end.answer
  },
  close: () => Promise.resolve(),
})
