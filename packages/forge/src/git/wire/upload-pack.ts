/** Answers `git clone` and `git fetch` over HTTP: what `git upload-pack` says, streamed. */

import { feed, type Input } from '../process/feed.ts'
import type { GitCommands } from '../process/git-commands.ts'
import type { GitProcess } from '../process/start-git.ts'

export interface PackRequest {
  /** The client's `Git-Protocol` header. */
  readonly protocol?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Breaks off with an error if git fails, and ends git if nobody reads on. */
export type PackBody = AsyncGenerator<Uint8Array, void, undefined>

/** A client may be slow and a repository large. When the client has gone, the signal ends git. */
const deadlineMs = 3_600_000
const maxBytes = 64 * 1024 ** 3

/** For `GET …/info/refs?service=git-upload-pack`: the refs that clients see, or what protocol 2 can do. */
export async function* advertiseRefs(commands: GitCommands, request: PackRequest): PackBody {
  const git = await startPack(commands, ['--http-backend-info-refs'], request)
  git.stdin.end()
  // Protocol 2 begins without it.
  if (versionOf(request) !== 2) yield Buffer.from('001e# service=git-upload-pack\n0000')
  yield* git.output()
}

/** For `POST …/git-upload-pack`. The body is read as git reads it, and must not be compressed any more. */
export async function* uploadPack(
  commands: GitCommands,
  { body, ...request }: PackRequest & { readonly body: Input },
): PackBody {
  const git = await startPack(commands, [], request)
  void feed(git, body)
  yield* git.largeOutput()
}

function startPack(
  commands: GitCommands,
  options: readonly string[],
  request: PackRequest,
): Promise<GitProcess> {
  const args = ['upload-pack', '--strict', '--stateless-rpc', ...options, '--', commands.folder]
  const env = { GIT_PROTOCOL: `version=${versionOf(request)}` }
  const { signal } = request
  return commands.start(args, { env, deadlineMs, maxBytes, signal, waitsForClient: true })
}

/** Only the version of a client's protocol line reaches git. */
export function versionOf({ protocol = '' }: Pick<PackRequest, 'protocol'>): 0 | 2 {
  return protocol.split(':').includes('version=2') ? 2 : 0
}
