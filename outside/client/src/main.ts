/** Reads a file with a hub token, and gets an error with an invalid one. */

import { readFile, refusalOf } from './page/read-file.js'

const { HUB_URL = 'http://127.0.0.1:8080', HUB_TOKEN = '', FILE_HASH = '' } = process.env

const options = { hubUrl: HUB_URL, repo: 'models/acme/bert' }
const read = await readFile({ ...options, hubToken: HUB_TOKEN }, FILE_HASH)
const refused = await refusalOf({ ...options, hubToken: `${HUB_TOKEN.slice(0, -1)}_` })
console.log(JSON.stringify({ ...read, code: refused }))
