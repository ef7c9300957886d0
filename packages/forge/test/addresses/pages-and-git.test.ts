/** Addresses outside `/api`: pages and files of repositories, and what git asks for. */

import { isRefusal, parseRevision } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTakenNamespace } from '../../src/words/taken-namespaces.ts'
import { rounds } from '../rounds.ts'
import {
  arbitraryFilePath,
  arbitraryName,
  arbitraryNamespace,
  arbitraryRevisionText,
  arbitraryTarget,
} from './arbitrary-addresses.ts'
import { readApiAddress, readGitAddress, readPageAddress } from './read-address.ts'

const bert = { type: 'model', namespace: 'acme', name: 'bert' } as const
const pets = { type: 'dataset', namespace: 'acme', name: 'pets' } as const
const main = parseRevision('main')

describe('no page', () => {
  test.each([
    ...[
      '/',
      '/acme',
      '/datasets',
      '/acme/bert/',
      '/acme/bert/history/main/x',
      '/acme/bert/resolve',
    ],
    ...[
      '/acme/bert/resolve/main',
      '/acme/bert/raw/main/',
      '/acme/bert/resolve/main/%',
      '/acme//bert',
    ],
    ...[
      '/acme/../bert',
      '/acme/%2e%2E/resolve/main/x',
      '/acme/bert/Resolve/main/x',
      '/acme/bert/info/refs',
    ],
    ...[
      '/api/models',
      '/API/models',
      '/%61pi/models',
      '/models/acme',
      '/login/x',
      '/metrics/x/resolve/main/a',
    ],
    ...['/.well-known/x', '/v1/xorbs', '/acme/bert#x', '/acme/b ert'],
  ])('%s', (target) => {
    expect(readPageAddress('GET', target)).toBeUndefined()
  })

  test.each(['/bert/resolve/main/config.json', '/datasets/bert', '/datasets/bert/tree/main'])(
    'without a namespace: %s',
    (target) => {
      expect(readPageAddress('GET', target)).toMatchObject({
        detail: '"bert" has no namespace. Name the repository as namespace/name.',
      })
    },
  )

  test('for another method', () => {
    expect(readPageAddress('POST', '/acme/bert')).toMatchObject({ allow: 'GET, HEAD' })
  })

  test('for a path that leads elsewhere', () => {
    for (const path of ['a%2F..%2Fb', '.git/config', 'a%5cb', 'a%2F%2Fb', '%2Fetc%2Fpasswd']) {
      expect(readPageAddress('GET', `/acme/bert/resolve/main/${path}`)).toMatchObject({
        code: 'bad_request',
      })
    }
  })
})

describe('a page', () => {
  test.each([
    ['/acme/bert', { view: 'repo', repo: bert }],
    ['/datasets/acme/pets?x', { view: 'repo', repo: pets }],
    ['/acme/bert/tree/main', { view: 'tree', repo: bert, revision: main, path: undefined }],
    ['/acme/bert/commits/main', { view: 'commits', repo: bert, revision: main, path: undefined }],
    ['/acme/bert/blob/main/a/b', { view: 'blob', repo: bert, revision: main, path: 'a/b' }],
    ['/acme/bert/raw/main/a%2Fb', { view: 'raw', repo: bert, revision: main, path: 'a/b' }],
    [
      '/datasets/acme/pets/resolve/refs%2Fconvert%2Fparquet/a.parquet?download=true',
      {
        view: 'resolve',
        repo: pets,
        revision: parseRevision('refs/convert/parquet'),
        path: 'a.parquet',
      },
    ],
    [
      '/acme/resolve/resolve/main/x',
      { view: 'resolve', repo: { ...bert, name: 'resolve' }, revision: main, path: 'x' },
    ],
    ['/acme/a%2Fb/resolve/main/x', { view: 'resolve', repo: undefined, revision: main, path: 'x' }],
  ])('%s', (target, address) => {
    expect(readPageAddress('HEAD', target)).toEqual(address)
  })

  test('that was written is read back', () => {
    fc.assert(
      fc.property(
        fc.tuple(arbitraryNamespace, arbitraryName, arbitraryRevisionText, arbitraryFilePath),
        ([namespace, name, revision, path]) => {
          const inParts = path.split('/').map(encodeURIComponent).join('/')
          const target = `/${namespace}/${name}/resolve/${encodeURIComponent(revision)}/${inParts}`
          expect(readPageAddress('GET', target)).toEqual({
            ...{ view: 'resolve', repo: { type: 'model', namespace, name }, path },
            revision: parseRevision(revision),
          })
        },
      ),
      { numRuns: rounds(200, 10_000) },
    )
  })
})

