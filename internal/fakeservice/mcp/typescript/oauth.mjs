// Signs in to the MCP server from nothing by the OAuth of the protocol's own TypeScript
// client, refreshes its tokens and revokes them.
//
// MCP_URL says where the server is. The program prints `open: URL` for the browser, and
// waits for the redirect. It prints `connected`, waits for a line, which says that the
// access token has ended, and ends with `done`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { MCP_URL } = process.env
const said = createInterface({ input: process.stdin })

const listener = createServer()
listener.listen(0, '127.0.0.1')
await once(listener, 'listening')
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`

// kept is what the client stores. opened counts the visits of the browser.
const kept = {}
let opened = 0
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'TypeScript', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] },
  state: () => 'a state',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier },
  invalidateCredentials: () => { delete kept.tokens },
  redirectToAuthorization: (url) => { opened++; console.log(`open: ${url}`) },
}

const connect = async () => {
  const client = new Client({ name: 'typescript', version: 'v1' })
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider })
  await client.connect(transport).catch((error) => { error.transport = transport; throw error })
  return client
}

const refused = await connect().then(assert.fail, (error) => error)
assert.ok(refused instanceof UnauthorizedError, String(refused))
const [request, response] = await once(listener, 'request')
response.end('The sign-in is finished.')
const answer = new URL(request.url, redirectUrl).searchParams
assert.equal(answer.get('state'), 'a state')
assert.equal(answer.get('iss'), new URL(MCP_URL).origin)
await refused.transport.finishAuth(answer.get('code'))

const client = await connect()
const account = async () => assert.ok((await client.callTool({ name: 'get_account', arguments: {} })).structuredContent.id)
await account()
console.log('connected')

await once(said, 'line')
const first = kept.tokens
await account()
assert.notEqual(kept.tokens.access_token, first.access_token)
assert.notEqual(kept.tokens.refresh_token, first.refresh_token)
assert.equal(opened, 1)

const metadata = await (await fetch(new URL('/.well-known/oauth-authorization-server', MCP_URL))).json()
const revoked = await fetch(metadata.revocation_endpoint, {
  method: 'POST', body: new URLSearchParams({ token: kept.tokens.refresh_token, client_id: kept.client.client_id }),
})
assert.equal(revoked.status, 200)
await assert.rejects(account(), UnauthorizedError)
assert.equal(opened, 2)
console.log('done')
process.exit()
