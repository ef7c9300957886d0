/** A database of an earlier version is brought to this one with all that it holds. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hubTokenKinds } from '@latchkey/protocol'
import { openDatabase } from '@latchkey/service/database'
import { complaints, dump } from '@latchkey/testing/hub/dump'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../src/stores/sqlite/migrations/migrations.ts'

const content = `
  INSERT INTO namespaces VALUES ('n', 'acme', 1);
  INSERT INTO repositories VALUES ('r', 'n', 'models/acme/bert', 'public', 'refs/heads/main', '[]', 1);
  INSERT INTO refs VALUES (1, 'main', 'r', 'refs/heads/main', 'c', NULL, NULL, NULL, 1);
  INSERT INTO refs VALUES (2, 'dev', 'r', 'refs/heads/dev', 'c', 'refs/heads/main', 'main', 2, 2);
  INSERT INTO commits VALUES ('u', 'r', 'c', 1);
  INSERT INTO commit_holders VALUES (1, 'r', 'c', 'main', 1);`

/** A file as an earlier program has left it. */
function ofVersion(version: number): string {
  const file = join(temporaryFolder(), 'hub.db')
  const database = new DatabaseSync(file)
  for (const step of migrations.slice(0, version)) database.exec(step)
  database.exec(`${version === 1 ? content : ''}; PRAGMA user_version = ${version}`)
  database.close()
  return file
}

function schemaOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true })
  const schema = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
  database.close()
  return schema
}

describe('a database of version 2', () => {
  test('counts a commit as once held by no known ref where its first holder came later', () => {
    const file = ofVersion(2)
    const database = new DatabaseSync(file)
    database.exec(content.replace("'[]', 1)", "'[]', 1, 0)"))
    database.exec(`
      INSERT INTO commits VALUES ('v', 'r', 'd', 1), ('w', 'r', 'e', 1);
      INSERT INTO commit_holders VALUES (2, 'r', 'd', 'main', 2), (3, 'r', 'd', 'dev', 3);`)
    database.close()
    openDatabase(file, migrations).close()
    expect(dump(file)['past_holders']).toEqual([{ repository_uid: 'r', hash: 'd', name: 'd' }])
    expect(complaints(file)).toEqual([])
  })
})

describe('a database of version 5', () => {
  const account = `INSERT INTO accounts VALUES ('a', 'ada', 'user', 1, 0, 1);`
  const tokens = `
    INSERT INTO hub_tokens VALUES ('t2', 'a', 'ci', 'admin', 'h2', 'xxxx', '[]', '["keys"]', 2, 9, 8, 3);
    INSERT INTO hub_tokens VALUES ('t1', 'a', 'ci', 'write', 'h1', 'yyyy', '[]', NULL, 1, NULL, NULL, NULL);`

  function withTokens(): string {
    const file = ofVersion(5)
    const database = new DatabaseSync(file)
    database.exec(account + tokens)
    database.close()
    return file
  }

  test('keeps every hub token, as used, ended and revoked as it was', () => {
    const file = withTokens()
    const before = dump(file)
    expect(before['hub_tokens']).toHaveLength(2)
    openDatabase(file, migrations).close()
    expect(dump(file)).toEqual({ ...before, cut_offs: [] })
    expect(complaints(file)).toEqual([])
  })

  test('takes every kind of hub token afterwards and no other, one live name for an account, and marks it', () => {
    const database = openDatabase(withTokens(), migrations)
    const markOf = () => database.prepare('SELECT mark FROM journal_head').get()?.['mark']
    const make = (id: string, kind: string) =>
      database.exec(
        `INSERT INTO hub_tokens VALUES ('${id}', 'a', '${id}', '${kind}', '${id}', '', '[]', NULL, 1, NULL, NULL, NULL)`,
      )
    for (const kind of hubTokenKinds) {
      const before = markOf()
      make(`of kind ${kind}`, kind)
      expect(markOf()).not.toBe(before)
    }
    expect(() => make('x', 'owner')).toThrow('CHECK')
    expect(() => make('CI', 'read')).toThrow('UNIQUE')
    database.exec("DELETE FROM accounts WHERE id = 'a'")
    expect(database.prepare('SELECT count(*) AS left FROM hub_tokens').get()).toEqual({ left: 0 })
    database.close()
  })
})

describe('a database of version 1', () => {
  test('keeps every row, and its repositories begin at epoch 0', () => {
    const file = ofVersion(1)
    const before = dump(file)
    openDatabase(file, migrations).close()
    const after = dump(file)
    const repositories = before['repositories']?.map((row) => ({ ...row, epoch: 0 }))
    expect(repositories).toHaveLength(1)
    expect(after).toMatchObject({ ...before, repositories })
    expect(complaints(file)).toEqual([])
  })

  test('has the same tables afterwards as a new one', () => {
    const [old, fresh] = [ofVersion(1), ofVersion(0)]
    openDatabase(old, migrations).close()
    openDatabase(fresh, migrations).close()
    expect(schemaOf(old)).toEqual(schemaOf(fresh))
  })
})
