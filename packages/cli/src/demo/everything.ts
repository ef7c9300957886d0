/** Prints all repositories, all hub tokens and more commands to paste, for `latchkey demo`. */

import type { Scope } from '@latchkey/protocol'
import type { Colours } from '../output/colours.ts'
import { addressLines, type Demo } from './demo.ts'
import { dataFlag } from './demo-screen.ts'
import { type DemoTokenName, mayDo, model, world } from './world.ts'

/** No line is wider than 100 columns, except those to paste, which must stay whole. */
export function everything(demo: Demo, colours: Colours): string {
  const { bold, dim } = colours
  const parts = [
    ...addressLines(demo, colours, pagesOf(demo)),
    '',
    bold('Repositories'),
    ...world.repositories.map(repositoryLine),
    '',
    bold('Hub tokens') + dim('  they stay the same at every start of this demo'),
    ...world.hubTokens.map((token) => tokenLine(demo, token, colours)),
    '',
    bold('Try it') + dim('  paste a line into another terminal, in the directory of the demo'),
    '',
    ...tries(demo, colours),
  ]
  return parts.join('\n')
}

function pagesOf({ url }: Demo) {
  return {
    keys: `${url}/.well-known/jwks.json`,
    API: `${url}/openapi.json`,
    health: `${url}/healthz`,
  }
}

function repositoryLine({
  type,
  id,
  visibility,
  ...refs
}: (typeof world.repositories)[number]): string {
  const tags = 'tags' in refs ? Object.keys(refs.tags).map((tag) => `tag ${tag}`) : []
  const names = [...Object.keys(refs.branches), ...tags].join(', ')
  return `  ${`${type}s/${id}`.padEnd(30)}  ${visibility.padEnd(7)}  ${names}`
}

function tokenLine(
  { tokens }: Demo,
  { account, name }: (typeof world.hubTokens)[number],
  { dim }: Colours,
): string {
  const found = tokens.get(name)
  if (found?.id === undefined) {
    return `  ${name} of ${account} was deleted; the next start of the demo creates another`
  }
  const again = found.isReplacement ? ' (new: the previous one was revoked)' : ''
  return `  ${found.text}  ${account.padEnd(6)}  ${dim(mayDo[name] + again)}`
}

function tries(demo: Demo, colours: Colours): string[] {
  const { url, tokens, command } = demo
  const { green, red } = colours
  const request = (token: DemoTokenName, scope: Scope, revision: string) =>
    `LATCHKEY_HUB_TOKEN=${tokens.get(token)?.text} ${command} token ${scope} ${model}@${revision} --json`
  return [
    `  ${green('1')} guest gets a read token for the public model (use one terminal):`,
    `export LATCHKEY_HUB=${url}`,
    request('demo-read', 'read', 'main'),
    '',
    `  ${green('2')} ci-bot gets a write token for the branch feature/long-context:`,
    request('demo-ci', 'write', 'feature/long-context'),
    '',
    `  ${red('3')} ci-bot gets status 403: its hub token covers feature/** only, and release/* needs an admin:`,
    request('demo-ci', 'write', 'release/1.0'),
    '',
    '  The hub explains this decision step by step:',
    `${command} explain token write ${model}@release/1.0 --as ci-bot --with ${tokens.get('demo-ci')?.id} --demo${dataFlag(demo)}`,
    '',
    '  The journal lists every change; --follow also shows the next ones:',
    `${command} changes --demo${dataFlag(demo)}`,
    '',
    ...(demo.storageUrl === undefined ? [] : storageTries(demo, colours)),
  ]
}

/** One shell for all of them: the first line sets variables for the others. */
function storageTries({ tokens, command }: Demo, { green, red }: Colours): string[] {
  const token = (name: DemoTokenName) => `LATCHKEY_HUB_TOKEN=${tokens.get(name)?.text}`
  return [
    `  ${green('4')} ada uploads a file; the command prints its hash:`,
    `date > now.txt; FILE=$(${token('demo-write')} ${command} upload ${model} now.txt); echo $FILE`,
    '',
    `  ${green('5')} guest downloads it with a token for the same repository:`,
    `export ${token('demo-read')}; ${command} download ${model} $FILE | cmp - now.txt && echo the same file`,
    '',
    `  ${red('6')} the same token gets status 403 when it tries to write:`,
    `eval "$(${command} token read ${model} --env)"; curl -sS -H @- --data-binary @now.txt $CAS_URL/shard <<<"Authorization: Bearer $CAS_TOKEN"; echo`,
    '',
    `  ${red('7')} a token for another repository gets status 404, although the hash is right:`,
    `${command} download spaces/acme/playground $FILE -o copy.txt`,
    '',
  ]
}
