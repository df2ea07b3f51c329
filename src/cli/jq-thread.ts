import { loadJq } from 'jq-wasm/inline'
import { parentPort } from 'node:worker_threads'

/** Describes a call to the thread: JSON texts, one after another, and the filter to run on them. */
export type JqCall = { readonly input: string; readonly filter: string }

/** Describes what came of it: lines of text, or an error. */
export type JqResult = { readonly stdout: string; readonly stderr: string; readonly exitCode: number }

/** Names the flag with which texts are written without quotes. */
const RAW = '-r'

/** Answers each call. What is called before there is a listener waits for it. */
const answerCalls = async (): Promise<void> => {
  const jq = await loadJq()
  parentPort?.on('message', ({ input, filter }: JqCall) => {
    parentPort?.postMessage(jq.raw(input, filter, [RAW]) satisfies JqResult)
  })
}

void answerCalls()
