// Drives an auth engine through the JavaScript client that most apps use. It
// prints one line for each step, and ends with an error at the first that fails.
//
// The environment says where the engine is: AUTH_URL, ANON_KEY and SERVICE_KEY;
// APP_URL is where links may lead, and MAILS_URL answers with the mails so far
// as a list of {to, link, code}.
import assert from 'node:assert/strict'
import { AuthClient } from '@supabase/auth-js'

const { AUTH_URL, ANON_KEY, SERVICE_KEY, APP_URL, MAILS_URL } = process.env
const password = 'correct horse'

let clients = 0

// client is a browser of its own: it keeps its session to itself.
function client(key = ANON_KEY, options = {}) {
  const kept = new Map()
  return new AuthClient({
    url: AUTH_URL,
    headers: { apikey: key, Authorization: `Bearer ${key}` },
    storageKey: `client-${++clients}`,
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => kept.set(name, value),
      removeItem: (name) => kept.delete(name),
    },
    autoRefreshToken: false,
    detectSessionInUrl: false,
    ...options,
  })
}

const admin = client(SERVICE_KEY).admin

let steps = 0

async function step(name, does) {
  const began = performance.now()
  try {
    await does()
  } catch (error) {
    console.error(`failed: ${name}`)
    throw error
  }
  steps++
  console.log(`step: ${name} (${Math.round(performance.now() - began)} ms)`)
}

// good is the data of an answer without an error.
async function good(asked) {
  const { data, error } = await asked
  assert.equal(error, null, error ? `${error.status} ${error.code}: ${error.message}` : '')
  return data
}

// bad is an answer's error, which has to be that one.
async function bad(asked, status, code) {
  const { error } = await asked
  assert.ok(error, `it succeeded, and ${status} ${code} was expected`)
  assert.deepEqual([error.status, error.code], [status, code], error.message)
  return error
}

// gone is for a session that has ended, for which the client has a class.
async function gone(asked) {
  const { error } = await asked
  assert.equal(error?.name, 'AuthSessionMissingError')
}

// mail is the last one to an address.
async function mail(to) {
  const mails = await (await fetch(MAILS_URL)).json()
  const last = mails.findLast((m) => m.to === to)
  assert.ok(last, `there is no mail to ${to}`)
  return last
}

// follow goes where a link leads, as a browser does.
async function follow(link) {
  const answer = await fetch(link, { redirect: 'manual' })
  assert.equal(answer.status, 303)
  const to = new URL(answer.headers.get('location'))
  return { to, said: Object.fromEntries(new URLSearchParams(to.hash.slice(1))) }
}

// signedIn is a client whose user has followed a link.
async function signedIn(link) {
  const c = client()
  const { said } = await follow(link)
  await good(c.setSession({ access_token: said.access_token, refresh_token: said.refresh_token }))
  return c
}

const ada = 'ada@example.test'
const browser = client()
let adasId

await step('signs up', async () => {
  const { user, session } = await good(browser.signUp({ email: ada, password, options: { data: { name: 'Ada' } } }))
  adasId = user.id
  assert.equal(user.email, ada)
  assert.equal(user.user_metadata.name, 'Ada')
  assert.equal(user.is_anonymous, false)
  assert.equal(user.identities[0].provider, 'email')
  assert.ok(session.access_token && session.refresh_token && session.expires_at > Date.now() / 1000)
})

await step('is refused a sign-up with an address that is taken', () =>
  bad(client().signUp({ email: ada, password }), 422, 'user_already_exists'))

await step('is told why a password is too weak', async () => {
  const error = await bad(client().signUp({ email: 'weak@example.test', password: 'short' }), 422, 'weak_password')
  assert.deepEqual(error.reasons, ['length'])
})

await step('signs in', async () => {
  const { user } = await good(browser.signInWithPassword({ email: ada, password }))
  assert.equal(user.id, adasId)
})

await step('is refused a wrong password', () =>
  bad(client().signInWithPassword({ email: ada, password: 'wrong' }), 400, 'invalid_credentials'))

