import {
  defaultStorage,
  maxConfigurableCasUrlLength,
  type NamedStorage,
  storageAddress,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'

/** Names and refs of the longest kind take 2350 characters of a token; these two may have the rest. */
const maxIssuerAndAudienceLength = 1300

interface Addresses {
  readonly publicUrl: string
  readonly casUrl: string
  readonly storages?: readonly NamedStorage[] | undefined
}

export function refuseUnusableAddresses(addresses: Addresses): void {
  const { publicUrl, casUrl, storages = [] } = addresses
  refuseLong('casUrl', publicUrl, casUrl)
  const first = { called: 'casUrl', storage: { name: defaultStorage, casUrl } }
  const others = storages.map((storage) => ({ called: `storages.${storage.name}`, storage }))
  const earlier = [first]
  for (const { called, storage } of others) {
    refuseLong(called, publicUrl, storage.casUrl)
    for (const one of earlier) refuseSame(one, { called, storage })
    earlier.push({ called, storage })
  }
}

function refuseLong(called: string, publicUrl: string, casUrl: string): void {
  if (casUrl.length > maxConfigurableCasUrlLength) {
    throw new CannotStart(
      `${called} has ${casUrl.length} characters; at most ${maxConfigurableCasUrlLength} are allowed.`,
    )
  }
  const together = publicUrl.length + storageAddress(casUrl).audience.length
  if (together > maxIssuerAndAudienceLength) {
    throw new CannotStart(
      `publicUrl and ${called} (up to its first placeholder) have ${together} characters together; at most ${maxIssuerAndAudienceLength} are allowed, because every storage token repeats both.`,
    )
  }
}

interface CalledStorage {
  readonly called: string
  readonly storage: NamedStorage
}

/** Security boundary: the audience is all that keeps a token for one storage from opening another. */
function refuseSame(one: CalledStorage, other: CalledStorage): void {
  if (one.storage.name === other.storage.name) {
    throw new CannotStart(
      `storages has the name ${other.storage.name} twice${one.called === 'casUrl' ? ': it is the name of the storage at casUrl' : ''}. Give each storage another name.`,
    )
  }
  if (storageAddress(one.storage.casUrl).audience !== storageAddress(other.storage.casUrl).audience)
    return
  throw new CannotStart(
    `${one.called} and ${other.called} are the same up to the first placeholder, so a token for one storage would open the other. Give each storage another address.`,
  )
}
