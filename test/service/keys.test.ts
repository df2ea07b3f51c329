import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXPIRING_SECONDS } from '../../src/domain/key-state.ts'
import type { KeyDraft } from '../../src/domain/resources/key.ts'
import { createV1Handler } from '../../src/server/api/v1.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import type { Context } from '../../src/service/context.ts'
import { keys, type MadeKey } from '../../src/service/accounts/keys.ts'
import type { Client } from '../../src/client/client.ts'
import { type Database, databases, sqliteDatabase } from '../support/databases.ts'
import { userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { askV1, type Service, startService, wayTo } from '../support/service.ts'

const START = NOW / 1000
const [HOUR, DAY] = [3600, 86_400]
const ANN = 2

/** An account with a second user, Ann, at a moment that a test moves. */
type World = {
  readonly service: Service
  readonly client: Client
  readonly clock: { now: number }
  readonly ctx: () => Context
  readonly create: (draft?: Partial<KeyDraft>) => Promise<MadeKey>
  readonly rotate: (id: number, overlap: number, expiresAt?: number | null) => ReturnType<typeof keys.rotate>
  /** What the newer variant answers to a secret: the status, and what it says where it refuses. */
  readonly knock: (secret: string) => Promise<string>
}

const openWorld = async (make: () => Promise<Database>): Promise<World> => {
  const service = await startService(NOW, make)
  onTestFinished(() => service[Symbol.asyncDispose]())
  const account = await ensureDefaultAccount(service.db, START)
  const clock = { now: START }
  const { client } = await wayTo(service)
  await client.users.add(userNamed('Ann', { last_name: 'Lee' }))
  const ctx = (): Context => ({ db: service.db.ofAccount(account.id), account, now: clock.now })
  const handler = createV1Handler({
    db: service.db,
    version: '0.0.0-test',
    now: () => clock.now,
    requestId: () => 'request',
    onError: (error) => service.logged.push(error),
  })
  return {
    service,
    client,
    clock,
    ctx,
    create: (draft) =>
      keys.create(ctx(), { name: 'nightly', user_id: ANN, scopes: 'kpis:read', ...draft }, randomBytes),
    rotate: (id, overlap, expiresAt) => keys.rotate(ctx(), id, { overlap, expiresAt }, randomBytes),
    knock: async (key) => {
      const { status, body } = await askV1({ ...service, handler, key }, { path: '/kpis' })
      const said = status === 200 ? '' : ` ${(JSON.parse(body) as { detail: string }).detail}`
      return `${status}${said}`
    },
  }
}

describe.each(databases)('keys on %s', (_name, make) => {
  test('are made as they are asked for, shown once, and listed without their secret', async () => {
    const { create, ctx } = await openWorld(make)
    const { key, secret } = await create({
      name: ' nightly ',
      scopes: 'reports:read, ENTRIES:read,reports:read',
      expires_at: START + 90 * DAY,
    })
    expect(key).toEqual({
      id: 2,
      name: 'nightly',
      begins: secret.slice(0, 16),
      user_id: ANN,
      scopes: 'entries:read,reports:read',
      expires_at: START + 90 * DAY,
      last_used_at: null,
      revoked_at: null,
      created_at: START,
    })
    const list = await keys.list(ctx())
    expect(list[1]).toEqual({ ...key, owner: 'Ann Lee', status: 'active' })
    expect(JSON.stringify(list)).not.toContain(secret.slice(0, 20))
  })

  test('are refused with all that is wrong with them at once', async () => {
    const { create, client } = await openWorld(make)
    await client.users.update(ANN, { user_status_id: 'L' })
    const draft = { name: 'x'.repeat(51), scopes: 'kpis:read,kpis:burn', expires_at: START }
    await expect(create(draft)).rejects.toMatchObject({
      code: 'invalid',
      issues: [
        { field: 'name', message: 'has 51 characters, at most 50 are allowed' },
        {
          field: 'scopes',
          message: expect.stringMatching(/^there is no scope kpis:burn; there are kpis:read, /) as string,
        },
        { field: 'user_id', message: 'user 2 (Ann Lee) is locked' },
        { field: 'expires_at', message: 'must lie in the future, and 2026-11-21T12:00:00 does not' },
      ],
    })
    await expect(create({ name: ' ', scopes: ' , ', user_id: 9 })).rejects.toMatchObject({
      issues: [
        { field: 'name', message: 'is required' },
        { field: 'scopes', message: expect.stringMatching(/^must name at least one scope; there are /) as string },
        { field: 'user_id', message: 'there is no user 9' },
      ],
    })
  })

  test('have a name of their own, until they have ended', async () => {
    const { create, ctx, clock } = await openWorld(make)
    const first = await create({ expires_at: START + DAY })
    const taken = 'nightly is the name of key 2 already; rotate or revoke that one, or choose another name'
    await expect(create()).rejects.toMatchObject({ code: 'conflict', message: `name: ${taken}` })
    await expect(create({ scopes: 'none' })).rejects.toMatchObject({
      code: 'invalid',
      issues: [{ field: 'scopes' }, { field: 'name', message: taken }],
    })
    clock.now += DAY
    const second = await create()
    await keys.revoke(ctx(), second.key.id)
    expect((await create()).key.id).toBe(second.key.id + 1)
    expect(first.key.name).toBe(second.key.name)
  })

  test('of one name are not made twice by two who ask at once', async () => {
    const { create } = await openWorld(make)
    const made = await Promise.allSettled([create(), create(), create()])
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('open until their end, and not at it', async () => {
    const { create, clock, knock } = await openWorld(make)
    const { secret } = await create({ expires_at: START + DAY })
    clock.now = START + DAY - 1
    expect(await knock(secret)).toBe('200')
    clock.now = START + DAY
    expect(await knock(secret)).toBe('401 key 2 (nightly) expired at 2026-11-22T12:00:00')
  })

  test('that are revoked open nothing from then on, and stay as they are when they are revoked again', async () => {
    const { create, ctx, clock, knock } = await openWorld(make)
    const { key, secret } = await create()
    expect(await knock(secret)).toBe('200')
    const revoked = await keys.revoke(ctx(), key.id)
    expect(revoked).toMatchObject({ changed: true, key: { revoked_at: START } })
    expect(await knock(secret)).toBe('401 key 2 (nightly) was revoked')
    clock.now += DAY
    expect(await keys.revoke(ctx(), key.id)).toEqual({ changed: false, key: revoked.key })
    await expect(keys.revoke(ctx(), 77)).rejects.toMatchObject({ code: 'not_found', message: 'there is no key 77' })
  })

  test('open nothing while their owner is locked, and go with a user who is deleted', async () => {
    const { create, client, ctx, knock } = await openWorld(make)
    const { secret } = await create()
    await client.users.update(ANN, { user_status_id: 'L' })
    expect(await knock(secret)).toBe('401 the owner of key 2 (nightly) is locked')
    expect((await keys.list(ctx()))[1]).toMatchObject({ status: 'owner locked' })
    await client.users.update(ANN, { user_status_id: 'A' })
    expect(await knock(secret)).toBe('200')
    await client.users.remove(ANN)
    expect(await knock(secret)).toBe('401 the key is wrong')
    expect((await keys.list(ctx())).map(({ id }) => id)).toEqual([1])
  })

  test('say how they stand', async () => {
    const { create, client, ctx, clock } = await openWorld(make)
    const end = START + 20 * DAY
    await create({ name: 'a', expires_at: end })
    await create({ name: 'b' })
    const { key: revoked } = await create({ name: 'c', expires_at: end })
    await keys.revoke(ctx(), revoked.id)
    await create({ name: 'd', user_id: 1, expires_at: end })
    const states = async (now: number): Promise<string> => {
      clock.now = now
      return (await keys.list(ctx())).map(({ status }) => status).join(', ')
    }
    expect(await states(end - EXPIRING_SECONDS - 1)).toBe('active, active, active, revoked, active')
    expect(await states(end - EXPIRING_SECONDS)).toBe('active, expiring, active, revoked, expiring')
    expect(await states(end - 1)).toBe('active, expiring, active, revoked, expiring')
    await client.users.update(ANN, { user_status_id: 'L' })
    expect(await states(end - 1)).toBe('active, owner locked, owner locked, revoked, expiring')
    expect(await states(end)).toBe('active, expired, owner locked, revoked, expired')
  })
})

describe.each(databases)('rotating a key on %s', (_name, make) => {
  test('makes one like it; both open while they overlap, then only the new one does', async () => {
    const { create, rotate, clock, knock, ctx } = await openWorld(make)
    const first = await create({ scopes: 'kpis:read,entries:write', expires_at: START + 90 * DAY })
    clock.now = START + 80 * DAY
    const second = await rotate(first.key.id, DAY)
    expect(second.key).toEqual({
      ...first.key,
      id: first.key.id + 1,
      begins: second.secret.slice(0, 16),
      created_at: clock.now,
      expires_at: clock.now + 90 * DAY,
    })
    expect(second).toMatchObject({ old: first.key, oldEndsAt: clock.now + DAY })
    clock.now += DAY - 1
    expect(await Promise.all([knock(first.secret), knock(second.secret)])).toEqual(['200', '200'])
    clock.now += 1
    expect(await knock(first.secret)).toMatch(/^401 key 2 \(nightly\) expired at /)
    expect(await knock(second.secret)).toBe('200')
    expect((await keys.list(ctx())).map(({ status }) => status)).toEqual(['active', 'expired', 'active'])
  })

  test('ends the old one at once where there is no overlap', async () => {
    const { create, rotate, knock } = await openWorld(make)
    const first = await create()
    const second = await rotate(first.key.id, 0)
    expect(await knock(first.secret)).toMatch(/^401 .* expired/)
    expect(await knock(second.secret)).toBe('200')
  })

  test('never lets the old one go on longer than it would have', async () => {
    const { create, rotate, clock } = await openWorld(make)
    const { key } = await create({ expires_at: START + DAY })
    clock.now += 23 * HOUR
    expect(await rotate(key.id, DAY)).toMatchObject({ oldEndsAt: START + DAY })
  })

  test('gives the new one no end where the old one had none, or the end that is wanted', async () => {
    const { create, rotate, clock } = await openWorld(make)
    const first = await create()
    clock.now += DAY
    const second = await rotate(first.key.id, HOUR)
    expect(second.key.expires_at).toBeNull()
    const third = await rotate(second.key.id, HOUR, clock.now + 5 * DAY)
    expect(third.key.expires_at).toBe(clock.now + 5 * DAY)
    expect((await rotate(third.key.id, HOUR, null)).key.expires_at).toBeNull()
  })

  test('is refused where there is nothing to go on from, and says what to do', async () => {
    const { create, rotate, client, clock, ctx } = await openWorld(make)
    const ended = await create({ name: 'ended', expires_at: START + HOUR })
    const revoked = await create({ name: 'revoked' })
    const going = await create({ name: 'going' })
    await keys.revoke(ctx(), revoked.key.id)
    clock.now += HOUR
    const refusals: readonly (readonly [id: number, says: string])[] = [
      [ended.key.id, 'key 2 (ended) cannot be rotated: it has expired; make a new one with kpi service keys create'],
      [
        revoked.key.id,
        'key 3 (revoked) cannot be rotated: it was revoked; make a new one with kpi service keys create',
      ],
    ]
    for (const [id, message] of refusals) {
      await expect(rotate(id, DAY)).rejects.toMatchObject({ code: 'conflict', message })
    }
    await expect(rotate(77, DAY)).rejects.toMatchObject({ code: 'not_found', message: 'there is no key 77' })
    const past = { field: 'expires_at', message: 'must lie in the future, and 2026-11-21T13:00:00 does not' }
    await expect(rotate(going.key.id, DAY, clock.now)).rejects.toMatchObject({ code: 'invalid', issues: [past] })
    await rotate(going.key.id, DAY)
    await expect(rotate(going.key.id, DAY)).rejects.toMatchObject({
      message: 'key 4 (going) cannot be rotated: key 5 took over from it already; rotate that one',
    })
    await client.users.update(ANN, { user_status_id: 'L' })
    await expect(rotate(5, DAY)).rejects.toMatchObject({
      message:
        'key 5 (going) cannot be rotated: user 2 (Ann Lee) is locked; set its owner active, or make a key of another owner with kpi service keys create',
    })
    expect(await keys.list(ctx())).toHaveLength(5)
  })
})

test('a key of another account is not there to be revoked or rotated', async () => {
  const { create, rotate, ctx } = await openWorld(sqliteDatabase)
  const { key } = await create()
  const elsewhere = { ...ctx(), account: { ...ctx().account, id: 2 } }
  await expect(keys.revoke(elsewhere, key.id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(keys.rotate(elsewhere, key.id, { overlap: 0 }, randomBytes)).rejects.toMatchObject({ code: 'not_found' })
  expect((await rotate(key.id, 0)).key.name).toBe('nightly')
})
