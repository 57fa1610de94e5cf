// The judge's client through the whole shim, against a server of our own that fails in every way a network can.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { refs } from '../plugin/credentials.ts'
import { credentials, fakeKey, QUIET, RULE, turnOf, type Told } from './jev/jev.ts'
import { JevServer, type Fault } from './jev/server.ts'
import { Stub, StubSession } from './shim/stub.ts'

/** Over the budget a turn's end may take: what a timer and a loaded machine are late by. */
const SLACK_MS = 50

let server: JevServer
let stub: Stub
const key = fakeKey()

before(async () => { server = await JevServer.start(key) })
after(async () => { await server.close() })

/** A stub of the host for one test, and a server that was asked nothing yet. */
function fresh(t: TestContext): void {
  stub = new Stub(t, { core: 'built' })
  stub.services.credentials = credentials({ TYPESAFE_API_KEY: key })
  Object.assign(server, { asked: [], heads: [], faults: [], always: undefined, noul: 0.9, mostOpen: 0 })
}

const turn = (text: string, config: object = {}, signal?: AbortSignal): Promise<Told> => turnOf(stub, { jev: { endpoint: server.url }, ...config }, text, signal)

test('a sentence that only a reader keeps is kept, in one request with the key of the moment', async t => {
  fresh(t)
  const { rows, by, cause } = await turn(`${QUIET}\n${RULE}`)
  assert.deepEqual([by, cause], ['jev', undefined])
  assert.equal(server.asked.length, 1)
  assert.equal(server.heads[0]?.authorization, `Bearer ${key}`)
  const start = rows.find(({ kind }) => kind === 'start')
  assert.deepEqual([start?.key, start?.jevReady, start?.judge], ['service:env', true, 'jev'])
  const judged = rows.find(({ kind }) => kind === 'judged')
  assert.deepEqual([judged?.model, judged?.questions, judged?.asked, judged?.answered], ['jev-1.13.0', 'jev-1', 2, 2])
  assert.ok(Number(judged?.inputTokens) > 270)
})

const passing = (status: number, headers: Record<string, string> = {}): Fault => ({ status, headers, body: '<html>busy</html>' })

test('every fault of a network ends in a clean degrade within the budget, with its cause', async t => {
  fresh(t)
  const json = { status: 200 }
  const cases: [string, Fault, string, number][] = [
    ['429', passing(429), 'jev-rate-limited', 2],
    ['429 for a minute', passing(429, { 'retry-after': '60' }), 'jev-rate-limited', 1],
    ['529', passing(529), 'jev-overloaded', 2],
    ['500', passing(500), 'jev-server', 2],
    ['502 with HTML', passing(502), 'jev-server', 2],
    ['503', passing(503), 'jev-server', 2],
    ['504', passing(504), 'jev-server', 2],
    ['408', passing(408), 'jev-timeout', 2],
    ['400, too many tokens', { status: 400, body: '{"detail":{"error_type":"max_tokens_exceeded"}}' }, 'jev-too-large', 1],
    ['401', { status: 401, body: '{"error":"bad key"}' }, 'jev-auth', 1],
    ['402', { status: 402 }, 'jev-no-credit', 1],
    ['a gateway that wraps', { status: 400, body: '{"error":{"message":"HTTP 400: {}","code":400}}' }, 'jev-refused', 1],
    ['a redirect', { status: 307, headers: { location: `${server.url}/elsewhere` } }, 'jev-transport', 2],
    ['a dropped connection', { drops: true }, 'jev-transport', 2],
    ['silence', { delayMs: 5_000 }, 'jev-timeout', 1],
    ['a body that stalls', { stalls: true }, 'jev-timeout', 1],
    ['no body', { ...json, body: '' }, 'jev-contract', 1],
    ['cut JSON', { ...json, body: '{"model":"jev-1.13.0","answers":{"c0_rem' }, 'jev-contract', 1],
    ['NaN', { ...json, body: '{"model":"m","answers":{"c0_remember":{"type":"noul","noul":NaN}}}' }, 'jev-contract', 1],
    ['null', { ...json, body: 'null' }, 'jev-contract', 1],
    ['no answers', { ...json, body: '{"model":"m","answers":{}}' }, 'jev-missing-row', 1],
    ['an answer nobody asked for', { ...json, body: '{"model":"m","answers":{"x":{"type":"noul","noul":1}}}' }, 'jev-contract', 1],
    ['an unknown type of answer', { ...json, body: '{"model":"m","answers":{"c0_remember":{"type":"box"}}}' }, 'jev-contract', 1],
    ['a body without end', { ...json, body: `{"model":"${'x'.repeat(5 << 20)}"}` }, 'jev-transport', 0],
  ]
  for (const [name, fault, cause, requests] of cases) {
    await t.test(name, async () => {
      server.always = fault
      server.heads.length = 0
      const told = await turn(RULE, { writeTimeoutMs: 1_200 })
      assert.deepEqual([told.by, told.cause], ['heuristic', cause])
      assert.equal(told.rows.filter(({ kind }) => kind === 'degraded').length, 1)
      assert.equal(told.rows.filter(({ kind }) => kind === 'write').length, 1)
      if (requests > 0) assert.equal(server.heads.length, requests)
      assert.ok(told.tookMs <= 1_200 + SLACK_MS, `${told.tookMs} ms`)
    })
  }
})

