import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import { headless } from './host/headless.ts'
import { atEnd, Home } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'

const OLD = '以后前端开发端口必须固定用 5173。'
const NEW = '以后前端开发端口必须固定用 5180。'

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

interface Asked { headers: IncomingHttpHeaders, body: { model: string, input: string[] } }

/** A service of embeddings on loopback that answers with `status`. */
async function service(t: TestContext, status: number): Promise<{ endpoint: string, asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => { text += part }).on('end', () => {
      const body = JSON.parse(text) as Asked['body']
      asked.push({ headers: request.headers, body })
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ data: body.input.map((_, index) => ({ index, embedding: [1, index + 1, 0.5] })), model: body.model }))
    })
  })
  await new Promise<void>(done => { server.listen(0, '127.0.0.1', () => { done() }) })
  atEnd(t, () => { server.closeAllConnections(); server.close() })
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v4/embeddings`, asked }
}

test('what is known is ordered by a service on the real host, in one request with the host\'s key, and by words when it fails', async t => {
  for (const status of [200, 503]) {
    const { endpoint, asked } = await service(t, status)
    const home = new Home(t, model)
    home.patch('headless', [fileRow({ judge: 'heuristic', conflictRanking: 'embedding', embedding: { endpoint } })])
    const cwd = home.workspace(`order-${status}`)
    const env = { ZHIPU_API_KEY: 'loopback' }
    await headless(home, model, OLD, { cwd, env })
    assert.equal(asked.length, 0)
    await headless(home, model, NEW, { cwd, env })
    assert.deepEqual(asked.map(({ body }) => body), [{ model: 'embedding-3', input: [NEW, OLD] }])
    assert.equal(asked[0]?.headers.authorization, 'Bearer loopback')
    const rows = home.ledger()
    assert.equal(rows.filter(({ kind, asker }) => kind === 'conflict-ask' && asker === undefined).length, 1)
    assert.deepEqual(rows.filter(({ kind }) => kind === 'degraded').map(({ cause }) => cause), status === 200 ? [] : ['embedding-status'])
  }
})
