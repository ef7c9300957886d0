import { availableParallelism } from 'node:os'
import { compileCache, roomToStart } from '@latchkey/testing/machine/latchkey-bin'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that replace modules of ours. */
const apart = [
  'packages/hub/test/http/{stop,waiting}.test.ts',
  'packages/hub/test/as-caller/commit-decisions.test.ts',
]

/** What belongs together shares its workers, so that modules are loaded once for many files. */
const together: Readonly<Record<string, readonly string[]>> = {
  packages: ['scripts/{packages,outside}/test/*.test.ts'],
  hub: ['packages/hub/test/**/*.test.ts'],
  others: [
    'packages/!(hub)/test/**/*.test.ts',
    'scripts/test/*.test.ts',
    'bench/test/*.test.ts',
    'examples/*/*.test.ts',
  ],
}

/**
 * Not for files that measure memory. V8 collects all garbage once for every 64 MB of buffers, though few of them are left;
 * here they count as the rest of the heap does, and its first limit is far.
 */
const rarelyCollecting = [
  ...roomToStart,
  '--external-memory-accounted-in-global-limit',
  '--initial-old-space-size=192',
]

const sharedWorkers = { isolate: false, execArgv: [...rarelyCollecting] }

const isSoak = process.env['LATCHKEY_SOAK'] === '1'

/** Projects inherit no filter. `skip` of the tag would lose against `skipIf` and `runIf` of a test. */
const filter = isSoak ? {} : { tagsFilter: ['!soak'] }

/** Before a project's tests: what they share for a run is made once, and only if it is needed. */
const sharedBy: Readonly<Record<string, string>> = {
  packages: 'scripts/packages/tarballs.ts',
  hub: 'packages/testing/src/test-run/serve-test-run.ts',
  others: 'packages/testing/src/test-run/serve-test-run.ts',
}

/** Tests of what only PostgreSQL does. */
const postgresAlone = [
  'packages/hub/test/stores/postgres/*.test.ts',
  'packages/storage/test/postgres/*.test.ts',
]

const isWithoutPostgres = isPostgresMissing('directory and catalogue are not tested on it')

/** Run once more on PostgreSQL. The exceptions prove what SQLite alone does, or what is read before any database is asked. */
const onPostgres = {
  include: [
    'packages/hub/test/{apply,run-verb,verbs}/*.test.ts',
    'packages/hub/test/journal/{changes,concurrent,cut-off-retention,detail,narrows,past,retention,transaction-number}.test.ts',
    'packages/hub/test/keys/verbs.test.ts',
    'packages/hub/test/stores/past-holders.test.ts',
    'packages/hub/test/access/warm-caches.test.ts',
    'packages/hub/test/sign-in/{ends,makers,session}.test.ts',
    'packages/hub/test/oauth/floods.test.ts',
    'packages/storage/test/catalog/*.test.ts',
    ...postgresAlone,
    ...(isSoak
      ? [
          'packages/hub/test/revocation/publish/every-change.test.ts',
          'packages/hub/test/sign-in/{account-api,floods}.test.ts',
          'packages/hub/test/oauth/*.test.ts',
          'packages/hub/test/trusted-publishers/*.test.ts',
          'packages/hub/test/journal/own-cut-offs.test.ts',
          'packages/storage/test/{following,maintenance}/*.test.ts',
          'packages/storage/test/isolation/{adopt,adopt-histories,deduplication,recreated,sha256}.test.ts',
        ]
      : []),
  ],
  exclude: [
    'packages/hub/test/apply/{documented,read-json}.test.ts',
    'packages/hub/test/verbs/{revoke,secret-shape,verbs}.test.ts',
    'packages/storage/test/catalog/{copy,statements,steps}.test.ts',
    'packages/storage/test/following/{hub-away,start-storage}.test.ts',
  ],
}

const isWithoutS3 = isVersitygwMissing('storages are not tested on it')

