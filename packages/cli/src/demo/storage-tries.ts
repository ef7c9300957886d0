/** The demo's commands that use the storage: a file goes in and comes out, and two ways do not lead to it. */

import type { Colours } from '../output/colours.ts'
import type { DemoToken } from './world.ts'

interface Demo {
  readonly url: string
  readonly tokens: ReadonlyMap<string, string>
}

/** One shell for all of them: the first line sets what the others need. */
export function storageTries(
  { url, tokens }: Demo,
  model: string,
  { green, red }: Colours,
): string[] {
  const token = (name: DemoToken) => `LATCHKEY_HUB_TOKEN=${tokens.get(name)}`
  return [
    `  ${green('4')} ada uploads a file, whose hash is printed (from here on in one terminal, in this directory):`,
    `export LATCHKEY_HUB=${url}; FILE=$(${token('demo-write')} npx latchkey upload ${model} README.md); echo $FILE`,
    '',
    `  ${green('5')} guest reads it back with a token of the same repository:`,
    `export ${token('demo-read')}; npx latchkey download ${model} $FILE | cmp - README.md && echo the same file`,
    '',
    `  ${red('6')} the same token is refused where something would be written:`,
    `eval "$(npx latchkey token read ${model} --env)"; curl -sS -X POST -H "Authorization: Bearer $CAS_TOKEN" --data-binary @README.md $CAS_URL/shard; echo`,
    '',
    `  ${red('7')} a token of another repository finds nothing, although the hash is right:`,
    `npx latchkey download spaces/acme/playground $FILE -o copy.md`,
    '',
  ]
}
