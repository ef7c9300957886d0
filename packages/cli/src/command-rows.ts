/** Every word that may follow `latchkey`: what the list in its help says, and where the rest is. */

import type { Command } from 'commander'

export interface CommandRow {
  readonly name: string
  /** The arguments after the name, as the list shows them. */
  readonly takes: string
  readonly summary: string
  /** Loads what runs it, so that nobody waits for the code of other commands. */
  readonly load: (whole: WholeProgram) => Promise<Command>
}

/** `latchkey` with all of its commands loaded. */
export type WholeProgram = () => Promise<Command>

// biome-ignore format: a table is read by its columns
export const commandRows: readonly CommandRow[] = [
  row('serve [options]',                     'run the hub and its storage',                      () => import('./commands/serve.ts').then(({ serveCommand }) => serveCommand())),
  row('demo [options]',                      'show the accounts and commands of a running demo', () => import('./commands/demo.ts').then(({ demoCommand }) => demoCommand())),
  row('gate [options]',                      'run a gate in front of a storage',                 () => import('./commands/gate.ts').then(({ gateCommand }) => gateCommand())),
  row('token [options] <scope> <target>',    'get a storage token',                              () => import('./commands/token.ts').then(({ tokenCommand }) => tokenCommand())),
  row('fetch [options] <target> <path>',     'send a request to the storage',                    () => import('./commands/fetch.ts').then(({ fetchCommand }) => fetchCommand())),
  row('upload [options] <target> <file...>', 'upload files to the storage',                      () => import('./commands/upload.ts').then(({ uploadCommand }) => uploadCommand())),
  row('download [options] <target> [name...]', 'download files from the storage',                  () => import('./commands/download.ts').then(({ downloadCommand }) => downloadCommand())),
  row('login [options]',                     'save a hub token on this machine',                 () => import('./commands/login.ts').then(({ loginCommand }) => loginCommand())),
  row('logout [options]',                    'delete the saved hub token',                       () => import('./commands/logout.ts').then(({ logoutCommand }) => logoutCommand())),
  row('whoami [options]',                    'show the account of the hub token in use',         () => import('./commands/whoami.ts').then(({ whoamiCommand }) => whoamiCommand())),
  row('apply [options] <file>',              'create accounts and repositories from a file',     () => import('./commands/apply.ts').then(({ applyCommand }) => applyCommand())),
  row('explain',                             'explain a decision about a token request',         () => import('./commands/explain.ts').then(({ explainCommand }) => explainCommand())),
  row('changes [options]',                   'show the journal of changes',                      () => import('./commands/changes.ts').then(({ changesCommand }) => changesCommand())),
  row('backup [options] <dir>',              'back up hub and storage while they run',           () => import('./commands/backup.ts').then(({ backupCommand }) => backupCommand())),
  row('restore [options] <dir>',             'restore a backup into a data directory',           () => import('./commands/restore.ts').then(({ restoreCommand }) => restoreCommand())),
  row('doctor [options]',                    'check an installation for faults',                 () => import('./commands/doctor.ts').then(({ doctorCommand }) => doctorCommand())),
  row('migrate [options]',                   'upgrade a database, or copy it',                   () => import('./commands/migrate.ts').then(({ migrateCommand }) => migrateCommand())),
  row('conform [options]',                   'check another hub or storage',                     () => import('./commands/conform.ts').then(({ conformCommand }) => conformCommand())),
  row('storage',                             'run, measure, clean and verify a storage',         () => import('./commands/storage.ts').then(({ storageCommand }) => storageCommand())),
  row('forge',                               'run a forge, or choose the forge of a hub',        () => import('./commands/forge.ts').then(({ forgeCommand }) => forgeCommand())),
  row('version [options]',                   'print the version, its commit and its Node',       () => import('./commands/version.ts').then(({ versionCommand }) => versionCommand())),
  row('completion <shell>',                  'print a completion script for a shell',            (whole) => import('./commands/completion.ts').then(({ completionCommand }) => completionCommand(whole))),
  noun('account',                            'manage accounts of people and services'),
  noun('identity',                           'people as identity providers know them'),
  noun('namespace',                          'manage namespaces of repositories'),
  noun('member',                             'manage the members of a namespace'),
  noun('team',                               'manage the teams of a namespace'),
  noun('team-member',                        'manage the members of a team'),
  noun('team-group',                         'manage the provider groups of a team'),
  row('repo',                                'manage models, datasets and spaces',                () => import('./commands/repo-move-storage.ts').then(({ repoCommand }) => repoCommand())),
  noun('collaborator',                       'manage the collaborators of a repository'),
  noun('team-role',                          'manage the roles of teams in a repository'),
  noun('ref-rule',                           'manage the roles that writing to refs requires'),
  noun('publisher',                          'manage CI jobs that get hub tokens without a secret'),
  row('ref',                                 'manage branches, tags and other refs',             () => import('./commands/ref.ts').then(({ refCommand }) => refCommand())),
  noun('commit',                             'record and list commits'),
  row('hub-token',                           'manage hub tokens, the credentials of accounts',   () => import('./commands/hub-token.ts').then(({ hubTokenCommand }) => hubTokenCommand())),
  row('session',                             'list and end your sessions in browsers',           () => import('./commands/session.ts').then(({ sessionCommand }) => sessionCommand())),
  noun('revoke',                             'revoke storage tokens and hub tokens'),
  row('keys',                                'list and rotate signing keys',                     () => import('./commands/keys.ts').then(({ keysCommand }) => keysCommand())),
]

function row(form: string, summary: string, load: CommandRow['load']): CommandRow {
  const [name = '', ...takes] = form.split(' ')
  return { name, takes: takes.join(' '), summary, load }
}

function noun(name: string, about: string): CommandRow {
  return row(name, about, () =>
    import('./commands/noun.ts').then(({ nounCommand }) => nounCommand(name, about)),
  )
}
