import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, type Told } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from './compare.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

function get(target: string): Promise<Told> {
  return askExactly(world, target, { headers: ['Authorization', bearer(world, 'writer/write')] })
}

async function expectNoRoute(...targets: readonly string[]): Promise<void> {
  for (const target of targets) {
    expect(codeOf(await get(target)), target).toEqual([404, 'not_found'])
  }
}

async function expectNoRepository(...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const told = await get(`/api/models/${id}/storage-read-token/main`)
    expect(codeOf(told), id).toEqual([404, 'repository_not_found'])
    expect(told.headers.get('x-error-code'), id).toBe('RepoNotFound')
  }
}

// conformance: Endpoints / The path has four required parameters
test('a path that names no route is not found', async () => {
  await expectNoRoute('/', '/api', '/api/models', '/api/models/acme/bert', '/favicon.ico', '*')
})

// conformance: Operation / A response for an unknown path says which API is served
test('where a Hugging Face client asks for the rest of a hub, body and header say what is served here', async () => {
  for (const path of [
    ...['/api/models/acme/bert/tree/main', '/api/repos/create'],
    ...['/acme/bert/resolve/main/f.bin', '/api/models/acme/bert/preupload/main'],
  ]) {
    const { json, headers } = await get(path)
    expect(json['error'], path).toMatch(
      /^The hub has no route at this path\. This is a Latchkey hub: it gives out storage tokens, .* does not serve the rest of a hub: .* docs\/reference\/compatibility\.md /,
    )
    expect(json['detail'], path).toBe(json['error'])
    expect(headers.get('x-error-message'), path).toBe(json['error'])
  }
})

test('a hub without compatibility says how the token requests of Hugging Face clients are turned on', async () => {
  const { json, headers } = await get('/api/models/acme/bert/xet-read-token/main?x=1')
  expect(json['code']).toBe('not_found')
  expect(json['error']).toContain('runs without --compat-huggingface')
  expect(headers.get('x-error-message')).toBe(json['error'])
})

// conformance: Resources / repo_id is a namespace and a name with one slash
test('a repository id without a slash names no route', async () => {
  await expectNoRoute('/api/models/bert/storage-read-token/main')
})

// conformance: Resources / repo_id is a namespace and a name with one slash
test('a repository id with two slashes names no route', async () => {
  await expectNoRoute('/api/models/acme/bert/base/storage-read-token/main')
})

// conformance: Resources / repo_id is a namespace and a name with one slash
test('a repository id whose slash is encoded names no route', async () => {
  await expectNoRoute('/api/models/acme%2Fbert/storage-read-token/main')
  await expectNoRoute('/api/models/acme%2fbert/storage-read-token/main')
})

// conformance: Resources / repo_id is a namespace and a name with one slash
test('an empty part of the path names no route', async () => {
  await expectNoRoute(
    '/api/models//bert/storage-read-token/main',
    '/api/models/acme//storage-read-token/main',
    '//api/models/acme/bert/storage-read-token/main',
    '/api//models/acme/bert/storage-read-token/main',
  )
})

// conformance: Endpoints / The path has four required parameters
test('a token request without a revision names no route', async () => {
  await expectNoRoute(
    '/api/models/acme/bert/storage-read-token',
    '/api/models/acme/bert/storage-read-token/',
    '/api/models/acme/bert/storage-read-token/?revision=main',
  )
})

// conformance: Resources / repo_type is model, dataset or space
test('another repository type than model, dataset and space names no route', async () => {
  await expectNoRoute(
    '/api/model/acme/bert/storage-read-token/main',
    '/api/Models/acme/bert/storage-read-token/main',
    '/api/kernels/acme/bert/storage-read-token/main',
    '/api/acme/bert/storage-read-token/main',
  )
})

// conformance: Resources / token_type is read or write
test('another token type than read and write names no route', async () => {
  await expectNoRoute(
    '/api/models/acme/bert/storage-admin-token/main',
    '/api/models/acme/bert/storage-READ-token/main',
    '/api/models/acme/bert/storage--token/main',
    '/api/models/acme/bert/storage-token/main',
    '/api/models/acme/bert/storage%2Dread-token/main',
  )
})

