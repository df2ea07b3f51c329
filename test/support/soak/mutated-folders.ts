/** The folders of the sources whose tests are measured. */
export const FOLDERS = [
  'domain',
  'codec',
  'client',
  'tabular',
  'reading',
  'loading',
  'blocks',
  'runs',
  'export',
  'service',
  'store',
] as const
