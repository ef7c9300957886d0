/** Makes one file for njs of the check: the same TypeScript as in the gate, with a few modules replaced and newer syntax lowered. */

import { join, resolve } from 'node:path'
import { isCasUrl } from '@latchkey/protocol'
import { type Jwks, readKeySet } from '@latchkey/token'
import { build, defaultServerConditions, type Plugin } from 'vite'
import { foldTable } from '../../../scripts/fold-table.ts'
import { lowered } from './lowered.ts'
import type { ScriptKey, Settings } from './settings.ts'

const folder = import.meta.dirname
const root = resolve(folder, '../../..')

export interface Trusted {
  readonly jwks: Jwks
  readonly issuer: string
  readonly casUrl: string
  readonly leewaySeconds?: number
  readonly now?: number
}

/** The text of the script; `entry` is a file of this folder. */
export async function scriptFor(trusted: Trusted, entry = 'check.ts'): Promise<string> {
  return lowered(await bundled(join(folder, entry), await settingsOf(trusted)))
}

async function settingsOf({ jwks, issuer, casUrl, ...times }: Trusted): Promise<Settings> {
  if (!isCasUrl(casUrl)) throw new Error(`${casUrl} is no casUrl`)
  const keys: Record<string, ScriptKey> = {}
  for (const { kid, alg, publicKey } of (await readKeySet(jwks)).values()) {
    const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    keys[kid] = { kid, alg, spki }
  }
  const { leewaySeconds = 30, now = null } = times
  return { issuer, casUrl, leewaySeconds, keys, now }
}

async function bundled(entry: string, settings: Settings): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    resolve: { conditions: ['@latchkey/source', ...defaultServerConditions] },
    plugins: [replacing(settings)],
    build: {
      write: false,
      target: 'es2022',
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        // Constants are put together once, and not for every request.
        output: { minify: { compress: true, mangle: false, codegen: false } },
        external: /^(?:node:(?!buffer$)|jose$|undici$)/,
        // Everything that is loaded runs again for every request.
        treeshake: { moduleSideEffects: (id) => id.endsWith('language.ts') },
      },
    },
  })
  const [output] = [built].flat()
  if (output === undefined || !('output' in output)) throw new Error('vite has built nothing')
  const { code, imports } = output.output[0]
  // The list also has modules of which nothing is left in the code.
  const used = imports.filter((name) => code.includes(name))
  if (used.length > 0) throw new Error(`njs has no ${used.join(', ')}`)
  // njs knows no other form of an export.
  return code.replace(/export \{ (\w+) as default \};/, 'export default $1;')
}

const replacements: Readonly<Record<string, string>> = {
  'node:buffer': 'buffer.ts',
  './is-signed-by.ts': 'is-signed-by.ts',
  '@latchkey/service/machine/errors': 'errors.ts',
}

/** Node's modules become those of this folder, and the two that say nothing get their values. */
function replacing(settings: Settings): Plugin {
  const values = {
    'settings.ts': `export const settings = ${JSON.stringify(settings)}`,
    'fold-table.ts': `export const foldTable = ${JSON.stringify(`\n${foldTable()}`)}`,
  }
  return {
    name: 'njs',
    enforce: 'pre',
    resolveId(id) {
      const own = replacements[id]
      return own === undefined ? null : join(folder, own)
    },
    load(id) {
      return Object.entries(values).find(([name]) => id === join(folder, name))?.[1] ?? null
    },
  }
}
