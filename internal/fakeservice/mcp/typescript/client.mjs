// Drives the MCP server through the protocol's own TypeScript client: it lists the tools
// and calls each of them. The client checks each result against the schema that the tool
// has for it. One line is printed for each call, and it ends with an error at the first
// that fails.
//
// The environment says where the server is and how to get in: MCP_URL and API_KEY.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { MCP_URL, API_KEY } = process.env

async function connect(key) {
  const client = new Client({ name: 'typescript', version: 'v1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  }))
  return client
}

const client = await connect(API_KEY)
const { tools } = await client.listTools()
const left = new Set(tools.map((tool) => tool.name))
console.log(`tools: ${left.size}`)

// call calls a tool, which must not refuse.
async function call(name, args = {}) {
  const result = await client.callTool({ name, arguments: args })
  assert.ok(!result.isError, `${name} was refused: ${result.content[0]?.text}`)
  if (left.delete(name)) console.log(`called: ${name}`)
  return result.structuredContent ?? result.content[0].text
}

// done is call for what is a job, and waits for it.
async function done(name, args) {
  const accepted = await call(name, args)
  for (;;) {
    const job = await call('get_job', { job_id: accepted.job_id })
    if (job.status === 'done') return accepted
    assert.ok(['queued', 'running'].includes(job.status), `${name}: the job is ${JSON.stringify(job)}`)
    await new Promise((resume) => setTimeout(resume, 5))
  }
}

// refused is the envelope of a refusal.
async function refused(name, args) {
  const result = await client.callTool({ name, arguments: args })
  assert.ok(result.isError, `${name} was not refused`)
  return JSON.parse(result.content[0].text)
}

const offer = await call('list_plans')
assert.match(await call('app_guide'), /PORT/)
await call('get_account')
assert.equal((await call('update_account', { company: 'Tools', name: null })).company, 'Tools')
await call('get_billing')
const { id: webhook_id, secret } = await call('create_webhook', { url: 'https://hooks.example.com' })
assert.ok(secret)
await call('list_webhooks')
assert.equal((await call('update_webhook', { webhook_id, enabled: false })).enabled, false)
await call('delete_webhook', { webhook_id })

const { id: instance_id } = await done('create_instance', {
  name: 'typescript', tier: offer.plans[0].id, location: offer.locations[0].id, engines: ['postgres', 'apps', 'auth'],
})
await done('update_instance', { instance_id, tags: ['a'] })
await done('set_allowlist', { instance_id, allowlist: ['127.0.0.0/8'] })
await done('set_sql_console', { instance_id, mode: 'read-write' })
assert.deepEqual((await call('postgres_query', { instance_id, sql: 'SELECT 1' })).rows, [[1]])
await done('create_database', { instance_id, name: 'more' })
assert.equal((await call('list_databases', { instance_id })).databases.length, 2)
await done('drop_database', { instance_id, name: 'more' })
await done('set_extension', { instance_id, name: 'pgcrypto' })
assert.equal((await call('list_extensions', { instance_id })).extensions[0].name, 'pgcrypto')
await done('drop_extension', { instance_id, name: 'pgcrypto' })

const { port } = await call('inspect_repo', { instance_id, repo: 'octo/app', branch: 'main' })
const app = { instance_id, name: 'web' }
const { build_id } = await done('import_repo', { ...app, repo: 'octo/app', branch: 'main', source: 'git', port, public: true, env: { COLOUR: 'blue' } })
for (let build; build?.status !== 'successful';) {
  build = (await call('list_builds', app)).builds[0]
  assert.notEqual(build.status, 'failed')
}
assert.equal((await call('app_repo', app)).build.id, build_id)
await done('update_app', { ...app, links: ['auth'] })
assert.deepEqual((await call('get_app', app)).links, ['auth'])
await call('list_apps', { instance_id })
await call('list_repos')
await done('set_auth_settings', { instance_id, site_url: 'https://app.example', redirect_urls: ['https://app.example/**'] })
assert.equal((await call('get_auth_settings', { instance_id })).site_url, 'https://app.example')
await done('redeploy_app', app)
await done('restart_app', app)
await done('delete_app', app)

assert.match((await call('get_connection_urls', { instance_id })).engines.auth.url, /\/auth\/v1$/)
await done('rotate_credentials', { instance_id })
await done('restart_engine', { instance_id, engine: 'postgres' })
await done('set_engines', { instance_id, engines: { postgres: {}, redis: { memory_mb: 128 } } })
await done('reset_instance', { instance_id, confirm: instance_id, engine: 'redis' })
const { backups } = await call('list_backups', { instance_id })
await done('restore_instance', { instance_id, confirm: instance_id, backup_id: backups[0].id })
await call('list_instances')
assert.equal((await call('get_instance', { instance_id })).console_mode, 'rw')

// A paid plan: nobody pays, and the move to it needs no checkout.
await done('resize_instance', { instance_id, plan: 'small' })
assert.equal((await refused('delete_instance', { instance_id })).code, 'confirm_mismatch')
assert.equal((await refused('get_instance', { instance_id: 'nothing' })).code, 'not_found')
assert.equal((await refused('set_sql_console', { instance_id, mode: 'open' })).code, 'invalid_request')
await done('delete_instance', { instance_id, confirm: instance_id })
await client.close()

await assert.rejects(connect('wrong'), (error) => error.code === 401 || error.name === 'UnauthorizedError')
assert.deepEqual([...left], [], 'not called')
console.log('done')
