/** Every fault that can be seen while the hub does not run, made for real, and the line that it gets. */

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import {
  byClockAhead,
  dayMs,
  examine,
  examineAhead,
  hourMs,
  type Installation,
  installations,
  remove,
  writeTo,
} from './installation.ts'

const installation = installations()

/** The only lines that say that something is wrong. */
async function expectWrong(
  here: Installation,
  lines: readonly RegExp[],
  more: readonly string[] = [],
): Promise<void> {
  const { of } = await examine(here, more)
  expect(of('wrong')).toEqual(lines.map((line) => expect.stringMatching(line)))
}

describe('the configuration', () => {
  test('has a setting that does not exist', async () => {
    const here = await installation()
    const { of, findings } = await examine(here, [], { LATCHKEY_PROT: '1' })
    expect(of('wrong')).toEqual(['configuration: LATCHKEY_PROT is not an option of latchkey'])
    expect(findings[0]?.todo).toContain('LATCHKEY_PORT')
    expect(findings.at(-1)).toMatchObject({ check: 'the rest', result: 'skipped' })
  })

  test('has a secret in a file that any user can read, which is a warning', async () => {
    const here = await installation()
    const file = join(here.cwd, 'credential')
    const secret = randomBytes(32).toString('base64')
    writeFileSync(file, secret)
    chmodSync(file, 0o444)
    const { of, findings } = await examine(here, [], { LATCHKEY_ASSERTION_KEY_FILE: file })
    expect(of('warning').filter((line) => line.includes('_FILE'))).toEqual([
      `configuration: LATCHKEY_ASSERTION_KEY_FILE: any user who gets to the file ${JSON.stringify(file)} can read it (mode 444)`,
    ])
    expect(of('wrong')).toEqual([])
    expect(JSON.stringify(findings)).not.toContain(secret)
  })

  test('is in a file that is not there, or is no JSON', async () => {
    const here = await installation()
    await expectWrong(
      here,
      [/^configuration: the configuration file "hub.json" cannot be read/],
      ['--config', 'hub.json'],
    )
    writeFileSync(join(here.cwd, 'hub.json'), '{ "port": ')
    await expectWrong(here, [/^configuration: .*hub.json/], ['--config', 'hub.json'])
  })

  test.each([
    [['--operations-port', '4711', '--port', '4711'], /cannot both listen on port 4711/],
    [
      ['--host', '0.0.0.0'],
      /so --public-url and --cas-url are required: they are the addresses for clients/,
    ],
    [
      ['--cas-url', 'https://cas.example'],
      /separates repositories and refs by \{repo\} and \{ref\}/,
    ],
    [['--public-url', 'hub.example'], /--public-url: "hub.example" is not allowed/],
    [['--public-url', `https://hub.example/${'a'.repeat(1400)}`], /at most 1300 are allowed/],
    [['--revoke-partner-keys', 'missing.json'], /revoke.partnerKeys: missing.json cannot be read/],
  ])('contradicts itself, or cannot be meant: %j', async (more, line) => {
    await expectWrong(await installation(), [line], more)
  })

  test('is unsafe in a way that works, which is a warning', async () => {
    const { of } = await examine(await installation(), ['--public-url', 'http://hub.example'])
    expect(of('warning')).toContain(
      'configuration: publicUrl is plain http: hub tokens can be read on the way',
    )
  })

  test('has a wrong secret, which is not repeated', async () => {
    const { findings, of } = await examine(await installation(), [], {
      LATCHKEY_MASTER_KEY: 'short-but-secret',
    })
    expect(of('wrong')).toEqual([
      expect.stringContaining('LATCHKEY_MASTER_KEY: this value is not allowed'),
    ])
    expect(JSON.stringify(findings)).not.toContain('short-but-secret')
  })
})

