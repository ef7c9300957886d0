/** Plays the hub for a gate or storage: publishes keys, heads and revocation lists, and makes tokens. */

import { type FakeHub, fakeHub } from '@latchkey/gate/testing'
import { rawClient } from '../wire/raw-request.ts'
import { type FileProtocol, latchkeyFiles } from './file-protocol.ts'
import { at, isAdmitted, type StorageTarget, send, tokenOf, waitFor } from './storage-target.ts'

export interface PlayedHub {
  readonly hub: FakeHub
  /** The URL of its documents, and the issuer of its tokens. */
  readonly url: string
}

/** `casUrl` is that of the server under test, with `{repo}` and `{ref}`. */
export async function playHub(casUrl: string, port: number): Promise<PlayedHub> {
  const issuer = `http://127.0.0.1:${port}`
  const hub = await fakeHub({ casUrl, issuer, listSeconds })
  return { hub, url: await hub.listen(port) }
}

export interface TargetOptions {
  /** Where the server listens. */
  readonly serverUrl: string
  readonly files?: FileProtocol
  readonly maxRevokeSeconds?: number
  readonly forgedTokens?: number
  /** Whether the server shares the clock of the hub, so that the run can move it. */
  readonly sharesClock?: boolean
}

/** A gate asks every 5 s, and gives its hub 4 s to respond. */
const usualRevokeSeconds = 9

/** Longer than gates need to notice that they are late. */
const listSeconds = 20

/** A gate reports at most 300 forged tokens a minute as such. */
const usualForgedTokens = 320

export function storageTarget({ hub, url }: PlayedHub, options: TargetOptions): StorageTarget {
  const { serverUrl, files = latchkeyFiles, sharesClock = false } = options
  return {
    ...{ hub, hubUrl: url, files, client: rawClient(serverUrl) },
    maxRevokeSeconds: options.maxRevokeSeconds ?? usualRevokeSeconds,
    maxStaleSeconds: listSeconds + 2,
    forgedTokens: options.forgedTokens ?? usualForgedTokens,
    ...(sharesClock && { passTime: (seconds: number) => hub.clock.advance(seconds) }),
  }
}

/** Until the server admits a token; the reason if it does not within the time. */
export async function waitForServer(
  target: StorageTarget,
  maxSeconds: number,
): Promise<string | undefined> {
  return waitFor(
    target,
    async () => {
      try {
        const response = await send(target, { target: at(target), token: tokenOf(target) })
        return isAdmitted(response) ? undefined : `a valid token gets ${response.status}`
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    maxSeconds,
  )
}
