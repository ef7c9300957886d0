/** Plans what a push does to one ref. */

import { type CommitHash, isRefusal, type RefName, type Refusal } from '@latchkey/protocol'
import { makeRef } from '../commits/make-ref.ts'
import { moveRef } from '../commits/move-ref.ts'
import { removeRef, saveBefore } from '../commits/remove-ref.ts'
import { isLongerHash, type ObjectHash, type Quarantine, type TipEnd } from '../git/index.ts'
import { isNone } from '../large-files/open-revision.ts'
import { isFault, type PushedObjects, type PushFault } from './check-objects.ts'
import { faultOf, fetchFirst, type JudgedCommand } from './judge-command.ts'
import type { Push, PushParts } from './push.ts'
import { findPushedFiles, giveContent, type PushedFiles } from './pushed-files.ts'

export interface PlannedCommand {
  readonly ref: RefName
  readonly old: ObjectHash | undefined
  readonly isDeletion: boolean
  /** To be called in the repository's turn, with the objects of the push in the repository. */
  run(): Promise<Refusal | undefined>
}

interface Pushed {
  readonly quarantine: Quarantine
  readonly objects: PushedObjects
  readonly ends: ReadonlyMap<ObjectHash, TipEnd>
}

export interface Planning {
  readonly judged: JudgedCommand
  readonly pushed: Pushed | undefined
}

/** Refuses all that can be refused before a ref moves. */
export async function planCommand(
  parts: PushParts,
  push: Push,
  { judged, pushed }: Planning,
): Promise<PlannedCommand | PushFault> {
  const { ref, old } = judged
  if (judged.kind === 'delete') {
    const isForced = ref.startsWith('refs/tags/')
    const denied = isForced ? await refuseForce(push, ref) : undefined
    if (denied !== undefined) return denied
    return planRemoval(parts, push, { ref, old, dependents: judged.dependents, isForced })
  }
  if (pushed === undefined) return { fault: 'The push has no objects.' }
  const end = endOf(judged, pushed.ends)
  if (isFault(end)) return end
  if (judged.kind === 'move') return planMove(parts, push, { ...judged, ...end, pushed })
  // Shown refs lead to all that the pack does not hold.
  const files =
    pushed.objects.small.size === 0
      ? noFiles
      : await filesOf(push, pushed, { to: judged.to, others: await push.offered() })
  if (judged.kind === 'create') {
    const run = () => create(parts, push, { ref, ...end, files })
    return { ref, old, isDeletion: false, run }
  }
  if (judged.to === old) return { ref, old, isDeletion: false, run: async () => undefined }
  const denied = await refuseForce(push, ref)
  if (denied !== undefined) return denied
  const { dependents } = judged
  const removal = await planRemoval(parts, push, { ref, old, dependents, isForced: true })
  if (isFault(removal)) return removal
  const run = async () => (await removal.run()) ?? create(parts, push, { ref, ...end, files })
  return { ref, old, isDeletion: false, run }
}

const noFiles: PushedFiles = { added: [], others: [] }

interface End {
  readonly commit: CommitHash
  readonly tag: ObjectHash | undefined
}

/** The directory has commits alone; git may have a tag object in between. */
function endOf(
  { ref, to }: { readonly ref: RefName; readonly to: ObjectHash },
  ends: Pushed['ends'],
): End | PushFault {
  const { kind, commit } = ends.get(to) ?? {}
  if (commit === undefined) return { fault: 'It does not lead to a commit.' }
  if (kind === 'commit') return { commit, tag: undefined }
  if (ref.startsWith('refs/tags/')) return { commit, tag: to }
  return { fault: 'A branch points to a commit.' }
}

function filesOf(
  push: Push,
  { quarantine, objects }: Pushed,
  history: Parameters<typeof findPushedFiles>[2],
): Promise<PushedFiles> {
  push.signal.throwIfAborted()
  return findPushedFiles(quarantine, objects, history)
}

type Moving = Extract<JudgedCommand, { readonly kind: 'move' }> & End & { readonly pushed: Pushed }