await step('reads the user and the claims', async () => {
  assert.equal((await good(browser.getUser())).user.id, adasId)
  const { claims } = await good(browser.getClaims())
  assert.equal(claims.sub, adasId)
  assert.equal(claims.aud, 'authenticated')
  assert.equal(claims.role, 'authenticated')
  assert.equal(claims.aal, 'aal1')
  assert.equal(claims.amr[0].method, 'password')
  assert.equal(claims.is_anonymous, false)
  const level = await good(browser.mfa.getAuthenticatorAssuranceLevel())
  assert.deepEqual([level.currentLevel, level.nextLevel], ['aal1', 'aal1'])
  assert.equal((await good(browser.getUserIdentities())).identities[0].identity_data.email, ada)
})

await step('refreshes', async () => {
  const before = (await good(browser.getSession())).session
  const { session } = await good(browser.refreshSession())
  assert.notEqual(session.refresh_token, before.refresh_token)
  assert.equal((await good(browser.getUser())).user.id, adasId)
})

await step('is refused a refresh token that is none', () =>
  bad(client().refreshSession({ refresh_token: 'made up' }), 400, 'refresh_token_not_found'))

await step('changes metadata and password', async () => {
  const { user } = await good(browser.updateUser({ data: { name: 'Ada L.' }, password: 'another horse' }))
  assert.equal(user.user_metadata.name, 'Ada L.')
  await bad(browser.updateUser({ password: 'another horse' }), 422, 'same_password')
})

await step('reauthenticates and changes the password with the nonce', async () => {
  await good(browser.reauthenticate())
  const { code } = await mail(ada)
  await bad(browser.updateUser({ password, nonce: '0' }), 422, 'reauthentication_not_valid')
  await good(browser.updateUser({ password, nonce: code }))
})

await step('recovers by a link', async () => {
  await good(client().resetPasswordForEmail(ada, { redirectTo: `${APP_URL}/reset` }))
  const { link } = await mail(ada)
  const { to, said } = await follow(link)
  assert.equal(to.pathname, '/reset')
  assert.equal(said.type, 'recovery')
  const c = client()
  await good(c.setSession(said))
  assert.equal((await good(c.getUser())).user.id, adasId)
  assert.equal((await follow(link)).said.error_code, 'otp_expired')
})

await step('recovers by a code', async () => {
  const c = client()
  await good(c.resetPasswordForEmail(ada))
  const happened = []
  c.onAuthStateChange((event) => { happened.push(event) })
  const { user } = await good(c.verifyOtp({ type: 'recovery', email: ada, token: (await mail(ada)).code }))
  assert.equal(user.id, adasId)
  assert.ok(happened.includes('PASSWORD_RECOVERY'))
})

await step('is led nowhere that the settings do not allow', async () => {
  await good(client().resetPasswordForEmail(ada, { redirectTo: 'https://evil.example/' }))
  const { to } = await follow((await mail(ada)).link)
  assert.equal(to.origin, APP_URL)
})

await step('signs in by a code, and up where there is no account', async () => {
  const c = client()
  await bad(c.signInWithOtp({ email: 'otp@example.test', options: { shouldCreateUser: false } }), 422, 'otp_disabled')
  await good(c.signInWithOtp({ email: 'otp@example.test', options: { data: { from: 'code' } } }))
  const { code } = await mail('otp@example.test')
  await bad(c.verifyOtp({ type: 'email', email: 'otp@example.test', token: 'no' }), 403, 'otp_expired')
  const { user, session } = await good(c.verifyOtp({ type: 'email', email: 'otp@example.test', token: code }))
  assert.equal(user.user_metadata.from, 'code')
  assert.ok(session)
  await bad(c.verifyOtp({ type: 'email', email: 'otp@example.test', token: code }), 403, 'otp_expired')
})

await step('signs in by the hash of a link', async () => {
  const c = client()
  await good(c.signInWithOtp({ email: ada }))
  const token = new URL((await mail(ada)).link).searchParams.get('token')
  assert.equal((await good(c.verifyOtp({ type: 'magiclink', token_hash: token }))).user.id, adasId)
})

await step('signs in by a link that is for one browser alone', async () => {
  const c = client(ANON_KEY, { flowType: 'pkce' })
  await good(c.signInWithOtp({ email: ada, options: { emailRedirectTo: `${APP_URL}/in` } }))
  const { to } = await follow((await mail(ada)).link)
  const code = to.searchParams.get('code')
  assert.ok(code && to.hash === '')
  const { user } = await good(c.exchangeCodeForSession(code))
  assert.equal(user.id, adasId)
})

await step('is refused a phone', () =>
  bad(client().signInWithOtp({ phone: '+4912345678' }), 400, 'phone_provider_disabled'))

