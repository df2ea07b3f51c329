import type { RequestObserver } from '../../client/request-observer.ts'
import type { Io } from '../io.ts'
import type { Trace } from '../output/trace.ts'
import { findLogFormat } from './find-setting.ts'
import type { GlobalFlags } from './settings.ts'

/** Tells whether a command line asks to see what happens: its requests, and what is decided. */
export const isTraced = ({ verbose, debug }: GlobalFlags): boolean => verbose === true || debug === true

/** Returns the trace that a command line asks for; undefined without one. Its module is loaded when it is used. */
export const findTrace = (io: Io, flags: GlobalFlags): Trace | undefined => {
  if (!isTraced(flags)) return undefined
  let opened: Promise<Trace> | undefined
  const open = (): Promise<Trace> =>
    (opened ??= import('../output/trace.ts').then(({ createTrace }) =>
      createTrace(io, {
        isDebug: flags.debug === true,
        // Only standard error that is for a program holds lines back.
        isJson: findLogFormat(io, flags) === 'json' || io.stderr.writeNow !== undefined,
      }),
    ))
  const observer: RequestObserver = async (request) => (await open()).observer(request)
  return { observer, tell: async (event, text) => (await open()).tell(event, text) }
}
