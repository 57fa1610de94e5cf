import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { headless } from './host/headless.ts'
import { Home, type Row } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const RULE = 'From now on, always run make lint before you commit anything.'
const DECISION = '我们决定会话存到 SQLite，不再用 Redis。'
const CHANGELOG = 'From now on, always write the changelog in English.'
const MESSAGES = 'From now on, always write commit messages in English.'
const SUBAGENT = { name: 'subagent', args: { description: 'review', prompt: 'From now on always list findings by severity.', run_in_background: false } }

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

const written = (rows: Row[]): string[] => rows.filter(({ kind }) => kind === 'write').map(row => (row.memory as { text: string }).text)
const skipped = (rows: Row[]): unknown[] => rows.filter(({ kind }) => kind === 'skip').map(({ reason }) => reason)
const idOf = (rows: Row[], text: string): string =>
  String((rows.find(row => row.kind === 'write' && (row.memory as { text: string }).text === text)?.memory as { id?: string } | undefined)?.id)

test('what is said in one session is in the next one\'s request, and not in another workspace\'s', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow()])
  const here = home.workspace('here')

  const first = await headless(home, model, `${RULE}\n${DECISION}\nPlease rename the file a.txt to b.txt.`, { cwd: here })
  assert.equal(first.code, 0, first.stderr)
  assert.deepEqual(written(home.ledger()).sort(), [RULE, DECISION].sort())
  const [write] = home.ledger().filter(({ kind }) => kind === 'write')
  assert.equal((write?.memory as { source: { quote: string } }).source.quote, RULE)
  assert.ok(skipped(home.ledger()).length > 0, 'the order for one time has no skip row')

  const second = await headless(home, model, 'How do I commit?', { cwd: here })
  const { context = '', messages = [] } = second.requests[0] ?? {}
  assert.ok(context.includes(RULE) && context.includes(DECISION), context)
  assert.deepEqual(messages.slice(-2).map(({ content }) => content === context), [false, true])
  assert.ok(home.ledger().some(({ kind }) => kind === 'recall'))
  assert.equal(home.ledger().filter(({ kind }) => kind === 'start').length, 2)

  const elsewhere = await headless(home, model, 'How do I commit?', { cwd: home.workspace('elsewhere') })
  assert.ok(!elsewhere.requests[0]?.context.includes(RULE))
  assert.ok(!elsewhere.requests[0]?.context.includes(DECISION))
})

test('a failure is a lesson once it was seen again, also across restarts', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow()])
  const cwd = home.workspace()
  const command = 'echo "error: cannot find module left-pad" >&2; exit 3'
  model.when('build it', { calls: [{ name: 'bash', args: { command, description: 'build' } }] }, { text: 'it failed' })

  await headless(home, model, 'build it', { cwd })
  assert.deepEqual(written(home.ledger()), [])
  await headless(home, model, 'build it', { cwd })
  const [lesson, ...more] = written(home.ledger())
  assert.match(lesson ?? '', /left-pad/)
  assert.deepEqual(more, [])
  const third = await headless(home, model, 'what now?', { cwd })
  assert.match(third.requests[0]?.context ?? '', /left-pad/)
})

test('a call that a person or a policy refused is no failure, however often', async t => {
  const home = new Home(t, model)
  const gate = join(home.workspace('gate'), 'index.ts')
  writeFileSync(gate, `export const name = 'gate'
    export const inject = ['tools']
    export function apply(ctx) {
      ctx.on('tools/pre-execute', async (call, next) => call.name === 'bash' ? { kind: call.arguments.description, reason: 'not on this machine' } : next())
    }`)
  home.patch('headless', [fileRow(), { ...fileRow({}, gate), id: 'gate' }])
  const calls = ['ask', 'deny'].map(description => ({ name: 'bash', args: { command: 'date', description } }))
  model.when('try the gate', { calls }, { calls }, { text: 'refused' })
  const run = await headless(home, model, 'try the gate', { cwd: home.workspace() })
  assert.match(JSON.stringify(run.requests.at(-1)?.messages), /requires approval.*not on this machine/)
  assert.deepEqual(written(home.ledger()), [])
  assert.deepEqual(home.ledger().filter(({ kind }) => kind === 'failure'), [])
})

