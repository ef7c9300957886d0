import { Secret } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { everyEntry, type LatchkeyError } from '../src/index.ts'
import { hubToken, problem, reply, scriptedHub } from './scripted-hub.ts'

const account = { id: 'x', name: 'ada' }
const busy = () => problem(503, 'not_ready')
const lost = new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })

describe('a request', () => {
  test('has its members in the path, the query or the body', async () => {
    const { admin, requests } = scriptedHub([reply({})])
    const repository = 'models/acme/bert'
    await admin.refSet({ repository, ref: 'refs/pr/1', commit: 'c', expect: undefined })
    await admin.refDelete({ repository, ref: 'feature/ä #?%', loseContent: true })
    await admin.accountList({ limit: 5, after: undefined })
    await admin.keysRotate()
    await admin.run('account show', { account: 'ada' })
    const base = 'https://hub.example/admin/v1'
    const refs = `${base}/repositories/models/acme/bert/refs`
    const sent = requests.map(({ method, url, body }) => [method, url, body])
    expect(sent).toEqual([
      ['PUT', `${refs}/refs%2Fpr%2F1`, { commit: 'c' }],
      ['DELETE', `${refs}/feature%2F%C3%A4%20%23%3F%25?loseContent=true`, undefined],
      ['GET', `${base}/accounts?limit=5`, undefined],
      ['POST', `${base}/keys/rotate`, {}],
      ['GET', `${base}/accounts/ada`, undefined],
    ])
    expect(requests.every(({ authorization }) => authorization === `Bearer ${hubToken}`)).toBe(true)
  })

  test.each(['', '.', '..', 'a\ud800', hubToken, 7, undefined])(
    'is not sent with %j in its path',
    async (name) => {
      const { admin, requests } = scriptedHub([reply({})])
      const input = { namespace: 'acme', account: name as string }
      const error: LatchkeyError = await admin.memberDelete(input).catch((error) => error)
      expect(error).toMatchObject({ code: 'bad_option' })
      expect(error.message).not.toContain(hubToken)
      expect(requests).toEqual([])
    },
  )

  test.each(['models/acme', 'models/acme/bert/refs', 'models/acme/..', 'models//bert'])(
    'is not sent for the repository %j',
    async (repository) => {
      const { admin, requests } = scriptedHub([reply({})])
      await expect(admin.repoDelete({ repository })).rejects.toMatchObject({ code: 'bad_option' })
      expect(requests).toEqual([])
    },
  )

  test('has the text of a secret in its body, and nowhere else', async () => {
    const { admin, requests } = scriptedHub([reply({ revoked: true, what: '' })])
    const text = 'aaaa.bbbb.cccc'
    await admin.revokeToken({ token: new Secret('access-token', text) })
    expect(requests).toMatchObject([{ body: { token: text } }])
  })

  test('is sent once more with a new hub token after a 401', async () => {
    const tokens = ['lk_old', 'lk_new']
    const script = [problem(401, 'hub_token_invalid'), reply(account)]
    const { admin, requests } = scriptedHub([reply(account), ...script], {
      hubToken: () => tokens.shift() ?? '',
    })
    await admin.accountShow({ account: 'ada' })
    await admin.accountCreate({ name: 'ada' })
    const used = requests.map(({ authorization }) => authorization)
    expect(used).toEqual(['Bearer lk_old', 'Bearer lk_old', 'Bearer lk_new'])
  })
})

describe('a retry', () => {
  test.each([
    ['GET', 'accountShow', { account: 'ada' }],
    ['PUT', 'memberSet', { namespace: 'acme', account: 'ada', role: 'read' }],
  ] as const)('repeats %s after a 503 and a broken connection', async (_, name, input) => {
    const { admin, requests, waits } = scriptedHub([busy(), lost, reply(account)])
    const call: (input: never) => Promise<unknown> = admin[name]
    expect(await call(input as never)).toEqual(account)
    expect([requests.length, waits]).toEqual([3, [150, 300]])
  })

  test.each([
    ['POST', 'accountCreate', { name: 'ada' }],
    ['PATCH', 'accountSet', { account: 'ada', disabled: true }],
    ['DELETE', 'accountDelete', { account: 'ada' }],
    ['PUT with a comparison', 'refSet', { repository: 'models/a/b', ref: 'main', expect: 'c' }],
  ] as const)('never repeats %s, because it may have been done', async (_, name, input) => {
    for (const failure of [busy(), lost, problem(500, 'internal_error')]) {
      const { admin, requests, waits } = scriptedHub([failure, reply(account)])
      const call: (input: never) => Promise<unknown> = admin[name]
      await expect(call(input as never)).rejects.toThrow()
      expect([requests.length, waits]).toEqual([1, []])
    }
  })

  test('waits as long as a hub says that limits requests, whatever the operation', async () => {
    const limited = problem(429, 'rate_limited', {}, { 'retry-after': '7' })
    const { admin, waits } = scriptedHub([limited, reply(account)])
    expect(await admin.accountCreate({ name: 'ada' })).toEqual(account)
    expect(waits).toEqual([7150])
  })

  test('ends with the patience of the caller', async () => {
    const { admin, requests } = scriptedHub([busy()], { retryTimeoutSeconds: 0 })
    await expect(admin.accountList()).rejects.toMatchObject({ code: 'not_ready', status: 503 })
    expect(requests).toHaveLength(1)
    const aborted = AbortSignal.abort(new Error('enough'))
    const { admin: other } = scriptedHub([reply({})])
    await expect(other.accountList({}, { signal: aborted })).rejects.toThrow('enough')
  })
})

