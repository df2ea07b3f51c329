import { mergeConfig } from 'vitest/config'
import suite from '../../vitest.config.ts'

// The suite's own settings, for files that are no part of it.
export default mergeConfig(suite, { test: { include: ['test/gate/fixtures/*.fixture.ts'] } })
