// Who is signed in, and how to become so. The tokens stay in this browser; the
// auth engine gives them out, and each page of the guestbook uses them.

const authURL = document.querySelector('meta[name="auth-url"]').content;
const anonKey = document.querySelector('meta[name="auth-anon-key"]').content;
const place = 'guestbook.session';

// A Problem is an error whose text is meant for the visitor.
export class Problem extends Error {}

function read() {
  try {
    return JSON.parse(localStorage.getItem(place));
  } catch {
    return null;
  }
}

function keep(session) {
  if (session) {
    const { access_token, refresh_token, expires_at, user } = session;
    localStorage.setItem(place, JSON.stringify({ access_token, refresh_token, expires_at, email: user.email }));
  } else {
    localStorage.removeItem(place);
  }
  show();
}

// What visitors are told of the auth engine's error codes.
const told = {
  invalid_credentials: 'The e-mail address or the password is not right.',
  user_already_exists: 'There is an account with this e-mail address already. Sign in instead.',
  email_address_invalid: 'This is not an e-mail address.',
  weak_password: 'Choose a password of at least 8 characters.',
  over_request_rate_limit: 'Too many attempts. Try again in a few minutes.',
};

async function ask(path, body, token) {
  let response;
  try {
    response = await fetch(authURL + path, {
      method: 'POST',
      headers: {
        apikey: anonKey,
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      body: body && JSON.stringify(body),
    });
  } catch {
    throw new Problem('The sign-in service cannot be reached. Try again in a few seconds.');
  }
  const answer = response.status === 204 ? null : await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const problem = new Problem(told[answer.error_code] ?? (response.status >= 500
    ? 'The sign-in service is not available at the moment. Try again in a few seconds.'
    : answer.msg ?? 'That did not work. Try again.'));
  problem.status = response.status;
  problem.code = answer.error_code;
  throw problem;
}

export const signUp = async (email, password) => keep(await ask('/signup', { email, password }));

export const signIn = async (email, password) => keep(await ask('/token?grant_type=password', { email, password }));

export async function signOut() {
  const session = read();
  keep(null);
  if (!session) return;
  // Signed out here in any case; if the engine does not hear of it, the token
  // expires by itself.
  await ask('/logout?scope=local', null, session.access_token).catch(() => {});
}

export const forget = () => keep(null);

export const email = () => read()?.email ?? null;

// token gives an access token that is good for a while yet, or null.
export async function token() {
  const session = read();
  if (!session) return null;
  if (session.expires_at - Date.now() / 1000 > 30) return session.access_token;
  try {
    keep(await ask('/token?grant_type=refresh_token', { refresh_token: session.refresh_token }));
  } catch (problem) {
    if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) {
      keep(null);
      return null;
    }
    throw problem;
  }
  return read().access_token;
}

// show tells the page who is signed in. Pages listen for the event.
function show() {
  const known = email();
  const who = document.getElementById('who');
  who.textContent = known ?? '';
  who.hidden = !known;
  document.getElementById('sign-out').hidden = !known;
  document.getElementById('sign-in').hidden = Boolean(known) || location.pathname === '/login';
  document.dispatchEvent(new CustomEvent('session'));
}

document.getElementById('sign-out').addEventListener('click', signOut);
// Another tab may sign in or out.
addEventListener('storage', (event) => { if (event.key === place) show(); });
show();
