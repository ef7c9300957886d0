import { longestConfigurableCasUrl, storageAddress } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'

/** Names and refs of the longest kind take 2350 characters of a token; these two may have the rest. */
const longestIssuerAndAudience = 1300

export function refuseLongAddresses({ publicUrl, casUrl }: Addresses): void {
  if (casUrl.length > longestConfigurableCasUrl) {
    throw new CannotStart(
      `casUrl has ${casUrl.length} characters; at most ${longestConfigurableCasUrl} are allowed.`,
    )
  }
  const together = publicUrl.length + storageAddress(casUrl).audience.length
  if (together > longestIssuerAndAudience) {
    throw new CannotStart(
      `publicUrl and casUrl (up to its first placeholder) have ${together} characters together; at most ${longestIssuerAndAudience} are allowed, because every storage token repeats both.`,
    )
  }
}

interface Addresses {
  readonly publicUrl: string
  readonly casUrl: string
}
