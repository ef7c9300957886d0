/** Stores the content of a file while it comes: piece by piece, each packed on a thread into a xorb. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { type Release, type Shares, withShare } from '@latchkey/service/limits/shares'
import { maxPieceBytes, type PieceState, type WholeFile } from '@latchkey/xet/pieces'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import { Terms } from '../catalog/terms.ts'
import { unlessFull } from '../objects/file-errors.ts'
import type { Draft, ObjectStore } from '../objects/object-store.ts'
import type { StorageCall } from '../request/asked.ts'
import { refusalOfFailure, tooManyPieces } from '../request/refusals.ts'
import type { StoreXorb } from '../xorbs/upload-xorb.ts'
import type { PackPool } from './pack-work.ts'
import type { PieceSource } from './piece-source.ts'

/** A file as far as its content is stored. */
export interface FilePart {
  /** Undefined at its beginning. */
  readonly state: PieceState | undefined
  readonly terms: readonly Terms[]
  /** Once it is whole. */
  readonly file: WholeFile | undefined
}

export const noPart: FilePart = { state: undefined, terms: [], file: undefined }

export interface PieceStoring {
  readonly objects: Pick<ObjectStore, 'receive' | 'newDraft'>
  readonly packs: Pick<PackPool, 'run'>
  readonly packSlots: Shares
  /** In bytes of drafts. */
  readonly drafts: Shares
  readonly storeXorb: StoreXorb
  readonly shardCaps: ShardCaps
  readonly whenLinked: () => Promise<Refusal | undefined>
}

export interface PiecesToStore {
  readonly source: PieceSource
  /** The part that is stored already. */
  readonly from: FilePart
  /** Whether a body that broke leaves what came of it. */
  readonly isKept: boolean
  /** Asked at the end of the body. */
  isWhole(): boolean
  /** Called after each piece but the last of the file, before the next one is packed. */
  onStored(part: FilePart): Promise<Refusal | undefined>
}

export type PieceCall = Pick<StorageCall, 'payer' | 'place' | 'view' | 'signal' | 'body'>

const mebibyte = 1024 * 1024

/** The first ones are small: a break loses little. Each costs two transactions, so that a large file has larger ones. */
const pieceSizes = [
  { bytes: 8 * mebibyte, until: 64 * mebibyte },
  { bytes: 32 * mebibyte, until: 4096 * mebibyte },
]

function pieceBytesAt(start: number): number {
  return pieceSizes.find(({ until }) => start < until)?.bytes ?? maxPieceBytes
}

/** For what is in drafts at once: a piece that comes, one that is packed, and its xorb. */
export function takeDraftRoom(
  { drafts }: Pick<PieceStoring, 'drafts'>,
  { payer, signal, body: { length = maxPieceBytes } }: PieceCall,
): Promise<Release | Refusal> {
  return drafts.take(payer, signal, 3 * Math.min(length, maxPieceBytes))
}

/** While one piece is packed and stored, the next one comes. */
export async function storePieces(
  storing: PieceStoring,
  call: PieceCall,
  toStore: PiecesToStore,
): Promise<FilePart | Refusal> {
  const { source, from, isKept } = toStore
  let stored: Promise<FilePart | Refusal> = Promise.resolve(from)
  for (let start = from.state?.bytes ?? 0; ; ) {
    const most = pieceBytesAt(start)
    const piece = await storing.objects.receive(source.next(most), most).catch(async (error) => {
      await stored.catch(() => {})
      throw error
    })
    if (piece === undefined) throw new Error('a piece is longer than it may be')
    start += piece.bytes
    const { isEnded, broken } = source
    const before = await orDiscard(piece, stored)
    if (isRefusal(before)) return before
    if (broken !== undefined && !isKept) {
      await piece.discard()
      throw broken.reason
    }
    const isFileEnd = isLast(toStore)
    // The body ended with the piece before, or broke at once.
    if (piece.bytes === 0 && isEnded && !isFileEnd) {
      await piece.discard()
      return before
    }
    stored = storePiece(storing, call, { piece, before, isLast: isFileEnd, toStore })
    if (isEnded) return stored
    stopOnFailure(stored, call)
  }
}

function isLast({ source, isWhole }: PiecesToStore): boolean {
  return source.isEnded && source.broken === undefined && isWhole()
}

async function orDiscard(
  piece: Draft,
  stored: Promise<FilePart | Refusal>,
): Promise<FilePart | Refusal> {
  try {
    const before = await stored
    if (isRefusal(before)) await piece.discard()
    return before
  } catch (error) {
    await piece.discard()
    throw error
  }
}

/** The client need not send the rest. */
function stopOnFailure(stored: Promise<FilePart | Refusal>, { body }: PieceCall): void {
  stored.then(
    (part) => isRefusal(part) && body.stop(part),
    (error) => body.stop(refusalOfFailure(error) ?? failed),
  )
}

/** Not sent: the error that stopped the body is thrown. */
const failed = refuse('internal_error', 'The storage failed to store a piece of this file.')

interface Piece {
  readonly piece: Draft
  readonly before: FilePart
  readonly isLast: boolean
  readonly toStore: Pick<PiecesToStore, 'onStored'>
}

async function storePiece(
  { objects, packs, packSlots, storeXorb, shardCaps, whenLinked }: PieceStoring,
  call: PieceCall,
  { piece, before, isLast, toStore }: Piece,
): Promise<FilePart | Refusal> {
  const { payer, signal, view } = call
  const draft = objects.newDraft()
  try {
    const away = await whenLinked()
    if (away !== undefined) return away
    const task = { piece: piece.id, xorb: draft.id, state: before.state, isLast, view }
    const packed = await withShare(packSlots.take(payer, signal), () =>
      unlessFull(() => packs.run(task, { signal })),
    )
    if (isRefusal(packed)) return packed
    const { xorb, state, file } = packed
    const terms = [...before.terms, Terms.of(packed.terms)]
    // Every request for the upload reads and writes them all.
    if (terms.reduce((sum, { count }) => sum + count, 0) > shardCaps.terms) return tooManyPieces
    if (xorb !== undefined) {
      const { hash, bytes } = xorb
      const added = await storeXorb(call, { hash, draft: { ...draft, bytes } })
      if (isRefusal(added)) return added
    }
    const part = { state, terms, file }
    return (file === undefined ? await toStore.onStored(part) : undefined) ?? part
  } finally {
    await piece.discard()
    await draft.discard()
  }
}