// conformance: Order of checks / 1. An unknown path or an invalid encoding gets 404 not_found
test('a path that cannot be decoded names no route', async () => {
  await expectNoRoute(
    '/api/models/acme/bert/storage-read-token/%ZZ',
    '/api/models/acme/bert/storage-read-token/main%',
    '/api/models/acme/%ZZ/storage-read-token/main',
    '/api/models/%E9/bert/storage-read-token/main',
    '/%ZZ',
  )
})

// conformance: Malformed requests / The hub rejects an impossible revision
test('an overlong or unpaired encoding names no route', async () => {
  await expectNoRoute(
    '/api/models/acme/bert/storage-read-token/%C0%AE%C0%AE',
    '/api/models/acme/bert/storage-read-token/%E0%80%AFmain',
    '/api/models/acme/bert/storage-read-token/%ED%A0%80',
    '/api/models/acme/%C1%A2ert/storage-read-token/main',
  )
})

// conformance: Order of checks / 1. An unknown path or an invalid encoding gets 404 not_found
test('a path that names no route is not found whatever body comes with it', async () => {
  for (const type of ['application/json', 'text/xml', 'nonsense']) {
    const response = await fetch(`${world.hub.url}/nowhere`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: '{"not": json',
    })
    const { code } = (await response.json()) as { code: string }
    expect([response.status, code], type).toEqual([404, 'not_found'])
  }
})

// conformance: Errors / 404 if the repository does not exist
test('a repository that does not exist is not found', async () => {
  await expectNoRepository('acme/nothing', 'nobody/bert')
})

// conformance: Resources / repo_type is model, dataset or space
test('a repository is found under its own type alone', async () => {
  for (const what of ['read spaces/acme/bert@main', 'read models/acme/demo@main']) {
    const told = await ask(world, what, { as: 'writer/write' })
    expect(codeOf(told), what).toEqual([404, 'repository_not_found'])
  }
})

// conformance: Errors / 404 if the repository does not exist
test('a repository is not found under another spelling of its case', async () => {
  await expectNoRepository('ACME/bert', 'acme/Bert', 'acme/BERT')
})

// conformance: Order of checks / 6. A repository that does not exist gets 404 repository_not_found
test('a name that no repository can have is not found', async () => {
  await expectNoRepository(
    ...['../bert', 'acme/..', './bert', '.acme/bert', 'acme/bert.', '-acme/bert', 'acme/bert-'],
    ...[
      'acme/bert.git',
      `acme/${'b'.repeat(97)}`,
      'acme/be%00rt',
      'acme/be%20rt',
      'acme/b%C3%A9rt',
      'acme/be%0Art',
    ],
  )
})

// conformance: Malformed requests / The hub rejects an impossible repository name
test('a repository name with an encoded slash in it is not found', async () => {
  await expectNoRepository('acme/bert%2Fbase', 'acme%2Fx/bert', 'acme/..%2Fbert')
})

// conformance: Malformed requests / The hub rejects an impossible repository name
test('a repository name is decoded once, so a double encoding is not found', async () => {
  await expectNoRepository('acme/b%2565rt', '%2561cme/bert')
})

// conformance: Malformed requests / The hub rejects an impossible repository name
test('a repository name of 300 characters is not found', async () => {
  await expectNoRepository(`acme/${'b'.repeat(300)}`, `${'a'.repeat(300)}/bert`)
})

// conformance: Errors / 404 if the revision does not exist
test('a revision that does not exist is not found', async () => {
  const told = await ask(world, 'read models/acme/bert@nowhere', { as: 'writer/write' })
  expect(codeOf(told)).toEqual([404, 'revision_not_found'])
  expect(told.headers.get('x-error-code')).toBe('RevisionNotFound')
})

// conformance: Errors / 404 if the revision does not exist
test('a write token is not a way to make a revision', async () => {
  for (const revision of ['nowhere', 'refs/heads/nowhere', 'refs/pr/9', '9'.repeat(40)]) {
    const told = await ask(world, `write models/acme/bert@${revision}`, { as: 'writer/write' })
    expect(codeOf(told), revision).toEqual([404, 'revision_not_found'])
  }
})
