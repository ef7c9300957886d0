import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import { expect, it } from 'vitest'

/** Always the same, so that Node finds again what it has compiled. */
const root = sharedFolder()

/** A checkout with the sources of one small command, and the bundle that was made of them. */
function checkout() {
  rmSync(join(root, 'packages'), { recursive: true, force: true })
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  cpSync(dirname(latchkeyBin), join(root, 'packages/cli/bin'), { recursive: true })
  put('packages/cli/package.json', '{ "type": "module" }')
  put('packages/cli/src/main.ts', `const runs: string = 'sources'; console.log(runs)`)
  put('packages/cli/dist/abc/dist/command/main.js', `console.log('bundle')`)
  const inputs = ['packages/cli/package.json', 'packages/cli/src/main.ts'].map((file) => {
    const { size, mtimeMs } = statSync(join(root, file))
    return [file, size, Math.floor(mtimeMs / 1000)]
  })
  put('packages/cli/dist/bundle.json', JSON.stringify({ folder: 'abc', inputs }))
  const runs = () => {
    const words = [join(root, 'packages/cli/bin/latchkey.js')]
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    return stdout.trim() || stderr
  }
  return { put, runs, at: (file: string) => join(root, file) }
}

it('the bundle runs while nothing has changed since it was made', () => {
  expect(checkout().runs()).toBe('bundle')
})

it('as a package of npm, without sources, it runs the bundle that came along', () => {
  const made = checkout()
  made.put('packages/cli/dist/command/main.js', `console.log('packed')`)
  rmSync(made.at('packages/cli/src'), { recursive: true })
  expect(made.runs()).toBe('packed')
})

it.each<[string, (made: ReturnType<typeof checkout>) => void]>([
  [
    'a source was written again',
    ({ put }) => put('packages/cli/src/main.ts', `console.log('sources')`),
  ],
  [
    'a source has another time',
    ({ at }) => utimesSync(at('packages/cli/src/main.ts'), new Date(), new Date(1e9)),
  ],
  [
    'a package names other entries',
    ({ put }) => put('packages/cli/package.json', '{ "type": "module", "exports": {} }'),
  ],
  [
    'a file that it was made of is gone',
    ({ put }) =>
      put(
        'packages/cli/dist/bundle.json',
        '{ "folder": "abc", "inputs": [["packages/cli/src/gone.ts", 1, 1]] }',
      ),
  ],
  ['its list is cut short', ({ put }) => put('packages/cli/dist/bundle.json', '{ "folder": "ab')],
  ['it was removed', ({ at }) => rmSync(at('packages/cli/dist/abc'), { recursive: true })],
  ['there is none', ({ at }) => rmSync(at('packages/cli/dist'), { recursive: true })],
])('the sources run once %s', (_, change) => {
  const made = checkout()
  change(made)
  expect(made.runs()).toBe('sources')
})
