import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { headless } from './host/headless.ts'
import { eventually, Home, type Row } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web, type Card } from './host/web.ts'

const OLD = '以后前端开发端口必须固定用 5173。'
const NEW = '以后前端开发端口必须固定用 5180。'
const OTHER = '以后日志必须保留 14 天。'
const [REPLACE, KEEP_OLD, KEEP_BOTH] = ['以新的为准', '保留旧的', '两条都保留']
/** Longest wait for a row; the machine may be busy. */
const ROW_MS = 10_000

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

/** The outcomes of a session's questions, in order. */
const outcomes = (home: Home): string[] => home.ledger().filter(({ kind }) => kind === 'conflict-resolved').map(row => String(row.choice))

/** The attempts that were counted. */
const attempts = (home: Home): unknown[] => home.ledger().filter(({ kind, asker }) => kind === 'conflict-ask' && asker === undefined).map(({ attempt }) => attempt)

async function outcome(home: Home, count: number, expected: string): Promise<void> {
  await eventually(() => outcomes(home).length >= count, ROW_MS, `outcome ${expected}`)
  assert.equal(outcomes(home)[count - 1], expected)
}

/** The last status a record was given, by what it says. */
function statusOf(rows: Row[], text: string): string {
  const written = rows.find(row => row.kind === 'write' && (row.memory as { text: string }).text === text)?.memory as { id: string, status: string } | undefined
  let status = written?.status ?? 'missing'
  for (const row of rows) {
    if (row.kind === 'status' && row.id === written?.id) status = String(row.status)
    if (row.kind === 'supersede' && row.old === written?.id) status = 'superseded'
  }
  return status
}

/** A host in which the old sentence was said and the new one is asked about. */
async function asked(t: Parameters<typeof Web.boot>[0], config: unknown = {}): Promise<{ home: Home, web: Web, cwd: string, session: string, card: Card }> {
  const home = new Home(t, model)
  home.patch('web', [fileRow(config)])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  await web.prompt(session, `${OLD}\n${OTHER}`)
  await web.prompt(session, NEW)
  return { home, web, cwd, session, card: await web.card() }
}

test('the card on the web host: shown while the turn is over, answered, asked again, never counted for nothing', async t => {
  const { home, web, cwd, session, card } = await asked(t)
  let live = web
  let seen = 0

  await t.test('one question with both texts, their dates and types, and what each option does; the turn is over', () => {
    const [question, ...more] = card.questions
    assert.deepEqual(more, [])
    assert.match(question?.detail ?? '', /\*\*新\*\* · 约束 · \d{4}-\d\d-\d\d\n\n> .*5180/)
    assert.match(question?.detail ?? '', /\*\*旧\*\* · 约束 · \d{4}-\d\d-\d\d\n\n> .*5173/)
    assert.deepEqual(question?.options?.map(({ label }) => label), [REPLACE, KEEP_OLD, KEEP_BOTH])
    assert.equal(statusOf(home.ledger(), NEW), 'needs-review')
  })

  await t.test('while it is open the next turn runs, with the old sentence in force and no second card', async () => {
    await live.prompt(session, 'hello')
    const context = model.turns(session).at(-1)?.context ?? ''
    assert.ok(context.includes('5173') && !context.includes('5180'), context)
    assert.deepEqual(live.cards, [])
    model.when('which port', { calls: [{ name: 'memory_search', args: { query: '前端开发端口' } }] })
    await live.prompt(session, 'which port?')
    assert.match(model.turns(session).at(-1)?.messages.at(-1)?.content ?? '', /needs-review/)
  })

  await t.test('closed: it waits, and is asked again before the model starts', async () => {
    await live.answer(card, undefined)
    await outcome(home, ++seen, 'unanswered:closed')
    const turns = model.turns(session).length
    const turn = live.prompt(session, 'back again')
    const again = await live.card()
    assert.equal(model.turns(session).length, turns)
    await live.answer(again, { custom: '看情况吧' })
    await turn
    await outcome(home, ++seen, 'unanswered:free-text')
    assert.equal(model.turns(session).length, turns + 1)
  })

  await t.test('a killed host loses the card, not the question nor the count', async () => {
    await live.send(session, 'and again')
    await live.card()
    await eventually(() => attempts(home).at(-1) === 3, ROW_MS, 'third card')
    await live.kill()
    live = await Web.boot(t, home, { cwd })
    const resumed = await live.open(cwd)
    const next = live.prompt(resumed, 'hello from a new session')
    await live.answer(await live.card(), {})
    await next
    await outcome(home, ++seen, 'unanswered:skipped')
    // The first ask and three more.
    assert.deepEqual(attempts(home), [0, 1, 2, 3, 4])
    await live.prompt(resumed, 'hello')
    assert.deepEqual(live.cards, [])
    assert.equal(statusOf(home.ledger(), NEW), 'needs-review')
    assert.equal(statusOf(home.ledger(), OLD), 'active')
  })

  await t.test('each option ends in the state it says', async () => {
    // A rule said anew, and two plain changes beside a rule about another port.
    const ends: [string, string, string, string, string][] = [
      [REPLACE, 'replace', 'active', 'superseded', NEW], [KEEP_OLD, 'keep-old', 'archived', 'active', '端口改成 5180'], [KEEP_BOTH, 'keep-both', 'active', 'active', '前端开发端口改成 5180。'],
    ]
    for (const [label, choice, newStatus, oldStatus, said] of ends) {
      const folder = home.workspace(choice)
      const talk = await live.open(folder)
      await live.prompt(talk, `${OLD}\n${OTHER}${choice === 'keep-both' ? '\n以后 API 端口必须固定用 8000。' : ''}`)
      await live.prompt(talk, said)
      await live.answer(await live.card(), label)
      await outcome(home, ++seen, choice)
      await live.prompt(talk, '前端开发端口？')
      const context = model.turns(talk).at(-1)?.context ?? ''
      assert.equal(context.includes('5180'), newStatus === 'active', context)
      assert.equal(context.includes('5173'), oldStatus === 'active', context)
      assert.ok(context.includes(OTHER), context)
    }
  })

  await t.test('a plain change in English is asked about; nothing about another port is', async () => {
    const folder = home.workspace('english')
    const talk = await live.open(folder)
    await live.prompt(talk, 'From now on the API server must always listen on port 8000.\nFrom now on the web server must always listen on port 3000.')
    await live.prompt(talk, 'The API port is 9090 now.')
    const english = await live.card()
    const detail = english.questions[0]?.detail ?? ''
    assert.ok(detail.includes('9090') && detail.includes('8000') && !detail.includes('3000'), detail)
    await live.answer(english, 'Use the new one')
    await outcome(home, ++seen, 'replace')
  })

  await t.test('a line of AGENTS.md is known text: the card quotes it, and no file of ours does', async () => {
    const folder = home.workspace('written')
    writeFileSync(join(folder, 'AGENTS.md'), '# 端口\n\n- 前端开发端口 6173。\n')
    const talk = await live.open(folder)
    await live.prompt(talk, '以后前端开发端口必须固定用 6180。')
    const quoted = await live.card()
    assert.match(quoted.questions[0]?.detail ?? '', /AGENTS\.md\n\n> 前端开发端口 6173/)
    await live.answer(quoted, '以手写的为准')
    await outcome(home, ++seen, 'keep-old')
    assert.deepEqual(home.grep('开发端口 6173', home.dataDir), [])
  })
})

