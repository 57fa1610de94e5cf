import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { eventually } from './host/home.ts'
import { Stub, StubSession } from './shim/stub.ts'

async function mounted(t: TestContext, config: object = {}): Promise<{ stub: Stub, session: StubSession }> {
  const stub = new Stub(t)
  await stub.mount({ dataDir: stub.dataDir, ...config })
  const session = new StubSession('s-1')
  stub.emit('agent/created', { agent: { session } })
  return { stub, session }
}

test('what a human says in a turn reaches the core, and the next request has the block', async t => {
  const { stub, session } = await mounted(t)
  stub.begin(session, 'the staging port is 7001')
  assert.equal(stub.block(session), '')
  assert.equal(await stub.stop(session), undefined)
  assert.deepEqual(stub.written(), ['the staging port is 7001'])
  assert.equal(stub.block(session), 'the staging port is 7001')
  await stub.dispose()
})

test('a second stop of one turn reads nothing twice', async t => {
  const { stub, session } = await mounted(t)
  stub.begin(session, 'said once')
  await stub.stop(session)
  await stub.stop(session)
  assert.deepEqual(stub.written(), ['said once'])
})

test('a cancelled turn is read when the session comes to rest', async t => {
  const { stub, session } = await mounted(t)
  stub.begin(session, 'cancelled, but said')
  stub.emit('agent/status', { agent: { session }, status: 'idle' })
  await eventually(() => stub.written().length > 0, 2_000, 'write')
  assert.deepEqual(stub.written(), ['cancelled, but said'])
})

test('what is unread at the end of the plugin is read then', async t => {
  const { stub, session } = await mounted(t)
  stub.begin(session, 'the last words')
  await stub.dispose()
  assert.deepEqual(stub.written(), ['the last words'])
})

test('inherited events and those before the mount are never read', async t => {
  const stub = new Stub(t)
  const old = new StubSession('old')
  old.say('said before the mount')
  stub.live.push(old)
  await stub.mount()
  const fork = new StubSession('fork')
  fork.say('said by the parent')
  fork.firstLiveSeq = 1
  stub.emit('agent/created', { agent: { session: fork } })
  await stub.turn(old, 'said after it')
  await stub.turn(fork, 'said in the fork')
  assert.deepEqual(stub.written(), ['said after it', 'said in the fork'])
})

test('a resumed session is read on from where the ledger stopped', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'said and read')
  await stub.dispose()
  session.say('said when nobody read')
  await stub.mount()
  const resumed = new StubSession(session.id)
  resumed.events.push(...session.events)
  resumed.firstLiveSeq = resumed.seq
  stub.emit('agent/created', { agent: { session: resumed } })
  await stub.turn(resumed, 'said after the restart')
  assert.deepEqual(stub.written(), ['said and read', 'said when nobody read', 'said after the restart'])
})

test('a trap before the port is answered is retried, and nothing is lost', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'first')
  await stub.turn(session, 'once panic-before-port')
  await stub.turn(session, 'third')
  await stub.dispose()
  assert.deepEqual(stub.written(), ['first', 'once panic-before-port', 'third'])
  assert.match(JSON.stringify(stub.rows('note')), /core-restarted.*told to panic-before-port/)
})

test('a trap after the commit does not read the turn twice', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'panic-after-port')
  await stub.turn(session, 'later')
  await stub.dispose()
  assert.deepEqual(stub.written(), ['panic-after-port', 'later'])
  assert.match(JSON.stringify(stub.rows('note')), /core-restarted/)
})

test('an event that traps each time is left out alone, and the ledger says so', async t => {
  const { stub, session } = await mounted(t)
  stub.begin(session, 'before')
  session.say('panic-before-port always')
  session.say('after')
  await stub.stop(session)
  await stub.dispose()
  assert.deepEqual(stub.written(), ['before', 'after'])
  assert.match(JSON.stringify(stub.rows('note')), /event-left-out.*event 2: learn: told to panic-before-port/)
})

test('of a message that traps as a whole, the lines that do not are kept', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'first line\npanic-before-port here\n\nlast line')
  await stub.turn(session, 'later')
  await stub.dispose()
  assert.deepEqual(stub.written(), ['first line', 'last line', 'later'])
  assert.match(JSON.stringify(stub.rows('note')), /line-left-out.*event 1: learn: told to panic-before-port/)
})

test('a trap in recall leaves the block as it was, and the next step has a fresh core', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'kept')
  stub.begin(session, 'once panic-in-recall')
  assert.equal(stub.block(session), '')
  await sleep(50)
  assert.equal(stub.block(session), 'kept')
})

test('a core that hangs costs no more than the budget, and the rest is read later', async t => {
  const { stub, session } = await mounted(t, { writeTimeoutMs: 200 })
  stub.begin(session, 'hang')
  const start = performance.now()
  assert.equal(await stub.stop(session), undefined)
  const took = performance.now() - start
  assert.ok(took >= 190 && took < 1_000, `${took} ms`)
})

