import { maxConfigurableCasUrlLength, storageAddress } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'

/** Names and refs of the longest kind take 2350 characters of a token; these two may have the rest. */
const maxIssuerAndAudienceLength = 1300

export function refuseLongAddresses({ publicUrl, casUrl }: Addresses): void {
  if (casUrl.length > maxConfigurableCasUrlLength) {
    throw new CannotStart(
      `casUrl has ${casUrl.length} characters; at most ${maxConfigurableCasUrlLength} are allowed.`,
    )
  }
  const together = publicUrl.length + storageAddress(casUrl).audience.length
  if (together > maxIssuerAndAudienceLength) {
    throw new CannotStart(
      `publicUrl and casUrl (up to its first placeholder) have ${together} characters together; at most ${maxIssuerAndAudienceLength} are allowed, because every storage token repeats both.`,
    )
  }
}

interface Addresses {
  readonly publicUrl: string
  readonly casUrl: string
}
