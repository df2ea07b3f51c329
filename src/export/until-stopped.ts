import { Aborted } from '../client/transport.ts'

/** Throws when an export is asked to stop, so that no partial file is left. */
export async function* untilStopped<T>(parts: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const part of parts) {
    if (signal.aborted) throw new Aborted('stopped before all was written; run the same command again')
    yield part
  }
}
