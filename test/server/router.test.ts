import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KpiError } from '../../src/domain/errors.ts'
import { kpi } from '../../src/domain/resources/kpi.ts'
import type { Route } from '../../src/server/api/call.ts'
import { createRouter } from '../../src/server/api/router.ts'

const handle: Route['handle'] = () => Promise.resolve({ status: 200 })

const route = createRouter([
  { method: 'GET', path: '/kpis', handle },
  { method: 'POST', path: '/kpis', takes: kpi, handle },
  { method: 'GET', path: '/kpis/{id}', handle },
  { method: 'GET', path: '/users/{user_id}/kpis', handle },
  { method: 'PUT', path: '/users/{user_id}/kpis/{id}', takes: kpi, handle },
  { method: 'GET', path: '/kpifrequencies/{key}', handle },
  { method: 'DELETE', path: '/kpientries/{id}', handle },
  { method: 'POST', path: '/kpientries/list', takes: kpi, handle },
])

const methodsAt = (path: string): string[] => [...route(path).methods.keys()]

describe('a path', () => {
  test.each([
    ['/kpis', ['GET', 'POST']],
    ['/KPIs', ['GET', 'POST']],
    ['/kpis/', ['GET', 'POST']],
    ['/kpis/7', ['GET']],
    ['/kpis/7/', ['GET']],
    ['/kpis/007', ['GET']],
    ['/users/3/kpis', ['GET']],
    ['/Users/3/Kpis/9', ['PUT']],
    ['/kpifrequencies/W', ['GET']],
    ['/kpientries/5', ['DELETE']],
    ['/kpientries/list', ['POST']],
    ['/KPIEntries/List', ['POST']],
  ])('%s has what can be done there', (path, methods) => {
    expect(methodsAt(path)).toEqual(methods)
  })

  test('names the ids in it', () => {
    expect(route('/kpis/7').ids).toMatchObject({ id: 7 })
    expect(route('/users/3/kpis').ids).toMatchObject({ parent: 3 })
    expect(route('/users/3/kpis/9').ids).toMatchObject({ parent: 3, id: 9 })
    expect(route('/kpifrequencies/w').ids).toMatchObject({ text: 'w' })
  })

  test.each([
    [''],
    ['/'],
    ['//'],
    ['/kpi'],
    ['/kpisx'],
    ['//kpis'],
    ['/kpis//'],
    ['/kpis/abc'],
    ['/kpis/-1'],
    ['/kpis/+1'],
    ['/kpis/1.0'],
    ['/kpis/1e3'],
    ['/kpis/0x1'],
    ['/kpis/ 1'],
    ['/kpis/1;x'],
    ['/kpis/1234567890123456789'],
    ['/kpis/1/2'],
    ['/users/x/kpis'],
    ['/users//kpis'],
    ['/kpifrequencies/'],
    ['/kpifrequencies//'],
    ['/__proto__'],
    ['/constructor'],
    ['/kpis/../kpis'],
    ["/kpis/1'or'1'='1"],
    ['/kpis/<b>1</b>'],
    ['/kpis/\u0661'],
  ])('%j is nowhere', (path) => {
    expect(() => route(path)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  test('is somewhere or nowhere, whatever it holds', () => {
    const segment = fc.oneof(fc.constantFrom('kpis', 'users', 'kpientries', 'list', '7', '', '..'), fc.string())
    const outcome = (path: string): unknown => {
      try {
        return methodsAt(path).length > 0
      } catch (error) {
        return error instanceof KpiError && error.code === 'not_found'
      }
    }
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
        expect(outcome(`/${segments.join('/')}`)).toBe(true)
      }),
    )
  })
})