await step('makes an anonymous user a permanent one', async () => {
  const c = client()
  const { user } = await good(c.signInAnonymously({ options: { data: { cart: 1 } } }))
  assert.equal(user.is_anonymous, true)
  assert.equal((await good(c.getClaims())).claims.is_anonymous, true)
  await bad(c.updateUser({ password }), 422, 'validation_failed')
  await bad(c.updateUser({ email: ada }), 422, 'email_exists')
  await good(c.updateUser({ email: 'grown@example.test' }))
  await good(c.updateUser({ password }))
  await good(c.refreshSession())
  assert.equal((await good(c.getClaims())).claims.is_anonymous, false)
  const again = (await good(client().signInWithPassword({ email: 'grown@example.test', password }))).user
  assert.equal(again.id, user.id)
  assert.equal(again.user_metadata.cart, 1)
})

await step('changes the address once both are confirmed', async () => {
  const c = client()
  await good(c.signUp({ email: 'old@example.test', password }))
  const { user } = await good(c.updateUser({ email: 'new@example.test' }))
  assert.equal(user.new_email, 'new@example.test')
  await good(c.resend({ type: 'email_change', email: 'old@example.test' }))
  const half = await good(c.verifyOtp({ type: 'email_change', email: 'new@example.test', token: (await mail('new@example.test')).code }))
  assert.deepEqual([half.user, half.session], [null, null])
  const whole = await good(c.verifyOtp({ type: 'email_change', email: 'old@example.test', token: (await mail('old@example.test')).code }))
  assert.equal(whole.user.email, 'new@example.test')
})

await step('invites', async () => {
  const { user } = await good(admin.inviteUserByEmail('guest@example.test', { data: { team: 'red' }, redirectTo: `${APP_URL}/welcome` }))
  assert.ok(user.invited_at)
  await bad(admin.inviteUserByEmail(ada), 422, 'email_exists')
  const c = await signedIn((await mail('guest@example.test')).link)
  await good(c.updateUser({ password }))
  assert.equal((await good(client().signInWithPassword({ email: 'guest@example.test', password }))).user.user_metadata.team, 'red')
})

await step('invites by a code', async () => {
  await good(admin.inviteUserByEmail('second@example.test'))
  const { code } = await mail('second@example.test')
  assert.ok((await good(client().verifyOtp({ type: 'invite', email: 'second@example.test', token: code }))).session)
})

await step('generates links of every type', async () => {
  const made = (params) => good(admin.generateLink({ ...params, options: { redirectTo: `${APP_URL}/in`, ...params.options } }))
  for (const [params, type] of [
    [{ type: 'signup', email: 'link1@example.test', password }, 'signup'],
    [{ type: 'invite', email: 'link2@example.test', options: { data: { team: 'blue' } } }, 'invite'],
    [{ type: 'magiclink', email: 'link1@example.test' }, 'magiclink'],
    [{ type: 'recovery', email: 'link1@example.test' }, 'recovery'],
  ]) {
    const { properties, user } = await made(params)
    assert.equal(properties.verification_type, type)
    assert.equal(properties.redirect_to, `${APP_URL}/in`)
    const got = await good(client().verifyOtp({ type, token_hash: properties.hashed_token }))
    assert.equal(got.user.id, user.id)
  }
  const current = await made({ type: 'email_change_current', email: 'link1@example.test', newEmail: 'link3@example.test' })
  const wanted = await made({ type: 'email_change_new', email: 'link1@example.test', newEmail: 'link3@example.test' })
  await follow(current.properties.action_link)
  const c = await signedIn(wanted.properties.action_link)
  assert.equal((await good(c.getUser())).user.email, 'link3@example.test')
  await bad(admin.generateLink({ type: 'recovery', email: 'nobody@example.test' }), 404, 'user_not_found')
})

let evesId

await step('creates a user with the service key', async () => {
  const { user } = await good(admin.createUser({
    email: 'eve@example.test', password, email_confirm: true, user_metadata: { name: 'Eve' }, app_metadata: { plan: 'all' },
  }))
  evesId = user.id
  assert.equal((await good(admin.getUserById(evesId))).user.app_metadata.plan, 'all')
  await bad(admin.createUser({ email: 'eve@example.test' }), 422, 'email_exists')
})

