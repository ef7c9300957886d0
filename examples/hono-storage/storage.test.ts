import { testStorage } from '../storage-cases.ts'
import { openStorage } from './storage.ts'

testStorage((gate) => {
  const app = openStorage(gate)
  return async (path, init) => app.request(`https://cas.example${path}`, init)
})