/** Run once more with the content in a bucket: in a soak all that shows who reaches whose content. */
const onS3 = [
  `packages/storage/test/isolation/${isSoak ? '*' : '{deduplication,recreated}'}.test.ts`,
]

/** The packages are tested as they are written, here and in the processes that tests start. */
const source = '@latchkey/source'
const conditions = [source, 'node']

/** Tests of uploads and downloads that run once more as in browsers, Deno and Bun; chunks are packed in Node alone. */
const portable = [
  'packages/xet/test/cutting/cut-chunks.test.ts',
  'packages/xet/test/download/download-{file,into}.test.ts',
  'packages/xet/test/format/{chunk-table,fuzz,hashing,shard}.test.ts',
  // Until a soak, those whose hashes differ there.
  `packages/xet/test/upload/${isSoak ? '*' : '{shard-of,upload-files}'}.test.ts`,
]

/** Files that mostly wait, for long: they begin first, so that no core is idle at the end. */
const first =
  /gate.test.verifiers|doctor.faults-running|many-hubs|xet.test.runtimes|end-to-end.lifetimes/

class FirstThose extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFirst = ({ moduleId }: TestSpecification) => first.test(moduleId)
    const sorted = await super.sort(files)
    const begin = sorted.filter(isFirst)
    const rest = sorted.filter((file) => !isFirst(file))
    // A worker ends where the next file is of another project, and the next one loads all modules anew.
    const current = begin.at(-1)?.project.name
    const isCurrent = ({ project }: TestSpecification) => project.name === current
    return [...begin, ...rest.filter(isCurrent), ...rest.filter((file) => !isCurrent(file))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Where vitest loads what runs before the tests.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    projects: [
      ...Object.entries(together).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include: [...include],
          exclude: [...apart, ...postgresAlone],
          ...sharedWorkers,
          ...filter,
          ...(sharedBy[name] !== undefined && { globalSetup: sharedBy[name] }),
          // One of its tools names sources in TypeScript, which Node does not load from node_modules.
          experimental: { viteModuleRunner: name === 'packages', nodeLoader: false },
        },
      })),
      ...(isWithoutPostgres ? [] : [onPostgres]).map((files) => ({
        extends: true as const,
        test: {
          ...{ name: 'postgres', ...files, ...sharedWorkers, ...filter },
          globalSetup: 'packages/testing/src/test-run/serve-test-run.ts',
          env: { LATCHKEY_TEST_DATABASE: 'postgres' },
        },
      })),
      ...(isWithoutS3 ? [] : [onS3]).map((include) => ({
        extends: true as const,
        test: {
          ...{ name: 's3', include, ...sharedWorkers, ...filter },
          globalSetup: 'packages/testing/src/test-run/serve-test-run.ts',
          env: { LATCHKEY_TEST_OBJECTS: 's3' },
        },
      })),
      {
        extends: true,
        test: {
          ...{ name: 'apart', include: apart, isolate: true, ...filter },
          experimental: { viteModuleRunner: false, nodeLoader: true },
        },
      },
      {
        extends: true,
        test: {
          ...{ name: 'portable', include: portable, ...sharedWorkers, ...filter },
          execArgv: [...rarelyCollecting, '--conditions=browser'],
          setupFiles: 'packages/xet/test/portable/load-hashes.ts',
        },
      },
    ],
    // Node loads the packages as it does for users. Only files that replace modules need vitest for that.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['scripts/bundle-command.ts', 'scripts/share-bundles.ts'],
    sequence: { sequencer: FirstThose },
    tags: [{ name: 'soak', description: 'takes long, or needs much' }],
    // More than there are cores: tests that wait for a process or a moment leave a core to others.
    maxWorkers: availableParallelism() + 3,
    // Listed at the end of the run. A soak tries nothing again.
    retry: isSoak ? 0 : 1,
    // A test that hangs fails; one that is slow beside other load does not.
    testTimeout: isSoak ? 900_000 : 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    env: { NODE_COMPILE_CACHE: compileCache, NODE_OPTIONS: `--conditions=${source}` },
  },
})
