/** The public route without a hub: real windows and a real database, on a timer that the test moves. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  noJournalNumber,
  refuse,
} from '@latchkey/protocol'
import { serveRoutes } from '@latchkey/service/http/routes'
import { pooledRandom } from '@latchkey/service/machine/random'
import { type Answered, inject } from '@latchkey/testing/http/inject'
import type { Revocable } from '@latchkey/token'
import type { RevokePost } from '../../../src/operations/admin-call.ts'
import { commitWindows } from '../../../src/revocation/report/commit-windows.ts'
import { reportLimits } from '../../../src/revocation/report/report-limits.ts'
import {
  type Post,
  type RevokeReported,
  reportedRevoker,
} from '../../../src/revocation/report/revoke-reported.ts'
import { serveRevoke } from '../../../src/revocation/report/serve-revoke.ts'
import { openDirectory } from '../../verbs/open-directory.ts'

/** A text `live …` is taken for a storage token of ours with this id, everything else for none. */
export async function movedWindows(
  change: (commit: RevokeReported) => RevokeReported = (same) => same,
) {
  const { store, now } = await openDirectory()
  const timer = movedTimer()
  const [commits, joined, committed]: [number[], Counted, Counted] = [[], counted(), counted()]
  const commit = change(reportedRevoker({ ...store, clock: () => now }))
  const [logged, failures]: [RevokePost[], unknown[]] = [[], []]
  const join = commitWindows<Post>({
    async commit(posts) {
      commits.push(posts.length)
      await commit(posts).finally(committed.count)
    },
    onFailure: (error) => failures.push(error),
    wait: timer.wait,
  })
  const handle = serveRevoke({
    clientAddress: ({ headers }) => String(headers['x-address'] ?? '192.0.2.1'),
    limits: reportLimits(() => 0),
    verifyPartner: undefined,
    isOwnOnly: false,
    verifyReport: async (texts) => ({
      hubTokenHashes: [],
      refreshTokenHashes: [],
      tokens: texts.filter((text) => text.startsWith('live')).map(tokenCalled),
    }),
    join(post) {
      const answered = join(post)
      joined.count()
      return answered
    },
    logPost: (post) => logged.push(post),
  })
  const serve = serveRoutes([{ method: 'POST', path: '/revoke', handle }], {
    name: 'hub',
    randomBytes: pooledRandom(),
    notFound: () => refuse('not_found', 'The hub has no route at this path.'),
    logFailure: (error) => failures.push(error),
  })
  /** Sends a report; `answer` is there once there is one. */
  const send = (tokens: readonly string[], address = '192.0.2.1') => {
    const sent: { answer: Answered | undefined; over: Promise<unknown> } = {
      answer: undefined,
      over: Promise.resolve(),
    }
    const headers = { 'x-address': address }
    sent.over = inject(serve, {
      ...{ method: 'POST', url: '/revoke', headers, payload: { tokens } },
    }).then((answer) => {
      sent.answer = answer
    })
    return sent
  }
  /** Time passes until the reports are answered. */
  const untilAnswered = async (...sent: readonly { readonly over: Promise<unknown> }[]) => {
    const over = Promise.all(sent.map((one) => one.over)).then(() => 'over')
    while ((await Promise.race([over, timer.waits(1)])) !== 'over') timer.tick()
  }
  const rows = () =>
    store.directory.read((tables) => tables.selectFrom('cut_offs').select('id').execute())
  const { directory } = store
  return {
    send,
    timer,
    commits,
    joined,
    committed,
    untilAnswered,
    logged,
    failures,
    rows,
    directory,
  }
}

/** Counts events, and tells when there were so many. */
function counted() {
  let happened = 0
  let told = Promise.withResolvers<void>()
  return {
    count(): void {
      happened += 1
      told.resolve()
      told = Promise.withResolvers()
    },
    async reaches(count: number): Promise<void> {
      while (happened < count) await told.promise
    },
  }
}

type Counted = ReturnType<typeof counted>

/** Time passes when the test says so, to all who wait at that moment. */
function movedTimer() {
  let waiting: (() => void)[] = []
  let told = Promise.withResolvers<void>()
  return {
    wait: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve)
        told.resolve()
        told = Promise.withResolvers()
      }),
    /** Until so many wait for the next tick. */
    async waits(count: number): Promise<void> {
      while (waiting.length < count) await told.promise
    },
    tick(): void {
      const now = waiting
      waiting = []
      for (const resolve of now) resolve()
    },
  }
}

function tokenCalled(tokenId: string): Revocable {
  return {
    kid: 'kid',
    tokenId,
    hubToken: asHubTokenId(`hub token of ${tokenId}`),
    subject: asAccountId('ada'),
    repositoryUid: asRepositoryUid('repository'),
    namespace: 'acme',
    refUids: [asRefUid('ref')],
    asOf: noJournalNumber,
  }
}
