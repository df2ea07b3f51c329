import { resource } from '../schema.ts'

/** That the service is there, as it tells anybody. */
export const health = resource({
  name: 'health',
  plural: 'health',
  title: 'health',
  root: 'Health',
  path: '/health',
  verbs: ['get'],
  fields: {
    status: { kind: 'choice', about: 'ok: it answers', readOnly: true, oneOf: ['ok'] },
    version: { kind: 'text', about: 'Version of the service', readOnly: true, example: '0.1.0' },
  },
})
