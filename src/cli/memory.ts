const YOUNG_GENERATION_BYTES = 32 * 1024 * 1024

const youngGeneration = (): number =>
  process
    .getBuiltinModule('node:v8')
    .getHeapSpaceStatistics()
    .find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

const setFlag = (flag: string): void => process.getBuiltinModule('node:v8').setFlagsFromString(flag)

/**
 * Makes a function that work on much data calls as it goes on: memory is then collected when little has come to it, and
 * the young generation does not grow beyond what makes it fast.
 */
export const createMemoryLimit = (): (() => void) => {
  let [isLimited, isYoungLimited] = [false, false]
  return () => {
    if (!isLimited) {
      isLimited = true
      setFlag('--heap-growing-percent=10')
      setFlag('--external-memory-accounted-in-global-limit')
    }
    if (isYoungLimited || youngGeneration() < YOUNG_GENERATION_BYTES) return
    isYoungLimited = true
    setFlag('--semi-space-growth-factor=1')
  }
}
