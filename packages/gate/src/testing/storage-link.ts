/** Answers the questions of a storage of Latchkey: the numbers of the journal, and the places that were deleted. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type { JournalNumber } from '@latchkey/protocol'
import { letEnd } from '../platform/let-end.ts'

export interface StorageLink {
  /** The place exists no more. */
  remove(uid: string): void
  /** Answers at the four paths of the link, with any credential; false for any other path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
}

interface Removal {
  readonly uid: string
  readonly number: JournalNumber
}

export function storageLink(number: () => JournalNumber): StorageLink {
  const removals: Removal[] = []
  const waiting = new Set<() => void>()
  const changesAfter = (after: number) => ({
    number: number(),
    removed: removals.filter((removal) => removal.number > after).map(({ uid }) => uid),
    complete: true,
  })
  const answerChanges = (query: URLSearchParams, response: ServerResponse) => {
    const after = Number(query.get('after') ?? 0)
    const answer = () => {
      clearTimeout(timer)
      waiting.delete(answer)
      send(response, changesAfter(after))
    }
    const isNews = changesAfter(after).removed.length > 0
    const seconds = isNews ? 0 : Number(query.get('wait') ?? 0)
    const timer = letEnd(setTimeout(answer, seconds * 1000))
    waiting.add(answer)
    response.once('close', () => {
      clearTimeout(timer)
      waiting.delete(answer)
    })
  }
  return {
    remove(uid) {
      removals.push({ uid, number: number() })
      for (const answer of [...waiting]) answer()
    },
    answer(request, response) {
      const { pathname = '', searchParams = new URLSearchParams() } =
        URL.parse(request.url ?? '', 'http://hub.example') ?? {}
      const answerBody = bodyAnswers[pathname]
      if (pathname === '/link/v1/changes') answerChanges(searchParams, response)
      else if (pathname === '/link/v1/quotas') {
        send(response, { number: number(), repositories: [], namespaces: [] })
      } else if (answerBody !== undefined) {
        const deleted = new Set(removals.map(({ uid }) => uid))
        json(request).then(
          (body) => send(response, answerBody(Object(body), deleted)),
          () => response.writeHead(400).end(),
        )
      } else return false
      return true
    },
  }
}

const bodyAnswers: Readonly<
  Record<string, (body: Readonly<Record<string, unknown>>, deleted: Set<string>) => object>
> = {
  '/link/v1/epochs': ({ repositories }) => ({ raised: listOf(repositories).length }),
  '/link/v1/places': ({ uids }, deleted) => ({
    unknown: listOf(uids).filter((uid) => deleted.has(uid)),
  }),
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(body))
}
