/** What many would write: Express, a hub token looked up in SQLite, and jsonwebtoken with a key as PEM text or a prepared one. */

import { generateKeyPairSync, hash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import express from 'express'
import jwt from 'jsonwebtoken'

process.once('message', ({ data, keyForm }) => {
  const database = new DatabaseSync(join(data, 'latchkey.db'), { readOnly: true })
  const findCaller = database.prepare(`SELECT accounts.id, accounts.disabled FROM hub_tokens
    JOIN accounts ON accounts.id = hub_tokens.account_id WHERE secret_hash = ? AND revoked_at IS NULL`)
  const findRef = database.prepare(`SELECT repositories.uid, refs.uid AS ref, members.role
    FROM repositories JOIN refs ON refs.repository_uid = repositories.uid
    LEFT JOIN members ON members.namespace_id = repositories.namespace_id AND members.account_id = ?
    WHERE repositories.path = ? AND refs.name = ?`)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // Text is read anew for each signature.
  const key = keyForm === 'text' ? privateKey.export({ type: 'pkcs8', format: 'pem' }) : privateKey
  const app = express()
  app.get('/api/:type/:namespace/:name/storage-read-token/:revision', (request, response) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const caller = findCaller.get(hash('sha256', token, 'hex'))
    if (caller === undefined || caller.disabled !== 0) return response.status(401).end()
    const { type, namespace, name, revision } = request.params
    const path = `${type}/${namespace}/${name}`
    const found = findRef.get(caller.id, path, `refs/heads/${revision}`)
    if (found === undefined || found.role === null) return response.status(404).end()
    const claims = {
      sub: caller.id,
      scope: 'read',
      repo: found.uid,
      ref: found.ref,
      jti: randomUUID(),
    }
    const options = {
      algorithm: 'ES256',
      expiresIn: 900,
      issuer: 'http://hub',
      audience: 'http://cas',
    }
    const accessToken = jwt.sign(claims, key, options)
    const exp = Math.floor(Date.now() / 1000) + 900
    return response.json({ accessToken, exp, casUrl: 'http://cas' })
  })
  const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address().port))
})
process.on('disconnect', () => process.exit())
