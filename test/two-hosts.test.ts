import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { headless } from './host/headless.ts'
import { Home, type Row } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const rule = (part: string): string => `From now on, always label every change of the ${part} in English.`

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

const written = (rows: Row[]): string[] => rows.filter(({ kind }) => kind === 'write').map(row => (row.memory as { text: string }).text)

test('a web host and headless hosts on one home at once lose nothing, and each sees what the others heard', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  home.patch('headless', [fileRow()])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const parts = (who: string, count: number): string[] => Array.from({ length: count }, (_, number) => `${who} number ${number}`)
  const inWeb = async (who: string): Promise<void> => {
    const session = await web.open(cwd)
    for (const part of parts(who, 4)) {
      const events = await web.prompt(session, rule(part))
      assert.deepEqual(events.filter(({ type }) => type === 'turn/end').map(({ data }) => (data.reason as { kind: string }).kind), ['completed'])
    }
  }
  const inHeadless = async (who: string): Promise<void> => {
    const run = await headless(home, model, parts(who, 2).map(rule).join('\n'), { cwd })
    assert.equal(run.code, 0, run.stderr)
    assert.equal(run.stderr, '')
  }
  await Promise.all([inWeb('gateway'), inWeb('scheduler'), inHeadless('importer'), inHeadless('exporter')])
  const said = [...parts('gateway', 4), ...parts('scheduler', 4), ...parts('importer', 2), ...parts('exporter', 2)].map(rule)
  assert.deepEqual(written(home.ledger()).sort(), said.sort())
  const seqs = home.ledger().map(({ seq }) => seq)
  assert.deepEqual(seqs, seqs.map((_, at) => at + 1))
  assert.equal(new Set(home.ledger().map(({ origin }) => origin)).size, 1)

  // Each host finds by search what only the others heard: the block holds a few, the store all of them.
  model.when('look up', { calls: [{ name: 'memory_search', args: { query: 'label every change of the importer' } }] }, { text: 'found' })
  model.when('look for', { calls: [{ name: 'memory_search', args: { query: 'label every change of the gateway' } }] }, { text: 'found' })
  const session = await web.open(cwd)
  await web.prompt(session, 'look up the importer')
  const inWebReply = JSON.stringify(model.turns().at(-1)?.messages)
  for (const part of parts('importer', 2)) assert.ok(inWebReply.includes(rule(part)), inWebReply)
  const run = await headless(home, model, 'look for the gateway', { cwd })
  const reply = JSON.stringify(run.requests.at(-1)?.messages)
  for (const part of parts('gateway', 4)) assert.ok(reply.includes(rule(part)), reply)
  assert.match(run.requests[0]?.context ?? '', /label every change/)

  // One dies without a word; the other goes on.
  await web.kill()
  await inHeadless('archiver')
  assert.deepEqual(written(home.ledger()).sort(), [...said, ...parts('archiver', 2).map(rule)].sort())
  assert.deepEqual(readdirSync(home.dataDir).filter(name => name.startsWith('lock') || name.endsWith('.tmp')), [])
})
