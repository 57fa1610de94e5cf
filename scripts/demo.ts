// Shows the plugin on the real host in three short sessions: what is kept and why, what the next session's model
// receives, a search, and a forget. Nothing leaves this machine; the model is a server of our own on loopback.

import { randomBytes } from 'node:crypto'
import { headless, type Run } from '../test/host/headless.ts'
import { Home, type Row, type Scope } from '../test/host/home.ts'
import { Model } from '../test/host/model.ts'
import { fileRow } from '../test/host/mount.ts'

const RULE = 'From now on, always run make check before you push.'
const DECISION = '我们决定会话存到 SQLite，不再用 Redis。'
// Made here, so that no file of the repository holds anything that looks like a key.
const KEY = ['sk', randomBytes(24).toString('hex')].join('-')
const FIRST = [RULE, DECISION, 'Please rename draft.md to notes.md.', 'How does the cache work?', `The api key is ${KEY}.`, 'Then build the docs.'].join('\n')
const FAILING = { calls: [{ name: 'bash', args: { command: 'echo "error: mkdocs: command not found" >&2; exit 127', description: 'build the docs' } }] }

interface Memory { id: string, type: string, text: string, source: { sessionId: string, turn: number, seq: number, quote: string } }
interface Hit { id: string, type: string, text: string, date: string, score: number }

const undo: (() => unknown)[] = []
const scope: Scope = { after: step => { undo.unshift(step) } }
const started = performance.now()
try { await show() } finally { for (const step of undo) await step() }

async function show(): Promise<void> {
  const model = await Model.start()
  scope.after(() => model.close())
  const home = new Home(scope, model)
  home.patch('headless', [fileRow()])
  const cwd = home.workspace()
  const session = async (task: string): Promise<Run> => {
    const run = await headless(home, model, task, { cwd })
    if (run.code !== 0) throw new Error(`the host ended with ${run.code}: ${run.stderr}`)
    return run
  }

  title('Session 1: what is said')
  model.when('build the docs', FAILING, FAILING, { text: 'The docs cannot be built here: mkdocs is missing.' })
  print(FIRST.replace(KEY, '(something that looks like a key)'))
  print('(The model then runs a command that fails, and runs it again.)')
  await session(FIRST)

  const rows = home.ledger()
  title('What was kept, word for word')
  for (const memory of memories(rows)) {
    const { sessionId, turn, seq, quote } = memory.source
    print(`${memory.id}  ${memory.type}  ${memory.text}`)
    print(`because of ${reason(rows, memory)}; session ${sessionId.slice(-6)}, turn ${turn}, event ${seq}${quote === memory.text ? '' : `: ${quote}`}`, '      ')
  }
  title('What was refused, and why')
  for (const { reason: why, quote } of rows.filter(({ kind }) => kind === 'skip')) print(`${String(why).padEnd(22)} ${typeof quote === 'string' ? quote : '(not written down)'}`)
  const leaked = home.grep(KEY, home.dataDir)
  print(leaked.length === 0 ? '(the key itself is in no file of the data folder)' : `THE KEY IS IN ${leaked.join(', ')}`)

  title('Session 2, another process: the block its model received')
  model.when('push my change', { calls: [{ name: 'memory_search', args: { query: 'push' } }] }, { text: 'Run make check first.' })
  const second = await session('I want to push my change.')
  const context = second.requests[0]?.context ?? ''
  print(context.slice(Math.max(0, context.lastIndexOf('\n\n') + 2)))

  title('memory_search for "push"')
  const { hits = [] } = JSON.parse(answer(second)) as { hits?: Hit[] }
  for (const hit of hits) print(`${hit.id}  ${hit.type}  ${hit.date}  score ${hit.score.toFixed(2)}  ${hit.text}`)

  title('Session 3: forget it')
  const id = memories(rows).find(({ text }) => text === RULE)?.id ?? ''
  print('Please forget the rule about make check.')
  model.when('forget the rule', { calls: [{ name: 'memory_forget', args: { id } }] }, { text: 'Forgotten.' })
  print(answer(await session('Please forget the rule about make check.')), '  memory_forget answers: ')

  title('What is left of the sentence in the data folder')
  const words = 'run make check before'
  const left = home.grep(words, home.dataDir)
  print(left.length === 0 ? `no file holds "${words}"; the ledger keeps a mark without content:` : `STILL THERE: ${left.join(', ')}`)
  print(JSON.stringify(home.ledger().find(({ kind }) => kind === 'forget')))
  const fourth = await session('What do you know?')
  const gone = !fourth.requests[0]?.context.includes(RULE)
  print(gone ? 'the next session\'s model no longer receives it' : 'THE NEXT SESSION STILL RECEIVES IT')
  if (leaked.length > 0 || left.length > 0 || !gone) process.exitCode = 1
  console.log(`\nFour sessions of the real host in ${((performance.now() - started) / 1_000).toFixed(1)} s.`)
}

function memories(rows: Row[]): Memory[] {
  return rows.filter(({ kind }) => kind === 'write').map(({ memory }) => memory as Memory)
}

function reason(rows: Row[], { id, source }: Memory & { source: { count?: number } }): string {
  const row = rows.find(({ kind, id: judged }) => kind === 'remember' && judged === id)
  if (!row) return `a failure seen ${source.count ?? 0} times`
  return `${(row.signals as string[]).join(', ')} (${String(row.by)}: ${Number(row.score).toFixed(2)}, needed ${String(row.threshold)})`
}

/** What the model was told by the tool it called. */
function answer(run: Run): string {
  return run.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content ?? ''
}

function title(text: string): void {
  console.log(`\n${text}`)
}

function print(text: string, indent = '  '): void {
  for (const line of text.trimEnd().split('\n')) console.log(indent + line)
}
