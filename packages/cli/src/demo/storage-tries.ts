/** The demo's commands that use the storage: a file goes in and comes out, and two ways do not lead to it. */

import type { Colours } from '../output/colours.ts'
import type { Demo } from './demo.ts'
import { type DemoTokenName, model } from './world.ts'

/** One shell for all of them: the first line sets what the others need. */
export function storageTries({ url, tokens, command }: Demo, { green, red }: Colours): string[] {
  const token = (name: DemoTokenName) => `LATCHKEY_HUB_TOKEN=${tokens.get(name)?.text}`
  return [
    `  ${green('4')} ada uploads a file, whose hash is printed (from here on in one terminal):`,
    `export LATCHKEY_HUB=${url}; date > now.txt; FILE=$(${token('demo-write')} ${command} upload ${model} now.txt); echo $FILE`,
    '',
    `  ${green('5')} guest reads it back with a token of the same repository:`,
    `export ${token('demo-read')}; ${command} download ${model} $FILE | cmp - now.txt && echo the same file`,
    '',
    `  ${red('6')} the same token is refused where something would be written:`,
    `eval "$(${command} token read ${model} --env)"; curl -sS -X POST -H "Authorization: Bearer $CAS_TOKEN" --data-binary @now.txt $CAS_URL/shard; echo`,
    '',
    `  ${red('7')} a token of another repository finds nothing, although the hash is right:`,
    `${command} download spaces/acme/playground $FILE -o copy.txt`,
    '',
  ]
}