describe('the data directory', () => {
  test('is open to other users', async () => {
    const here = await installation()
    chmodSync(here.data, 0o755)
    const { of, findings } = await examine(here)
    expect(of('wrong')).toEqual([
      'data directory: ./latchkey-data is open to other users (mode 755)',
    ])
    expect(findings.find(({ result }) => result === 'wrong')?.todo).toMatch(
      /run chmod 700 \.\/latchkey-data$/,
    )
  })

  test('is a file', async () => {
    const here = await installation()
    rmSync(here.data, { recursive: true })
    writeFileSync(here.data, '')
    const { of } = await examine(here)
    expect(of('wrong')[0]).toBe('data directory: ./latchkey-data is not a directory')
  })

  test('belongs to another user than the one who looks', async () => {
    const here = await installation()
    const { uid } = statSync(here.data)
    const own = vi.spyOn(process, 'geteuid').mockReturnValue(uid + 1)
    const { of } = await examine(here).finally(() => own.mockRestore())
    expect(of('wrong')).toEqual([
      `data directory: ./latchkey-data belongs to user ${uid}, and this command runs as user ${uid + 1}`,
    ])
  })

  test.runIf(process.geteuid?.() === 0)('has a file of another user', async () => {
    const here = await installation()
    chownSync(join(here.data, 'latchkey.db'), 12_345, 12_345)
    await expectWrong(here, [
      /latchkey.db belongs to user 12345, and the data directory to user 0$/,
    ])
  })

  test('has a key that other users can read', async () => {
    const here = await installation()
    chmodSync(join(here.data, 'embedded-blob-url-key'), 0o640)
    await expectWrong(here, [
      /^data directory: .*embedded-blob-url-key could be read by other users \(mode 640\)$/,
    ])
  })

  test('has a database that others could read, which is a warning inside and wrong outside', async () => {
    const here = await installation()
    chmodSync(join(here.data, 'storage.db'), 0o644)
    const inside = await examine(here)
    expect([inside.of('wrong'), inside.of('warning')[0]]).toEqual([
      [],
      expect.stringMatching(/storage.db could be read/),
    ])
    const outside = join(here.cwd, 'elsewhere.db')
    renameSync(join(here.data, 'latchkey.db'), outside)
    chmodSync(outside, 0o644)
    await expectWrong(
      here,
      [/^data directory: .*elsewhere.db could be read by other users \(mode 644\)$/],
      ['--database', `sqlite:${outside}`],
    )
  })
})

describe('the disk', () => {
  test('is full', async ({ skip }) => {
    const disk = smallDisk(16) ?? skip('this user may not mount a small disk to fill')
    const here = await installation()
    renameOver(here, disk.folder)
    disk.fill()
    await expectWrong(here, [/^disk: 0 B are free for .*: uploads and changes fail$/])
  })

  test('is nearly full, which is a warning', async ({ skip }) => {
    const disk = smallDisk(512) ?? skip('this user may not mount a small disk')
    const here = await installation()
    symlinkSync(disk.folder, join(here.cwd, 'small'))
    const { of } = await examine({ ...here, flags: [...here.flags, '--data', 'small'] })
    expect([of('wrong'), of('warning')[0]]).toEqual([
      [],
      expect.stringMatching(/^disk: 53\d\.\d MB are free for small$/),
    ])
  })

  /** Gone when the test is over; undefined where this user may mount nothing. */
  function smallDisk(megabytes: number) {
    const disk = mountSmallDisk(megabytes)
    if (disk !== undefined) onTestFinished(() => disk.remove())
    return disk
  }

  /** The objects alone lie on it: both disks are looked at. */
  function renameOver({ data }: Installation, folder: string): void {
    rmSync(join(data, 'objects'), { recursive: true })
    symlinkSync(folder, join(data, 'objects'))
  }
})

describe.each([
  ['database', 'latchkey.db'],
  ['catalogue', 'storage.db'],
])('the %s', (check, name) => {
  test('was written by a newer program', async () => {
    const here = await installation()
    writeTo(here.data, name, 'PRAGMA user_version = 99')
    await expectWrong(here, [
      new RegExp(`^${check}: .*${name} has version 99, and this program knows up to \\d+$`),
    ])
  })

  test('was written by an older program, which is a warning', async () => {
    const here = await installation()
    writeTo(here.data, name, 'PRAGMA user_version = 0')
    const { of } = await examine(here)
    expect([of('wrong'), of('warning')]).toEqual([
      [],
      expect.arrayContaining([
        expect.stringMatching(
          new RegExp(`^${check}: .*${name} has version 0, and this program brings it to \\d+$`),
        ),
      ]),
    ])
  })

  test('is damaged in the middle', async () => {
    const here = await installation()
    const file = join(here.data, name)
    const descriptor = openSync(file, 'r+')
    for (let at = 8192; at < statSync(file).size; at += 4096)
      writeSync(descriptor, Buffer.alloc(64, 7), 0, 64, at)
    closeSync(descriptor)
    const { of } = await examine(here)
    expect(of('wrong')).toContainEqual(
      expect.stringMatching(new RegExp(`^${check}: .*${name} is damaged`)),
    )
  })

  test('is no database at all', async () => {
    const here = await installation()
    writeFileSync(
      join(here.data, name),
      'not a database, but longer than the header of one '.repeat(99),
    )
    await expectWrong(here, [
      new RegExp(`^${check}: .*${name} is damaged or is no Latchkey database`),
    ])
  })

  test('was being restored when the restore was cut off', async () => {
    const here = await installation()
    renameSync(join(here.data, name), join(here.data, `${name}.restoring`))
    await expectWrong(here, [new RegExp(`^${check}: .*${name}.restoring is(?: there)?: a restore`)])
  })
})

