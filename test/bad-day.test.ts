import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { headless, type Run } from './host/headless.ts'
import { Home, REPOSITORY, scratch, type Row, type Scope } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const RULE = 'From now on, always write the changelog in English.'

let model: Model
before(async () => {
  model = await Model.start()
  model.when('search', { calls: [{ name: 'memory_search', args: { query: 'changelog' } }] })
})
after(async () => { await model.close() })

const written = (rows: Row[]): string[] => rows.filter(({ kind }) => kind === 'write').map(row => (row.memory as { text: string }).text)
const of = (rows: Row[], kind: string): string => JSON.stringify(rows.filter(row => row.kind === kind))

/** The built plugin in a folder of its own, to be damaged. */
function copy(scope: Scope): string {
  const folder = scratch(scope)
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of readdirSync(join(REPOSITORY, 'dist'))) copyFileSync(join(REPOSITORY, 'dist', name), join(folder, 'dist', name))
  return folder
}

async function runs(home: Home, task: string): Promise<Run> {
  const run = await headless(home, model, task, { cwd: home.workspace() })
  assert.equal(run.code, 0, run.stderr)
  assert.equal(run.stderr, '')
  return run
}

const toolReply = (run: Run): string => run.requests.at(-1)?.messages.at(-1)?.content ?? ''

test('without its module the plugin is inert, the host lives, and the tool says how to build it', async t => {
  const home = new Home(t, model)
  const folder = copy(t)
  rmSync(join(folder, 'dist/core_bg.wasm'))
  home.patch('headless', [fileRow({}, join(folder, 'dist/index.js'))])
  const run = await runs(home, `search ${RULE}`)
  assert.match(toolReply(run), /cannot be loaded.*npm run build/)
  assert.match(readFileSync(join(home.dataDir, 'inert.txt'), 'utf8'), /cannot be loaded/)
})

test('a damaged memory.json is put aside, and the ledger still knows', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow()])
  await runs(home, RULE)
  writeFileSync(join(home.dataDir, 'memory.json'), '\0\0\0{"half":')
  const run = await runs(home, 'hello')
  assert.ok(run.requests[0]?.context.includes(RULE), run.requests[0]?.context)
  assert.match(run.requests[0]?.context ?? '', /memory\.json is damaged/)
  assert.equal(readdirSync(join(home.dataDir, 'quarantine')).length, 1)
  assert.match(of(home.ledger(), 'health'), /memory\.json/)
})

test('a damaged ledger line, a dead process\'s lock and its half file, and foreign vectors cost a session nothing but that line', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow()])
  await runs(home, `${RULE}\nFrom now on, always run make lint before you commit anything.`)
  const ledger = join(home.dataDir, 'ledger.jsonl')
  rmSync(join(home.dataDir, 'memory.json'))
  const lines = readFileSync(ledger, 'utf8').split('\n')
  const hurt = lines.findIndex(line => line.includes('"kind":"write"') && line.includes('make lint'))
  lines[hurt] = (lines[hurt] ?? '').replace('make', 'm\0ke')
  writeFileSync(ledger, `\ufeff${lines.join('\r\n')}`)
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(join(home.dataDir, 'lock'), JSON.stringify({ owner: { host: hostname(), pid, started: '1.none' }, token: 'feedbeef', at: Date.now() }))
  writeFileSync(join(home.dataDir, 'memory.json.0f.tmp'), '{"half":')
  writeFileSync(join(home.dataDir, 'embeddings.json'), '<html>')
  const run = await runs(home, 'From now on, always label every release in English.')
  assert.ok(run.requests[0]?.context.includes(RULE), run.requests[0]?.context)
  assert.match(run.requests[0]?.context ?? '', /ledger\.jsonl is damaged at byte \d+/)
  const rest = readFileSync(ledger, 'utf8')
  assert.ok(rest.includes('label every release'))
  assert.match(rest, /"code":"ledger-damaged"/)
  assert.deepEqual(readdirSync(join(home.dataDir, 'quarantine')).map(name => /^ledger\.\d+\.\w+\.txt$/.test(name)), [true])
  assert.deepEqual(readdirSync(home.dataDir).filter(name => name === 'lock' || name.endsWith('.tmp')), [])
})

