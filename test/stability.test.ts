/** What the model was sent stays as it was sent: a long session on the real host, with memory moving under it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { headless } from './host/headless.ts'
import { eventually, Home } from './host/home.ts'
import { Model, type ModelRequest } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const TURNS = 40
const RULES = [
  'From now on, always run make lint before you commit anything.',
  'From now on, always write the changelog in English.',
  '我们决定会话存到 SQLite，不再用 Redis。',
  'Never edit the files under data/ by hand.',
]

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

const isOurs = (content: string): boolean => content.includes('## Remembered from earlier sessions')
const snapshots = (request: ModelRequest | undefined): string[] =>
  (request?.messages ?? []).filter(({ role, content }) => role === 'user' && isOurs(content)).map(({ content }) => content)
/** The lines of memories in a snapshot. */
const shown = (snapshot: string): string => snapshot.split('\n').filter(line => line.startsWith('- [')).join('\n')

/** Fails when a later request of a session says anything else than the one before it, up to where that one ended. The host's own system prompt names its port. */
function onlyGrows(requests: readonly ModelRequest[]): void {
  for (const [at, request] of requests.entries()) {
    const before = requests[at - 1]
    const moved = before?.messages.findIndex(({ role, content }, index) => role !== 'system' && request.messages[index]?.content !== content) ?? -1
    assert.equal(moved, -1, `request ${at} moved message ${moved}, already sent: ${before?.messages[moved]?.content.slice(0, 300)}`)
  }
}

test('forty turns with writes, one superseded, one forgotten, other sessions, a restart: bytes sent stay, and a snapshot stands for each change', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  home.patch('headless', [fileRow()])
  const cwd = home.workspace()
  let web = await Web.boot(t, home, { cwd })
  const main = await web.open(cwd)
  const saying = new Map(RULES.map((rule, index) => [3 + index * 6, rule]))
  for (let turn = 1; turn <= TURNS; turn++) {
    if (turn === 12) await headless(home, model, 'From now on, always write commit messages in English.', { cwd })
    if (turn === 20) {
      for (let other = 0; other < 10; other++) await web.prompt(await web.open(cwd), `what do we know, take ${other}?`)
    }
    if (turn === 24) {
      await web.prompt(main, 'From now on, never run make lint before you commit anything.')
      const card = await web.card()
      await web.answer(card, card.questions[0]?.options?.[0]?.label)
      await eventually(() => home.ledger().some(({ kind }) => kind === 'supersede'), 5_000, 'supersede row')
      continue
    }
    if (turn === 28) {
      await web.stop()
      web = await Web.boot(t, home, { cwd })
    }
    if (turn === 34) {
      const forgotten = home.ledger().find(row => row.kind === 'write' && (row.memory as { text: string }).text.includes('changelog'))
      model.when('about the changelog', { calls: [{ name: 'memory_forget', args: { id: (forgotten?.memory as { id: string }).id } }] })
      await web.prompt(main, 'Please forget the rule about the changelog.')
      continue
    }
    await web.prompt(main, saying.get(turn) ?? `step ${turn}, go on with the work`)
  }
  const requests = model.turns(main)
  onlyGrows(requests)
  const all = snapshots(requests.at(-1))
  const changes = all.filter((snapshot, at) => at === 0 || shown(snapshot) !== shown(all[at - 1] ?? '')).length
  t.diagnostic(`${requests.length} requests, ${all.length} snapshots, ${changes} changes of what is shown`)
  assert.equal(all.length, changes)
  // Four rules here, one of another process, one superseded, one forgotten: no snapshot without one of them.
  assert.ok(all.length <= 7, `${all.length} snapshots`)
  assert.ok(shown(all.at(-1) ?? '').includes('never run make lint') && !shown(all.at(-1) ?? '').includes('always run make lint'))
  assert.ok(!shown(all.at(-1) ?? '').includes('changelog'))
  assert.ok(shown(all.at(-1) ?? '').includes('commit messages'))
})

test('a preset without runtime context gets the same block as a message, once per change, also after a restart', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  const cwd = home.workspace()
  let web = await Web.boot(t, home, { cwd })
  const [rule = '', decision = ''] = [RULES[0], RULES[2]]
  await web.prompt(await web.open(cwd), rule)
  const minimal = await web.open(cwd, 'minimal')
  await web.prompt(minimal, 'hello')
  await web.prompt(minimal, 'hello again')
  assert.equal(model.turns(minimal)[0]?.context, '')
  assert.deepEqual(snapshots(model.turns(minimal).at(-1)).map(text => text.includes(rule)), [true], snapshots(model.turns(minimal).at(-1)).join('\n---\n'))
  await web.prompt(minimal, decision)
  await web.prompt(minimal, 'and now?')
  await web.stop()
  web = await Web.boot(t, home, { cwd })
  await web.prompt(minimal, 'still there?')
  const messages = snapshots(model.turns(minimal).at(-1))
  assert.deepEqual(messages.map(text => text.includes(decision)), [false, true])
  assert.match(messages[1] ?? '', /replaces the one sent earlier/)
  onlyGrows(model.turns(minimal))
  const log = web.events.get(minimal) ?? []
  assert.ok(log.every(({ type }) => !type.includes('jev-memory')), 'no event type of our own in the log')
  assert.equal(home.ledger().filter(({ kind }) => kind === 'context-suppressed').length, 2)
  // Nothing of ours is taken for the human's words.
  assert.ok(!JSON.stringify(home.ledger()).includes('list replaces'))
})
