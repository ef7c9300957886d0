/** What a cut does to a request, at every stage of it. */

import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Gate, Grant } from '@latchkey/gate'
import { type Refusal, refuse } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import type { BlobPermit } from '../../src/blob-url/blob-permit.ts'
import { watchRevocation } from '../../src/http/cut-revoked.ts'
import { StoppedUpload } from '../../src/http/upload-body.ts'

const revoked = refuse('storage_token_invalid', 'revoked', { reason: 'revoked' })
const noNews = refuse('gate_not_ready', 'no news', { retryAfterSeconds: 5 })

/** A request, and what becomes of it. */
function open({ job = { grant: {} as Grant }, headersSent = false }: Partial<Opened> = {}) {
  const seen = { destroyed: false, stopped: undefined as Refusal | undefined, ended: false }
  let cut = (_refusal: Refusal): void => {}
  const watch: Gate['watch'] = (_, given) => {
    cut = given
    return () => {
      seen.ended = true
    }
  }
  const response = Object.assign(new EventEmitter(), {
    ...{ headersSent, closed: false, req: { socket: new EventEmitter() } },
    destroy() {
      seen.destroyed = true
    },
  }) as unknown as ServerResponse
  const body = {
    stop(refusal: Refusal) {
      seen.stopped = refusal
    },
  }
  const watched = watchRevocation({ watch }, { job, response, body })
  return { ...watched, seen, response, cut: (refusal: Refusal) => cut(refusal) }
}

interface Opened {
  readonly job: { readonly grant: Grant | undefined; readonly permit?: BlobPermit }
  readonly headersSent: boolean
}

test('before its answer has begun it gets the refusal, its body is read no further, and its waits end', async () => {
  const { cut, refused, seen, signal, reason } = open()
  expect(reason()).toBeUndefined()
  cut(revoked)
  expect(await refused).toBe(revoked)
  expect([reason(), seen.stopped, seen.destroyed]).toEqual([revoked, revoked, false])
  expect(signal.reason).toBeInstanceOf(StoppedUpload)
})

test('after its answer has begun, its connection is closed', () => {
  const { cut, seen } = open({ headersSent: true })
  cut(revoked)
  expect(seen.destroyed).toBe(true)
})

test('one with a URL is told that the URL was taken back, or that nothing is known', async () => {
  const job = { grant: undefined, permit: {} as BlobPermit }
  const [one, other] = [open({ job }), open({ job })]
  one.cut(revoked)
  other.cut(noNews)
  expect(await one.refused).toMatchObject({ code: 'blob_url_invalid', reason: 'revoked' })
  expect(await other.refused).toBe(noNews)
})

test('one whose client has gone ends its waits, and is not cut', () => {
  const { response, signal, reason } = open()
  response.emit('close')
  expect([signal.aborted, signal.reason.code, reason()]).toEqual([true, 'ECONNRESET', undefined])
})

test('one that was answered is watched no more', () => {
  const { end, seen } = open()
  end()
  expect(seen.ended).toBe(true)
})