describe('git', () => {
  const advertised = '/info/refs?service=git-upload-pack'

  test.each([
    ['GET', `/acme/bert.git${advertised}`, { repo: bert, service: 'advertise-refs' }],
    ['GET', `/datasets/acme/pets${advertised}`, { repo: pets, service: 'advertise-refs' }],
    ['POST', '/acme/bert.git/git-upload-pack', { repo: bert, service: 'upload-pack' }],
    ['POST', '/acme/bert.git/info/lfs/objects/batch', { repo: bert, service: 'lfs-batch' }],
    ['POST', '/acme/bert.git.git/git-upload-pack', { repo: undefined, service: 'upload-pack' }],
    [
      'GET',
      '/acme/bert.git/info/refs?service=git-receive-pack',
      { repo: bert, service: 'advertise-push' },
    ],
    ['POST', '/acme/bert.git/git-receive-pack', { repo: bert, service: 'receive-pack' }],
    ['GET', '/acme/bert.git/info/lfs/locks?path=x', { later: 'locking of files' }],
    ['POST', '/acme/bert.git/info/lfs/locks/verify', { later: 'locking of files' }],
    ['POST', '/acme/bert.git/info/lfs/locks/7/unlock', { later: 'locking of files' }],
  ])('asks for %s %s', (method, target, address) => {
    expect(readGitAddress(method, target)).toEqual(address)
  })

  test.each([
    ...['/acme/bert.git', '/acme/bert.git/HEAD', '/acme/bert.git/objects/info/packs', '/bert.git'],
    ...[
      '/acme/bert.git/../x/git-upload-pack',
      '/acme/bert.git/git%2Dupload-pack',
      '/api/x/git-upload-pack',
    ],
    ...['/acme/bert.git/git-upload-pack/', '/acme/bert.GIT/info', '/acme/%/git-upload-pack'],
  ])('gets no address for %s', (target) => {
    expect(readGitAddress('POST', target)).toBeUndefined()
  })

  test.each([
    ...[
      '/info/refs',
      '/info/refs?service=git-upload-archive',
      '/info/refs?service=%',
      `${advertised}&service=x`,
    ],
  ])('is refused %s', (target) => {
    expect(readGitAddress('GET', `/acme/bert.git${target}`)).toMatchObject({
      code: 'bad_request',
    })
  })

  test('is refused a repository without a namespace', () => {
    expect(readGitAddress('GET', `/bert.git${advertised}`)).toMatchObject({
      detail: '"bert.git" has no namespace. Name the repository as namespace/name.',
    })
  })
})

describe('a target', () => {
  test('has one meaning at most, and nothing throws', () => {
    const readers = [readApiAddress, readPageAddress, readGitAddress]
    fc.assert(
      fc.property(arbitraryTarget, fc.constantFrom('GET', 'POST'), (target, method) => {
        const read = readers.map((reader) => reader(method, target))
        const meant = read.filter((one) => one !== undefined && !isRefusal(one))
        expect(meant.length).toBeLessThan(2)
      }),
      { numRuns: rounds(1000, 30_000) },
    )
  })

  test('below a taken name is no repository, in whatever case and encoding', () => {
    for (const name of ['api', 'API', 'models', 'Login', 'v1', 'link', 'healthz', 'storage']) {
      expect(isTakenNamespace(name)).toBe(true)
      const spelled = [...name].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')
      for (const first of [name, spelled]) {
        expect(readPageAddress('GET', `/${first}/x`)).toBeUndefined()
        expect(readGitAddress('POST', `/${first}/x/git-upload-pack`)).toBeUndefined()
      }
    }
    expect(isTakenNamespace('acme')).toBe(false)
  })
})
