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
  row('serve [options]',                     'run the hub and its storage',                     () => import('./commands/serve.ts').then(({ serveCommand }) => serveCommand())),
  row('demo [options]',                      'all that a running demo has to try',              () => import('./commands/demo.ts').then(({ demoCommand }) => demoCommand())),
  row('gate [options]',                      'guard a storage',                                 () => import('./commands/gate.ts').then(({ gateCommand }) => gateCommand())),
  row('token [options] <scope> <target>',    'get a storage token',                             () => import('./commands/token.ts').then(({ tokenCommand }) => tokenCommand())),
  row('fetch [options] <target> <path>',     'ask the storage, with a token that is renewed',   () => import('./commands/fetch.ts').then(({ fetchCommand }) => fetchCommand())),
  row('upload [options] <target> <file...>', 'put files into the storage',                      () => import('./commands/upload.ts').then(({ uploadCommand }) => uploadCommand())),
  row('download [options] <target> [name...]', 'get files from the storage',                    () => import('./commands/download.ts').then(({ downloadCommand }) => downloadCommand())),
  row('login [options]',                     'keep a hub token for this machine',               () => import('./commands/login.ts').then(({ loginCommand }) => loginCommand())),
  row('logout [options]',                    'forget the kept hub token',                       () => import('./commands/logout.ts').then(({ logoutCommand }) => logoutCommand())),
  row('whoami [options]',                    'whose hub token is used',                         () => import('./commands/whoami.ts').then(({ whoamiCommand }) => whoamiCommand())),
  row('apply [options] <file>',              'make the directory as a file describes it',       () => import('./commands/apply.ts').then(({ applyCommand }) => applyCommand())),
  row('explain',                             'why a token request would be allowed or refused', () => import('./commands/explain.ts').then(({ explainCommand }) => explainCommand())),
  row('changes [options]',                   'who changed what, and when',                      () => import('./commands/changes.ts').then(({ changesCommand }) => changesCommand())),
  row('backup [options] <dir>',              'copy everything while hub and storage run',       () => import('./commands/backup.ts').then(({ backupCommand }) => backupCommand())),
  row('restore [options] <dir>',             'make a data directory of a backup',               () => import('./commands/restore.ts').then(({ restoreCommand }) => restoreCommand())),
  row('doctor [options]',                    'what is wrong with an installation',              () => import('./commands/doctor.ts').then(({ doctorCommand }) => doctorCommand())),
  row('migrate [options]',                   'bring a database up to date, or copy it',         () => import('./commands/migrate.ts').then(({ migrateCommand }) => migrateCommand())),
  row('storage',                             'run, measure, free and check a storage',          () => import('./commands/storage.ts').then(({ storageCommand }) => storageCommand())),
  row('version [options]',                   'the version, its commit and its Node',            () => import('./commands/version.ts').then(({ versionCommand }) => versionCommand())),
  row('completion <shell>',                  'a script that completes words in a shell',        (whole) => import('./commands/completion.ts').then(({ completionCommand }) => completionCommand(whole))),
  noun('account',                            'people and services'),
  noun('namespace',                          'where repositories live, and who its members are'),
  noun('member',                             'who may do what in a namespace'),
  noun('repo',                               'repositories: models, datasets and spaces'),
  noun('collaborator',                       'who else may do what in one repository'),
  noun('ref-rule',                           'which role writing a ref needs'),
  row('ref',                                 'branches, tags and other refs',                   () => import('./commands/ref.ts').then(({ refCommand }) => refCommand())),
  noun('commit',                             'commits on record'),
  noun('hub-token',                          'the credentials of accounts at the hub'),
  noun('revoke',                             'storage tokens that end before their time'),
  row('keys',                                'the keys that sign, and how they rotate',         () => import('./commands/keys.ts').then(({ keysCommand }) => keysCommand())),
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
