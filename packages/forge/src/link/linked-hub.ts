/** The hub as a forge in a process of its own sees it: the same questions as within one process, over the link. */

import {
  decodeRefs,
  decodeRefusal,
  decodeReserved,
  decodeToken,
  type LinkAnswer,
  type LinkRefs,
  type LinkReserved,
  type LinkToken,
} from '@latchkey/admin-api/forge-codec'
import type {
  CallerDecision,
  CallerPort,
  CallerProfile,
  CallerQuestions,
  CallerRef,
  CallerRequest,
  CreatedRepository,
  PermittedRevision,
  RefDependents,
  RepositoryDescription,
  RepositoryPage,
  RevisionTarget,
} from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  formatRepoRef,
  formatRevision,
  parseRevision,
  type RefName,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
} from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/addresses'
import { anonymousOwner } from '@latchkey/service/limits/shares'
import { type AskLink, askLink, type LinkPlace } from './ask-link.ts'

export interface LinkedHub extends CallerPort {
  /** Ends its connections. To be called once no question is under way. */
  close(): Promise<void>
}

interface DeletedRepository {
  readonly uid: RepositoryUid
}

/** The most uids of one question. */
const maxUids = 1000

export function linkedHub(place: LinkPlace): LinkedHub {
  const link = askLink(place)
  const own = async <Result>(name: string, input: object): Promise<Result> => {
    const answer = await link.question(name, { input })
    return answer.result as Result
  }
  const perPart = async (name: string, uids: readonly RepositoryUid[]) => {
    const found: RepositoryUid[][] = []
    for (let at = 0; at === 0 || at < uids.length; at += maxUids) {
      found.push(await own(name, { uids: uids.slice(at, at + maxUids) }))
    }
    return found
  }
  return {
    asking: (request) => questionsOf(request, link),
    async refsOf(uid, only) {
      const refs = await own<[RefName, CommitHash][] | undefined>('refsOf', { uid, only })
      return refs && new Map(refs)
    },
    dropReserved: (uid, refUid) => own('dropReserved', { uid, refUid }),
    expireUploads: () => own('expireUploads', {}),
    deletedAmong: async (uids) => (await perPart('deletedAmong', uids)).flat(),
    async hold(uids) {
      await perPart('hold', uids)
    },
    release: (uid) => own('release', { uid }),
    close: link.close,
  }
}

/** The most that the hub reads: what is longer is no hub token, and no name. */
const maxCredential = 8192
const maxWord = 512

function questionsOf(request: CallerRequest, link: AskLink): CallerQuestions {
  const { address, requestId, ticket } = request
  // Two of them are refused as more would be.
  const authorization = request.authorization
    .slice(0, 2)
    .map((text) => text.slice(0, maxCredential))
  let account: string | undefined
  let isCounted = false
  const caller = () => {
    const asking = { authorization, ticket, address, requestId, isCounted }
    isCounted = true
    return asking
  }
  const note = (answer: LinkAnswer) => {
    account = answer.payer ?? account
    return answer
  }
  const ask = async (name: string, input: object = {}) =>
    note(await link.question(name, { caller: caller(), input }))
  const change = async (name: string, input: object) =>
    note(await link.change(name, { caller: caller(), input }))
  const storageToken: CallerQuestions['storageToken'] = async ({ without, ...target }) => {
    const answer = await ask('storageToken', { ...wordsOf(target), without })
    return read(answer, (token: LinkToken) => decodeToken(token))
  }
  const decided =
    ({ scope }: RevisionTarget) =>
    (permitted: PermittedRevision): CallerDecision => {
      const { repo, ref } = permitted
      const revision = parseRevision(ref.name)
      return { ...permitted, storageToken: () => storageToken({ repo, revision, scope }) }
    }
  return {
    payer: () => account ?? anonymousOwner(networkOf(address)),
    admit: async () => read(await ask('admit'), nothing),
    visitor: async () => unrefused<string | undefined>(await ask('visitor')),
    whoami: async () => plain<CallerProfile>(await ask('whoami')),
    decide: async (target) => read(await ask('decide', wordsOf(target)), decided(target)),
    describe: async (uid) =>
      unrefused<RepositoryDescription | undefined>(await ask('describe', { uid })),
    storageToken,
    refs: async (repo) =>
      read(await ask('refs', { repo: wordOf(repo) }), (refs: LinkRefs) => decodeRefs(refs)),
    async repositories({ type, namespace, search, after, limit }) {
      const words = { namespace: cut(namespace), search: cut(search), after: cut(after) }
      const page = await ask('repositories', { type, ...words, limit })
      return read(page, ({ repositories, next }: RepositoryPage) => ({ repositories, next }))
    },
    newRef: async (ref) =>
      read(await ask('newRef', refWords(ref)), (reserved: LinkReserved) =>
        decodeReserved(reserved),
      ),
    dependents: async (ref) => plain<RefDependents>(await ask('dependents', refWords(ref))),
    mayForce: async (ref) => plain<boolean>(await ask('mayForce', refWords(ref))),
    openUpload: async (target) =>
      plain<PermittedRevision>(await ask('openUpload', wordsOf(target))),
    async uploadTokens(repo) {
      const tokens = unrefused<readonly LinkToken[]>(
        await ask('uploadTokens', { repo: wordOf(repo) }),
      )
      return tokens.map(decodeToken)
    },
    createRepository: async ({ repo, visibility }) =>
      plain<CreatedRepository>(
        await change('createRepository', { repo: wordOf(repo), visibility }),
      ),
    deleteRepository: async (repo) =>
      plain<DeletedRepository>(await change('deleteRepository', { repo: wordOf(repo) })),
    async moveRef({ from, to, refUid, isNew, isForced, ...ref }) {
      const input = { ...refWords(ref), from, to, refUid, isNew, isForced }
      return read(await change('moveRef', input), nothing)
    },
    async deleteRef({ from, refUid, saved, isForced, ...ref }) {
      const savedCommits = saved.commits.map(({ hash, isHeldElsewhere }) => ({
        hash,
        isHeldElsewhere,
      }))
      const savedRefs = saved.refs.map(({ name, commit }) => ({ name, commit }))
      const input = { ...refWords(ref), from, refUid, savedCommits, savedRefs, isForced }
      return read(await change('deleteRef', input), nothing)
    },
  }
}

function wordOf(repo: RepoRef | undefined): string | undefined {
  return repo && formatRepoRef(repo)
}

function wordsOf({ repo, revision, scope }: RevisionTarget) {
  return { repo: wordOf(repo), revision: revision && formatRevision(revision), scope }
}

function refWords({ repo, ref, asProposer }: CallerRef) {
  return { repo: wordOf(repo), ref, asProposer }
}

/** No name is as long, so what is cut off matches nothing either. */
function cut(text: string | undefined): string | undefined {
  return text?.slice(0, maxWord)
}

function nothing(): undefined {
  return undefined
}

function read<Wire, Result>(
  { result, refusal }: LinkAnswer,
  decode: (wire: Wire) => Result,
): Result | Refusal {
  return refusal === undefined ? decode(result as Wire) : decodeRefusal(refusal)
}

function plain<Result>(answer: LinkAnswer): Result | Refusal {
  return read(answer, (result: Result) => result)
}

/** For a question that the hub refuses nobody. */
function unrefused<Result>({ result }: LinkAnswer): Result {
  return result as Result
}
