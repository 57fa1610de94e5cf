// The judge's client against servers that nobody here wrote, and our own server against their judge of servers.

import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { open, type Settings } from '../dist/index.js'
import { headless } from './host/headless.ts'
import { Home, REPOSITORY, within } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { credentials, fakeKey, QUIET, turnOf } from './jev/jev.ts'
import { JevServer } from './jev/server.ts'
import { Stub } from './shim/stub.ts'

const BIN = join(REPOSITORY, '.venv/bin')
const key = fakeKey()

/** Starts a program of the virtual environment and returns the first line it prints that holds `mark`. */
async function start(program: string, args: string[], mark: string): Promise<{ line: string, child: ChildProcess }> {
  const child = spawn(join(BIN, program), args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  const hear = (chunk: Buffer): void => {
    text += String(chunk)
    const line = text.split('\n').slice(0, -1).find(line => line.includes(mark))
    if (line !== undefined) resolve(line)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.once('error', reject)
  child.once('exit', code => { reject(new Error(`${program} ended with ${code}: ${text}`)) })
  return { line: await within(promise, 30_000, program), child }
}

/** What each fault of `jevcompat mock` leads to: an answer, or the cause in the ledger. What is not here is answered. */
const DEGRADES: Record<string, string> = {
  'wrong-route': 'jev-refused',
  'xssi-200': 'jev-contract',
  'auth-rejects-header': 'jev-auth',
  'auth-x-api-key': 'jev-auth',
  'reject-jev-latest': 'jev-refused',
  'first-question-only': 'jev-missing-row',
  'string-only-text': 'jev-refused',
  'extra-answer': 'jev-contract',
  'boolean-type': 'jev-contract',
  nan: 'jev-contract',
  'noul-range': 'jev-contract',
  'choice-sum': 'jev-contract',
  'choice-second': 'jev-contract',
  'confidence-over': 'jev-contract',
}

test('every fault of jevcompat\'s mock ends in an answer, or in a clean degrade within the budget', async t => {
  const { line, child } = await start('python', [join(REPOSITORY, 'test/jev/mocks.py'), key], '{')
  t.after(() => { child.kill() })
  const urls = JSON.parse(line) as Record<string, string>
  assert.ok(Object.keys(urls).length > 40)
  assert.deepEqual(Object.keys(DEGRADES).filter(name => !(name in urls)), [])
  const stub = new Stub(t, { core: 'built' })
  stub.services.credentials = credentials({ TYPESAFE_API_KEY: key })
  for (const [name, endpoint] of Object.entries(urls)) {
    await t.test(name || 'none', async () => {
      const { rows, by, cause, tookMs } = await turnOf(stub, { jev: { endpoint } }, QUIET)
      const judged = rows.find(({ kind }) => kind === 'judged')
      t.diagnostic(`${name || 'none'} | ${DEGRADES[name] ?? 'answered'} | ${String(judged?.requests)} | ${Math.round(tookMs)} ms`)
      assert.deepEqual([by, cause], name in DEGRADES ? ['heuristic', DEGRADES[name]] : ['jev', undefined])
      assert.ok(tookMs < 2_550, `${tookMs} ms`)
    })
  }
  await t.test('a wrong key', async () => {
    stub.services.credentials = credentials({ TYPESAFE_API_KEY: 'a-wrong-one' })
    for (const name of ['auth-plain', 'auth-invalid-403-text']) assert.equal((await turnOf(stub, { jev: { endpoint: urls[name] } }, QUIET)).cause, 'jev-auth')
  })
})

test('our own server meets every demand of jevcompat', async () => {
  const server = await JevServer.start(key)
  try {
    const child = spawn(join(BIN, 'jevcompat'), ['test', server.url, '--key', key], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', chunk => { text += String(chunk) })
    child.stderr.on('data', chunk => { text += String(chunk) })
    const code = await within(new Promise<number | null>(done => { child.once('close', done) }), 120_000, 'jevcompat test')
    assert.equal(code, 0, text)
  } finally { await server.close() }
})

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

test('the real host asks a real decision model, and its version is in the ledger', async t => {
  const port = 20_000 + process.pid % 20_000
  const { child } = await start('sparrow-decider', ['serve', '--port', String(port)], String(port))
  t.after(() => { child.kill() })
  const home = new Home(t, model)
  home.patch('headless', [fileRow({ jev: { endpoint: `http://127.0.0.1:${port}` } })])
  const run = await headless(home, model, QUIET, { cwd: home.workspace(), env: { TYPESAFE_API_KEY: key } })
  assert.equal(run.code, 0, run.stderr)
  const [remember] = home.ledger().filter(({ kind }) => kind === 'remember')
  assert.equal(remember?.by, 'jev')
  assert.match(String(remember?.model), /sparrow/)
  assert.equal(home.ledger().find(({ kind }) => kind === 'start')?.key, 'service:env')
  assert.deepEqual(home.grep(key), [])
})

test('a real decision model decides for the memory as a library, and whatever it says is legal', async t => {
  const port = 20_000 + (process.pid + 1) % 20_000
  const { child } = await start('sparrow-decider', ['serve', '--port', String(port)], String(port))
  t.after(() => { child.kill() })
  const dataDir = mkdtempSync(join(tmpdir(), 'jev-library-'))
  t.after(() => { rmSync(dataDir, { recursive: true, force: true }) })
  const settings: Settings = { dataDir, jevApiKey: key, jevEndpoint: `http://127.0.0.1:${port}` }
  const memory = await open(settings)
  t.after(() => memory.close())
  const said = ['Mara lives in Porto.', 'Mara lives in Faro now.', '小顾住在杭州。', '小顾搬到了宁波。', 'Mara no longer lives in Porto.', 'Mara lives in Porto.']
  const results = []
  for (const [n, source] of said.entries()) results.push(await memory.add(source, { scope: 's', requestId: `r-${n}` }))
  const judged = results.flatMap(({ decisions }) => decisions).filter(({ confidence }) => confidence !== undefined)
  assert.ok(judged.length > 0, 'nothing was near enough to be asked')
  t.diagnostic(judged.map(({ action, updateType, confidence }) => `${updateType ?? action} ${confidence?.toFixed(2)}`).join(', '))
  assert.match(readFileSync(join(dataDir, 'ledger.jsonl'), 'utf8'), /"model":"[^"]*sparrow/)
  // The same questions to the same model, in a new process's view: the recorded results, and the same heads.
  const again = await open(settings)
  t.after(() => again.close())
  for (const [n, source] of said.entries()) assert.deepEqual(await again.add(source, { scope: 's', requestId: `r-${n}` }), results[n])
  assert.deepEqual(await again.list({ scope: 's' }), await memory.list({ scope: 's' }))
  // Procedures, with the same model asked about the scene and about each other.
  const found = (solution: string): string => JSON.stringify({
    candidates: [{ task: 'Fix the clock test', search_keys: [], solution, boundary_envs: [], boundary_scope: 'project', confidence: 0.8 }],
  })
  const working = await open({
    ...settings, llm: ({ system, prompt }) => system.includes('You take procedures') ? found(/Fix the clock test .*/.exec(prompt)?.[0] ?? '') : '{"candidates":[]}',
  })
  t.after(() => working.close())
  for (const way of ['with fake timers', 'with a fixed zone', 'by freezing the date']) {
    const { scene, failed, decisions } = await working.add([
      { role: 'user', content: `Fix the clock test ${way}` },
      { role: 'assistant', content: 'The test passes now.', tool_calls: [{ function: { name: 'edit', arguments: '{"path":"test/clock.test.ts"}' } }] },
    ], { scope: 's' })
    assert.equal(failed, undefined)
    t.diagnostic(`${scene}: ${decisions.map(({ action, updateType }) => updateType ?? action).join(', ')}`)
  }
})
