/** A storage shows to a token the content of its own repository and ref, and of refs that it inherits. */

import { type Check, type Fault, NotApplicable } from '../check.ts'
import { outcomeOf } from '../wire/outcome.ts'
import type { RawResponse } from '../wire/raw-request.ts'
import type { FileRequest } from './file-protocol.ts'
import {
  faultOf,
  isAdmitted,
  type StorageRequest,
  type StorageTarget,
  send,
  unlike,
} from './storage-target.ts'

const profiles = ['storage'] as const

/** A repository and ref, with the refs that it inherits. */
interface Place {
  readonly repository: string
  readonly ref: string
  readonly inherited?: readonly string[]
}

interface StoredFile {
  /** The request that reads the file, without the prefix of its place. */
  readonly read: FileRequest
  readonly content: string
}

let made = 0

/** A repository and a text that no other check uses. */
function newPlace(ref = 'main'): Place {
  made += 1
  return { repository: `models/conform/storage-${made}`, ref }
}

function newContent(): string {
  made += 1
  return `content ${made} of a conformance check, written at ${Date.now()}`
}

function requestAt(
  { hub }: StorageTarget,
  { repository, ref, inherited = [] }: Place,
  { path, ...request }: FileRequest,
  scope: 'read' | 'write',
): StorageRequest {
  const token = hub.token({ repository, ref, inherited, scope })
  return { ...request, target: `${hub.path(repository, ref)}${path}`, token }
}

async function put(
  target: StorageTarget,
  place: Place,
  {
    name = 'file',
    content = newContent(),
  }: { readonly name?: string; readonly content?: string } = {},
): Promise<StoredFile & { readonly stored: RawResponse }> {
  const request = requestAt(target, place, target.files.put(name, content), 'write')
  const stored = await send(target, request)
  if (stored.status < 200 || stored.status > 299) {
    throw new NotApplicable(`the storage does not store a file: ${outcomeOf(stored)}`)
  }
  return { stored, content, read: target.files.get(name, content, stored) }
}

async function shown(
  target: StorageTarget,
  place: Place,
  { read, content }: StoredFile,
  about: string,
): Promise<Fault | undefined> {
  const request = { ...requestAt(target, place, read, 'read'), about }
  const response = await send(target, request)
  if (response.status !== 200) return unlike(request, 'status 200', outcomeOf(response))
  return response.text === content
    ? undefined
    : unlike(request, 'the bytes that were stored', 'other bytes')
}

async function hidden(
  target: StorageTarget,
  place: Place,
  { read }: StoredFile,
  about: string,
): Promise<Fault | undefined> {
  const request = { ...requestAt(target, place, read, 'read'), about }
  const response = await send(target, request)
  return faultOf(request, response, '404 resource_not_found') === undefined ||
    response.status === 404
    ? undefined
    : unlike(request, 'status 404', outcomeOf(response))
}

/** The part of a response that a client could learn from. */
function visiblePart({ status, headers, text }: RawResponse): string {
  const { 'x-request-id': id = '', date: _, etag: _tag, ...others } = headers
  const plain = (part: string) => (id === '' ? part : part.replaceAll(id, 'id'))
  return plain(JSON.stringify([status, Object.entries(others).sort(), text]))
}

