/** What the model receives in each kind of session, read from what the fake model was sent. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Home } from './host/home.ts'
import { Model } from './host/model.ts'
import { fileRow } from './host/mount.ts'
import { Web } from './host/web.ts'

const RULE = 'From now on, always run make lint before you commit anything.'
const DECISION = '我们决定会话存到 SQLite，不再用 Redis。'

let model: Model
before(async () => { model = await Model.start() })
after(async () => { await model.close() })

/** What of the two memories stands in the last request of a session, as runtime context or as a message. */
function received(session: string | undefined): { rule: boolean, decision: boolean, times: number } {
  const request = model.turns(session).at(-1)
  const ours = (request?.messages ?? []).filter(({ role, content }) => role === 'user' && content.includes('## Remembered from earlier sessions'))
  const last = ours.at(-1)?.content ?? ''
  return { rule: last.includes(RULE), decision: last.includes(DECISION), times: ours.length }
}

const delegate = (tool: string): void => {
  const args = { description: 'review', prompt: 'List what you see.', run_in_background: false }
  model.when(`delegate with ${tool}`, { calls: [{ name: tool, args }] }, { text: 'delegated' })
}

for (const [subagents, childRule, childDecision] of [['constraint', true, false], ['all', true, true], ['none', false, false]] as const) {
  test(`recall.subagents ${subagents}: root, child, fork, code mode, minimal`, async t => {
    const home = new Home(t, model)
    home.patch('web', [fileRow({ recall: { subagents } })])
    const cwd = home.workspace()
    const web = await Web.boot(t, home, { cwd })
    await web.prompt(await web.open(cwd), `${RULE}\n${DECISION}`)

    const root = await web.open(cwd)
    await web.prompt(root, 'hello')
    assert.deepEqual(received(root), { rule: true, decision: true, times: 1 })

    delegate('subagent')
    await web.prompt(root, 'delegate with subagent')
    assert.deepEqual(received(web.children.at(-1)), { rule: childRule, decision: childDecision, times: childRule ? 1 : 0 })

    if (subagents === 'constraint') {
      delegate('subagent_fork')
      await web.prompt(root, 'delegate with subagent_fork')
      const fork = received(web.children.at(-1))
      // A fork has its parent's history, the parent's block in it; its own block holds what children are given.
      assert.equal(web.children.length, 2)
      assert.equal(fork.rule, true)

      const code = await web.open(cwd, 'code')
      await web.prompt(code, 'hello')
      assert.deepEqual(received(code), { rule: true, decision: true, times: 1 })

      const minimal = await web.open(cwd, 'minimal')
      await web.prompt(minimal, 'hello')
      await web.prompt(minimal, 'hello again')
      assert.deepEqual(received(minimal), { rule: true, decision: true, times: 1 })
      assert.equal(model.turns(minimal).at(-1)?.context, '')
    }
  })
}
