/** Addresses below `/api`: which targets name a route, and what they name. */

import { branchName, isRefusal, parseRevision, tagName } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../rounds.ts'
import {
  arbitraryFilePath,
  arbitraryName,
  arbitraryRevisionText,
  arbitraryTarget,
} from './arbitrary-addresses.ts'
import { readApiAddress } from './read-address.ts'

const bert = { type: 'model', namespace: 'acme', name: 'bert' } as const
const repo = '/api/models/acme/bert'
const main = parseRevision('main')

describe('no address', () => {
  test.each([
    ['of another folder', '/apis/models'],
    ['of another type', '/api/gadgets/acme/bert'],
    ['with the type in the singular', '/api/model/acme/bert'],
    ['with an encoded letter in a fixed word', '/api/model%73/acme/bert'],
    ['with a fixed word in capitals', `${repo}/Tree/main`],
    ['with an unknown word behind the repository', `${repo}/likes`],
    ['of the hub: a token', `${repo}/xet-read-token/main`],
    [
      'of the hub: a token for a repository called tree',
      '/api/models/acme/tree/xet-read-token/main',
    ],
    ['with an empty segment', '/api/models//acme/bert'],
    ['with a slash at its end', `${repo}/`],
    ['with a slash behind the revision', `${repo}/tree/main/`],
    ['with a climb', `${repo}/tree/main/../x`],
    ['with an encoded climb', `${repo}/tree/main/%2E%2e/x`],
    ['with a dot', '/api/./models/acme/bert'],
    ['with a lone percent sign', `${repo}/tree/main/50%`],
    ['with an encoding that is none', `${repo}/tree/%zz`],
    ['with a slash in too many bytes', `${repo}/tree/main/a%C0%AFb`],
    ['with a raw letter beyond ASCII', `${repo}/tree/main/é`],
    ['with a fragment', `${repo}/tree/main#x`],
    ['without a revision', `${repo}/tree`],
    ['with more behind refs', `${repo}/refs/heads`],
    ['with an encoded slash in a fixed place', '/api/models%2Facme/bert'],
    ['that is too long', `${repo}/tree/main/${'a'.repeat(14_000)}`],
    ['that is empty', ''],
  ])('%s', (_, target) => {
    expect(readApiAddress('GET', target)).toBeUndefined()
  })
})

test('no address names no branch and no tag', () => {
  expect(readApiAddress('POST', `${repo}/branch`)).toBeUndefined()
  expect(readApiAddress('DELETE', `${repo}/tag`)).toBeUndefined()
})

describe('an address is refused', () => {
  test.each([
    '/api/models/bert',
    '/api/models/bert/tree/main',
    '/api/datasets/bert/revision/refs%2Fpr%2F1',
  ])('without a namespace: %s', (target) => {
    expect(readApiAddress('GET', target)).toMatchObject({
      code: 'bad_request',
      detail: '"bert" has no namespace. Name the repository as namespace/name.',
    })
  })

  test.each([
    ['a slash too many', 'a%2F%2Fb'],
    ['a slash in front', '%2Fetc'],
    ['a climb behind an encoded slash', 'a%2F..%2Fb'],
    ['a folder of git', '.git%2Fconfig'],
    ['a NUL', 'a%00b'],
    ['a backslash', 'a%5Cb'],
  ])('with a path that has %s', (_, path) => {
    const read = readApiAddress('GET', `${repo}/tree/main/${path}`)
    expect(read).toMatchObject({ code: 'bad_request' })
  })

  test('with another method, and told which ones there are', () => {
    expect(readApiAddress('POST', `${repo}/tree/main`)).toMatchObject({
      code: 'method_not_allowed',
      allow: 'GET, HEAD',
    })
    expect(readApiAddress('GET', `${repo}/branch/x`)).toMatchObject({ allow: 'POST, DELETE' })
    expect(readApiAddress('toString', '/api/settings/repositories')).toMatchObject({
      allow: 'GET, HEAD',
    })
  })
})

describe('an address names a repository that cannot exist', () => {
  test.each(['a%2Fb', '%2525', 'a.git', 'a%20b', '.x', 'a'.repeat(97)])('%s', (name) => {
    expect(readApiAddress('GET', `/api/models/acme/${name}`)).toEqual({
      ...{ repo: undefined, route: 'repo-info' },
    })
    expect(readApiAddress('GET', `/api/models/${name}/bert/refs`)).toEqual({
      ...{ repo: undefined, route: 'refs' },
    })
  })
})