test('a server that is not there is no failure of the turn', async t => {
  fresh(t)
  const { by, cause, tookMs } = await turn(RULE, { jev: { endpoint: 'http://127.0.0.1:9' } })
  assert.deepEqual([by, cause], ['heuristic', 'jev-transport'])
  assert.ok(tookMs <= 2_500 + SLACK_MS)
})

test('a passing fault is passed: the wait is what the server asks for, and the second attempt says so', async t => {
  fresh(t)
  const soon = new Date(Date.now() + 1_000).toUTCString()
  for (const headers of [{ 'retry-after-ms': '150' }, { 'retry-after': '0.15' }, { 'retry-after': soon }]) {
    await t.test(JSON.stringify(headers), async () => {
      server.faults = [passing(429, headers)]
      server.heads.length = 0
      const { by, cause, tookMs } = await turn(QUIET)
      assert.deepEqual([by, cause], ['jev', undefined])
      assert.equal(server.heads[1]?.['x-typesafe-retry-count'], '1')
      assert.ok(tookMs >= (headers['retry-after'] === soon ? 0 : 150), `${tookMs} ms`)
    })
  }
})

test('whatever the network does, the turn stops within its budget and nothing keeps running', async t => {
  fresh(t)
  for (const fault of [{ delayMs: 10_000 }, { stalls: true }, passing(503, { 'retry-after': '0.2' })]) {
    await t.test(JSON.stringify(fault), async () => {
      server.always = fault
      const { by, tookMs } = await turn(RULE, { writeTimeoutMs: 400, jev: { endpoint: server.url, timeoutMs: 60_000, retries: 10 } })
      assert.equal(by, 'heuristic')
      assert.ok(tookMs <= 400 + SLACK_MS, `${tookMs} ms`)
      const asked = server.heads.length
      await new Promise(done => setTimeout(done, 300))
      assert.equal(server.heads.length, asked)
      assert.equal(server.open, 0, 'a connection is still open')
    })
  }
})

test('the host\'s signal ends the wait, the request and the pause between two attempts', async t => {
  fresh(t)
  for (const fault of [{ delayMs: 10_000 }, { stalls: true }, passing(429, { 'retry-after': '2' })]) {
    await t.test(JSON.stringify(fault), async () => {
      server.always = fault
      server.heads.length = 0
      const cancel = new AbortController()
      setTimeout(() => { cancel.abort() }, 150)
      const { tookMs } = await turn(RULE, { writeTimeoutMs: 5_000 }, cancel.signal)
      assert.ok(tookMs < 1_000, `${tookMs} ms`)
      assert.equal(server.open, 0, 'a connection is still open')
    })
  }
})

