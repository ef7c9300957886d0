/** The account or client that the work for a request is charged to. */
export interface Payer {
  /** The id of the account, or `anonymousPayer` of a client. Never a token: an account may have many. */
  readonly account: string
  readonly repositoryUid?: string
}

/** No id of an account has a space. */
const prefix = 'anonymous '

/** The account that stands for anonymous clients of one network. */
export function anonymousPayer(network: string): string {
  return `${prefix}${network}`
}

export function isAnonymous({ account }: Payer): boolean {
  return account.startsWith(prefix)
}
