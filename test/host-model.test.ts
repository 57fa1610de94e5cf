// The host's own model at work for memory, on the real host: as a judge, and restating what was kept.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { headless } from './host/headless.ts'
import { eventually, Home } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { QUIET, RULE } from './jev/jev.ts'
import { Web } from './host/web.ts'

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

const LABELS = '[{"id":1,"remember":0.92,"type":"decision","contradicts":null,"rewritten":"an eagle"}]'
const FORM = 'The user wants make lint run before anything is committed.'

test('judge: host keeps what the session\'s model labels, without thinking and without a second key', async t => {
  const home = new Home(t, model)
  home.patch('headless', [fileRow({ judge: 'host', normalize: { enabled: false } })])
  model.whenAside('heron', { text: LABELS })
  const run = await headless(home, model, QUIET, { cwd: home.workspace() })
  assert.equal(run.code, 0, run.stderr)
  const [aside, ...more] = model.asides()
  assert.deepEqual(more, [])
  assert.equal(aside?.thinking, false)
  assert.match(aside?.human ?? '', /"sentences":\[\{"id":1,"sentence":"The staging database is called heron\."/)
  const [remember] = home.ledger().filter(({ kind }) => kind === 'remember')
  assert.deepEqual([remember?.by, remember?.admitted, remember?.score], ['host', true, 0.92])
  const [judged] = home.ledger().filter(({ kind }) => kind === 'judged')
  assert.deepEqual([judged?.by, judged?.questions, judged?.inputTokens, judged?.outputTokens], ['host', 'host-1', 10, 5])
  assert.equal(home.ledger().filter(({ kind }) => kind === 'write').length, 1)
  assert.deepEqual(home.grep('eagle', home.dataDir), [])
})

test('a model that fails, talks or is slow leaves the turn to the offline judge', async t => {
  for (const [step, cause] of [[{ status: 500 }, 'host-failed'], [{ text: 'Sure! Here you go.' }, 'host-bad-answer'], [{ text: LABELS, delayMs: 4_000 }, 'host-timeout']] as const) {
    const home = new Home(t, model)
    home.patch('headless', [fileRow({ judge: 'host', normalize: { enabled: false } })])
    model.whenAside('make lint', step)
    const run = await headless(home, model, RULE, { cwd: home.workspace() })
    assert.equal(run.code, 0, run.stderr)
    assert.deepEqual(home.ledger().filter(({ kind }) => kind === 'degraded').map(row => row.cause), [cause], JSON.stringify(home.ledger().filter(({ kind }) => kind === 'degraded')))
    assert.deepEqual(home.ledger().filter(({ kind }) => kind === 'remember').map(({ by }) => by), ['heuristic'])
  }
})

test('what was kept is restated after the turn, shown on demand, and an invention is dropped', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow({ normalize: { inject: true } })])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  model.whenAside('make lint', { text: FORM })
  model.whenAside('force-push', { text: 'To protect history, teams should adopt branch protection and review every merge carefully.' })
  await web.prompt(session, `${RULE}\nFrom now on, never force-push a shared branch.`)
  const rows = (): { accepted: unknown }[] => home.ledger().filter(({ kind }) => kind === 'normalize') as never
  await eventually(() => rows().length === 2, 10_000, 'normalize rows')
  assert.deepEqual(rows().map(({ accepted }) => accepted).sort(), [false, true])
  assert.ok(model.asides().every(({ thinking }) => !thinking))
  await web.prompt(await web.open(cwd), 'How do I commit?')
  const { context = '' } = model.turns().at(-1) ?? {}
  assert.ok(context.includes(FORM) && context.includes('From now on, never force-push a shared branch.') && !context.includes(RULE), context)
  const written = home.ledger().filter(({ kind }) => kind === 'write').map(row => (row.memory as { text: string }).text)
  assert.ok(written.includes(RULE), 'the evidence stays')
  assert.match(String(home.ledger().find(({ kind }) => kind === 'start')?.normalize), /\//)
})
