import { testStorage } from '../storage-cases.ts'
import { openStorage } from './storage.ts'

testStorage((gate) => {
  const handler = openStorage(gate)
  return (path, init) => handler(new Request(`https://cas.example${path}`, init))
})
