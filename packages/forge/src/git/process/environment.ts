/** The environment and the settings that every git process gets, whatever this process was started with. */

/** Where git looks for things that it must not find. */
const nowhere = '/dev/null'

/** Longer than a change of refs takes, so that a second one waits for the first instead of failing. */
const lockTimeoutMs = 5000

// biome-ignore format: a table is read by its columns
const settings: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath',             nowhere],
  // Everything that git writes is on the disk before a ref names it: an acknowledged commit outlives a loss of power. Nothing
  // less does, because git leaves loose objects unsynced by default, and its batches do not reach the commands used here.
  ['core.fsync',                 'all'],
  ['core.logAllRefUpdates',      'false'],
  ['core.filesRefLockTimeout',   `${lockTimeoutMs}`],
  ['core.packedRefsTimeout',     `${lockTimeoutMs}`],
  // git starts no maintenance on its own.
  ['gc.auto',                    '0'],
  ['maintenance.auto',           'false'],
  // One clone may take one core and this much memory for its deltas.
  ['pack.threads',               '1'],
  ['pack.windowMemory',          '64m'],
  // A file that is larger than any which a commit may have is not held in memory.
  ['core.bigFileThreshold',      '32m'],
  // git never fetches from anywhere.
  ['protocol.allow',             'never'],
  // A client could ask for the size of an object that is not offered to it.
  ['transfer.advertiseObjectInfo', 'false'],
  // The last row that matches a ref counts: everything is hidden but these three.
  ['transfer.hideRefs',          'refs'],
  ['transfer.hideRefs',          '!refs/heads'],
  ['transfer.hideRefs',          '!refs/tags'],
  ['transfer.hideRefs',          '!refs/pr'],
]

/** Git gets one thing of this process's environment: where programs are. */
export function gitEnvironment(gitDir: string): Readonly<Record<string, string>> {
  // A repository that was copied here may belong to another user.
  const all = [...settings, ['safe.directory', gitDir] as const]
  const numbered = all.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: nowhere,
    LC_ALL: 'C',
    GIT_DIR: gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: nowhere,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_CONFIG_COUNT: `${all.length}`,
    ...Object.fromEntries(numbered),
  }
}