test('the signal of the host ends the wait at once', async t => {
  const { stub, session } = await mounted(t)
  const cancel = new AbortController()
  stub.begin(session, 'hang')
  const stopping = stub.stop(session, cancel.signal)
  const start = performance.now()
  cancel.abort()
  await stopping
  assert.ok(performance.now() - start < 1_000)
})

test('braces of a memory never look like a variable of the host', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'write {{region}} and {{{x}}} and {{ alone')
  assert.doesNotMatch(String(stub.block(session)), /\{\{/)
})

test('a lone surrogate becomes a replacement character', async t => {
  const { stub, session } = await mounted(t)
  stub.begin(session, 'half \ud83d of a face')
  session.log('tool/call', { turn: 1, step: 1, callId: 'c\ud83d', name: 'x\udc00', arguments: '{"a":"\ud83d"}' })
  session.result('c\ud83d', '\udc00', true, { error: { name: 'E', code: '\ud83d' } })
  await stub.stop(session)
  assert.deepEqual(stub.written(), ['half \ufffd of a face'])
  assert.doesNotMatch(readFileSync(join(stub.dataDir, 'ledger.jsonl'), 'utf8'), /\\ud[89a-f]/)
})

test('any config is accepted, and none keeps the host from starting', async t => {
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  for (const config of [undefined, null, 5, 'text', [], cyclic, { big: 1n }, { f: () => 1 }, { dataDir: 7, registerTools: 'x' }, Symbol('s')]) {
    const stub = new Stub(t)
    process.env.DSH_HOME = join(stub.folder, 'home')
    t.after(() => { delete process.env.DSH_HOME })
    const plugin = await stub.mount(config)
    const checked = plugin.Config['~standard'].validate(config)
    assert.ok(typeof checked === 'object' && checked !== null && 'value' in checked)
    assert.ok(existsSync(join(stub.folder, 'home')) || stub.tools.length > 0)
  }
})

test('a missing core leaves the plugin inert, and it says why and how to build it', async t => {
  const stub = new Stub(t, { core: false })
  await stub.mount()
  const session = new StubSession('s')
  stub.emit('agent/created', { agent: { session } })
  await stub.turn(session, 'nobody hears this')
  assert.equal(stub.block(session), '')
  assert.match(readFileSync(join(stub.dataDir, 'inert.txt'), 'utf8'), /cannot be loaded.*npm run build/)
  const reply = await stub.call('memory_search', session, { query: 'x' })
  assert.match(JSON.stringify(reply), /refused.*cannot be loaded/)
  assert.match(JSON.stringify(await stub.command(session, ' list')), /"kind":"error".*cannot be loaded.*npm run build/)
  await stub.dispose()
})

test('a command passes its words on, and a core that traps in it is an answer', async t => {
  const stub = new Stub(t)
  await stub.mount()
  const session = new StubSession('s')
  session.say('hello')
  assert.deepEqual(await stub.command(session, '  why-not  two  words\n'), { kind: 'success', text: 'why-not: two  words\n' })
  const { kind, text } = await stub.command(session, 'show panic-before-port')
  assert.deepEqual([kind, /panic-before-port/.test(text ?? '')], ['error', true], text)
  assert.equal((await stub.command(session, 'list')).kind, 'success')
  await stub.dispose()
})

test('a broken core leaves the plugin inert, and a whole one takes the note away', async t => {
  const stub = new Stub(t, { core: false })
  writeFileSync(join(stub.folder, 'dist/core.js'), 'this is no module')
  await stub.mount()
  assert.ok(existsSync(join(stub.dataDir, 'inert.txt')))
  const whole = new Stub(t)
  await whole.mount({ dataDir: stub.dataDir })
  assert.ok(!existsSync(join(stub.dataDir, 'inert.txt')))
})

test('a tool answers lossless JSON, with the words it may see', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'first turn')
  stub.begin(session, 'second turn')
  const said = async (tool: string): Promise<unknown> => {
    const { call } = await stub.call(tool, session, { id: 'x' }) as { call: { humans: { text: string }[] } }
    return call.humans.map(({ text }) => text)
  }
  assert.deepEqual(await said('memory_search'), [])
  assert.deepEqual(await said('memory_write'), ['first turn', 'second turn'])
  assert.deepEqual(await said('memory_forget'), ['second turn'])
  assert.ok(!('missing' in await stub.call('memory_search', session, {})))
})

test('a parent does not speak for a human in a child, and a person does', async t => {
  const { stub } = await mounted(t)
  for (const header of [{ delegationDepth: 1 }, { origin: 'subagent' }]) {
    const child = new StubSession(`child-${Object.keys(header)[0]}`, header)
    stub.emit('agent/created', { agent: { session: child } })
    stub.begin(child, 'the parent orders')
    child.say('a person adds', { kind: 'user', rpcId: 'r' })
    await stub.stop(child)
  }
  assert.deepEqual(stub.written(), ['a person adds', 'a person adds'])
  assert.deepEqual(stub.rows('turn').map(row => (row.session as { child: boolean }).child), [true, true])
})

