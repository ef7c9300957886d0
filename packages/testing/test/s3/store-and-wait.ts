/** Starts a store, says where it is, and waits to be killed. */

import { startVersitygw } from '@latchkey/testing/s3/stores'

const store = await startVersitygw()
const place = { ...store.newPlace(), prefix: '' }
const url = `${store.endpoint}/${place.bucket}`
console.log(JSON.stringify({ folder: store.fileOf(place, ''), url, port: store.port }))
setInterval(() => {}, 60_000)