async function planMove(
  parts: PushParts,
  push: Push,
  { ref, old, from, commit: to, permitted, pushed }: Moving,
): Promise<PlannedCommand | PushFault> {
  const { hub, repo, uid, repository, signal } = push
  const { quarantine } = pushed
  if (to === from) return { ref, old, isDeletion: false, run: async () => undefined }
  const hashes = isNone(from) || isLongerHash(from) ? [] : [from]
  // The directory may have a commit that nobody has brought here before.
  const isHere = old !== undefined || (await quarantine.infoOf(hashes))[0] !== undefined
  const [before] = isHere ? hashes : []
  const isForced =
    !isNone(from) && !(before !== undefined && (await quarantine.isAncestor(before, to)))
  const denied = isForced ? await refuseForce(push, ref) : undefined
  if (denied !== undefined) return denied
  const others = before === undefined ? [] : [before]
  const files = await filesOf(push, pushed, { to, before, others })
  const token = await permitted.storageToken()
  if (isRefusal(token)) return faultOf(token)
  const { storage } = parts
  const sources = await sourcesOf(push, ref)
  const refused = await giveContent({ hub, storage, repo, to: token, sources, signal }, files)
  if (refused !== undefined) return faultOf(refused)
  const { refUid } = token
  const move = { uid, repository, hub, repo, ref, from, to, refUid, isForced }
  const run = async () => {
    const end = await moveRef({ ...parts, hub: parts.port }, move)
    return end?.code === 'conflict' ? { ...end, detail: fetchFirst.fault } : end
  }
  return { ref, old, isDeletion: false, run }
}

/** Refs whose content may have been merged. */
async function sourcesOf(
  { hub, repo, defaultBranch }: Push,
  own: RefName,
): Promise<readonly RefName[]> {
  const found = await hub.refs(repo)
  if (isRefusal(found)) return []
  const names = [...found.refs].filter(([, commit]) => !isNone(commit)).map(([name]) => name)
  const isFirst = (name: RefName) => Number(name !== defaultBranch)
  return names
    .filter((name) => name !== own)
    .toSorted((one, other) => isFirst(one) - isFirst(other))
}

interface Creation extends End {
  readonly ref: RefName
  readonly files: PushedFiles
}

async function create(
  parts: PushParts,
  push: Push,
  { ref, commit, tag, files }: Creation,
): Promise<Refusal | undefined> {
  const { hub, repo, repository, signal } = push
  const reserved = await hub.newRef({ repo, ref })
  if (isRefusal(reserved)) return reserved
  const sources = await sourcesOf(push, ref)
  const { storage } = parts
  return makeRef(parts, {
    ...{ hub, repo, ref, reserved, repository, commit, tag, through: [] },
    // The push is past the point where a client that goes ends it.
    signal: new AbortController().signal,
    adopt(inTree) {
      const giving = { hub, storage, repo, to: reserved.token, sources, signal }
      return giveContent(giving, { added: files.added, others: [...files.others, ...inTree] })
    },
  })
}

interface Removal extends Pick<PlannedCommand, 'ref' | 'old'> {
  readonly dependents: Extract<JudgedCommand, { readonly kind: 'delete' }>['dependents']
  readonly isForced: boolean
}

async function planRemoval(
  parts: PushParts,
  { hub, repo, uid, repository, signal }: Push,
  { ref, old, dependents, isForced }: Removal,
): Promise<PlannedCommand | PushFault> {
  const removing = { hub, repo, uid, repository, ref, signal, isForced }
  const unsaved = await saveBefore(parts, removing, dependents)
  if (unsaved !== undefined) return faultOf(unsaved)
  return { ref, old, isDeletion: true, run: () => removeRef(parts, removing) }
}

/** Only a ref rule allows it, and an account in its own pull request. */
async function refuseForce({ hub, repo }: Push, ref: RefName): Promise<PushFault | undefined> {
  const mayForce = await hub.mayForce({ repo, ref })
  if (typeof mayForce !== 'boolean') return faultOf(mayForce)
  if (mayForce) return undefined
  return ref.startsWith('refs/tags/')
    ? { fault: 'Tags stay where they are, unless a ref rule allows force.' }
    : { fault: 'non-fast-forward: fetch and merge first. Only a ref rule can allow force.' }
}