test('a resumed root is no child', async t => {
  const { stub } = await mounted(t)
  const root = new StubSession('root', { delegationDepth: 0 })
  stub.emit('agent/created', { agent: { session: root } })
  await stub.turn(root, 'spoken by its human')
  assert.deepEqual(stub.written(), ['spoken by its human'])
})

test('tool calls arrive with their failures, from code mode too, and with what was denied', async t => {
  const { stub, session } = await mounted(t)
  stub.begin(session, 'go')
  session.log('tool/call', { turn: 1, step: 1, callId: 'c1', name: 'bash', arguments: '{"command":"x"}' })
  session.result('c1', 'no\n[exit code: 3]')
  session.log('tool/call', { turn: 1, step: 1, callId: 'c2', name: 'read', arguments: '{bad' })
  session.result('c2', 'Error: not found', true, { error: { name: 'FsError', code: 'FS_NOT_FOUND' } })
  session.log('tool/code-dispatch-start', { subCallId: 'c3:code:1', name: 'write', arguments: { path: 'a' } })
  session.log('tool/code-dispatch', { subCallId: 'c3:code:1', name: 'write', isError: true, content: [{ type: 'text', text: 'Error: denied' }] })
  session.log('approval/asked', { id: 'a1', toolName: 'bash', callId: 'c4' })
  session.log('approval/decided', { id: 'a1', outcome: 'rejected' })
  session.log('tool/call', { turn: 1, step: 2, callId: 'c4', name: 'bash', arguments: '{}' })
  session.result('c4', 'Error: rejected', true)
  await stub.stop(session)
  const [row] = stub.rows('turn')
  const events = row?.events as { kind: string, tool?: string, isError?: boolean, code?: string, denied?: boolean, text?: string, turn: number }[]
  const results = events.filter(({ kind }) => kind === 'tool-result')
  assert.deepEqual(results.map(({ tool, isError, code, denied }) => [tool, isError, code, denied]), [
    ['bash', false, undefined, false], ['read', true, 'FS_NOT_FOUND', false], ['write', true, undefined, false], ['bash', true, undefined, true],
  ])
  assert.ok(events.every(({ turn }) => turn === 1))
})

test('a suppressed runtime context is told to the core', async t => {
  const { stub, session } = await mounted(t)
  const next = (): string => 'the assembly'
  assert.equal(stub.emit('system-prompt/assemble', { contexts: [{ name: 'jev-memory:recall' }] }, { agent: { session } }, next), 'the assembly')
  assert.equal(stub.emit('system-prompt/assemble', { contexts: [] }, { agent: { session } }, next), 'the assembly')
  assert.equal(stub.emit('system-prompt/assemble', { contexts: [] }, {}, next), 'the assembly')
  await stub.dispose()
  assert.deepEqual(stub.rows('context-suppressed').map(({ id }) => id), ['s-1'])
})

test('the order shown before a restart is handed to the core', async t => {
  const { stub } = await mounted(t)
  const session = new StubSession('resumed')
  session.say('x', { kind: 'plugin', plugin: 'host', form: 'snapshot', sections: [{ name: 'jev-memory:recall', text: 'the block' }] })
  session.say('y', { kind: 'plugin', plugin: 'other', form: 'recall' })
  session.firstLiveSeq = 2
  stub.emit('agent/created', { agent: { session } })
  await stub.dispose()
  const row = stub.rows('attach').find(({ session: seen }) => (seen as { id: string }).id === 'resumed')
  assert.equal(row?.lastBlock, 'the block')
})

test('output of two megabytes loses its middle only, and a message of ten thousand lines nothing', async t => {
  const { stub, session } = await mounted(t)
  const message = Array.from({ length: 10_000 }, (_, line) => `line ${line} of the message`).join('\n')
  stub.begin(session, message)
  session.log('tool/call', { turn: 1, step: 1, callId: 'c1', name: 'bash', arguments: '{}' })
  session.result('c1', `first line\n${'x'.repeat(2 << 20)}\n[exit code: 3]`)
  await stub.stop(session)
  assert.deepEqual(stub.written(), [message])
  const events = stub.rows('turn')[0]?.events as { kind: string, text: string }[]
  const { text = '' } = events.find(({ kind }) => kind === 'tool-result') ?? {}
  assert.ok(text.startsWith('first line\n') && text.endsWith('[exit code: 3]') && text.length < 300_000)
})

test('a mount after a trap gets an instance that works', async t => {
  const { stub, session } = await mounted(t)
  await stub.turn(session, 'once panic-after-port')
  await stub.dispose()
  await stub.mount()
  const again = new StubSession('s-2')
  stub.emit('agent/created', { agent: { session: again } })
  await stub.turn(again, 'heard by the second mount')
  assert.ok(stub.written().includes('heard by the second mount'))
})