describe('the database', () => {
  test('is lost, and its keys are there', async () => {
    const here = await installation()
    remove(here.data, 'latchkey.db')
    await expectWrong(here, [
      /^database: .*latchkey.db is empty or gone, but .*master.key is there$/,
    ])
  })

  test('is of a demo', async () => {
    const here = await installation()
    writeTo(here.data, 'latchkey.db', "INSERT INTO settings (name, value) VALUES ('demo', 'yes')")
    await expectWrong(here, [/^database: the data directory \.\/latchkey-data holds demo data$/])
  })
})

describe('the master key', () => {
  test('is missing', async () => {
    const here = await installation()
    remove(here.data, 'master.key')
    const { of, findings } = await examine(here)
    expect(of('wrong')).toEqual([
      expect.stringMatching(
        /^master key: .*master.key is missing and LATCHKEY_MASTER_KEY is not set$/,
      ),
    ])
    expect(findings.find(({ result }) => result === 'wrong')?.todo).toMatch(
      /^Restore the one or set the other/,
    )
  })

  test('is another one, and neither is shown', async () => {
    const here = await installation()
    const other = Buffer.alloc(32, 1).toString('base64')
    writeFileSync(join(here.data, 'master.key'), `${other}\n`)
    const { of, findings } = await examine(here)
    expect(of('wrong')).toEqual([
      expect.stringMatching(/^master key: the signing key .* cannot be decrypted/),
    ])
    expect(JSON.stringify(findings)).not.toContain(other)
  })

  test('can be read by others', async () => {
    const here = await installation()
    chmodSync(join(here.data, 'master.key'), 0o644)
    await expectWrong(here, [
      /^data directory: .*master.key could be read/,
      /^master key: .*master.key can be read by other users/,
    ])
  })
})

test('teams name groups of an identity provider that is not configured', async () => {
  const here = await installation()
  writeTo(
    here.data,
    'latchkey.db',
    `INSERT INTO namespaces VALUES ('n', 'vision', 1790000000, NULL, NULL);
     INSERT INTO teams VALUES ('t', 'n', 'staff', 'write', 1790000000);
     INSERT INTO team_groups VALUES ('t', 'corp', 'a'), ('t', 'corp', 'b');`,
  )
  await expectWrong(here, [
    /^team groups: 1 team names groups of the identity provider "corp", which/,
  ])
})

describe('the journal', () => {
  test('has lost its end', async () => {
    const here = await installation()
    writeTo(
      here.data,
      'latchkey.db',
      'DELETE FROM journal WHERE number = (SELECT max(number) FROM journal)',
    )
    await expectWrong(here, [/^journal: the last entry is \d+, and should be \d+$/])
  })

  test('has a hole', async () => {
    const here = await installation()
    writeTo(
      here.data,
      'latchkey.db',
      'DELETE FROM journal WHERE number = (SELECT number FROM journal ORDER BY number DESC LIMIT 1 OFFSET 2)',
    )
    await expectWrong(here, [/^journal: entries before \d+ are missing: it follows \d+$/])
  })

  test('was pruned, which is no hole', async () => {
    const here = await installation()
    writeTo(
      here.data,
      'latchkey.db',
      'DELETE FROM journal WHERE number < (SELECT number FROM journal ORDER BY number DESC LIMIT 1 OFFSET 2)',
    )
    await expectWrong(here, [])
  })

  test('was written by a clock that was an hour ahead', async () => {
    const here = await installation()
    expect(
      await byClockAhead(hourMs, () => latchkeyHere(['account', 'create', 'bob'], here)),
    ).toMatchObject({ code: 0 })
    await expectWrong(here, [
      /^journal: the last entry was made (?:59|60) minutes ahead of this machine's clock$/,
    ])
  })

  test('is looked at by a clock that is an hour behind', async () => {
    const { of } = await examineAhead(await installation(), -hourMs)
    expect(of('wrong')).toEqual([
      expect.stringMatching(/^journal: the last entry was made (?:59|60) minutes ahead/),
    ])
  })

  test('has numbers of a clock that is right again, which is a warning', async () => {
    const here = await installation()
    await byClockAhead(3 * dayMs, () => latchkeyHere(['account', 'create', 'bob'], here))
    await latchkeyHere(['account', 'create', 'eve'], here)
    const { of } = await examine(here)
    expect([of('wrong'), of('warning')[0]]).toEqual([
      [],
      expect.stringMatching(
        /^journal: its numbers are [23] days ahead of the clock, which was wrong once$/,
      ),
    ])
  })
})

test('a storage that is behind while it does not run is no fault', async () => {
  const here = await installation()
  await latchkeyHere(['account', 'create', 'bob'], here)
  const { of } = await examine(here)
  expect(of('wrong')).toEqual([])
  expect(of('good').at(-1)).toMatch(
    /^following: the storage is \d+ entries of the journal behind, and follows when it runs$/,
  )
})
