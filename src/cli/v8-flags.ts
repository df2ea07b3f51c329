/** Bounds the young generation of the garbage collector: for an import, and for a service. */
const YOUNG_BYTES = { importing: 16 * 1024 * 1024, serving: 8 * 1024 * 1024 }
/** Sets after how many requests a service checks its memory. */
const REQUESTS_A_LOOK = 64

const youngGeneration = (): number =>
  process
    .getBuiltinModule('node:v8')
    .getHeapSpaceStatistics()
    .find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

const setFlag = (flag: string): void => process.getBuiltinModule('node:v8').setFlagsFromString(flag)

/** Makes a function that lets the young generation grow to a size and no further, as far as it is called between. */
const createYoungLimit = (bytes: number): (() => void) => {
  let factor: number | undefined
  return () => {
    const wanted = youngGeneration() < bytes ? 2 : 1
    if (wanted !== factor) setFlag(`--semi-space-growth-factor=${wanted}`)
    factor = wanted
  }
}

/**
 * Creates a function to call during work on much data. It collects garbage early and keeps the young generation small,
 * which is faster.
 */
export const createMemoryLimit = (): (() => void) => {
  const limitYoung = createYoungLimit(YOUNG_BYTES.importing)
  let isLimited = false
  return () => {
    if (!isLimited) {
      isLimited = true
      setFlag('--heap-growing-percent=50')
      setFlag('--external-memory-accounted-in-global-limit')
      // Hold it until the next call: finding a header of many columns is much work without one.
      return setFlag('--semi-space-growth-factor=1')
    }
    limitYoung()
  }
}

/**
 * Keeps memory small from now on, for work whose parts are read and forgotten: garbage is collected early, and the young
 * generation keeps the size that it has when the program has just started.
 */
export const spareMemory = (): void => {
  setFlag('--heap-growing-percent=10')
  setFlag('--external-memory-accounted-in-global-limit')
  setFlag('--semi-space-growth-factor=1')
}

/** Bounds what WebAssembly runs, in about bytes, before V8 compiles it again, optimized: ten times its own bound. */
const TIERING_BUDGET = 130_000_000

/**
 * Leaves the parser of answers over HTTP as it is for some hundred of them: the end of a process waits for the compilation
 * of an optimized one, which takes longer than all else that a short command does.
 */
export const delayOptimizing = (): void => setFlag(`--wasm-tiering-budget=${TIERING_BUDGET}`)

/** Creates a function that a service calls with each request, so that many requests leave less garbage to collect. */
export const createServingLimit = (): (() => void) => {
  const limitYoung = createYoungLimit(YOUNG_BYTES.serving)
  let requests = 0
  return () => {
    requests += 1
    if (requests % REQUESTS_A_LOOK === 0) limitYoung()
  }
}
