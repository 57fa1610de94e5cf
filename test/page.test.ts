import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Browser } from './host/browser.ts'
import { eventually, Home, REPOSITORY } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const OLD = 'From now on, the frontend dev server must always use port 5173.'
const NEW = 'From now on, the frontend dev server must always use port 5180.'
const PICTURES = join(REPOSITORY, 'test/artifacts')

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

test('a person opens the page, reads the card and answers it', async t => {
  const home = new Home(t, model)
  home.patch('web', [fileRow()])
  const cwd = home.workspace()
  const web = await Web.boot(t, home, { cwd })
  const { workspace } = await web.call('workspace.create', { path: cwd }) as { workspace: { workspaceId: string } }
  const { sessionId } = await web.call('session.create', { workspaceId: workspace.workspaceId }) as { sessionId: string }
  await web.prompt(sessionId, OLD)
  await web.prompt(sessionId, NEW)
  await web.card()

  const browser = await Browser.start(t)
  await browser.open(web.url)
  await browser.until('document.querySelector("textarea,[contenteditable=true]") !== null', 'the page')
  await browser.click('button', 'Continue')
  await browser.shows('A title')
  assert.ok(await browser.click('*', 'A title'))
  await browser.shows('What was just said contradicts what is remembered')
  const text = await browser.text()
  for (const part of [OLD, NEW, 'constraint', 'Use the new one', 'it is kept as history', 'Keep the old one', 'Keep both']) assert.ok(text.includes(part), `${part} is not on the card: ${text}`)
  await browser.picture(join(PICTURES, 'card.png'))

  assert.ok(await browser.click('button,[role=radio],[role=option],label', 'Use the new one'))
  await browser.click('button', 'Submit')
  await eventually(() => home.ledger().some(row => row.kind === 'conflict-resolved' && row.choice === 'replace'), 10_000, 'resolution')
  await browser.until('!document.body.innerText.includes("What was just said contradicts")', 'the card gone')
  await browser.picture(join(PICTURES, 'card-answered.png'))
  const written = home.ledger().find(row => row.kind === 'write' && (row.memory as { text: string }).text === NEW)?.memory as { id: string }
  for (const line of ['/memory list', `/memory show ${written.id}`]) await web.command(sessionId, line)
  await browser.until('document.body.innerText.includes("1 active")', 'the list')
  // The page folds what a command says into one line; a click shows all of it.
  for (const head of ['1 active', `[constraint ${written.id} `]) assert.ok(await browser.click('button,summary,[role=button],div', head), head)
  await browser.shows('What happened:')
  await browser.picture(join(PICTURES, 'memory.png'))
  assert.deepEqual(browser.errors, [])
  await web.prompt(sessionId, 'Which port does the frontend dev server use?')
  const context = model.turns(sessionId).at(-1)?.context ?? ''
  assert.ok(context.includes('5180') && !context.includes('5173'), context)
})