export const isolationChecks: readonly Check<StorageTarget>[] = [
  {
    id: 'storage-own-content',
    clause: 'Endpoints / POST /shard and POST /xorb/* need write, every other storage API read',
    profiles,
    title: 'A read token reads a file that a write token of its ref has stored',
    run: async (target) => {
      const place = newPlace()
      return shown(target, place, await put(target, place), 'its own ref')
    },
  },
  {
    id: 'storage-read-token-writes-nothing',
    clause: 'Embedded storage / Write routes need a write token, with any spelling of the path',
    profiles,
    title: 'A read token stores nothing',
    run: async (target) => {
      const upload = target.files.put('file', newContent())
      const request = requestAt(target, newPlace(), upload, 'read')
      return faultOf(request, await send(target, request), '403 insufficient_scope')
    },
  },
  {
    id: 'storage-other-repository',
    clause: 'Guarantees / Content is available only in its own repository and ref',
    profiles,
    title: 'Content of another repository does not exist for a token',
    run: async (target) => {
      const file = await put(target, newPlace())
      return hidden(target, newPlace(), file, 'content of another repository')
    },
  },
  {
    id: 'storage-other-ref',
    clause: 'Embedded storage / Content is available only in its own repository and ref',
    profiles,
    title: 'Content of another ref does not exist for a token',
    run: async (target) => {
      const place = newPlace()
      const file = await put(target, place)
      for (const ref of ['dev', 'release']) {
        const fault = await hidden(target, { ...place, ref }, file, `content of main at ${ref}`)
        if (fault !== undefined) return fault
      }
      return undefined
    },
  },
  {
    id: 'storage-hidden-and-absent',
    clause: 'Guarantees / A hash alone gives no access',
    profiles,
    title: 'Hidden content gets the same response as content that does not exist',
    run: async (target) => {
      const [place, name] = [newPlace(), 'a-file']
      const { read } = await put(target, newPlace(), { name })
      const partOf = async (file: FileRequest) => {
        const response = await send(target, requestAt(target, place, file, 'read'))
        if (isAdmitted(response) && response.status < 300) {
          throw new NotApplicable('the storage shows content of another repository')
        }
        return visiblePart(response).replaceAll(lastSegment(file.path), 'name')
      }
      return (await partOf(read)) === (await partOf(absentFile(target)))
        ? undefined
        : { expected: 'the same response', got: 'another response for hidden content' }
    },
  },
  {
    id: 'storage-known-bytes',
    clause: 'Guarantees / No file operation shows that another repository has the same bytes',
    profiles,
    title: 'An upload gets the same response if another repository has the same bytes',
    run: async (target) => {
      const content = newContent()
      const first = await put(target, newPlace(), { content })
      const second = await put(target, newPlace(), { content })
      const isSame = visiblePart(first.stored) === visiblePart(second.stored)
      return isSame
        ? undefined
        : { expected: 'the same response', got: 'another response for known bytes' }
    },
  },
  {
    id: 'storage-fork-shows-earlier-content',
    clause: 'Guarantees / A commit shows exactly the content that was acknowledged before it',
    profiles,
    title: 'A fork shows the content that its origin had before',
    run: async (target) => {
      const place = newPlace()
      const file = await put(target, place)
      return shown(target, forkOf(place, 'fork'), file, 'content from before the fork')
    },
  },
  {
    id: 'storage-fork-hides-later-content',
    clause: 'Guarantees / An old commit gives no access to later content',
    profiles,
    title: 'A fork shows no content that its origin received later',
    run: async (target) => {
      const place = newPlace()
      const commit = forkOf(place, 'ab'.repeat(20))
      beginFork(target, commit)
      const file = await put(target, place)
      return hidden(target, commit, file, 'content from after the fork')
    },
  },
  {
    id: 'storage-fork-gives-nothing-back',
    clause: 'Attacks / 2. An attacker guesses a secret hash or copies it to another branch',
    profiles,
    title: 'The origin of a fork shows no content of the fork',
    run: async (target) => {
      const place = newPlace()
      const fork = forkOf(place, 'fork')
      beginFork(target, fork)
      const file = await put(target, fork)
      return hidden(target, place, file, 'content of a fork')
    },
  },
  {
    id: 'storage-recreated-repository',
    clause: 'Guarantees / A recreated repository or ref is another one',
    profiles,
    title: 'A recreated repository shows no content of the deleted one',
    run: async (target) => {
      const place = newPlace()
      const file = await put(target, place)
      target.hub.deleteRepository(place.repository)
      return hidden(target, place, file, 'content of a deleted repository')
    },
  },
  {
    id: 'storage-recreated-ref',
    clause: 'Attacks / 5. An attacker uses an old token after a branch or repository was recreated',
    profiles,
    title: 'A recreated ref shows no content of the deleted one',
    run: async (target) => {
      const place = newPlace()
      const file = await put(target, place)
      target.hub.deleteRef(place.repository, place.ref)
      return hidden(target, place, file, 'content of a deleted ref')
    },
  },
  {
    id: 'storage-verifies-content',
    clause: 'Guarantees / The storage verifies every claim of a client about content',
    profiles,
    title: 'An upload whose content differs from its digest is rejected',
    run: async (target) => {
      const lie = target.files.lie?.(newContent())
      if (lie === undefined) return { skip: 'the routes name no digest of the content' }
      await put(target, newPlace())
      const request = requestAt(target, newPlace(), lie, 'write')
      const response = await send(target, request)
      return response.status === 400
        ? undefined
        : unlike(request, 'status 400', outcomeOf(response))
    },
  },
]

function forkOf({ repository, ref }: Place, name: string): Place {
  return { repository, ref: name, inherited: [ref] }
}

/** The first token of a fork sets the number from which on it hides content of its origin. */
function beginFork({ hub }: StorageTarget, { repository, ref, inherited = [] }: Place): void {
  hub.token({ repository, ref, inherited })
}

/** The request for a file that was never stored. */
function absentFile({ files }: StorageTarget): FileRequest {
  const hash = 'fedcba9876543210'.repeat(4)
  return files.get('an-absent-file', newContent(), {
    status: 200,
    headers: {},
    text: JSON.stringify({ hash }),
    bytes: new Uint8Array(),
  })
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