test('a model of the host\'s that heeds no signal ends nobody\'s turn late', async t => {
  fresh(t)
  const never = new Promise<never>(() => {})
  stub.services.agentDefaultModel = { currentSelection: () => ({ provider: 'p', model: 'm' }) }
  const services: Record<string, object> = {
    'says nothing': { stream: async function* () { yield await never } },
    'throws': { stream: () => { throw new Error('a defect of middleware') } },
    'never finishes': { stream: async function* () { yield { type: 'text-delta', index: 0, text: '[' }; yield await never } },
    'talks without end': { stream: async function* () { for (;;) { await Promise.resolve(); yield { type: 'text-delta', index: 0, text: 'x'.repeat(4_096) } } } },
  }
  for (const [name, llm] of Object.entries(services)) {
    await t.test(name, async () => {
      stub.services.llm = llm
      const { by, cause, tookMs } = await turn(RULE, { judge: 'host', writeTimeoutMs: 400 })
      assert.equal(by, 'heuristic')
      assert.equal(cause, ['says nothing', 'never finishes'].includes(name) ? 'host-timeout' : 'host-failed')
      assert.ok(tookMs <= 400 + SLACK_MS, `${tookMs} ms`)
    })
  }
  await t.test('cancelled', async () => {
    stub.services.llm = services['says nothing']
    const cancel = new AbortController()
    setTimeout(() => { cancel.abort() }, 100)
    const { tookMs } = await turn(RULE, { judge: 'host', writeTimeoutMs: 5_000 }, cancel.signal)
    assert.ok(tookMs < 1_000, `${tookMs} ms`)
  })
})

test('a key that is changed while the host runs is used at the next turn', async t => {
  fresh(t)
  const values: Record<string, string | undefined> = { TYPESAFE_API_KEY: 'an-old-one' }
  stub.services.credentials = credentials(values)
  await stub.mount({ dataDir: stub.dataDir, jev: { endpoint: server.url }, normalize: { enabled: false } })
  const session = new StubSession('s')
  stub.emit('agent/created', { agent: { session } })
  await stub.turn(session, QUIET)
  values.TYPESAFE_API_KEY = key
  await stub.turn(session, 'The staging queue is called stork.')
  values.TYPESAFE_API_KEY = undefined
  await stub.turn(session, 'The staging cache is called crane.')
  await stub.dispose()
  assert.deepEqual(stub.rows('remember').map(({ by }) => by), ['heuristic', 'jev', 'heuristic'])
  assert.deepEqual(stub.rows('degraded').map(({ cause }) => cause), ['jev-auth'])
})

test('a credentials service that is silent is not up, and costs nobody the budget', async t => {
  fresh(t)
  stub.services.credentials = { resolve: () => new Promise(() => {}) }
  const first = await turn(RULE, { writeTimeoutMs: 600 })
  assert.deepEqual([first.by, first.cause], ['heuristic', undefined])
  assert.equal(first.rows.filter(({ kind }) => kind === 'write').length, 1)
  assert.ok(first.tookMs <= 600 + SLACK_MS, `${first.tookMs} ms`)
  const second = await turn(QUIET, { jev: { endpoint: server.url, apiKey: key } })
  assert.equal(second.by, 'jev')
  assert.equal(second.rows.find(({ kind }) => kind === 'start')?.key, 'config')
})

test('a key is looked for in order, and the start row says where it was found', async t => {
  fresh(t)
  const file = (text: string): void => { mkdirSync(join(stub.folder, 'home'), { recursive: true }); writeFileSync(join(stub.folder, 'home/.credentials.yaml'), text, { mode: 0o600 }) }
  const before = { home: process.env.DSH_HOME, key: process.env.TYPESAFE_API_KEY }
  process.env.DSH_HOME = join(stub.folder, 'home')
  t.after(() => {
    for (const [name, value] of [['DSH_HOME', before.home], ['TYPESAFE_API_KEY', before.key]] as const) if (value === undefined) delete process.env[name]; else process.env[name] = value
  })
  const found = async (config: object = {}): Promise<unknown> => (await turn(QUIET, { jev: { endpoint: server.url, ...config } })).rows.find(({ kind }) => kind === 'start')?.key
  assert.equal(await found(), 'service:env')
  stub.services.credentials = undefined
  file(`TYPESAFE_API_KEY: ${key}\n`)
  assert.equal(await found(), 'file')
  file(`version: 1\n\nrefs:\n  OTHER: "x"\n  TYPESAFE_API_KEY: '${key}' # mine\nrecords: {}\n`)
  assert.equal(await found(), 'file')
  file('version: 1\nrefs:\n  OTHER: y\n')
  process.env.TYPESAFE_API_KEY = key
  assert.equal(await found({ apiKey: key }), 'config')
  assert.equal(await found(), 'env')
  process.env.TYPESAFE_API_KEY = ' '
  assert.equal(await found(), 'none')
  assert.equal(await found({ apiKey: 'with space' }), 'none')
  // A service that is up has the last word, whatever the file holds.
  stub.services.credentials = credentials({})
  file(`TYPESAFE_API_KEY: ${key}\n`)
  assert.equal(await found(), 'none')
  assert.equal(readFileSync(join(stub.folder, 'home/.credentials.yaml'), 'utf8'), `TYPESAFE_API_KEY: ${key}\n`)
})