describe('a response', () => {
  test('that denies is an error with the code and the words of the hub', async () => {
    const more = { missing: 'm', path: 'updates[3].ref', next: ['ref', 'list'], requestId: 'r-1' }
    const { admin } = scriptedHub([problem(409, 'conflict', more)])
    await expect(admin.hubTokenRevoke({ hubToken: 'abc' })).rejects.toMatchObject({
      ...{ name: 'LatchkeyError', code: 'conflict', status: 409, message: 'The reason.' },
      ...{ missing: 'm', inputPath: 'updates[3].ref', next: ['ref', 'list'], requestId: 'r-1' },
      ...{ method: 'POST', path: '/admin/v1/hub-tokens/{hubToken}/revoke' },
    })
  })

  test.each([
    ['a redirect', new Response(null, { status: 307, headers: { location: '/' } }), 'redirected'],
    ['a page', new Response('<html>'), 'answer_invalid'],
    ['a list', reply([]), 'answer_invalid'],
    ['an error of a proxy', new Response('bad', { status: 502 }), 'answer_invalid'],
    ['33 MiB', () => new Response('a'.repeat(33 * 1024 * 1024)), 'answer_invalid'],
  ])('that is %s is an error', async (_, response, code) => {
    const { admin, requests } = scriptedHub([response])
    await expect(admin.accountCreate({ name: 'ada' })).rejects.toMatchObject({ code })
    expect(requests).toHaveLength(1)
  })

  test.each([200, 409])('of status %i cannot make us repeat the hub token', async (status) => {
    const told = { code: 'conflict', detail: `no ${hubToken}`, [hubToken]: [{ name: hubToken }] }
    const text = JSON.stringify(told).replaceAll('lk_', '\\u006ck_')
    const { admin } = scriptedHub([new Response(text, { status })])
    const answer = await admin.accountList().catch((error) => ({ ...error, text: `${error}` }))
    expect(JSON.stringify(answer)).toContain('no [hub-token]')
    expect(JSON.stringify(answer)).not.toContain(hubToken)
  })

  test('has a new hub token as a secret', async () => {
    const made = { id: 'x', token: 'lk_new' }
    const { admin } = scriptedHub([reply(made), reply({ hubTokens: [made, made] })])
    const { token } = await admin.hubTokenCreate({ account: 'a', name: 'n', kind: 'read' })
    expect([token.reveal(), `${token}`]).toEqual(['lk_new', '[hub-token]'])
    const { hubTokens } = await admin.apply({ file: {} })
    expect(hubTokens.map(({ token }) => token.reveal())).toEqual(['lk_new', 'lk_new'])
  })
})

describe('everyEntry', () => {
  const page = (name: string, next?: string) => reply({ items: [{ name }], total: 2, next })

  const namesIn = async (entries: AsyncIterable<{ name: string }>): Promise<string[]> => {
    const names: string[] = []
    for await (const { name } of entries) names.push(name)
    return names
  }

  test('reads page after page', async () => {
    const { admin, requests } = scriptedHub([page('ada', 'c1'), page('bob')])
    const entries = everyEntry(admin.accountList, { limit: 1 })
    expect(await namesIn(entries)).toEqual(['ada', 'bob'])
    const queries = requests.map(({ url }) => new URL(url).search)
    expect(queries).toEqual(['?limit=1', '?limit=1&after=c1'])
  })

  test('does not go round in a circle with a hub that names the same page again', async () => {
    const { admin, requests } = scriptedHub([page('ada', 'c1')])
    const entries = namesIn(everyEntry(admin.accountList, {}))
    await expect(entries).rejects.toMatchObject({ code: 'answer_invalid' })
    expect(requests).toHaveLength(2)
  })
})

test.each([
  ['plain http to another machine', { hubUrl: 'http://hub.example' }],
  ['a hub token with a line end', { hubToken: 'lk_a\n' }],
  ['a hub token of another kind', { hubToken: new Secret('access-token', 'a') as never }],
  ['an option of another name', { hubUlr: 'https://hub.example' } as never],
])('a client with %s is not made', (_, change) => {
  expect(() => scriptedHub([], change)).toThrow(expect.objectContaining({ code: 'bad_option' }))
})