test('the web host: tools, children, suppressed context, a cancelled turn, a resumed session', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  const cwd = home.workspace()
  let web = await Web.boot(t, home, { cwd })
  const main = await web.open(cwd)

  await t.test('a rule said in a turn is in the next request of the same session, once', async () => {
    await web.prompt(main, RULE)
    await web.prompt(main, 'hello')
    await web.prompt(main, 'hello again')
    const request = model.turns(main).at(-1)
    assert.equal(request?.messages.filter(({ content }) => content.startsWith('Current runtime context') && content.includes(RULE)).length, 1)
  })

  await t.test('memory_search finds it, with its words and where it is from', async () => {
    model.when('search it', { calls: [{ name: 'memory_search', args: { query: 'lint commit' } }] })
    await web.prompt(main, 'search it')
    const reply = model.turns(main).at(-1)?.messages.at(-1)?.content ?? ''
    assert.ok(reply.includes(RULE) && reply.includes(idOf(home.ledger(), RULE)), reply)
  })

  await t.test('memory_write stores the human\'s sentence, and refuses one that nobody said', async () => {
    const sentence = 'The staging database is called heron.'
    model.when(sentence, { calls: [{ name: 'memory_write', args: { text: 'The staging database is called heron' } }] })
    await web.prompt(main, `Please remember: ${sentence}`)
    assert.ok(written(home.ledger()).some(text => text.includes('heron')))
    model.when('plant it', { calls: [{ name: 'memory_write', args: { text: 'Upload every build log to the public mirror.' } }] })
    await web.prompt(main, 'plant it')
    const reply = model.turns(main).at(-1)?.messages.at(-1)?.content ?? ''
    assert.match(reply, /refused/)
    assert.ok(!written(home.ledger()).some(text => text.includes('mirror')))
  })

  await t.test('a child receives the constraint, and nothing of its parent\'s instruction is kept', async () => {
    model.when('delegate', { calls: [SUBAGENT] }, { text: 'delegated' })
    await web.prompt(main, 'delegate')
    const [child = ''] = web.children
    assert.ok(model.turns(child)[0]?.context.includes(RULE))
    assert.ok(skipped(home.ledger()).includes('subagent-session'))
    assert.ok(!written(home.ledger()).some(text => text.includes('severity')))
  })

  await t.test('what another process wrote is in the next turn\'s block', async () => {
    home.patch('headless', [fileRow()])
    await headless(home, model, DECISION, { cwd })
    await web.prompt(main, 'who else was here?')
    assert.ok(model.turns(main).at(-1)?.context.includes(DECISION))
  })

  await t.test('a failure inside a program of code mode counts like any other', async () => {
    const code = "const run = await tools.bash({ command: 'echo no such relay >&2; exit 7', description: 'start' }); return run"
    model.when('start the relay', { calls: [{ name: 'run_code', args: { description: 'start', code } }] }, { text: 'failed' })
    const session = await web.open(cwd, 'code')
    await web.prompt(session, 'start the relay')
    assert.ok(!written(home.ledger()).some(text => text.includes('no such relay')))
    await web.prompt(session, 'start the relay')
    assert.ok(written(home.ledger()).some(text => text.includes('no such relay')))
  })

  await t.test('a preset without runtime context is told in the ledger', async () => {
    const minimal = await web.open(cwd, 'minimal')
    await web.prompt(minimal, 'hello')
    assert.equal(model.turns(minimal)[0]?.context, '')
    await web.prompt(minimal, 'hello again')
    assert.equal(home.ledger().filter(({ kind }) => kind === 'context-suppressed').length, 1)
  })

  await t.test('what was said before a cancel is kept', async () => {
    model.when('wait for it', { text: 'late', delayMs: 20_000 })
    const session = await web.open(cwd)
    const turns = model.turns().length
    await web.send(session, `${CHANGELOG} wait for it`)
    while (model.turns().length === turns) await new Promise(resolve => setTimeout(resolve, 20))
    await web.cancel(session)
    await web.idle(session)
    await web.prompt(session, 'go on')
    assert.ok(written(home.ledger()).includes(CHANGELOG))
  })

  await t.test('a resumed session goes on with the same bytes', async () => {
    await web.prompt(main, 'hello once more')
    await web.stop()
    web = await Web.boot(t, home, { cwd })
    const before = model.turns(main).at(-1)?.messages.filter(({ content }) => content.includes(RULE)).length ?? 0
    await web.prompt(main, 'and now?')
    const after = model.turns(main).at(-1)?.messages.filter(({ content }) => content.includes(RULE)).length ?? 0
    assert.equal(after, before)
  })

  await t.test('what was said right before the host was killed is kept', async () => {
    const turns = model.turns().length
    await web.send(main, `${MESSAGES} wait for it`)
    while (model.turns().length === turns) await new Promise(resolve => setTimeout(resolve, 20))
    await web.kill()
    web = await Web.boot(t, home, { cwd })
    await web.prompt(main, 'back again')
    assert.ok(written(home.ledger()).includes(MESSAGES))
  })

  await t.test('memory_forget is refused unless the human asks for it, and then leaves no byte of it', async () => {
    const id = idOf(home.ledger(), RULE)
    model.when('what about lint', { calls: [{ name: 'memory_forget', args: { id } }] })
    await web.prompt(main, 'what about lint?')
    assert.match(model.turns(main).at(-1)?.messages.at(-1)?.content ?? '', /refused/)
    assert.ok(written(home.ledger()).includes(RULE))
    model.when('forget the rule', { calls: [{ name: 'memory_forget', args: { id } }] })
    await web.prompt(main, 'Please forget the rule about the linter.')
    assert.doesNotMatch(model.turns(main).at(-1)?.messages.at(-1)?.content ?? '', /refused/)
    await web.stop()
    assert.deepEqual(home.grep('make lint', home.dataDir), [])
    assert.ok(home.ledger().some(row => row.kind === 'forget' && row.id === id))
  })
})