test('both layouts of the credentials document are read, and nothing else is made of them', () => {
  const read = (text: string): [string, string][] => [...refs(text)]
  assert.deepEqual(read('A: one\nB: "t\\"wo"\nC: \'it\'\'s\'\n# D: four\nE: five # mine\n'), [['A', 'one'], ['B', 't"wo'], ['C', 'it\'s'], ['E', 'five']])
  assert.deepEqual(read('\ufeffversion: 1\r\nrefs:\r\n  A: one\r\nrecords:\r\n  B: two\r\n'), [['A', 'one']])
  assert.deepEqual(read('version: 1\nrefs: {}\n'), [])
  assert.deepEqual(read('- a list\n{ json: 1 }\n: :\n'), [])
})

test('a key is in no file, no row and no message, whatever repeats it', async t => {
  fresh(t)
  const everywhere = (): string => {
    const read = (folder: string): string => readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter(entry => entry.isFile()).map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n')
    return readdirSync(stub.folder).filter(name => name.startsWith('data')).map(name => read(join(stub.folder, name))).join('\n')
  }
  const logged: string[] = []
  for (const stream of ['stdout', 'stderr'] as const) {
    const write = process[stream].write.bind(process[stream])
    t.mock.method(process[stream], 'write', (text: string | Uint8Array, ...rest: never[]) => { logged.push(String(text)); return write(text, ...rest) })
  }
  for (const fault of [
    { status: 401, body: `{"error":"the key ${key} is wrong"}` },
    { status: 429, headers: { 'x-typesafe-request-id': key, 'retry-after': key }, body: key },
    { status: 200, body: `{"model":"${key}","answers":{}}` },
    { status: 200, body: `{"model":"m","answers":{"${key}":1}}` },
    { drops: true },
  ]) {
    server.always = fault
    await turn(RULE)
    stub.services.credentials = undefined
    await turn(RULE, { jev: { endpoint: server.url, apiKey: key } })
    await turn(RULE, { jev: { endpoint: `http://user:${key}@127.0.0.1:9`, apiKey: key } })
    stub.services.credentials = credentials({ TYPESAFE_API_KEY: key })
  }
  assert.ok(everywhere().includes('jev-auth'))
  assert.ok(!everywhere().includes(key))
  assert.ok(!logged.join('').includes(key))
})

test('every candidate of a long turn is asked about in few requests, the state once in each', async t => {
  fresh(t)
  const names = Array.from({ length: 30 }, (_, at) => `The staging service number ${at} is called heron ${at}.`)
  const { rows } = await turn(names.join('\n'), { jev: { endpoint: server.url, maxCandidates: 64 } })
  assert.equal(rows.filter(({ kind, by }) => kind === 'remember' && by === 'jev').length, 30)
  assert.equal(server.asked.length, 1)
  assert.equal(server.mostOpen, 1)
})

test('sessions that end their turns at once are bounded, and each is answered', async t => {
  fresh(t)
  server.always = { delayMs: 100 }
  await stub.mount({ dataDir: stub.dataDir, jev: { endpoint: server.url }, normalize: { enabled: false } })
  const sessions = Array.from({ length: 9 }, (_, at) => new StubSession(`s-${at}`))
  for (const [at, session] of sessions.entries()) {
    stub.emit('agent/created', { agent: { session } })
    stub.begin(session, `The staging service number ${at} is called heron ${at}.`)
  }
  await Promise.all(sessions.map(session => stub.stop(session)))
  await stub.dispose()
  assert.equal(stub.rows('remember').filter(({ by }) => by === 'jev').length, 9)
  assert.ok(server.mostOpen <= 4, `${server.mostOpen} at once`)
})
