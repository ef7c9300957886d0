/** `POST /v1/shards/adopt`: files that other tokens of the repository see are given to the token's own ref, without a byte being sent. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { type Shares, withShare } from '@latchkey/service/limits/shares'
import { type Hash, parseHash } from '@latchkey/xet/format'
import { xorbRemoved } from '../catalog/add-files.ts'
import type { Catalog, SeenRefView, View, WritablePlace } from '../catalog/catalog.ts'
import { jsonReply, type Sight, type StorageCall, type StorageHandler } from '../request/asked.ts'
import { maxListedFiles, withWholeBody } from '../request/whole-body.ts'
import { type Adoptable, registrationOf, type WantedRegistration } from './adopted-registration.ts'
import type { ShardSlots } from './shard-slots.ts'

export interface Adopting extends Adoptable {
  readonly catalog: Adoptable['catalog'] & Pick<Catalog, 'addFiles'>
  readonly whenLinked: () => Promise<Refusal | undefined>
  readonly slots: Pick<ShardSlots, 'small'>
  readonly bodyRoom: Shares
}

/** Tokens that one request may name beside its own. */
export const maxThroughTokens = 8

const maxBytes = 256 * 1024

export function adoptFiles(adopting: Adopting): StorageHandler {
  const { bodyRoom } = adopting
  const bounds = { bodyRoom, maxBytes: maxBytes, name: 'list of files' }
  const adoptListed = async (call: StorageCall, body: Buffer) => {
    const listed = readList(body.toString('utf8'))
    if (listed === undefined) return badList
    const sights = await lookThroughAll(call, listed.through)
    if (isRefusal(sights)) return sights
    const away = await adopting.whenLinked()
    if (away !== undefined) return away
    const { payer, signal, place } = call
    const adopted = await withShare(adopting.slots.small.take(payer, signal), () =>
      adopt(adopting, {
        files: listed.files,
        view: joined(call.view, sights),
        place: placeFor(place, sights),
        signal,
      }),
    )
    return isRefusal(adopted) ? adopted : jsonReply({ result: Number(adopted) })
  }
  return (call) => withWholeBody(call, bounds, (body) => adoptListed(call, body))
}

interface Listed {
  readonly files: readonly Hash[]
  readonly through: readonly string[]
}

function readList(text: string): Listed | undefined {
  const { files, through = [] } = membersOf(text)
  if (!isTexts(files) || !isTexts(through)) return undefined
  const hashes = files.map(parseHash).filter((hash) => hash !== undefined)
  const isReadable = hashes.length === files.length && files.length > 0
  const isBounded = files.length <= maxListedFiles && through.length <= maxThroughTokens
  return isReadable && isBounded ? { files: [...new Set(hashes)], through } : undefined
}

function membersOf(text: string): { readonly files?: unknown; readonly through?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

const badList = refuse(
  'bad_request',
  `The body must be { "files": […], "through": […] }: 1 to ${maxListedFiles} hashes of files, each 64 lower-case hexadecimal digits, and at most ${maxThroughTokens} storage tokens of the same repository.`,
)

/** A token that is not good refuses the whole request: nothing is adopted that its caller did not mean. */
async function lookThroughAll(
  { lookThrough }: StorageCall,
  tokens: readonly string[],
): Promise<readonly Sight[] | Refusal> {
  const sights: Sight[] = []
  for (const token of tokens) {
    const sight = await lookThrough(token)
    if (isRefusal(sight)) return sight
    sights.push(sight)
  }
  return sights
}

/** The union of several views: all are of one repository. */
function joined(own: View, sights: readonly Sight[]): View {
  if (own.refs === undefined) return own
  const refs = new Map<string, SeenRefView>()
  for (const ref of [own, ...sights.map(({ view }) => view)].flatMap(({ refs }) => refs ?? [])) {
    const before = refs.get(ref.uid)
    if (before === undefined || reachesFurther(ref, before)) refs.set(ref.uid, ref)
  }
  return { ...own, refs: [...refs.values()] }
}

/** Without a limit is furthest. */
function reachesFurther(one: SeenRefView, other: SeenRefView): boolean {
  if (one.before === undefined || other.before === undefined) return one.before === undefined
  return one.before > other.before
}

/** Every token must be good in the transaction that writes, not only the one that writes. */
function placeFor(place: WritablePlace, sights: readonly Sight[]): WritablePlace {
  return {
    ...place,
    refuseIfRevoked() {
      for (const { refuseIfRevoked } of [place, ...sights]) {
        const revoked = refuseIfRevoked()
        if (revoked !== undefined) return revoked
      }
      return undefined
    },
  }
}

interface Adoption extends WantedRegistration {
  readonly place: WritablePlace
}

/** Registered as an upload is; looked up again when content was removed between the two. */
async function adopt(adopting: Adopting, adoption: Adoption): Promise<boolean | Refusal> {
  for (;;) {
    const registration = await registrationOf(adopting, adoption)
    if (isRefusal(registration)) return registration
    const added = await adopting.catalog.addFiles(adoption.place, registration)
    if (!isRefusal(added) || added.reason !== xorbRemoved) return added
  }
}