test('an unanswered card closes after its time, and the turn never waits for it', async t => {
  const { home } = await asked(t, { askOnConflictTimeoutMs: 1_000 })
  await outcome(home, 1, 'unanswered:timeout')
  assert.equal(statusOf(home.ledger(), NEW), 'needs-review')
  assert.deepEqual(attempts(home), [0, 1])
})

test('what a person types to a child that has settled is asked there', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow({ writeSkipSubagents: false })])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const main = await web.open(cwd)
  await web.prompt(main, OLD)
  model.when('delegate', { calls: [{ name: 'subagent', args: { description: 'review', prompt: 'look around', run_in_background: true } }] }, { text: 'delegated' })
  await web.prompt(main, 'delegate')
  const child = await eventually(() => web.children[0], ROW_MS, 'child')
  await web.idle(main)
  // Its parent owns it no longer: it is a root of its own, as far as the host's cards are concerned.
  await web.call('subagent.prompt', { mode: 'continuable', parentSessionId: main, childSessionId: child, content: [{ type: 'text', text: NEW }] })
  const card = await web.card()
  assert.equal(card.sessionId, child)
  await web.answer(card, REPLACE)
  await outcome(home, 1, 'replace')
})

test('with cards switched off it waits, and no card comes', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow({ askOnConflict: false })])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  for (const text of [OLD, NEW, '前端开发端口？']) await web.prompt(session, text)
  assert.equal(statusOf(home.ledger(), NEW), 'needs-review')
  assert.equal(statusOf(home.ledger(), OLD), 'active')
  assert.deepEqual(attempts(home), [0])
  assert.deepEqual(web.cards, [])
})

// The host's `DELEGATED_CALLER` could only follow here: a child that nobody waits for is asked like a root, see above.
test('the host takes no message for a child that its parent waits for, so nothing there is asked', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow({ writeSkipSubagents: false })])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const main = await web.open(cwd)
  await web.prompt(main, OLD)
  model.when('wait for the review', { calls: [{ name: 'subagent', args: { description: 'review', prompt: NEW, run_in_background: false } }] }, { text: 'reviewed' })
  model.when(NEW, { delayMs: 1_500, text: 'seen' })
  await web.send(main, 'wait for the review')
  const child = await eventually(() => web.children[0], ROW_MS, 'child')
  const typed = web.call('subagent.prompt', { mode: 'continuable', parentSessionId: main, childSessionId: child, content: [{ type: 'text', text: NEW }] })
  await assert.rejects(typed, /not a continuable direct child/)
  await web.idle(main)
  // Its parent's instruction is no sentence of a human's, whatever the settings.
  assert.equal(statusOf(home.ledger(), NEW), 'missing')
  assert.deepEqual(attempts(home), [])
  assert.deepEqual(web.cards, [])
})

test('without anybody to ask it waits, uncounted', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow()])
  const cwd = home.workspace()
  await headless(home, model, OLD, { cwd })
  const second = await headless(home, model, NEW, { cwd })
  assert.equal(second.code, 0, second.stderr)
  assert.equal(statusOf(home.ledger(), NEW), 'needs-review')
  const third = await headless(home, model, '前端开发端口？', { cwd })
  assert.equal(third.code, 0, third.stderr)
  assert.ok(third.requests[0]?.context.includes('5173') && !third.requests[0].context.includes('5180'))
  assert.deepEqual(attempts(home), [0])
  assert.ok(outcomes(home).every(choice => choice === 'unanswered:no-provider'), outcomes(home).join())
  assert.ok(outcomes(home).length > 0)
})
