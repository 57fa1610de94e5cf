// What many memories come to: through the package's root, on the real host, and on the command line.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as library from '../dist/index.js'
import type { DigestProgress, Memory, Settings } from '../dist/index.js'
import { cli } from './host/cli.ts'
import { Home, scratch } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const TEA = ['green tea every morning', 'tea instead of coffee in meetings', 'tea with lunch', 'her own tea on journeys'].map(what => `Mara drinks ${what}.`)
const SCHEMA = 'Mara chooses tea wherever she can.'
const RULES = ['format the Rust code', 'lint the Rust code', 'document the Rust code', 'test the Rust code'].map(what => `From now on, always ${what} before every commit of the release branch.`)

interface Asked { system: string, prompt: string }

const idsIn = (prompt: string): string[] => [...prompt.matchAll(/^\{"id":"(m-[^"]+)"/gm)].map(match => match[1] ?? '')

/** A model that sees one pattern in each cluster and picks the first fact. */
function obliging({ system, prompt }: Asked): string {
  const ids = idsIn(prompt)
  if (system.includes('create_schema')) return JSON.stringify({ operations: [{ op: 'create_schema', text: SCHEMA, behaviour: 'Keeps to one thing.', evidence: ids }] })
  return JSON.stringify({ habits: ids.slice(0, 1) })
}

async function opened(t: TestContext, settings: Partial<Settings>): Promise<Memory> {
  const dataDir = mkdtempSync(join(tmpdir(), 'jev-digest-'))
  const memory = await library.open({ dataDir, mode: 'dual', extract: 'verbatim', reconcileLexicalThreshold: 1, ...settings })
  t.after(async () => {
    await memory.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return memory
}

test('a digest through the library: progress, schemas kept from reading, the catalogue in it, four scopes at a time', async t => {
  const asked: Asked[] = []
  let open = 0
  let most = 0
  const memory = await opened(t, {
    llm: async request => {
      asked.push(request)
      most = Math.max(most, ++open)
      await new Promise(done => setTimeout(done, 20))
      open -= 1
      return obliging(request)
    },
  })
  const scopes = Array.from({ length: 6 }, (_, n) => `s${n}`)
  for (const scope of scopes) for (const text of TEA) await memory.add(text, { scope })
  const progress: DigestProgress[] = []
  const { scopes: told } = await memory.digest({ onProgress: step => progress.push(step) })
  assert.deepEqual(told.map(({ scope, status, schemas, catalog, comparedBy }) => [scope, status, schemas, catalog, comparedBy]), scopes.map(scope => [scope, 'done', 1, 1, 'lexical']))
  assert.ok(most > 1 && most <= 4, String(most))
  assert.ok(progress.some(({ done, total }) => total === 3 && done > 0 && done < 3), JSON.stringify(progress))
  assert.ok(scopes.every(scope => progress.some(step => step.scope === scope && step.ended)))
  const found = await memory.search('tea', { scope: 's0' })
  assert.deepEqual(found.derived, [])
  assert.deepEqual(found.catalog.map(({ kind, domain, layer, fresh }) => [kind, domain, layer, fresh]), [['persona', 'habits', 'L3_DERIVED', true]])
  assert.ok(TEA.includes(found.catalog[0]!.text))
  assert.ok(found.memories.every(({ layer }) => layer !== 'L3_DERIVED'))
  const [schema] = (await memory.list({ scope: 's0', layer: 'L3_DERIVED' })).filter(({ kind }) => kind === 'schema')
  assert.deepEqual([schema?.text, schema?.by, schema?.behaviour, schema?.sourceIds.length, schema?.fresh], [SCHEMA, 'model', 'Keeps to one thing.', 4, true])
  await memory.delete(schema!.sourceIds[0]!)
  assert.deepEqual([(await memory.get(schema!.id))?.fresh, (await memory.get(schema!.id))?.isLatest], [false, false])
  const n = asked.length
  assert.deepEqual((await memory.digest()).scopes.map(({ scope }) => scope), ['s0'], 'the others were confirmed')
  assert.ok(asked.length > n)
  assert.deepEqual((await memory.digest()).scopes, [])
})

test('without a model a digest says so and keeps what waits; ended by its signal it goes on later', async t => {
  const none = await opened(t, {})
  for (const text of TEA) await none.add(text, { scope: 'mara' })
  const [failed] = (await none.digest()).scopes
  assert.deepEqual([failed?.status, /no model answers/.test(failed?.error ?? '')], ['failed', true], failed?.error)
  const ending = new AbortController()
  let n = 0
  const memory = await opened(t, { llm: request => { if (++n === 1) ending.abort(); return obliging(request) } })
  for (const text of TEA) await memory.add(text, { scope: 'mara' })
  assert.deepEqual((await memory.digest({ signal: ending.signal })).scopes.map(({ status }) => status), ['failed'])
  assert.deepEqual((await memory.digest()).scopes.map(({ status }) => status), ['done'])
  assert.equal((await memory.list({ scope: 'mara', layer: 'L3_DERIVED' })).length, 2)
})

test('schemas are read once the settings let them in, and no others than fresh ones', async t => {
  const memory = await opened(t, { llm: obliging, derivedContextLimit: 3, catalogContextEnabled: false })
  for (const text of TEA) await memory.add(text, { scope: 'mara' })
  await memory.digest({ scope: 'mara' })
  const found = await memory.search('what does Mara drink, tea?', { scope: 'mara' })
  assert.deepEqual([found.derived.map(({ text }) => text), found.catalog], [[SCHEMA], []])
  assert.match(await memory.format(found), /- \[schema\] Mara chooses tea/)
})

test('/memory digest on the real host asks the session\'s model, tells how it went, and nothing of it enters the block', async t => {
  const model = await Model.start()
  t.after(() => model.close())
  const home = new Home(t, model)
  home.patch('web', [fileRow({ normalize: { enabled: false }, askOnConflict: false })])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  const memory = async (words: string): Promise<string> => {
    const { result } = await web.command(session, `/memory ${words}`) as { result: { kind: string, text: string } }
    return result.text
  }
  for (const rule of RULES) await web.prompt(session, rule)
  const kept = home.ledger().filter(({ kind }) => kind === 'write').map(row => row.memory as { id: string, text: string })
  assert.equal(kept.length, 4, JSON.stringify(kept))
  const ids = kept.map(({ id }) => id)
  const schema = 'Code of the release branch is checked in every way before a commit.'
  model.whenAside('These are the statements.', { text: JSON.stringify({ work: [ids[0]] }) })
  model.whenAside('<schemas>', { text: JSON.stringify({ operations: [{ op: 'create_schema', text: schema, behaviour: 'Checks before finishing.', evidence: ids }] }) })
  assert.match(await memory('digest'), /4 memories compared by words alone; new schemas: 1, .* catalogue: 1, .* calls of the model: 2/)
  assert.match(await memory('digest'), /nothing new since the last digest/)
  assert.match(await memory('digest status'), /nothing new/)
  const derived = home.ledger().filter(({ kind }) => kind === 'write').map(row => row.memory as { layer: string, by: string, type: string, text: string }).filter(({ layer }) => layer === 'L3_DERIVED')
  assert.deepEqual(derived.map(({ type, by }) => [type, by]), [['schema', 'model'], ['persona', 'model']])
  assert.ok(RULES.includes(derived[1]!.text))
  // A later session's block holds the rules, and nothing that was derived.
  const other = await web.open(cwd)
  await web.prompt(other, 'What is checked before a commit of the release branch?')
  const context = model.turns(other).at(-1)?.context ?? ''
  assert.ok(context.includes('before every commit'), context)
  assert.ok(!context.includes(schema) && !context.includes('schema') && !context.includes('persona'), context)
  assert.ok(!(await memory('list all')).includes(schema))
})

test('the command line asks the service that is named, and without one says what is missing', async t => {
  const dsh = scratch(t)
  const missing = await cli({ dsh }, ['digest'], { cwd: dsh })
  assert.deepEqual([missing.code, /--llm URL.*LLM_API_KEY.*\/memory digest/s.test(missing.stderr)], [2, true], missing.stderr)
  const seen: { authorization: string | undefined, model: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { model, messages } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string, messages: { content: string }[] }
      seen.push({ authorization: request.headers.authorization, model })
      const content = obliging({ system: messages[0]?.content ?? '', prompt: messages[1]?.content ?? '' })
      response.end(JSON.stringify({ choices: [{ message: { content } }] }))
    })
  })
  await new Promise<void>(done => { server.listen(0, '127.0.0.1', done) })
  t.after(() => { server.close() })
  const data = join(dsh, 'jev-memory')
  const memory = await library.open({ dataDir: data, mode: 'dual', reconcileLexicalThreshold: 1 })
  for (const text of TEA) await memory.add(text, { scope: 'mara' })
  await memory.close()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  const key = ['k', 'e', 'y', '-', 'of-a-test'].join('')
  const done = await cli({ dsh }, ['digest', '--llm', url, '--model', 'small'], { cwd: dsh, env: { LLM_API_KEY: key } })
  assert.deepEqual([done.code, /mara: 4 memories compared by words alone; new schemas: 1/.test(done.stdout)], [0, true], done.stdout + done.stderr)
  assert.deepEqual(seen, Array.from({ length: 2 }, () => ({ authorization: `Bearer ${key}`, model: 'small' })))
  assert.ok(!readFileSync(join(data, 'ledger.jsonl'), 'utf8').includes(key))
  const refused = await cli({ dsh }, ['list', '--llm', url], { cwd: dsh })
  assert.equal(refused.code, 2)
})
