/** How the command is called where it was called just now: npm finds it below its own prefix only. */

import { shellWord, typedWord } from '@latchkey/service/text'
import { isRunByNpmAlone } from '../serve/watch-npm.ts'

type Environment = Readonly<Record<string, string | undefined>>

export function ownCommand(environment: Environment): string {
  if (!isRunByNpmAlone(environment)) return 'latchkey'
  const { npm_config_package: named = '' } = environment
  // Without its name npm would look for a published package; of a file it asks each time whether it may.
  if (named !== '') return `npx --yes --package ${typedWord(named)} latchkey`
  const { npm_config_local_prefix: prefix, INIT_CWD: folder } = environment
  const isHere = prefix === undefined || prefix === folder
  return isHere ? 'npx latchkey' : `npx --prefix ${shellWord(prefix)} latchkey`
}
