/** Commands of the documents that this folder does not run: which test does, or why none can. */

export interface Elsewhere {
  readonly page: RegExp
  readonly command: RegExp
  /** The test that runs it, below the root. */
  readonly test: string
  /** Where that test does the same by other words. */
  readonly because?: string
}

const anywhere = /./

// biome-ignore format: a table is read by its columns
export const elsewhere: readonly Elsewhere[] = [
  { page: /^README\.md$|^docs\/start\//, command: /^npm ci && npm start$/,               test: 'scripts/outside/test/checkout.test.ts' },
  { page: /^README\.md$|\/quick-start\.md$/, command: anywhere,                          test: 'packages/cli/test/first-steps.test.ts' },
  { page: /\/your-own-hub\.md$/,    command: anywhere,                                   test: 'packages/cli/test/tutorial.test.ts' },
  { page: anywhere,                  command: /^npm install @?latchkey/,                  test: 'scripts/outside/test/by-name.test.ts' },
  { page: /^docs\//,                 command: /^npm install \.\.\/latchkey-packages\//,   test: 'scripts/outside/test/outside.test.ts' },
  { page: /^docs\//,                 command: /^npm ci && npm run pack:all/,              test: 'scripts/outside/test/checkout.test.ts' },
  { page: /^docs\/guides\/runbooks\/(?!R)/, command: anywhere,                                   test: 'packages/cli/test/keys/runbooks.test.ts' },
  { page: /python-client/,           command: /^(?:pip |\(cd clients)/,                   test: 'packages/client/test/python/python.test.ts' },
  { page: /python/,                  command: /^(?:pip |\(cd clients|python clients)/,    test: 'packages/gate/test/verifiers/python.test.ts' },
  { page: /\/go(?:\/|\.md$)/,          command: /^(?:go |cp -R \S+\/clients\/go )/,             test: 'packages/gate/test/verifiers/go.test.ts' },
  { page: /write-a-verifier/,        command: /^(?:cd examples\/python|python3 verify)/,  test: 'packages/gate/test/anywhere/python.test.ts' },
  { page: /^packages\/cli\//,        command: /^npx latchkey serve --demo$/,              test: 'packages/cli/test/demo.test.ts' },
  { page: /^examples\/many-hubs\//,  command: anywhere,                                   test: 'packages/cli/test/many-hubs/many-hubs.test.ts' },
  { page: /high-availability/,       command: /^(?:pg_|createdb |psql )/,                 test: 'packages/cli/test/many-hubs/many-hubs.test.ts' },
  { page: /browser/,                 command: /^npm run build:client|^python3 -m http/,   test: 'packages/client/test/browser/browser.test.ts', because: 'it makes the bundle and serves the page itself, on a free port' },
  { page: /^packages\/conform\//,   command: /^npx @latchkey\/conform /,                 test: 'scripts/outside/test/by-name.test.ts' },
  { page: /guides\/conformance/,   command: /--cas /,                                     test: 'packages/cli/test/conform/storages.test.ts', because: 'it starts the servers that the command checks' },
  { page: /guides\/conformance/,   command: anywhere,                                    test: 'packages/cli/test/conform/hubs.test.ts', because: 'it gives the command a hub with the world' },
  { page: /hugging-face-clients/,    command: /^(?:latchkey repo create|git clone --mirror|git lfs |git push --mirror|cd old)/, test: 'packages/cli/test/forge/mirror.test.ts', because: 'it has a repository to bring, and another port' },
  { page: /hugging-face-clients/,    command: /^(?:export HF_|hf |git clone |git config )/,  test: 'packages/cli/test/demo.test.ts', because: 'it pastes the same commands from the screen of the demo' },
  { page: /several-storages/,    command: /^latchkey repo move-storage/,             test: 'packages/cli/test/move-storage.test.ts' },
  { page: /content-in-s3/,       command: anywhere,                                      test: 'packages/cli/test/storage/several-processes.test.ts', because: 'it starts the object store and the database' },
  { page: /separate-storage/,    command: /^latchkey migrate .*postgres:/,           test: 'packages/cli/test/migrate/catalogue.test.ts' },
  { page: /separate-storage/,    command: /^latchkey serve .*postgres:|^latchkey restore/, test: 'packages/cli/test/storage/postgres.test.ts' },
]
