// Deletes an instance through the protocol's own TypeScript client, with a person who is
// asked first: they decline, and then accept. It ends with an error if anything differs.
//
// The environment has MCP_URL, API_KEY and INSTANCE, the id of the instance.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const { MCP_URL, API_KEY, INSTANCE } = process.env
const client = new Client({ name: 'typescript', version: 'v1' }, { capabilities: { elicitation: {} } })
let answer = { action: 'decline' }
const asked = []
client.setRequestHandler(ElicitRequestSchema, ({ params }) => { asked.push(params.message); return answer })
const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit: { headers: { Authorization: `Bearer ${API_KEY}` } } })
await client.connect(transport)

const deletion = { name: 'delete_instance', arguments: { instance_id: INSTANCE, confirm: INSTANCE } }
const declined = await client.callTool(deletion)
assert.ok(declined.isError)
assert.equal(JSON.parse(declined.content[0].text).code, 'confirm_mismatch')
const { instances } = (await client.callTool({ name: 'list_instances', arguments: {} })).structuredContent
assert.deepEqual(instances.map(({ id, status }) => [id, status]), [[INSTANCE, 'running']])

answer = { action: 'accept', content: {} }
assert.ok((await client.callTool(deletion)).structuredContent.job_id)
assert.equal(asked.length, 2)
assert.match(asked[0], /^Delete the instance shop /)
await transport.terminateSession()
await client.close()
console.log('done')
