/** `--cas`: plays the hub for a gate or storage, waits for it, and sends it right and wrong requests. */

import { isCasUrl } from '@latchkey/protocol'
import { messageOf } from '../run-checks.ts'
import { type FileProtocol, filesAt, latchkeyFiles } from '../storage/file-protocol.ts'
import { type PlayedHub, playHub, storageTarget, waitForServer } from '../storage/played-hub.ts'
import { storageChecks } from '../storage/storage-checks.ts'
import type { StorageTarget } from '../storage/storage-target.ts'
import { unavailable, wrongUsage } from './conform-stop.ts'
import type { ConformFlags } from './options.ts'
import { textOf } from './read-flags.ts'
import type { ConformOutput, OpenSide, Side } from './side.ts'

export const casSide: Side<StorageTarget> = {
  checks: storageChecks,
  usualProfiles: ['verifier', 'storage'],
  open: openCas,
}

/** The port of a hub that runs with its defaults. */
const usualHubPort = 8080

async function openCas(
  flags: ConformFlags,
  { tell }: ConformOutput,
): Promise<OpenSide<StorageTarget>> {
  const casUrl = readCasUrl(textOf(flags, 'cas') ?? '')
  const files = filesOf(textOf(flags, 'files'))
  const seconds = waitOf(textOf(flags, 'wait'))
  const played = await openHub(casUrl, portOf(textOf(flags, 'hubPort')))
  const target = storageTarget(played, { serverUrl: new URL(casUrl).origin, files })
  const close = async () => {
    target.client.close()
    await played.hub.close()
  }
  tell('playing the hub. Give the server under test this configuration:')
  tell(`  hub URL (and issuer)  ${played.url}`)
  tell(`  storage URL           ${casUrl}`)
  tell(`waiting up to ${seconds} s for the server`)
  const reason = await waitForServer(target, seconds)
  if (reason === undefined) return { target, secrets: () => [], close }
  await close()
  throw unavailable(
    `the server at ${casUrl} admits no valid token: ${reason}. Start it with the configuration above; --wait gives it more time`,
  )
}

function readCasUrl(text: string): string {
  if (isCasUrl(text) && text.includes('{repo}') && text.includes('{ref}')) return text
  throw wrongUsage(
    '--cas must be the URL of the storage with {repo} and {ref}, for example http://127.0.0.1:8081/r/{repo}/{ref}',
  )
}

function filesOf(path: string | undefined): FileProtocol {
  if (path === undefined) return latchkeyFiles
  if (/^\/[^?#]*\{(?:name|sha256)\}/.test(path)) return filesAt(path)
  throw wrongUsage('--files must be a path with {name} or {sha256}, for example /files/{name}')
}

const maxPort = 65_535

function portOf(text: string | undefined): number {
  const port = Number(text ?? usualHubPort)
  if (Number.isInteger(port) && port > 0 && port <= maxPort) return port
  throw wrongUsage(`--hub-port must be a number from 1 to ${maxPort}`)
}

const maxWaitSeconds = 3600

function waitOf(text = '60'): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= maxWaitSeconds) return seconds
  throw wrongUsage(`--wait must be a number of seconds up to ${maxWaitSeconds}`)
}

async function openHub(casUrl: string, port: number): Promise<PlayedHub> {
  try {
    return await playHub(casUrl, port)
  } catch (error) {
    throw unavailable(`the port ${port} cannot be used: ${messageOf(error)}; choose a --hub-port`)
  }
}
