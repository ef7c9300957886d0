/** The demo's screen: where things are, what there is, and commands to paste. */

import { formatTokenPath, parseRepoRef, type Scope } from '@latchkey/protocol'
import type { Colours } from '../output/colours.ts'
import { shellWord } from '../output/shell-word.ts'
import { storageTries } from './storage-tries.ts'
import { type DemoToken, mayDo, world } from './world.ts'

export interface Demo {
  readonly url: string
  /** Undefined where the storage is somebody else's. */
  readonly storageUrl: string | undefined
  readonly data: string
  readonly tokens: ReadonlyMap<string, string>
  readonly ids: ReadonlyMap<string, string>
}

/** No line is wider than 100 columns, except those to paste, which must stay whole. */
export function demoScreen(demo: Demo, colours: Colours): string {
  const { bold, dim } = colours
  const parts = [
    bold('Latchkey demo') + dim('  a small made-up world, on this machine only'),
    ...addresses(demo, colours),
    bold('Repositories'),
    ...world.repositories.map(repositoryLine),
    '',
    bold('Hub tokens') + dim('  new at every start; the ones before are revoked'),
    ...world.hubTokens.map(({ account, name }) => {
      return `  ${demo.tokens.get(name)}  ${account.padEnd(6)}  ${dim(mayDo[name])}`
    }),
    '',
    bold('Try it') + dim('  paste a line into another terminal'),
    '',
    ...tries(demo, colours),
    dim('Ctrl+C stops everything.'),
  ]
  return `\n${parts.join('\n')}\n\n`
}

function addresses({ url, storageUrl, data }: Demo, { dim, cyan }: Colours): string[] {
  const line = (name: string, value: string) => `  ${dim(name.padEnd(7))} ${value}`
  return [
    line('hub', cyan(url)),
    ...(storageUrl === undefined ? [] : [line('storage', cyan(storageUrl))]),
    line('keys', cyan(`${url}/.well-known/jwks.json`)),
    line('API', cyan(`${url}/openapi.json`)),
    line('health', cyan(`${url}/healthz`)),
    line('data', data),
    '',
  ]
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

const model = 'models/acme/tiny-llama'

function tries(demo: Demo, colours: Colours): string[] {
  const { url, data, tokens, ids } = demo
  const { green, red } = colours
  const curl = (token: DemoToken, scope: Scope, revision: string) =>
    `curl -sS -H 'Authorization: Bearer ${tokens.get(token)}' ${url}${pathOf(scope, revision)}; echo`
  return [
    `  ${green('1')} guest gets a read token for the public model:`,
    curl('demo-read', 'read', 'main'),
    '',
    `  ${green('2')} ci-bot gets a write token for the branch feature/long-context:`,
    curl('demo-ci', 'write', 'feature/long-context'),
    '',
    `  ${red('3')} ci-bot is refused: its hub token covers feature/** only, and release/* is for admins:`,
    curl('demo-ci', 'write', 'release/1.0'),
    '',
    '  Why? The hub explains its decisions step by step (in this directory):',
    `npx latchkey explain token write ${model}@release/1.0 --as ci-bot --with ${ids.get('demo-ci')} --demo${dataFlag(data)}`,
    '',
    '  Who made all this? The journal has every change; --follow shows the next ones:',
    `npx latchkey changes --demo${dataFlag(data)}`,
    '',
    ...(demo.storageUrl === undefined ? [] : storageTries(demo, model, colours)),
  ]
}

function pathOf(scope: Scope, revision: string): string {
  const repo = parseRepoRef(model)
  if (repo === undefined) throw new Error(`${model} is no repository`)
  return formatTokenPath(repo, scope, revision)
}

function dataFlag(data: string): string {
  if (data === './latchkey-demo') return ''
  return ` --data ${shellWord(data)}`
}