await step('waits for a confirmation, and resends it', async () => {
  const email = 'unconfirmed@example.test'
  await good(admin.createUser({ email, password }))
  await bad(client().signInWithPassword({ email, password }), 400, 'email_not_confirmed')
  await good(client().resend({ type: 'signup', email }))
  await good(client().verifyOtp({ type: 'signup', email, token: (await mail(email)).code }))
  await good(client().signInWithPassword({ email, password }))
})

await step('updates a user with the service key', async () => {
  const { user } = await good(admin.updateUserById(evesId, { email: 'eva@example.test', user_metadata: { name: 'Eva' } }))
  assert.deepEqual([user.email, user.user_metadata.name], ['eva@example.test', 'Eva'])
})

await step('lists users by pages', async () => {
  const first = await good(admin.listUsers({ page: 1, perPage: 4 }))
  assert.equal(first.users.length, 4)
  assert.equal(first.nextPage, 2)
  const seen = new Set()
  for (let page = 1; page <= first.lastPage; page++) {
    for (const user of (await good(admin.listUsers({ page, perPage: 4 }))).users) seen.add(user.id)
  }
  assert.equal(seen.size, first.total)
  assert.ok(seen.has(adasId) && seen.has(evesId))
})

await step('refuses a banned user everywhere, and not after the ban', async () => {
  const c = client()
  const { session } = await good(c.signInWithPassword({ email: 'eva@example.test', password }))
  const { user } = await good(admin.updateUserById(evesId, { ban_duration: '24h' }))
  assert.ok(new Date(user.banned_until) > new Date())
  await bad(client().signInWithPassword({ email: 'eva@example.test', password }), 400, 'user_banned')
  await bad(client().refreshSession({ refresh_token: session.refresh_token }), 400, 'user_banned')
  await bad(c.getUser(), 403, 'user_banned')
  await bad(c.updateUser({ data: { a: 1 } }), 403, 'user_banned')
  await good(client().signInWithOtp({ email: 'eva@example.test' }))
  await bad(client().verifyOtp({ type: 'email', email: 'eva@example.test', token: (await mail('eva@example.test')).code }), 403, 'user_banned')
  assert.equal((await good(admin.updateUserById(evesId, { ban_duration: 'none' }))).user.banned_until, undefined)
  await good(client().signInWithPassword({ email: 'eva@example.test', password }))
  await good(c.getUser())
})

await step('deletes users, softly too', async () => {
  const c = client()
  await good(c.signInWithPassword({ email: 'eva@example.test', password }))
  await good(admin.deleteUser(evesId, true))
  const left = (await good(admin.getUserById(evesId))).user
  assert.ok(left.deleted_at && left.email !== 'eva@example.test')
  await gone(c.getUser())
  await bad(client().signInWithPassword({ email: 'eva@example.test', password }), 400, 'invalid_credentials')
  await good(admin.deleteUser(evesId))
  await bad(admin.getUserById(evesId), 404, 'user_not_found')
})

await step('signs out locally, elsewhere and everywhere', async () => {
  const signIn = async () => {
    const c = client()
    return { c, session: (await good(c.signInWithPassword({ email: ada, password }))).session }
  }
  const [one, two, three] = [await signIn(), await signIn(), await signIn()]
  const lives = async (of) => {
    const { error } = await client().getUser(of.session.access_token)
    return error === null
  }
  const living = async () => [await lives(one), await lives(two), await lives(three)]
  await good(one.c.signOut({ scope: 'local' }))
  assert.deepEqual(await living(), [false, true, true])
  assert.equal((await good(one.c.getSession())).session, null)
  await good(two.c.signOut({ scope: 'others' }))
  assert.deepEqual(await living(), [false, true, false])
  const four = await signIn()
  await good(admin.signOut(four.session.access_token, 'global'))
  assert.deepEqual([await lives(two), await lives(four)], [false, false])
  await bad(client().refreshSession({ refresh_token: two.session.refresh_token }), 400, 'refresh_token_not_found')
})

await step('may do nothing of an administrator with the anon key', async () => {
  const { admin } = client()
  await bad(admin.listUsers(), 403, 'not_admin')
  await bad(admin.createUser({ email: 'x@example.test' }), 403, 'not_admin')
  await bad(admin.inviteUserByEmail('x@example.test'), 403, 'not_admin')
})

console.log(`steps: ${steps}`)