test('a ledger of a newer version is not touched, the session goes on, and one message says why', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow()])
  mkdirSync(home.dataDir, { recursive: true })
  const ledger = join(home.dataDir, 'ledger.jsonl')
  copyFileSync(new URL('data/ledgers/v2.jsonl', import.meta.url), ledger)
  const before = readFileSync(ledger)
  const run = await runs(home, `search ${RULE}`)
  assert.match(toolReply(run), /newer-version|newer version/)
  assert.match(run.requests[0]?.context ?? '', /memory is off: .*version 2/)
  assert.deepEqual(readFileSync(ledger), before)
  assert.ok(!existsSync(join(home.dataDir, 'memory.json')))
})

test('a data folder that cannot be written to costs the memory, not the turn', async t => {
  const home = new Home(t, model)
  const blocked = join(home.workspace('other'), 'file')
  writeFileSync(blocked, '')
  home.patch('headless', [fileRow({ dataDir: join(blocked, 'data') })])
  model.when('keep it', { calls: [{ name: 'memory_write', args: { text: RULE } }] })
  const run = await runs(home, `keep it. ${RULE}`)
  assert.match(toolReply(run), /refused/)
  assert.equal(readFileSync(blocked, 'utf8'), '')
})

test('a config full of nonsense is named key by key, and the defaults hold', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow({ judge: 'crystal-ball', minImportance: 'high', recall: { maxTokens: -1, quota: [] }, writeTimeoutMs: null, zzz: { deep: 1 }, types: 'all' })])
  await runs(home, RULE)
  const health = of(home.ledger(), 'health')
  for (const key of ['judge', 'minImportance', 'recall.maxTokens', 'recall.quota', 'zzz', 'types']) assert.ok(health.includes(key), `${key} is not named in ${health}`)
  assert.deepEqual(written(home.ledger()), [RULE])
})

test('a config that is no mapping boots with the defaults', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow('nonsense')])
  await runs(home, RULE)
  assert.deepEqual(written(home.ledger()), [RULE])
})

test('strange input in one web session: half a character, ten thousand lines, two megabytes of output', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  const ends = async (text: string): Promise<void> => {
    const events = await web.prompt(session, text)
    assert.deepEqual(events.filter(({ type }) => type === 'turn/end').map(({ data }) => (data.reason as { kind: string }).kind), ['completed'])
  }
  await ends(`From now on, always call the mascot \ud83d in the docs.`)
  await ends(Array.from({ length: 10_000 }, (_, line) => `line ${line} of a very long message`).join('\n'))
  assert.match(of(home.ledger(), 'skip'), /over-limit/)
  writeFileSync(join(cwd, 'big.mjs'), `console.log('x'.repeat(2 << 20)); process.exit(3)`)
  model.when('make noise', { calls: [{ name: 'bash', args: { command: `"${process.execPath}" big.mjs`, description: 'noise' } }] }, { text: 'loud' })
  await ends('make noise')
  await ends(RULE)
  assert.ok(written(home.ledger()).includes(RULE))
  assert.equal((await web.stop()).code, 0)
})

for (const when of ['before', 'after'] as const) {
  test(`a core that traps in the middle of a turn, ${when} a port answered, loses nothing that was said around it`, async t => {
    const home = new Home(t, model)
    const folder = copy(t)
    appendFileSync(join(folder, 'dist/core.js'), readFileSync(new URL('shim/trap.js.txt', import.meta.url)))
    home.patch('headless', [fileRow({}, join(folder, 'dist/index.js'))])
    await runs(home, RULE)
    const word = `panic-${when}-port`
    await runs(home, `From now on, always run make lint before you commit anything.\nAlways say ${word} in the logs.\n我们决定会话存到 SQLite，不再用 Redis。`)
    const rows = home.ledger()
    assert.ok(existsSync(home.dataDir))
    assert.match(JSON.stringify(rows.filter(({ kind }) => kind === 'degraded' || kind === 'health')), new RegExp(`core-restarted.*${word}`))
    assert.ok(written(rows).includes(RULE))
    const run = await runs(home, 'hello')
    assert.ok(run.requests[0]?.context.includes(RULE))
    assert.ok(written(rows).some(text => text.includes('make lint')))
    assert.ok(written(rows).some(text => text.includes('SQLite')))
  })
}
