import { expect, it } from 'vitest'
import { ownCommand } from '../src/demo/own-command.ts'

it.each([
  ['by its name', {}, 'latchkey'],
  ['below a script of npm', { npm_lifecycle_script: 'node scripts/test.ts' }, 'latchkey'],
  ['by npx, where npm finds it', npm('/srv/latchkey', '/srv/latchkey'), 'npx latchkey'],
  ['by npx with a prefix', npm("/it's", '/home'), "npx --prefix '/it'\\''s' latchkey"],
  [
    'by npx from a tarball',
    { ...npm('/empty', '/empty'), npm_config_package: '/srv/latchkey-0.1.0.tgz' },
    'npx --yes --package /srv/latchkey-0.1.0.tgz latchkey',
  ],
])('the command to paste is called as it was: %s', (_, environment, command) => {
  expect(ownCommand(environment)).toBe(command)
})

function npm(prefix: string, folder: string): Record<string, string> {
  return {
    npm_lifecycle_script: "'latchkey'",
    npm_config_local_prefix: prefix,
    INIT_CWD: folder,
  }
}
