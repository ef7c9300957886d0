/** The forge: the rest of a hub over bare git. Its hub decides everything. */

import type { IncomingMessage } from 'node:http'
import type { CallerPort } from '@latchkey/admin-api/forge-port'
import { type AnyId, type Clock, isRefusal, refuse } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { Call, type Serve } from '@latchkey/service/http/call'
import { bodiesWithinHeap, type ShareLimits, shares } from '@latchkey/service/limits/shares'
import { diskReserve } from '@latchkey/service/machine/data-directory'
import { pooledRandom, type RandomBytes } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import type { MetricsKit } from '@latchkey/service/observe/metrics'
import { cardLimits } from '../api/validate-yaml.ts'
import { inTurn } from '../commits/in-turn.ts'
import { markersFolder, openMarkers } from '../commits/markers.ts'
import { repositoryRoom } from '../commits/repository-room.ts'
import { savedContent } from '../commits/saved-content.ts'
import { keepSettling, removeDeleted, settledTurns, settleMarked } from '../commits/settle.ts'
import { type Git, type GitBounds, openGit, repositoriesFolder } from '../git/index.ts'
import type { ForgeBounds, ForgeDeps } from '../handler/exchange.ts'
import { askStorage } from '../large-files/ask-storage.ts'
import { commitCounts } from '../large-files/commit-counts.ts'
import { xetHashes } from '../large-files/xet-hashes.ts'
import { describeRevisions } from '../metadata/describe-revision.ts'
import { parameterCounts } from '../metadata/safetensors.ts'
import { openReadmeThread } from '../readme/open-readme-thread.ts'
import { showReadmes } from '../readme/show-readme.ts'
import { openSeal } from '../words/seal.ts'
import { answerRequest, findForgeRoute } from './answer-request.ts'
import { forgeMetrics } from './metrics.ts'

export interface ForgeParts {
  readonly hub: CallerPort
  /** Repositories lie in it, and what is under way. */
  readonly data: string
  /** The address of the hub as clients know it. */
  readonly publicUrl: string
  readonly logFailure: (error: unknown, requestId: string) => void
  readonly clientAddress: ClientAddress
  readonly requestIdOf?: (request: IncomingMessage) => AnyId | undefined
  readonly clock?: Clock
  readonly randomBytes?: RandomBytes
  /** The git to use; the first in PATH if there is none. */
  readonly gitProgram?: string | undefined
  readonly metrics?: MetricsKit
  readonly gitBounds?: Partial<GitBounds> | undefined
  readonly bounds?: Partial<ForgeBounds> | undefined
  /** In bytes: bodies that are held in memory. By default a part of the heap. */
  readonly bodyLimits?: ShareLimits | undefined
}

export interface OpenForge {
  /** Undefined for a request that it does not serve. */
  handlerFor(method: string, target: string): Serve | undefined
  /** Once no request is under way. */
  close(): Promise<void>
}

/** Clients of Hugging Face show it to their users. */
export const notFound = refuse(
  'not_found',
  'The hub has no route at this path. This is a Latchkey hub with a forge: it gives out storage tokens, at /api/{models|datasets|spaces}/{namespace}/{name}/storage-{read|write}-token/{revision}, and serves repositories, files, commits and refs to Hugging Face clients and git. docs/reference/forge-routes.md lists the paths.',
)

/** For the largest file at a slow pace. Whoever reads a body ends one that stands still. */
export const maxUploadMs = 24 * 3600_000

const usualBounds: ForgeBounds = {
  commitBytes: 1024 ** 3,
  pushBytes: 2 * 1024 ** 3,
  repositoryBytes: 10 * 1024 ** 3,
  savingMs: 600_000,
  reservedBytes: 0,
}

/** Commits that arrive or are made at the same time: each holds one line of its body, or folders, in memory. */
const commitLimits = { max: 16, maxOfAccount: 4, reserved: 4 }
/** Large files on their way to the storage at the same time: git-lfs sends eight. Each holds two connections. */
const uploadLimits = { max: 64, maxOfAccount: 16, reserved: 16 }
const expireEveryMs = 3600_000

/** Throws GitUnavailable where there is no git that can be used. */
export async function openForge(settings: ForgeParts): Promise<OpenForge> {
  const { hub: port, data, publicUrl, logFailure, clientAddress, gitProgram } = settings
  const { requestIdOf = () => undefined } = settings
  const { bodyLimits = bodiesWithinHeap() } = settings
  const { clock = systemClock, randomBytes = pooledRandom() } = settings
  const bounds = { ...usualBounds, ...settings.bounds }
  const plain = await openGit({
    folder: repositoriesFolder(data),
    ...(gitProgram === undefined ? {} : { program: gitProgram }),
    bounds: settings.gitBounds ?? {},
  })
  const { git, markers } = await settled(plain, settings).catch((error) => {
    plain.close()
    throw error
  })
  const storage = askStorage()
  const readmes = openReadmeThread()
  const turns = settledTurns(inTurn(), { git, hub: port, markers })
  const parts: ForgeDeps = {
    ...{ git, port, markers, publicUrl, clientAddress, clock, logFailure },
    ...{ inTurn: turns, storage, xetHashes: xetHashes(storage), seal: openSeal(randomBytes) },
    showReadme: showReadmes(readmes),
    validateCard: readmes.validateCard,
    ...{ cardSlots: shares(cardLimits), bodyRoom: shares(bodyLimits) },
    uploadSlots: shares(uploadLimits),
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
  const endSettling = keepSettling({ markers }, turns, logFailure)
  const watched = { git: git.processes, commits: parts.commitSlots.held }
  const measure = settings.metrics && forgeMetrics(settings.metrics, watched)
  const stopping = new AbortController()
  const calls = { name: 'hub', randomBytes, logFailure, stopping: stopping.signal, requestIdOf }
  return {
    handlerFor(method, target) {
      const found = findForgeRoute(method, target)
      if (found === undefined) return undefined
      const kind = isRefusal(found) ? 'refused' : found.row.name
      return (_, response) => {
        const call = new Call(response, calls)
        const began = performance.now()
        response.once('close', () => {
          measure?.(kind, response.statusCode, (performance.now() - began) / 1000)
        })
        answerRequest(call, response, found, parts).catch((error) => {
          // An answer that breaks off costs one connection. A client that has gone is no failure.
          if (!response.destroyed) logFailure(error, call.requestId)
          response.destroy()
        })
      }
    },
    async close() {
      stopping.abort()
      clearInterval(timer)
      await expiring
      await endSettling()
      readmes.close()
      git.close()
    },
  }
}

/** Brings git to what the directory has. */
async function settled(plain: Git, { hub, data, logFailure }: ForgeParts) {
  const git = await heldGit(plain, hub)
  const markers = await openMarkers(markersFolder(data))
  await settleMarked({ git, hub, markers }, logFailure)
  await removeDeleted({ git, hub })
  return { git, markers }
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
