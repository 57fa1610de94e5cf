import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { cli } from './host/cli.ts'
import { eventually, Home, REPOSITORY, type Row } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const RULE = 'From now on, always run make check before you push.'
const OLD = 'From now on, the frontend dev server must always use port 5173.'
const NEW = 'From now on, the frontend dev server must always use port 5180.'
const PASSING = 'Please rename draft.md to notes.md.'

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

const idOf = (rows: Row[], text: string): string =>
  rows.filter(({ kind }) => kind === 'write').map(row => row.memory as { id: string, text: string }).find(memory => memory.text === text)?.id ?? ''

test('a person asks /memory in the web host, answers a card it opens, and the command line beside it says the same', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const session = await web.open(cwd)
  const memory = async (words: string): Promise<string> => {
    const { result } = await web.command(session, `/memory ${words}`) as { result: { kind: string, text: string } }
    return result.text
  }
  await web.prompt(session, RULE)
  await web.prompt(session, PASSING)
  await web.prompt(session, OLD)
  await web.prompt(session, NEW)
  await web.answer(await web.card(), undefined)
  const id = idOf(home.ledger(), RULE)

  assert.match(await memory('list'), new RegExp(`\\[constraint ${id} \\d{4}-\\d\\d-\\d\\d\\] ${RULE}`))
  const receipt = await memory(`show [constraint ${id.toUpperCase()} 2026-11-30]`)
  for (const part of [RULE, 'said in session', 'judged by heuristic', 'written as active', 'Shown to a model']) assert.ok(receipt.includes(part), `${part}: ${receipt}`)
  assert.match(await memory('why-not rename draft.md'), /not kept: .*\n.*what would change it/s)
  assert.match(await memory('stats'), /Contradictions found: 1/)
  assert.match(await memory('health'), /^capture on · judge heuristic .* · waiting for your answer: 1 · memories: 3/)
  assert.match(await memory('fetch'), /There is no `fetch`.*`why-not <words>`/s)
  assert.match(String(home.ledger().find(({ kind }) => kind === 'start')?.summary), /^capture on · judge heuristic/)

  assert.match(await memory('review'), /A card opens/)
  await web.answer(await web.card(), 'Use the new one')
  await eventually(() => home.ledger().some(row => row.kind === 'conflict-resolved' && row.choice === 'replace'), 10_000, 'resolution')
  assert.match(await memory('review'), /Nothing waits/)

  const beside = await cli(home, ['list'], { cwd })
  assert.deepEqual([beside.code, beside.stdout], [0, `${await memory('list')}\n`])
  assert.match((await cli(home, ['forget', id.slice(0, 9)], { cwd })).stdout, /Forgotten: m-/)
  assert.ok(!(await memory('list')).includes(RULE), 'what another process forgot is gone here, too')

  await web.prompt(session, '以后提交信息一律用中文写。')
  assert.match(await memory('list'), /生效 \d 条/)
  assert.match(await memory('health'), /^记录：开/)
  assert.ok(!JSON.stringify(model.turns(session)).includes('/memory'), 'a command reaches no model')
  const host = await cli(home, ['doctor', '--json'], { cwd })
  const found = JSON.parse(host.stdout) as { findings: { code: string, grade: string }[] }
  assert.deepEqual(found.findings.filter(({ grade }) => grade === 'bad'), [], host.stdout)
  assert.equal(found.findings.find(({ code }) => code === 'host')?.grade, 'good', host.stdout)
  assert.equal(readFileSync(join(REPOSITORY, 'package.json'), 'utf8').includes('"dsh-jev-memory": "./dist/cli.js"'), true)
})
