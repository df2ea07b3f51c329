import type { Frequency } from '../period.ts'
import { resource, type Stored } from '../schema.ts'

export const frequency = resource({
  name: 'frequency',
  plural: 'frequencies',
  title: 'frequency',
  root: 'KPIFrequency',
  path: '/kpifrequencies',
  verbs: ['list', 'get'],
  brief: ['id', 'name'],
  fields: {
    id: {
      kind: 'choice',
      about: 'Id of the frequency, one letter',
      readOnly: true,
      oneOf: ['D', 'W', 'M', 'Q', 'Y'],
    },
    name: { kind: 'text', about: 'Name of the frequency', readOnly: true, example: 'Daily' },
  },
})

export type FrequencyRecord = Stored<typeof frequency>

export const frequencyNames: Record<Frequency, string> = {
  D: 'Daily',
  W: 'Weekly',
  M: 'Monthly',
  Q: 'Quarterly',
  Y: 'Yearly',
}

/** All frequencies, in the order in which lists have them: by id. */
export const frequencies: readonly FrequencyRecord[] = (['D', 'M', 'Q', 'W', 'Y'] as const).map((id) => ({
  id,
  name: frequencyNames[id],
}))
