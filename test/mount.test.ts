import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { headless } from './host/headless.ts'
import { eventually, Home } from './host/home.ts'
import { Model } from './host/model.ts'
import { addPlugin, fileRow, pack, PACKAGE, removePlugin, unpack } from './host/mount.ts'
import { Web } from './host/web.ts'

const RULE = 'From now on, always write the changelog in English.'
const TOOLS = ['memory_forget', 'memory_search', 'memory_write']

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

/** Says a rule, sees it in the next session, removes the plugin, and sees that only the data is left. */
async function lives(home: Home, remove: () => unknown): Promise<void> {
  const cwd = home.workspace()
  const first = await headless(home, model, RULE, { cwd })
  assert.equal(first.code, 0, first.stderr)
  const second = await headless(home, model, 'hello', { cwd })
  assert.ok(second.requests[0]?.context.includes(RULE), second.requests[0]?.context)
  assert.deepEqual(second.requests[0]?.tools.filter(name => name.startsWith('memory_')), TOOLS)

  await remove()
  const ledger = readFileSync(join(home.dataDir, 'ledger.jsonl'))
  const third = await headless(home, model, 'hello', { cwd })
  assert.equal(third.code, 0, third.stderr)
  assert.ok(!third.requests[0]?.context.includes(RULE))
  assert.deepEqual(third.requests[0]?.tools.filter(name => name.startsWith('memory_')), [])
  assert.deepEqual(readFileSync(join(home.dataDir, 'ledger.jsonl')), ledger)
}

test('mounted by a patch row with a file address', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow()])
  await lives(home, () => { home.patch('headless', []) })
})

test('mounted by dsh plugin add with a folder, and with an archive', async t => {
  const archive = pack(t)
  for (const spec of [unpack(t, archive), archive]) {
    const home = new Home(t, model)
    await addPlugin(home, 'headless', spec)
    const profile = join(home.dsh, 'profiles/headless')
    assert.match(readFileSync(join(profile, 'package.json'), 'utf8'), new RegExp(PACKAGE))
    await lives(home, async () => { await removePlugin(home, 'headless') })
    assert.doesNotMatch(readFileSync(join(profile, 'package.json'), 'utf8'), new RegExp(PACKAGE))
  }
})

test('mounted twice, one is inert and the host lives', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow(), { ...fileRow(), id: 'again' }])
  const cwd = home.workspace()
  const run = await headless(home, model, RULE, { cwd })
  assert.equal(run.code, 0, run.stderr)
  const next = await headless(home, model, 'hello', { cwd })
  assert.equal(next.requests[0]?.context.split(RULE).length, 2)
})

test('the web profile boots with it, and removing the row takes it away while the host runs', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  await web.prompt(session, RULE)
  await web.prompt(session, 'hello')
  assert.ok(model.turns(session).at(-1)?.context.includes(RULE))
  home.patch('web', [fileRow({ recall: { maxTokens: 500 } })])
  await eventually(() => home.ledger().filter(({ kind }) => kind === 'start').length > 1, 20_000, 'second mount')
  await web.prompt(session, 'and with another config?')
  const request = model.turns(session).at(-1)
  assert.ok(request?.context.includes(RULE) && request.tools.includes('memory_search'))

  home.patch('web', [])
  const gone = async (): Promise<boolean> => {
    await web.prompt(session, 'still there?')
    return !model.turns(session).at(-1)?.tools.some(name => name.startsWith('memory_'))
  }
  for (let tries = 0; !(await gone()); tries++) assert.ok(tries < 20, 'the plugin is still mounted')
  assert.ok(!model.turns(session).at(-1)?.context.includes(RULE))
  assert.equal((await web.stop()).code, 0)
})
