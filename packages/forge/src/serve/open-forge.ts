/** The forge: the rest of a hub over bare git, served beside a hub that decides everything. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallerPort } from '@latchkey/hub/as-caller'
import { type Clock, isRefusal } from '@latchkey/protocol'
import { Call } from '@latchkey/service/http/call'
import { bodiesWithinHeap } from '@latchkey/service/limits/body-room'
import { type ShareLimits, shares } from '@latchkey/service/limits/shares'
import { diskReserve } from '@latchkey/service/machine/disk-reserve'
import { pooledRandom, type RandomBytes } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/system-clock'
import { cardLimits } from '../api/validate-yaml.ts'
import { inTurn } from '../commits/in-turn.ts'
import { markersFolder, openMarkers } from '../commits/markers.ts'
import { repositoryRoom } from '../commits/repository-room.ts'
import { savedContent } from '../commits/saved-content.ts'
import { removeDeleted, settleMarked } from '../commits/settle.ts'
import {
  type Git,
  type GitBounds,
  type GitProcesses,
  openGit,
  repositoriesFolder,
} from '../git/index.ts'
import type { ForgeBounds, ForgeDeps } from '../handler/exchange.ts'
import { askStorage } from '../large-files/ask-storage.ts'
import { commitCounts } from '../large-files/commit-counts.ts'
import { xetHashes } from '../large-files/xet-hashes.ts'
import { describeRevisions } from '../metadata/describe-revision.ts'
import { parameterCounts } from '../metadata/safetensors.ts'
import { openReadmeThread } from '../readme/open-readme-thread.ts'
import { showReadmes } from '../readme/show-readme.ts'
import { openSessions } from '../sessions/sessions.ts'
import { openSeal } from '../words/seal.ts'
import { answerRequest, findForgeRoute } from './answer-request.ts'

export interface ForgeSettings {
  readonly hub: CallerPort
  /** The data directory; repositories lie in it, and what is under way. */
  readonly data: string
  /** The address of the hub as clients know it. */
  readonly publicUrl: string
  readonly logFailure: (error: unknown, requestId: string) => void
  /** What pages of other origins may read, name and value in turn. */
  readonly corsHeadersFor?: (request: IncomingMessage) => readonly string[]
  readonly clock?: Clock
  readonly randomBytes?: RandomBytes
  /** The git to use; the first in PATH if there is none. */
  readonly gitProgram?: string
  readonly metrics?: ForgeMetrics
  readonly gitBounds?: Partial<GitBounds>
  readonly bounds?: Partial<ForgeBounds>
  /** In bytes: bodies that are held in memory. By default a part of the heap. */
  readonly bodyLimits?: ShareLimits
}

export interface ForgeMetrics {
  /** Once for each request, when its connection is done with it. The kind is one of a few. */
  answered(kind: string, status: number, seconds: number): void
  /** Looked up whenever the metrics are read. */
  watchGit(processes: () => GitProcesses): void
  watchCommits(underWay: () => number): void
}

export interface Forge {
  /** False, and nothing done, for a target that is none of the forge's. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
  /** Whether it would serve such a request. */
  has(method: string, target: string): boolean
  readonly longestUploadMs: number
  close(): Promise<void>
}

const usualBounds: ForgeBounds = {
  commitBytes: 1024 ** 3,
  repositoryBytes: 10 * 1024 ** 3,
  savingMs: 600_000,
  reservedBytes: 0,
}

/** A commit of many files may come slowly. */
const longestUploadMs = 600_000

/** Commits that arrive or are made at the same time: each holds one line of its body, or folders, in memory. */
const commitLimits = { max: 16, maxOfAccount: 4, reserved: 4 }
const expireEveryMs = 3600_000

/** Throws GitUnavailable where there is no git that can be used. */
export async function openForge(settings: ForgeSettings): Promise<Forge> {
  const { hub: port, data, publicUrl, logFailure, gitProgram } = settings
  const { corsHeadersFor = () => [], bodyLimits = bodiesWithinHeap() } = settings
  const { clock = systemClock, randomBytes = pooledRandom(), metrics } = settings
  const bounds = { ...usualBounds, ...settings.bounds }
  const plain = await openGit({
    folder: repositoriesFolder(data),
    ...(gitProgram === undefined ? {} : { program: gitProgram }),
    bounds: settings.gitBounds ?? {},
  })
  const git = await heldGit(plain, port)
  const markers = await openMarkers(markersFolder(data))
  const storage = askStorage()
  await settleMarked({ git, hub: port, markers }, logFailure)
  await removeDeleted({ git, hub: port })
  const readmes = openReadmeThread()
  const parts: ForgeDeps = {
    ...{ git, port, markers, publicUrl, clock, logFailure },
    ...{ inTurn: inTurn(), storage, xetHashes: xetHashes(storage), seal: openSeal(randomBytes) },
    ...{ sessions: openSessions({ clock, randomBytes }), showReadme: showReadmes(readmes) },
    validateCard: readmes.validateCard,
    ...{ cardSlots: shares(cardLimits), bodyRoom: shares(bodyLimits) },
    ...{ commitSlots: shares(commitLimits), bounds, room: repositoryRoom(bounds.repositoryBytes) },
    ...{ saved: savedContent(), countCommits: commitCounts() },
    describeRevision: describeRevisions({
      readCard: readmes.readCard,
      countParameters: parameterCounts(storage),
    }),
    reserve: diskReserve(data, bounds.reservedBytes),
  }
  const expire = () => port.expireUploads().catch((error) => logFailure(error, 'expiring uploads'))
  let expiring: Promise<unknown> = expire()
  const timer = setInterval(() => {
    expiring = expire()
  }, expireEveryMs).unref()
  metrics?.watchGit(git.processes)
  metrics?.watchCommits(parts.commitSlots.held)
  const stopping = new AbortController()
  const calls = { name: 'hub', randomBytes, logFailure, stopping: stopping.signal }
  return {
    longestUploadMs,
    has: (method, target) => findForgeRoute(method, target) !== undefined,
    serve(request, response) {
      const found = findForgeRoute(request.method ?? '', request.url ?? '')
      if (found === undefined) return false
      const kind = isRefusal(found) ? 'refused' : found.row.name
      const call = new Call(response, calls)
      setHeaders(response, corsHeadersFor(request))
      const began = performance.now()
      response.once('close', () => {
        metrics?.answered(kind, response.statusCode, (performance.now() - began) / 1000)
      })
      answerRequest(call, response, found, parts).catch((error) => {
        // An answer that breaks off costs one connection. A client that has gone is no failure.
        if (!response.destroyed) logFailure(error, call.requestId)
        response.destroy()
      })
      return true
    },
    async close() {
      stopping.abort()
      clearInterval(timer)
      await expiring
      readmes.close()
      git.close()
    },
  }
}

function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    response.setHeader(headers[at] ?? '', headers[at + 1] ?? '')
  }
}

/** The hub is told at the start, and before this process first writes to a repository: another process may have made its folder. */
async function heldGit(git: Git, hub: Pick<CallerPort, 'hold' | 'release'>): Promise<Git> {
  const held = new Set(await git.list())
  await hub.hold([...held])
  const holding = (git: Git): Git => ({
    ...git,
    calledBy: (caller) => holding(git.calledBy(caller)),
    async create(uid) {
      if (!held.has(uid)) await hub.hold([uid])
      held.add(uid)
      return git.create(uid)
    },
    async remove(uid) {
      await git.remove(uid)
      held.delete(uid)
      await hub.release(uid)
    },
  })
  return holding(git)
}
