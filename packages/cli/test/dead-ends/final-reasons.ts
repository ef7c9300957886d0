/** Refusals that stay, whatever is done first: a closed list, each with the reason why nothing can lead past it. */

export interface FinalReason {
  readonly says: RegExp
  readonly why: string
  /** Commands of which the last is refused for this reason. */
  readonly example: readonly string[]
}

const bert = 'models/acme/bert'
const hash = '1'.repeat(40)
const identityOfAda = '--provider corp --issuer https://login.example --subject ada'

export const finalReasons: readonly FinalReason[] = [
  {
    says: /There is an? (?:account|namespace|repository) [^ ]+ already|has a team [^ ]+ already/,
    why: 'what was to be made is there already, and is shown',
    example: ['account create ada', 'account create ada'],
  },
  {
    says: /is no member of|is no collaborator of|has no ref rule|has no trusted publisher|is not in the team|does not name the group|is not linked to this identity|has no separate role/,
    why: 'what was to be taken away is not there, and the list shows what is',
    example: ['member delete acme ada'],
  },
  {
    says: /There is no [^.]*\. Check the name/,
    why: 'what is not there has no tokens to revoke, and making it would revoke none',
    example: ['account create ada', 'revoke account bob'],
  },
  {
    says: /There is no hub token with this id|There is no key /,
    why: 'ids are given by the hub, and the list shows them',
    example: ['account create ada', `hub-token show ${'a'.repeat(26)}`],
  },
  {
    says: /is linked to the account [^ ]+\. Unlink it there first/,
    why: 'only a person knows whose identity it is; the account that has it is shown',
    example: [
      'account create ada',
      'account create bob',
      `account link ada ${identityOfAda}`,
      `account link bob ${identityOfAda}`,
    ],
  },
  {
    says: /is revoked, which is final/,
    why: 'a revoked hub token stays revoked; a new one is made',
    example: ['hub-token create ada ci --kind read', 'hub-token revoke ID', 'hub-token set ID'],
  },
  {
    says: /has a hub token [^ ]+ already|its kind can never change/,
    why: 'a hub token with this name may be in use, and only a person can decide to revoke it',
    example: ['hub-token create ada ci --kind read', 'hub-token create ada ci --kind read'],
  },
  {
    says: /has a trusted publisher [^ ]+ already/,
    why: 'a trusted publisher with this name may be in use, and is shown',
    example: Array(2).fill(
      `publisher create ${bert} ci --preset other --issuer https://ci.example --claim sub=job --contents read`,
    ),
  },
  {
    says: /A publisher of \w+ needs /,
    why: 'only a person knows the ids of the project',
    example: [`publisher create ${bert} ci --preset github --claim ref=x --contents read`],
  },
  {
    says: /no name can be a branch and a tag at once/,
    why: 'a ref with this name may hold content, and only a person can decide to delete it',
    example: [`ref set ${bert} main`, `ref set ${bert} refs/tags/main ${hash}`],
  },
  {
    says: /was made from .*, and that can never change/,
    why: 'where a ref was made from is history',
    example: [
      `ref set ${bert} main`,
      `ref set ${bert} dev --from main`,
      `ref set ${bert} main --from dev`,
    ],
  },
  {
    says: /as expected\. Nothing was changed/,
    why: 'the caller expects another commit than there is',
    example: [`ref set ${bert} main ${hash} --expect ${hash}`],
  },
  {
    says: /must not sign yet|is still needed/,
    why: 'time must pass, and the list says until when',
    example: ['keys rotate', 'keys rotate', 'keys rotate'],
  },
  {
    says: /has no entry with this number/,
    why: 'the journal never had this number',
    example: ['account create ada', 'changes --since 5'],
  },
  {
    says: /A tag cannot be made from a branch|A new tag needs a commit|needs at least one grant/,
    why: 'the command itself is wrong, and another one is named',
    example: [`ref set ${bert} refs/tags/v1`],
  },
  {
    says: /so that pruning deletes it/,
    why: 'the file refers to what it prunes, so the file has to change',
    example: ['namespace create acme', 'apply - --prune'],
  },
]
