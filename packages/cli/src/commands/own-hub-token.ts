/** `latchkey hub-token … --mine`: hub tokens of one's own account, by the login of this machine or in a browser. */

import { Option as Flag } from 'commander'
import { approveHubToken, askAccount } from '../client/own-things.ts'
import { localOnly } from '../management/choose-management.ts'
import type { Input } from '../management/management.ts'
import { showResult, withOutput } from '../output/show-result.ts'
import { wrongUsage } from '../output/stop.ts'

export interface MineForm {
  /** The input members that it takes as arguments. */
  readonly positional: readonly string[]
  /** Options about hub tokens of others, by their attributes. */
  readonly others: readonly string[]
  readonly about: string
  readonly usage: string
  run(input: Input, flags: Input): Promise<void>
}

/** By the words of the verb whose command has the form as well. */
export const mineForms: Readonly<Record<string, MineForm>> = {
  'hub-token create': {
    positional: ['name'],
    others: ['storage', 'namespace', 'adminScope'],
    about: 'Create one for your own account: approve it in a browser.',
    usage: '[options] <account> <name>\n       latchkey hub-token create --mine [options] <name>',
    async run(input, flags) {
      if (!['read', 'write', 'fine-grained'].includes(String(input['kind'])))
        throw wrongUsage('--kind: with --mine, give read, write or fine-grained')
      await make({ type: 'hub-token-create', ...input }, flags)
    },
  },
  'hub-token list': {
    positional: [],
    others: ['account', 'state', 'hint', 'limit', 'after', 'all'],
    about: 'List those of your own account, by your login.',
    usage: '[options]',
    async run(_, flags) {
      await showList('hub-tokens', flags)
    },
  },
  'hub-token revoke': {
    positional: ['hubToken'],
    others: [],
    about: 'Revoke one of your own account, by your login.',
    usage: '[options] <hubToken>',
    run: ({ hubToken }, flags) => revokeOwn(`hub-tokens/${hubToken}`, flags),
  },
}

export function mineFlag({ about, others }: MineForm): Flag {
  return new Flag('--mine', about).conflicts([...localOnly, ...others])
}

export function ownInput(form: MineForm, args: readonly string[], options: Input): Input {
  const [extra] = args.slice(form.positional.length)
  if (extra !== undefined) {
    throw wrongUsage('--mine: the account is that of your sign-in; leave its name out')
  }
  const named = form.positional.map((member, index) => [member, args[index]])
  return Object.fromEntries([...Object.entries(options), ...named])
}

/** The browser shows what will be made; the command gets it once. */
export async function make(wish: Input, flags: Input): Promise<void> {
  await withOutput(flags, async (output) => {
    showResult(await approveHubToken(flags, wish), output)
  })
}

export async function showList(path: 'hub-tokens' | 'sessions', flags: Input): Promise<void> {
  const { items } = await askAccount(flags, 'GET', path)
  const all = Array.isArray(items) ? items : []
  showResult(
    { items: all, total: all.length },
    { json: flags['json'] === true, keepSecret: undefined },
  )
}

export async function revokeOwn(path: string, flags: Input): Promise<void> {
  const revoked = await askAccount(flags, 'POST', `${path}/revoke`)
  showResult(
    { revoked: revoked['id'], name: revoked['name'] },
    { json: flags['json'] === true, keepSecret: undefined },
  )
}