describe('an address names its route', () => {
  test.each([
    ['POST', '/api/repos/create', { route: 'create-repo' }],
    ['DELETE', '/api/repos/delete', { route: 'delete-repo' }],
    ['POST', '/api/validate-yaml', { route: 'validate-yaml' }],
    ['GET', '/api/settings/repositories?type=model', { route: 'own-repos' }],
    [
      'GET',
      '/api/organizations/acme/settings/repositories',
      { route: 'namespace-repos', namespace: 'acme' },
    ],
    [
      'GET',
      '/api/organizations/a%2Fb/settings/repositories',
      { route: 'namespace-repos', namespace: undefined },
    ],
    ['GET', '/api/spaces?author=acme', { route: 'list-repos', type: 'space' }],
    ['HEAD', repo, { route: 'repo-info', repo: bert, revision: undefined }],
    [
      'GET',
      `http://hub${repo}?expand[]=likes`,
      { route: 'repo-info', repo: bert, revision: undefined },
    ],
    ['GET', `${repo}/revision/main`, { route: 'repo-info', repo: bert, revision: main }],
    ['GET', `${repo}/refs?include_prs=1`, { route: 'refs', repo: bert }],
    ['GET', `${repo}/tree/main`, { route: 'tree', repo: bert, revision: main, path: undefined }],
    [
      'GET',
      `${repo}/tree/main/a%2Fb%20c`,
      { route: 'tree', repo: bert, revision: main, path: 'a/b c' },
    ],
    [
      'GET',
      `${repo}/tree/main/a/b%20c`,
      { route: 'tree', repo: bert, revision: main, path: 'a/b c' },
    ],
    [
      'GET',
      `${repo}/tree/main/a%252Fb`,
      { route: 'tree', repo: bert, revision: main, path: 'a%2Fb' },
    ],
    ['POST', `${repo}/paths-info/main`, { route: 'paths-info', repo: bert, revision: main }],
    ['GET', `${repo}/commits/main?limit=100`, { route: 'commits', repo: bert, revision: main }],
    [
      'POST',
      `${repo}/preupload/main?create_pr=1`,
      { route: 'preupload', repo: bert, revision: main },
    ],
    ['POST', `${repo}/commit/main`, { route: 'commit', repo: bert, revision: main }],
    [
      'POST',
      `${repo}/branch/a%2Fb`,
      { route: 'create-branch', repo: bert, branch: branchName('a/b') },
    ],
    [
      'DELETE',
      `${repo}/branch/refs%2Fheads%2Fx`,
      { route: 'delete-branch', repo: bert, branch: undefined },
    ],
    ['POST', `${repo}/tag/main`, { route: 'create-tag', repo: bert, revision: main }],
    ['DELETE', `${repo}/tag/v1.0`, { route: 'delete-tag', repo: bert, tag: tagName('v1.0') }],
    ['POST', `${repo}/discussions`, { route: 'create-discussion', repo: bert }],
    ['GET', `${repo}/discussions/7?diff=1`, { route: 'discussion', repo: bert, number: 7 }],
    ['GET', `${repo}/auth-check`, { route: 'auth-check', repo: bert }],
    ['GET', `${repo}/auth-check/write`, { route: 'auth-check', repo: bert }],
    [
      'GET',
      '/api/spaces/hardware/x',
      {
        route: 'repo-info',
        repo: { type: 'space', namespace: 'hardware', name: 'x' },
        revision: undefined,
      },
    ],
  ])('%s %s', (method, target, address) => {
    expect(readApiAddress(method, target)).toEqual(address)
  })

  test.each([
    ['POST', '/api/repos/move', 'moving a repository'],
    ['PUT', `${repo}/settings`, 'changing the settings of a repository'],
    ['GET', `${repo}/discussions`, 'lists of pull requests and discussions'],
    ['POST', `${repo}/discussions/1/merge`, 'comments, merges and other changes of a pull request'],
    ['POST', `${repo}/duplicate`, 'duplicating a repository'],
    ['PATCH', '/api/collections/acme/set-1/items/2', 'collections'],
    ['GET', '/api/spaces/hardware', 'running spaces'],
    ['GET', '/api/organizations/acme/members', 'lists of the members of a namespace'],
  ])('that is not served: %s %s', (method, target, later) => {
    expect(readApiAddress(method, target)).toEqual({ later })
  })

  test.each([
    ['refs/pr/1', undefined, 'refs/pr/1'],
    ['refs/pr/1/a/b', 'a/b', 'refs/pr/1'],
    ['refs/convert/parquet/a', 'a', 'refs/convert/parquet'],
    ['refs%2Fpr%2F1/a', 'a', 'refs/pr/1'],
    ['refs/pr/01', 'pr/01', 'refs'],
    ['refs/heads/main', 'heads/main', 'refs'],
    ['feature%2Fx%231%252F%2B%C3%A9', undefined, 'feature/x#1%2F+é'],
  ])('with the revision and path of %s', (rest, path, revision) => {
    const address = { route: 'tree', repo: bert, revision: parseRevision(revision), path }
    expect(readApiAddress('GET', `${repo}/tree/${rest}`)).toEqual(address)
  })

  test('with a revision at its end whose slashes are not encoded', () => {
    const revision = parseRevision('feature/x')
    expect(readApiAddress('GET', `${repo}/commits/feature/x`)).toMatchObject({ revision })
    expect(readApiAddress('POST', `${repo}/preupload/None`)).toMatchObject({
      revision: { kind: 'impossible', text: 'None' },
    })
  })
})

describe('whatever is asked for', () => {
  test('an address that was written is read back, its path encoded whole or in parts', () => {
    fc.assert(
      fc.property(
        fc.tuple(arbitraryName, arbitraryName, arbitraryRevisionText, arbitraryFilePath),
        ([namespace, name, revision, path]) => {
          const start = `/api/datasets/${namespace}/${name}/tree/${encodeURIComponent(revision)}/`
          const address = {
            ...{ route: 'tree', repo: { type: 'dataset', namespace, name }, path },
            revision: parseRevision(revision),
          }
          const inParts = path.split('/').map(encodeURIComponent).join('/')
          expect(readApiAddress('GET', start + encodeURIComponent(path))).toEqual(address)
          expect(readApiAddress('GET', start + inParts)).toEqual(address)
        },
      ),
      { numRuns: rounds(200, 10_000) },
    )
  })

  test('nothing throws, and the query never changes the route', () => {
    fc.assert(
      fc.property(arbitraryTarget, fc.constantFrom('GET', 'POST', 'DELETE'), (target, method) => {
        const read = readApiAddress(method, target)
        if (target.includes('?')) return
        expect(readApiAddress(method, `${target}?/../x`)).toEqual(read)
        if (read !== undefined && !isRefusal(read)) expect(target).toMatch(/\/api\//)
      }),
      { numRuns: rounds(600, 30_000) },
    )
  })
})
