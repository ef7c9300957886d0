/** Makes one file of the client, for pages that load it without a bundler of their own. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { minify } from 'terser'
import { build, defaultClientConditions } from 'vite'

const root = resolve(import.meta.dirname, '..')
const file = resolve(root, 'packages/client/dist/latchkey-client.js')

export const clientEntry = resolve(root, 'packages/client/src/index.ts')

/** The text of an ES module that holds `entry` and all it imports. */
export async function bundle(entry: string): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    mode: 'production',
    logLevel: 'warn',
    resolve: { conditions: ['@latchkey/source', ...defaultClientConditions] },
    build: {
      write: false,
      target: 'es2022',
      sourcemap: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        // Vite would put an empty module in the place of one of Node's, and nobody would see it.
        external: (id) => isBuiltin(id),
        // For a library it would leave the blanks in.
        output: { minify: true },
      },
    },
  })
  const [output] = [built].flat()
  if (output === undefined || !('output' in output)) throw new Error('vite has built nothing')
  return smaller(output.output[0].code)
}

/** A second pass, which moves into its caller what is called once. */
async function smaller(text: string): Promise<string> {
  const { code } = await minify(text, {
    module: true,
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true },
  })
  if (code === undefined) throw new Error('terser has written nothing')
  return code
}

if (import.meta.main) {
  const text = await bundle(clientEntry)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`${relative(process.cwd(), file)}: ${text.length} characters`)
}
